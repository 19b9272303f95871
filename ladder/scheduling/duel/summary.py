"""The summary of a duel: terms, progress and answer, as text and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.model.bots import Version, labels
from ladder.model.matches import MatchLine
from ladder.scheduling.duel.planner import (
    MATCHES_A_PAIR,
    DuelPlan,
    DuelProgress,
    check_pairs,
    progress_of,
)
from ladder.scheduling.duel.sequential import DuelAnswer

_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class DuelSummary:
    """A duel with the names of its bots."""

    plan: DuelPlan
    seats: int
    a: str
    b: str
    third: str
    """The name of the bot on the left-over seat."""
    progress: DuelProgress

    def terms(self) -> dict[str, str]:
        """Return the terms of the duel, by topic."""
        test = self.plan.test
        each, left = divmod(self.seats, 2)
        copies = "1 seat each" if each == 1 else f"{each} seats each"
        other = f", the one left for {self.third}" if left else ""
        return {
            "question": f"is {self.a} better than {self.b}?",
            "pairs": f"two matches of one deal, {copies}{other}; the second one swaps the seats",
            "score": f"the share of its comparisons with {self.b} that {self.a} won, ties as half",
            "test": "sequential, by betting: H0, a mean score of 0.5, against H1, "
            f"{0.5 + test.effect:g}",
            "errors": f"alpha {test.alpha:g}: probability of calling an equal bot better; "
            f"beta {test.beta:g}: of calling a bot that much better not better",
            "limits": f"no decision before {test.first} pairs, at most {test.cap} pairs "
            f"({MATCHES_A_PAIR * test.cap} matches)",
        }

    def answer(self) -> str:
        """Return the answer in one sentence."""
        verdict, test = self.progress.verdict, self.plan.test
        after = f"after {pairs_text(verdict.pairs)}, {MATCHES_A_PAIR * verdict.pairs} matches"
        match verdict.answer:
            case DuelAnswer.BETTER:
                return f"{self.a} is better than {self.b}: H1 is accepted {after}."
            case DuelAnswer.NOT_BETTER:
                return (
                    f"{self.a} is not better than {self.b}, or by less than {test.effect:g}: "
                    f"H0 is accepted {after}."
                )
            case DuelAnswer.NO_DECISION:
                return (
                    f"No decision: {pairs_text(test.cap)} did not tell {self.a} and {self.b} apart."
                )
            case DuelAnswer.OPEN:
                return f"Not decided yet, {after}."

    def numbers(self) -> dict[str, str]:
        """Return the figures behind the answer, by topic."""
        verdict = self.progress.verdict
        lower, upper = verdict.bounds
        low, high = verdict.interval
        won, drawn, lost = self.progress.wins
        test = self.plan.test
        sure = f"{100 * (1 - test.alpha - test.beta):g} %"
        numbers = {
            "evidence": f"{verdict.evidence:+.2f}, the logarithm of what betting on H1 (+) or H0 "
            f"(-) won; H0 is accepted from {lower:+.2f} down, H1 from {upper:+.2f} up",
            "score": f"{verdict.score:.3f}; {sure} confidence sequence {low:.3f} to {high:.3f}: "
            f"the truth is below it with {100 * test.alpha:g} % at most, above it with "
            f"{100 * test.beta:g} %, however often it was read",
            "pairs": f"{self.a} won {won}, drew {drawn} and lost {lost}",
        }
        later = self.progress.planned - self.progress.void - verdict.pairs
        if later and self.progress.over:
            numbers["later"] = f"{pairs_text(later)} under way at the decision change nothing"
        if self.progress.void:
            numbers["void"] = (
                f"{pairs_text(self.progress.void)} could not be played and do not count"
            )
        return numbers

    def to_json(self) -> str:
        """Return the summary as a JSON object, with a final newline."""
        verdict, test = self.progress.verdict, self.plan.test
        whole = {
            "a": self.a,
            "b": self.b,
            "seats": self.seats,
            "effect": test.effect,
            "alpha": test.alpha,
            "beta": test.beta,
            "first": test.first,
            "cap": test.cap,
            "answer": verdict.answer.value,
            "pairs": verdict.pairs,
            "score": round(verdict.score, _DECIMALS),
            "interval": [round(end, _DECIMALS) for end in verdict.interval],
            "evidence": round(verdict.evidence, _DECIMALS),
            "bounds": [round(end, _DECIMALS) for end in verdict.bounds],
            "won_drawn_lost": list(self.progress.wins),
            "void": self.progress.void,
        }
        return json.dumps(whole, indent=2) + "\n"


def summarize(
    plan: DuelPlan, seats: int, versions: Mapping[int, Version], lines: Sequence[MatchLine]
) -> DuelSummary:
    """Return the summary of a duel, given all its matches in order and the versions by id.

    Raise `StoreError` if these matches are not those of its plan.
    """
    check_pairs(plan, seats, lines)
    playing = {v: versions[v] for v in plan.entrants}
    names = labels(playing)
    third = "the stand-in" if plan.third is None else names[plan.third]
    return DuelSummary(plan, seats, names[plan.a], names[plan.b], third, progress_of(plan, lines))


def pairs_text(count: int) -> str:
    """Return a number of pairs in words."""
    return "1 pair" if count == 1 else f"{count} pairs"
