"""Strengths from point margins.

Least squares fit the point margins of all pairs of a match, weighted so that a match of k versions
counts as k - 1 degrees of freedom. A ridge shrinks strengths: relative to the noise of a match,
their spread is taken to be the same as that of strengths by places.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, inverse, summed
from ladder.rating.comparisons import Comparisons
from ladder.rating.families import Prior

_STEPS = 50
_CLOSE = 1e-3
"""The iteration ends when no strength moves by more than this part of the largest."""
_WEIGHT_OF_MARGINS = 5.0
"""The weight, in degrees of freedom, of the assumption that margins are all noise."""


@dataclass(frozen=True, slots=True, eq=False)
class PointStrengths:
    """Strengths of N versions by their points, in points."""

    mean: Floats
    """(N,) above the average version."""
    covariance: Floats
    """(N, N)"""
    residual: Floats
    """(R,) the part of each margin that the strengths do not explain."""


def known_margins(data: Comparisons) -> Floats | None:
    """Return the margins, (R,); None if some are unknown, or all are zero.

    A version that forfeited counts as behind by the root mean square of the other margins.
    """
    finite, before = np.isfinite(data.margin), data.past.sums
    known = int(np.count_nonzero(finite)) + before.finite
    if np.isnan(data.margin).any() or before.unknown or not known:
        return None
    typical = float(np.sqrt((np.sum(data.margin[finite] ** 2) + before.finite_margins) / known))
    if not typical > 0:
        return None
    return np.where(finite, data.margin, np.sign(data.margin) * typical)


def least_squares(
    data: Comparisons, margin: Floats, predecessors: Mapping[int, int], sd: float
) -> PointStrengths:
    """Fit strengths to the margins, (R,), by least squares.

    The ridge shrinks a version towards its family, or towards the average. `sd` is the spread of
    strengths in standard deviations of a match's noise.
    """
    n, i, j = data.entrants, data.cells.i[data.cell], data.cells.j[data.cell]
    weight, past, sums = data.cells.weight[data.cell] / 2, data.past, data.past.sums
    older = _laplacian(past.weight / 2)
    laplacian = _laplacian(summed(i * n + j, weight, n * n).reshape(n, n)) + older
    pull = pulled(data, margin) + past.margins
    squares = float(np.sum(margin**2)) + sums.margins
    usual = _WEIGHT_OF_MARGINS * squares / (len(margin) + sums.comparisons) / 2
    comparisons = float(weight.sum()) + float(past.weight.sum()) / 2
    prior, mean = Prior(n, predecessors, sd), np.zeros(n)
    for _ in range(_STEPS):
        before = mean
        spread = inverse(laplacian + prior.precision())
        mean = spread @ pull
        residual = margin - data.gaps(mean)
        freedom = max(2 * comparisons - prior.determined(spread), 0.0) + _WEIGHT_OF_MARGINS
        unexplained = sums.weighted_margins - float(mean @ (2 * past.margins - older @ mean))
        left = float((weight * residual**2).sum()) + max(unexplained, 0.0)
        gain = data.gain(residual, (sums.points_apart, sums.points))
        noise = (left + usual) / freedom / gain
        prior.learn(mean / np.sqrt(noise), spread)
        if not predecessors or np.max(np.abs(mean - before)) <= _CLOSE * np.max(np.abs(mean)):
            break
    return PointStrengths(mean, noise * prior.doubted(spread), residual)


def pulled(data: Comparisons, margin: Floats) -> Floats:
    """Return (N,) the sum of each version's weighted margins."""
    n, i, j = data.entrants, data.cells.i[data.cell], data.cells.j[data.cell]
    weight = data.cells.weight[data.cell] / 2
    return summed(i, weight * margin, n) - summed(j, weight * margin, n)


def _laplacian(weight: Floats) -> Floats:
    """Return the matrix of the sum of squared gaps, with weights (N, N), i < j."""
    both = weight + weight.T
    found: Floats = np.diag(both.sum(axis=1)) - both
    return found
