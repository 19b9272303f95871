"""What an ablation shows: a change against A, measured beside a copy of A under another name.

Two duels of equally many pairs, on the same deals and seats: of B against A, and of the copy
against A. The copy is A, so what it gains or loses is noise. Only a difference counts that the
confidence sequence tells from none, and that is larger than the copy's.
"""

import json
import math
from dataclasses import dataclass

from ladder.scheduling.duel.sequential import SequentialTest
from ladder.scheduling.duel.summary import DuelSummary, pairs_text

ONE_SIDED = 0.025
"""An interval misses the truth on each side with this probability at most: in all with 5 %."""
_DEVIATION = 0.25
"""About the standard deviation of a pair's score."""
_MOST_EFFECT = 0.25
_DECIMALS = 6


def of_pairs(pairs: int) -> SequentialTest:
    """Return the test of a duel of just so many pairs; raise `ValueError` if there are too few.

    Its stakes are best for the effect that so many pairs can just tell from none.
    """
    effect = min(_MOST_EFFECT, _DEVIATION * math.sqrt(-2 * math.log(ONE_SIDED) / pairs))
    return SequentialTest(effect, ONE_SIDED, ONE_SIDED, first=pairs, cap=pairs)


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much a bot's mean score against A exceeds 1/2."""

    mean: float
    low: float
    high: float

    @property
    def is_told(self) -> bool:
        """Whether the interval excludes no difference."""
        return not self.low <= 0 <= self.high

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def difference(duel: DuelSummary) -> Difference:
    """Return what a duel has measured so far, with an interval of 95 %."""
    verdict = duel.progress.verdict
    low, high = verdict.interval
    return Difference(verdict.score - 0.5, low - 0.5, high - 0.5)


@dataclass(frozen=True, slots=True)
class Ablation:
    """Both duels of an ablation, over or not."""

    change: DuelSummary
    """B against A."""
    null: DuelSummary
    """The copy of A against A."""

    def answer(self) -> str:
        """Return in words what the data allow."""
        a, b = self.change.b, self.change.a
        change, null = difference(self.change), difference(self.null)
        if not (self.change.progress.over and self.null.progress.over):
            return f"Not over: {self.pairs()} so far."
        if null.is_told:
            return (
                f"These data allow no answer: a copy of {a} differs from {a} by {null}, so "
                "something other than the bots' files decides. Look at what the bots keep between "
                "matches, and at what they read of names and of the clock."
            )
        beside = f"a copy of {a} showed {null.mean:+.3f}"
        if not change.is_told:
            shown = max(change.high, -change.low)
            return (
                f"The data do not tell {b} from {a}: the difference is {change}, and {beside}. A "
                f"difference of more than {shown:.3f} would probably have shown."
            )
        if abs(change.mean) <= abs(null.mean):
            return (
                f"The data do not tell {b} from {a}: the difference is {change}, but {beside}, "
                "which is no less."
            )
        better = "better" if change.mean > 0 else "weaker"
        return f"{b} is {better} than {a}: the difference is {change}, and {beside}."

    def pairs(self) -> str:
        """Return how many pairs were judged, in words."""
        done = (self.change.progress.verdict.pairs, self.null.progress.verdict.pairs)
        return f"{pairs_text(done[0])} of {self.change.a}, {pairs_text(done[1])} of the copy"

    def numbers(self) -> dict[str, str]:
        """Return the figures behind the answer, by topic."""
        return {
            self.change.a: f"{difference(self.change)}, its mean score against {self.change.b} "
            "minus 1/2",
            "copy": f"{difference(self.null)}, that of a copy of {self.change.b}: the noise",
            "pairs": f"{self.pairs()}, on the same deals and seats",
            "interval": f"{100 * (1 - 2 * ONE_SIDED):g} % confidence sequences, valid however "
            "often they are read",
        }

    def to_json(self) -> str:
        """Return the ablation as a JSON object, with a final newline."""
        whole = {
            "a": self.change.b,
            "b": self.change.a,
            "answer": self.answer(),
            "change": _fields(self.change),
            "null": _fields(self.null),
        }
        return json.dumps(whole, indent=2) + "\n"


def _fields(duel: DuelSummary) -> dict[str, object]:
    found = difference(duel)
    return {
        "pairs": duel.progress.verdict.pairs,
        "difference": round(found.mean, _DECIMALS),
        "interval": [round(found.low, _DECIMALS), round(found.high, _DECIMALS)],
        "told": found.is_told,
    }
