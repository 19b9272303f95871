"""What a report says of ladders with a planted cycle, a bot that preys on another, or colluders.

Run by `python -m tests.benchmarks.ranking.real.planted`; the matches are drawn from banks of real
ones, by the default's tables, and results are changed where the defect's bots meet. These are drawn
for each ladder: a pair among all bots, three for a cycle next to each other in the true order.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.results.diagnostics.collusion import favours
from ladder.results.diagnostics.cycles import cycles
from ladder.results.diagnostics.residuals import residuals
from ladder.scheduling.ladder.optimal import optimal
from tests.benchmarks.ranking.real.bank import Bank, load, played
from tests.benchmarks.ranking.real.experiment import full_matches
from tests.benchmarks.ranking.real.foretold import outcomes
from tests.benchmarks.ranking.real.ladders import Defect, Draws, rounds

_MATCHES = (1600,)
PAIR = 2


def exchanged(result: MatchResult, i: int, j: int) -> MatchResult:
    """Return the result with the places and points of two of its versions exchanged."""
    order = list(range(len(result.versions)))
    order[i], order[j] = j, i
    points = [result.points[at] for at in order]
    return replace(result, ranks=[result.ranks[at] for at in order], points=points)


def beating(
    edges: Sequence[tuple[int, int]], share: float, result: MatchResult, chance: Generator
) -> MatchResult:
    """Let the first of each pair come before the second in a share of their matches."""
    for at in chance.permutation(len(edges)).tolist():
        if {*edges[at]} <= {*result.versions}:
            i, j = (result.versions.index(bot) for bot in edges[at])
            if (result.ranks[i] < result.ranks[j]) != (chance.random() < share):
                result = exchanged(result, i, j)
    return result


def sparing(
    pair: Sequence[int], share: float, result: MatchResult, chance: Generator
) -> MatchResult:
    """Let each of two take the place of the next better other one, in a share of their matches."""
    if not {*pair} <= {*result.versions}:
        return result
    for bot in pair:
        own = result.versions.index(bot)
        better = [
            at
            for at, rank in enumerate(result.ranks)
            if rank < result.ranks[own] and result.versions[at] not in pair
        ]
        if better and chance.random() < share:
            result = exchanged(result, own, max(better, key=lambda at: result.ranks[at]))
    return result


def throwing(
    pair: Sequence[int], share: float, result: MatchResult, chance: Generator
) -> MatchResult:
    """Let the first take the last place and the second the first, in a share of their matches."""
    if {*pair} <= {*result.versions} and chance.random() < share:
        for bot, best in zip(pair, (max, min), strict=True):
            own = result.versions.index(bot)
            result = exchanged(result, own, result.ranks.index(best(result.ranks)))
    return result


Planted = Callable[[Sequence[int], float, MatchResult, Generator], MatchResult]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of defect."""

    name: str
    bots: int
    planted: Planted | None = None
    share: float = 0.0


def ring(bots: Sequence[int], share: float, result: MatchResult, chance: Generator) -> MatchResult:
    """Let each beat the next, and the last the first; of two, the first the second."""
    return beating(_edges(bots), share, result, chance)


def _edges(bots: Sequence[int]) -> list[tuple[int, int]]:
    """Return who beats whom."""
    return [*pairwise([*bots, *bots[:1]])][: 2 * len(bots) - 3]


KINDS = (
    Kind("none", 0),
    Kind("cycle, 75 %", 3, ring, 0.75),
    Kind("cycle, 90 %", 3, ring, 0.9),
    Kind("prey, 90 %", 2, ring, 0.9),
    Kind("sparing, half", 2, sparing, 0.5),
    Kind("throwing, half", 2, throwing, 0.5),
)


@dataclass
class Said:
    """What reports say after a number of matches, one entry a ladder."""

    named: list[bool] = field(default_factory=list)
    """Whether the planted cycle is named,"""
    false: list[bool] = field(default_factory=list)
    """or one that there is not: by all matches of the bank, one of it does not beat the next."""
    suspected: list[bool] = field(default_factory=list)
    """Whether the planted pair, or one of three, is suspected of collusion,"""
    accused: list[bool] = field(default_factory=list)
    """or a bot that has no part in it."""
    gives: list[bool] = field(default_factory=list)
    """Whether the first of the pair is said to give way to the second or the other way round,"""
    others: list[bool] = field(default_factory=list)
    """or another pair."""

    def __str__(self) -> str:
        """Return the shares, with their standard errors."""
        return "  ".join(map(_share, vars(self).values()))


def _share(hits: Sequence[bool]) -> str:
    p = float(np.mean(hits))
    return f"{p:5.3f} ± {(p * (1 - p) / len(hits)) ** 0.5:.3f}"


def ladder(bank: Bank, kind: Kind, seed: int) -> Iterator[tuple[int, list[bool]]]:
    """Play a ladder; yield by number of matches what its report says, as in `Said`."""
    order, chance = np.argsort(bank.places), np.random.default_rng(seed)
    if kind.bots > PAIR:
        first = int(chance.integers(len(order) - 2))
        order = order[first : first + kind.bots]
    bots: list[int] = chance.permutation(order)[: kind.bots].tolist()
    defect = partial(kind.planted, bots, kind.share) if kind.planted else None
    ahead = [*_MATCHES]
    for log in rounds(Draws(bank, seed), optimal(mixed=True), rate, defect):
        if len(log) >= ahead[0]:
            fit = rate(log)
            of = residuals(log, fit)
            at = bots.index(min(bots)) if bots else 0
            planted = (*bots[at:], *bots[:at])
            named = [cycle.versions for cycle in cycles(of, fit.theta)]
            true = _true(bank, defect, named)
            found = favours(of)
            suspects = [{f.helper, f.helped} <= {*bots} for f in found if f.suspect]
            giving = [{f.helper, f.helped} <= {*bots} for f in found if f.gives_way]
            yield (
                ahead.pop(0),
                [
                    planted in named,
                    not all(true),
                    *(hit for one in (suspects, giving) for hit in (any(one), not all(one))),
                ],
            )
            if not ahead:
                return


def _true(bank: Bank, defect: Defect | None, circles: Sequence[Sequence[int]]) -> list[bool]:
    """Return of each circle whether each of it beats the next, by all matches of the bank."""
    if not circles:
        return []
    every, chance = Log(len(bank.names)), np.random.default_rng(0)
    every.extend(defect(one, chance) if defect else one for one in full_matches(bank))
    won = outcomes(every)
    return [all(won[i, j] > won[j, i] for i, j in _edges(circle)) for circle in circles]


def main() -> None:
    """Print the shares of ladders by field and kind of defect."""
    parser = argparse.ArgumentParser(description=__doc__)
    fields = [name for name in played() if name.endswith(("spread", "dense"))]
    parser.add_argument("fields", nargs="*", default=fields, choices=[*fields, []])
    parser.add_argument("--ladders", type=int, default=40)
    parser.add_argument("--kinds", nargs="*", default=[kind.name for kind in KINDS])
    given = parser.parse_args()
    print("shares of ladders: ", *Said.__dataclass_fields__)
    for name in given.fields:
        bank = load(name)
        for kind in KINDS:
            if kind.name not in given.kinds:
                continue
            said: dict[int, Said] = {}
            for seed in range(given.ladders):
                for matches, found in ladder(bank, kind, seed):
                    at = said.setdefault(matches, Said())
                    for column, hit in zip(vars(at).values(), found, strict=True):
                        column.append(hit)
            for matches, at in said.items():
                print(f"{name:18} {kind.name:15} {matches:5}  {at}", flush=True)


if __name__ == "__main__":
    main()
