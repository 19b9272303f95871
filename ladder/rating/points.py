"""Strengths from point margins.

Least squares fit the point margins of all pairs of a match, weighted so that a match of k versions
counts as k - 1 degrees of freedom. A ridge shrinks strengths: relative to the noise of a match,
their spread is taken to be the same as that of strengths by places.
"""

from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, inverse, summed
from ladder.rating.comparisons import Comparisons

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


def least_squares(data: Comparisons, margin: Floats, sd: float) -> PointStrengths:
    """Fit strengths to the margins, (R,), by least squares.

    The ridge shrinks them towards the average. `sd` is their spread in standard deviations of a
    match's noise.
    """
    n, i, j = data.entrants, data.cells.i[data.cell], data.cells.j[data.cell]
    weight, past = data.cells.weight[data.cell] / 2, data.past
    older = _laplacian(past.weight / 2)
    laplacian = _laplacian(summed(i * n + j, weight, n * n).reshape(n, n)) + older
    pull = pulled(data, margin) + past.margins
    ridge = 1 / sd**2
    spread = inverse(laplacian + ridge * np.eye(n))
    mean = spread @ pull
    residual, sums = margin - data.gaps(mean), past.sums
    squares = float(np.sum(margin**2)) + sums.margins
    usual = _WEIGHT_OF_MARGINS * squares / (len(margin) + sums.comparisons) / 2
    fitted = float(n - ridge * np.trace(spread))
    comparisons = float(weight.sum()) + float(past.weight.sum()) / 2
    freedom = max(2 * comparisons - fitted, 0.0) + _WEIGHT_OF_MARGINS
    unexplained = sums.weighted_margins - float(mean @ (2 * past.margins - older @ mean))
    left = float((weight * residual**2).sum()) + max(unexplained, 0.0)
    gain = data.gain(residual, (sums.points_apart, sums.points))
    return PointStrengths(mean, (left + usual) / freedom / gain * spread, residual)


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
