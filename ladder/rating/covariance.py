"""The covariance of estimates: a sandwich by blocks, with the interactions of pairs.

The formulas are those of `composite`, which also says what they are for. Two estimates from the
same matches, by places and by points, have errors in common: their covariance is the same sandwich
with the bread and the filling of either on its side.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.comparisons import Comparisons
from ladder.rating.curvature import Curvature
from ladder.rating.dispersion import Encounters, Scatter
from ladder.rating.estimate import Estimate

_LEAST = 4.0
"""Versions with fewer blocks are treated as if they had so many."""


@dataclass(frozen=True, slots=True, eq=False)
class Interactions:
    """How much gains c_ij of one version from another at its table move its score."""

    shifted: sparse.csr_array
    """(N, N * N) the scores of the versions by the gains j * N + m, j < m, block by block."""
    pulled: Floats
    """(N, N) what of that goes with the gains of each version against the field."""
    laplacian: Floats
    """(N, N) of the weighted informations of all pairs."""
    field: Floats
    """(N,) 1 for the versions of the field, 0 for others."""
    share: float
    """k / n, by which the mean gain counts."""

    @classmethod
    def of(
        cls, n: int, met: Encounters, told: Floats, table: float, field: Floats
    ) -> "Interactions":
        """`told` is the weighted information of the encounters, (E,)."""
        rows, gains, shifts = _shifts(n, met, told)
        weights = np.zeros((n, n))
        weights[met.i, met.j] = weights[met.j, met.i] = met.by_pair(told)
        by_gainer = summed(rows * n + gains // n, shifts * field[gains % n], n * n)
        by_loser = summed(rows * n + gains % n, shifts * field[gains // n], n * n)
        return cls(
            shifted=sparse.csr_array((shifts, (rows, gains)), shape=(n, n * n)),
            pulled=(by_gainer - by_loser).reshape(n, n),
            laplacian=np.diag(weights.sum(axis=1)) - weights,
            field=field,
            share=table / max(field.sum(), 1.0),
        )

    def covariance(self, other: "Interactions") -> Floats:
        """Return K, the covariance of both scores, (N, N), for the same gains of variance one."""
        one, two, field = self.laplacian, other.laplacian, self.field
        cross = self.share * (self.pulled @ two + (other.pulled @ one).T)
        own = field.sum() * one @ two - np.outer(one @ field, two @ field)
        total: Floats = (self.shifted @ other.shifted.T).toarray() - cross + self.share**2 * own
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """What the errors of an estimate of N strengths and Q worths of seats are made of."""

    curvature: Curvature
    scores: sparse.csr_array
    """(blocks, N + Q) weighted, with what makes up for fitted parameters and for few blocks."""
    interactions: Interactions
    t2: float

    @classmethod
    def of(cls, data: Comparisons, met: Encounters, found: Estimate, field: Floats) -> "Errors":
        """Take an estimate apart; `field` is 1 for versions of the field, 0 for others, (N,)."""
        raised = np.sqrt(found.curvature.unfitted(data)) if data.block_count else 1.0
        factors = sparse.diags_array(raised * _few(data))
        told = found.weight[met.pair] * found.seen.told
        return cls(
            found.curvature,
            _block_scores(data, met, found.seen, found.weight) @ factors,
            Interactions.of(data.entrants, met, told, data.table, field),
            found.variances.t2,
        )


def sandwich(one: Errors, other: Errors) -> Floats:
    """Return the covariance of the errors of two estimates of the same matches, (N + Q, N + Q).

    That of an estimate with itself is its covariance V. What the prior does to both is the same.
    """
    filling = (one.scores.T @ other.scores).toarray()
    filling += np.diag(np.sqrt(one.curvature.precision * other.curvature.precision))
    pairings = one.interactions.covariance(other.interactions)
    n = len(pairings)
    filling[:n, :n] += np.sqrt(one.t2 * other.t2) / 4 * pairings
    covariance: Floats = one.curvature.inverse @ filling @ other.curvature.inverse
    return covariance


def _few(data: Comparisons) -> Floats:
    """Return (N + Q,) the factor of a version's scores that makes up for its few blocks.

    Its square is b / (b - 2), the variance of Student's t, at most 2.
    """
    blocks = np.maximum(data.blocks, _LEAST)
    return np.concatenate([np.sqrt(blocks / (blocks - 2)), np.ones(data.seats)])


def _block_scores(
    data: Comparisons, met: Encounters, seen: Scatter, weight: Floats
) -> sparse.csr_array:
    """Return (blocks, N + Q) the weighted scores of versions and seats in each block."""
    versions = met.version_scores(weight[met.pair] * seen.score, data.entrants)
    residual = weight[met.pair[met.of_comparison]] * seen.residual
    columns = [data.cells.seat_i[data.cell], data.cells.seat_j[data.cell]]
    where = (np.tile(data.block, 2), np.concatenate(columns))
    signed = np.concatenate([residual, -residual])
    seats = sparse.csr_array((signed, where), shape=(data.block_count, data.seats))
    return sparse.hstack([versions, seats], format="csr")


def _shifts(n: int, met: Encounters, told: Floats) -> tuple[Ints, Ints, Floats]:
    """Return by how much gains shift scores: version i, gain as j * n + m with j < m, and shift.

    In a block with the Laplacian L each other m that is there shifts the score of i by L_ij c_jm.
    """
    i, j = met.i[met.pair], met.j[met.pair]
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    signed = np.concatenate([told, told, -told, -told])
    present, size, start = met.tables(n)
    each, first = np.tile(size[met.block], 4), np.tile(start[met.block], 4)
    within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    other = present[np.repeat(first, each) + within] % n
    gainer = np.repeat(columns, each)
    low, high = np.minimum(gainer, other), np.maximum(gainer, other)
    shifts = np.repeat(signed, each) * np.sign(other - gainer)
    return np.repeat(rows, each), low * n + high, shifts
