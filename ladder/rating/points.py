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
    finite = np.isfinite(data.margin)
    if np.isnan(data.margin).any() or not finite.any():
        return None
    typical = float(np.sqrt(np.mean(data.margin[finite] ** 2)))
    if not typical > 0:
        return None
    return np.where(finite, data.margin, np.sign(data.margin) * typical)


def least_squares(
    data: Comparisons, margin: Floats, predecessors: Mapping[int, int], sd: float
) -> PointStrengths:
    """Fit strengths to the margins, (R,), by least squares.

    The ridge shrinks a version towards its predecessor, or towards the average. `sd` is the spread
    of strengths in standard deviations of a match's noise.
    """
    n, i, j = data.entrants, data.cells.i[data.cell], data.cells.j[data.cell]
    weight = data.cells.weight[data.cell] / 2
    laplacian = summed(i * n + j, weight, n * n).reshape(n, n)
    laplacian += laplacian.T
    laplacian = np.diag(laplacian.sum(axis=1)) - laplacian
    pull = summed(i, weight * margin, n) - summed(j, weight * margin, n)
    ridge = 1 / sd**2
    spread = inverse(laplacian + ridge * np.eye(n))
    mean, held = np.zeros(n), np.zeros(n)
    new, old = (np.array([*part], np.int64) for part in (predecessors, predecessors.values()))
    for _ in range(_STEPS):
        before = mean
        mean = spread @ (pull + ridge * held)
        held[new] = mean[old]
        if np.max(np.abs(mean - before)) <= _CLOSE * np.max(np.abs(mean)):
            break
    residual = margin - data.gaps(mean)
    usual = _WEIGHT_OF_MARGINS * float(np.mean(margin**2)) / 2
    fitted = float(n - ridge * np.trace(spread))
    freedom = max(2 * float(weight.sum()) - fitted, 0.0) + _WEIGHT_OF_MARGINS
    noise = (float((weight * residual**2).sum()) + usual) / freedom / data.gain(residual)
    return PointStrengths(mean, noise * spread, residual)
