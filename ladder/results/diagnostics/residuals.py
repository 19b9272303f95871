"""Residuals of a log against its fit, on which the diagnostics build."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.fit import Fit
from ladder.rating.results import Log
from ladder.results.diagnostics.seats import chances, seat_worths

_SD_OVER_MAD = 1.4826
"""The standard deviation of a normal distribution over its median absolute deviation."""


def usual_deviation(z: Floats) -> float:
    """Return by how much the tests of a field deviate more than luck lets them; at least 1.

    It is their robust standard deviation: styles that suit each other raise it in any field.
    """
    return max(1.0, _SD_OVER_MAD * float(np.median(np.abs(z)))) if len(z) else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Encounters:
    """E encounters of P pairs of versions."""

    i: Ints
    """(P,) the first version of each pair that met."""
    j: Ints
    """(P,) the second version, i < j."""
    pair_of_cell: Ints
    """(C,) the pair of each cell."""
    pair: Ints
    """(E,) the pair of each encounter."""
    block: Ints
    """(E,) the block of each encounter."""
    of_comparison: Ints
    """(R,) the encounter of each comparison."""

    def by_pair(self, values: Floats) -> Floats:
        """Return (P,) sums of (E,) values."""
        return summed(self.pair, values, len(self.i))

    def by_comparison(self, values: Floats) -> Floats:
        """Return (E,) sums of (R,) values."""
        return summed(self.of_comparison, values, len(self.pair))


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """The deviations of the encounters from the probabilities p."""

    residual: Floats
    """(R,) w (y - p)."""
    score: Floats
    """(E,) s."""
    sum_of_squares: Floats
    """(P,) of s."""


def encounters(of: Comparisons) -> Encounters:
    """Group the comparisons into encounters."""
    n = max(of.entrants, 1)
    pairs, pair_of_cell = np.unique(of.cells.i * n + of.cells.j, return_inverse=True)
    number = max(len(pairs), 1)
    keys, group = np.unique(of.block * number + pair_of_cell[of.cell], return_inverse=True)
    return Encounters(
        i=pairs // n,
        j=pairs % n,
        pair_of_cell=pair_of_cell,
        pair=keys % number,
        block=keys // number,
        of_comparison=group,
    )


def scatter(of: Comparisons, met: Encounters, p: Floats) -> Scatter:
    """Return the scatter around `p`, the probabilities of the cells, (C,)."""
    residual = of.cells.weight[of.cell] * (of.score - p[of.cell])
    score = met.by_comparison(residual)
    return Scatter(residual, score, met.by_pair(score**2))


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """The residuals of a log against its fit."""

    data: Comparisons
    met: Encounters
    seen: Scatter
    p: Floats
    """(C,) the expected score of each cell."""
    seats: Mapping[int, Floats]
    """The worth of each seat in logits, (seats,), by table size; they sum to zero."""
    seat_covariance: Mapping[int, Floats]
    """The covariance of their errors, (seats, seats), by table size."""


def residuals(log: Log, fit: Fit) -> Residuals:
    """Return the residuals of a log against its fit."""
    data = comparisons(log)
    met = encounters(data)
    seats, covariance = seat_worths(data, fit.theta)
    p = chances(data, fit.theta, seats)
    return Residuals(data, met, scatter(data, met, p), p, seats, covariance)
