"""What points say of strengths beyond places: by how much one was ahead of another.

The margins of points in all pairs of a match are fitted by least squares, weighted so that a match
counts as its centred points do: those of k versions have k - 1 degrees of freedom. A ridge holds
strengths together as far as they are seen to spread (empirical Bayes).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ladder.rating.arrays import Floats, summed
from ladder.rating.comparisons import Comparisons

_STEPS = 50
_CLOSE = 1e-3
"""When nothing moves by more than this part of the spread of strengths, they are settled."""
_WEIGHT_OF_MARGINS = 5.0
"""So many points weighs the assumption that margins are all luck."""
_LEAST = 1e-9
"""A margin that never varies would leave nothing to divide by."""


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
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


def least_squares(data: Comparisons, margin: Floats, predecessors: Mapping[int, int]) -> Margins:
    """Fit strengths to the margins, (R,).

    What a version is held to is what the one that it replaced shows, or the average.
    """
    n, i, j = data.entrants, data.cells.i[data.cell], data.cells.j[data.cell]
    weight = data.cells.weight[data.cell] / 2
    laplacian = summed(i * n + j, weight, n * n).reshape(n, n)
    laplacian += laplacian.T
    laplacian = np.diag(laplacian.sum(axis=1)) - laplacian
    pull = summed(i, weight * margin, n) - summed(j, weight * margin, n)
    usual = _WEIGHT_OF_MARGINS * float(np.mean(margin**2)) / 2
    new, old = (np.array([*part], np.int64) for part in (predecessors, predecessors.values()))
    ridge, mean, held = 1.0, np.zeros(n), np.zeros(n)
    for _ in range(_STEPS):
        before = mean
        inverse = linalg.inv(laplacian + ridge * np.eye(n))
        mean = inverse @ (pull + ridge * held)
        residual = margin - data.gaps(mean)
        fitted = float(n - ridge * np.trace(inverse))
        freedom = max(2 * float(weight.sum()) - fitted, 0.0) + _WEIGHT_OF_MARGINS
        noise = (float((weight * residual**2).sum()) + usual) / freedom / data.gain(residual)
        spread = float(((mean - held) ** 2).mean() + noise * np.trace(inverse) / n)
        ridge = max(noise / max(spread, _LEAST), _LEAST)
        held[new] = mean[old]
        if np.max(np.abs(mean - before)) < _CLOSE * np.sqrt(spread):
            break
    return Margins(mean, noise * (inverse + inverse.T) / 2, residual)
