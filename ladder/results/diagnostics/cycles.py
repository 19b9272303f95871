"""Cycles: three versions of which each beats the next, which no order of strengths can show.

*Null.* Strengths explain all results, up to how much styles usually suit each other. The excess of
a pair is the logit of the share in which i beat j, with one more block as expected, less the logit
that strengths and seats expect. Around a triple the strengths cancel, so the sum of its three
excesses is zero but for luck, whatever the errors of the strengths.

*Test.* Student's t of that sum. Its variance is that of the pairs' scores by block; if pairs
deviate from their strengths more than luck does (the robust standard deviation of all z exceeds
one), it grows as much: some styles suit each other in any field. All triples that met share one
rate `ALARM`, in both directions (Bonferroni). A cycle is named only if each of its three is also
ahead of the next by a standard error: styles that merely widen a distance make no cycle. Of cycles
that share a pair only the surest is named, as one large excess is in all triples of its pair.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from ladder.rating.arrays import Floats, summed
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


def cycles(of: Residuals, theta: Floats) -> list[Cycle]:
    """Return the cycles among versions of strengths `theta`, the surest first."""
    n, met, cells = of.data.entrants, of.met, of.data.cells
    weight, size = cells.count * cells.weight, len(met.i)
    columns: list[Floats] = [
        summed(met.pair, np.ones(len(met.pair)), size),
        met.by_pair(of.seen.score),
        of.seen.sum_of_squares,
        summed(met.pair_of_cell, weight, size),
        summed(met.pair_of_cell, weight * of.p, size),
    ]
    kept = (columns[0] >= _FEWEST) & (of.seen.sum_of_squares > 0)
    if not kept.any():
        return []
    i, j = met.i[kept], met.j[kept]
    blocks, score, squares, whole, expected = (column[kept] for column in columns)
    usual = usual_deviation(score / squares**0.5)
    share = expected / whole
    seen = share + score / whole * blocks / (blocks + 1)
    excess = special.logit(seen) - special.logit(share)
    scatter = squares - score**2 / blocks + squares.sum() / blocks.sum()
    variance = scatter / (whole * seen * (1 - seen)) ** 2 * usual**2
    beyond, error, count = np.zeros((n, n)), np.ones((n, n)), np.zeros((n, n), np.int64)
    beyond[i, j], beyond[j, i] = excess, -excess
    error[i, j] = error[j, i] = variance
    count[i, j] = count[j, i] = blocks
    ahead = theta[:, None] - theta[None, :] + beyond
    beats = (count > 0) & (ahead > _BEATS * np.sqrt(error))
    known = (count > 0).astype(np.float64)
    tests = max(1.0, float(np.einsum("ij,ji->", known @ known, known)) / 3)
    found = []
    for a in range(n):
        after = a + 1 + np.flatnonzero(beats[a, a + 1 :])
        before = a + 1 + np.flatnonzero(beats[a + 1 :, a])
        for x, y in np.argwhere(beats[np.ix_(after, before)]).tolist():
            ring = (a, int(after[x]), int(before[y]))
            edges = tuple(zip(ring, (*ring[1:], a), strict=True))
            total = sum(float(beyond[edge]) for edge in edges)
            spread = sum(float(error[edge]) for edge in edges) ** 0.5
            least = min(int(count[edge]) for edge in edges)
            p_value = min(1.0, tests * float(special.stdtr(least - 1, -total / spread)))
            if p_value < ALARM:
                first, second, third = (float(special.expit(ahead[edge])) for edge in edges)
                found.append(Cycle(ring, (first, second, third), p_value))
    named: dict[frozenset[int], Cycle] = {}
    for cycle in sorted(found, key=lambda cycle: (cycle.p_value, cycle.versions)):
        pairs = [frozenset(pair) for pair in combinations(cycle.versions, 2)]
        if named.keys().isdisjoint(pairs):
            named |= dict.fromkeys(pairs, cycle)
    return list(dict.fromkeys(named.values()))
