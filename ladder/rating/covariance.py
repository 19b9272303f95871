"""The covariance of the estimates: a sandwich by blocks, with the interactions of pairs.

The formulas are those of `composite`, which also says what they are for.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.comparisons import Comparisons
from ladder.rating.dispersion import Encounters, Scatter

_MOST = 4.0
"""The largest factor that makes up for fitted parameters; it grows without bounds at first."""
_LEAST = 4.0
"""Versions with fewer blocks are treated as if they had so many."""


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """The curvature at a maximum, and its inverse: the covariance if the model were right."""

    inverse: Floats
    """(N + Q, N + Q)"""
    precision: Floats
    """(N + Q,) the part of the prior."""
    parameters: float
    """How many strengths the data determine, rather than the prior."""

    @classmethod
    def of(cls, hessian: Floats, precision: Floats, entrants: int) -> "Curvature":
        """Invert the curvature."""
        inverse = linalg.cho_solve(linalg.cho_factor(hessian), np.eye(len(hessian)))
        believed = (np.diag(inverse) * precision)[:entrants]
        return cls(inverse, precision, float(entrants - believed.sum()))

    def leverage(self, met: Encounters, information: Floats) -> Floats:
        """Return (P,) the share of each pair's score that the fit takes up."""
        own = np.diag(self.inverse)
        variance = own[met.i] + own[met.j] - 2 * self.inverse[met.i, met.j]
        return information * variance

    def unfitted(self, data: Comparisons) -> float:
        """Return the factor by which squared residuals have to be raised."""
        left = 1 - self.parameters / (data.places * data.block_count)
        return 1 / max(left, 1 / _MOST)


def sandwich(
    data: Comparisons,
    met: Encounters,
    seen: Scatter,
    weight: Floats,
    curvature: Curvature,
    t2: float,
    field: Floats,
) -> Floats:
    """Return V of all strengths and worths of seats, (N + Q, N + Q)."""
    n = data.entrants
    middle = np.diag(curvature.precision)
    if data.block_count:
        few = _few(data)
        scores = few[:, None] * _block_scores(data, met, seen, weight) * few
        middle += curvature.unfitted(data) * scores
        told = weight[met.pair] * seen.told
        middle[:n, :n] += t2 / 4 * _interactions(n, met, told, data.table, field)
    covariance: Floats = curvature.inverse @ middle @ curvature.inverse
    return (covariance + covariance.T) / 2


def _few(data: Comparisons) -> Floats:
    """Return (N + Q,) the factor of a version's scores that makes up for its few blocks.

    Its square is b / (b - 2), the variance of Student's t, at most 2.
    """
    blocks = np.maximum(data.blocks, _LEAST)
    return np.concatenate([np.sqrt(blocks / (blocks - 2)), np.ones(data.seats)])


def _block_scores(data: Comparisons, met: Encounters, seen: Scatter, weight: Floats) -> Floats:
    """Return the sum over blocks of g g', where g is the block's weighted score."""
    versions = met.version_scores(weight[met.pair] * seen.score, data.entrants)
    residual = weight[met.pair[met.of_comparison]] * seen.residual
    columns = [data.cells.seat_i[data.cell], data.cells.seat_j[data.cell]]
    where = (np.tile(data.block, 2), np.concatenate(columns))
    signed = np.concatenate([residual, -residual])
    seats = sparse.csr_array((signed, where), shape=(data.block_count, data.seats))
    scores = sparse.hstack([versions, seats], format="csr")
    product: Floats = (scores.T @ scores).toarray()
    return product


def _interactions(n: int, met: Encounters, told: Floats, table: float, field: Floats) -> Floats:
    """Return K, the covariance of the strengths' scores for gains of variance one.

    `told` is the weighted information of the encounters, (E,).
    """
    rows, gains, shifts = _shifts(n, met, told)
    shifted = sparse.csr_array((shifts, (rows, gains)), shape=(n, n * n))
    weights = np.zeros((n, n))
    weights[met.i, met.j] = weights[met.j, met.i] = met.by_pair(told)
    laplacian, share = _laplacian(weights), table / field.sum()
    by_gainer = summed(rows * n + gains // n, shifts * field[gains % n], n * n)
    by_loser = summed(rows * n + gains % n, shifts * field[gains // n], n * n)
    cross = share * (by_gainer - by_loser).reshape(n, n) @ laplacian
    pulled = laplacian @ field
    own = share**2 * (field.sum() * laplacian @ laplacian - np.outer(pulled, pulled))
    total: Floats = (shifted @ shifted.T).toarray() - cross - cross.T + own
    return total


def _shifts(n: int, met: Encounters, told: Floats) -> tuple[Ints, Ints, Floats]:
    """Return by how much gains shift scores: version i, gain as j * n + m with j < m, and shift.

    In a block with the Laplacian L each other m that is there shifts the score of i by L_ij c_jm.
    """
    i, j = met.i[met.pair], met.j[met.pair]
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    signed = np.concatenate([told, told, -told, -told])
    present = np.unique(np.concatenate([met.block * n + i, met.block * n + j]))
    size = np.bincount(present // n, minlength=met.blocks)
    each = np.tile(size[met.block], 4)
    first = np.tile((np.cumsum(size) - size)[met.block], 4)
    within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    other = present[np.repeat(first, each) + within] % n
    gainer = np.repeat(columns, each)
    low, high = np.minimum(gainer, other), np.maximum(gainer, other)
    shifts = np.repeat(signed, each) * np.sign(other - gainer)
    return np.repeat(rows, each), low * n + high, shifts


def _laplacian(weights: Floats) -> Floats:
    laplacian: Floats = np.diag(weights.sum(axis=1)) - weights
    return laplacian
