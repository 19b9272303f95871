"""Cycles: three versions of which each beats the next, which no order of strengths can show.

*Null.* Strengths explain all results, up to how much styles usually suit each other. The excess of
a pair is the logit of the share in which i beat j, with one more block as expected, less the logit
that strengths and seats expect. Around a triple the strengths cancel, so the sum of its three
excesses is zero but for luck, whatever the errors of the strengths.

*Test.* Student's t of that sum. Its variance is that of the pairs' scores by block; if pairs
deviate from their strengths more than luck does (the robust standard deviation of all z exceeds
one), it grows as much: some styles suit each other in any field. All triples that met share one
rate `ALARM`, in both directions (Bonferroni). A cycle is named only if each of its three is also
ahead of the next by a standard error: styles that merely widen a distance make no cycle.
Blocks in which all three met do not count, as no match shows a whole cycle. Of cycles that share a
pair only the surest is named, as one large excess is in all triples of its pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from ladder.rating.arrays import Floats, Ints, summed
from ladder.results.diagnostics.residuals import Residuals, usual_deviation

ALARM = 0.01
"""The probability that a field without cycles has any that is named."""
_FEWEST = 10
"""Pairs with fewer blocks are not tested."""
_BEATS = 1.0
"""By how many standard errors one of a cycle is at least ahead of the next."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three versions, each of which beats the next, and the last the first."""

    versions: tuple[int, int, int]
    """The version of the least index first."""
    wins: tuple[float, float, float]
    """How often each comes before the next at equal seats, as estimated."""
    p_value: float
    """The probability that strengths alone show as much, times the number of tests."""


class Excesses:
    """How far pairs deviate from what strengths and seats expect."""

    def __init__(self, of: Residuals) -> None:
        """Sum up the encounters."""
        met, weight = of.met, of.data.cells.weight[of.data.cell]
        self.size, self.pair, self.block = len(met.i), met.pair, met.block
        self.parts = np.stack(
            [
                np.ones(len(met.pair)),
                of.seen.score,
                of.seen.score**2,
                met.by_comparison(weight),
                met.by_comparison(weight * of.p[of.data.cell]),
            ]
        )
        """(5, E) of each encounter: one, score, its square, weight, and the expected score."""
        self.order = np.argsort(met.pair, kind="stable")
        self.first = np.searchsorted(met.pair[self.order], np.arange(self.size + 1))
        count, score, squares, *_ = self._sums(self.pair, self.parts, self.size)
        self.usual = usual_deviation(score[squares > 0] / squares[squares > 0] ** 0.5)
        self.average = squares.sum() / max(count.sum(), 1.0)

    def of_field(self) -> tuple[Floats, Floats, Floats]:
        """Return the number of blocks, the excess and its variance of each pair, (P,)."""
        return self._excesses(self.pair, self.parts, self.size)

    def of_triple(self, pairs: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Return the same of three pairs, (3,), without the blocks in which all three met."""
        own = [self.order[self.first[pair] : self.first[pair + 1]] for pair in pairs]
        one, other = (self.block[rows] for rows in own[:2])
        rows, pair = np.concatenate(own), np.repeat(np.arange(3), [len(rows) for rows in own])
        apart = ~np.isin(self.block[rows], np.intersect1d(one, other))
        return self._excesses(pair[apart], self.parts[:, rows[apart]], 3)

    def _sums(self, pair: Ints, parts: Floats, size: int) -> list[Floats]:
        return [summed(pair, part, size) for part in parts]

    def _excesses(self, pair: Ints, parts: Floats, size: int) -> tuple[Floats, Floats, Floats]:
        blocks, score, squares, weight, expected = self._sums(pair, parts, size)
        known = np.maximum(blocks, 1.0)
        weight = np.where(blocks > 0, weight, 1.0)
        share = np.where(blocks > 0, expected / weight, 0.5)
        seen = share + score / weight * known / (known + 1)
        scatter = squares - score**2 / known + self.average
        variance = scatter / (weight * seen * (1 - seen)) ** 2 * self.usual**2
        return blocks, special.logit(seen) - special.logit(share), variance


def cycles(of: Residuals, theta: Floats) -> list[Cycle]:
    """Return the cycles among versions of strengths `theta`, the surest first."""
    n, met = of.data.entrants, of.met
    every = Excesses(of)
    blocks, excess, variance = every.of_field()
    gap = theta[met.i] - theta[met.j] + excess
    sure = (blocks >= _FEWEST) & (np.abs(gap) > _BEATS * variance**0.5)
    beats = np.zeros((n, n), np.bool_)
    beats[met.i, met.j], beats[met.j, met.i] = sure & (gap > 0), sure & (gap < 0)
    pair, known = np.zeros((n, n), np.int64), np.zeros((n, n))
    pair[met.i, met.j] = pair[met.j, met.i] = np.arange(len(met.i))
    known[met.i, met.j] = known[met.j, met.i] = blocks >= _FEWEST
    tests = max(1.0, float(np.einsum("ij,ji->", known @ known, known)) / 3)
    found = []
    for a in range(n):
        after = a + 1 + np.flatnonzero(beats[a, a + 1 :])
        before = a + 1 + np.flatnonzero(beats[a + 1 :, a])
        for x, y in np.argwhere(beats[np.ix_(after, before)]).tolist():
            ring = (a, int(after[x]), int(before[y]))
            edges = [*zip(ring, (*ring[1:], a), strict=True)]
            count, beyond, error = every.of_triple([int(pair[edge]) for edge in edges])
            beyond *= [1 if i < j else -1 for i, j in edges]
            ahead = beyond + [theta[i] - theta[j] for i, j in edges]
            if count.min() < _FEWEST or (ahead < _BEATS * error**0.5).any():
                continue
            z = float(beyond.sum() / error.sum() ** 0.5)
            p_value = min(1.0, tests * float(special.stdtr(count.sum() - 3, -z)))
            if p_value < ALARM:
                first, second, third = special.expit(ahead).tolist()
                found.append(Cycle(ring, (first, second, third), p_value))
    named: dict[frozenset[int], Cycle] = {}
    for cycle in sorted(found, key=lambda cycle: (cycle.p_value, cycle.versions)):
        pairs = [frozenset(two) for two in combinations(cycle.versions, 2)]
        if named.keys().isdisjoint(pairs):
            named |= dict.fromkeys(pairs, cycle)
    return list(dict.fromkeys(named.values()))
