"""What points say of strengths beyond places: by how much one was ahead of another.

The margins of points in all pairs of a match are fitted by least squares, weighted so that a match
counts as its centred points do: those of k versions have k - 1 degrees of freedom. A ridge holds
strengths together: they are taken to spread as widely, compared with the luck of a match, as they
do by places.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, inverse, summed
from ladder.rating.comparisons import Comparisons

_STEPS = 50
_CLOSE = 1e-3
"""When nothing moves by more than this part of the largest strength, they are settled."""
_WEIGHT_OF_MARGINS = 5.0
"""So many points weighs the assumption that margins are all luck."""


@dataclass(frozen=True, slots=True, eq=False)
class PointStrengths:
    """What points say of N versions, in points."""

    mean: Floats
    """(N,) how far each is ahead of the average one."""
    covariance: Floats
    """(N, N)"""
    residual: Floats
    """(R,) what of each margin that does not explain."""


def known_margins(data: Comparisons) -> Floats | None:
    """Return (R,) the margins; None if not all are known, or if all are equal.

    Who forfeited is taken to be behind by the root mean square of the others' margins.
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
    """Fit strengths to the margins, (R,).

    What a version is held to is what the one that it replaced shows, or the average. `sd` is how
    widely strengths spread, in deviations of the luck of a match.
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
