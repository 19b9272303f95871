"""Residuals of a log against its fit, on which the diagnostics build."""

from collections.abc import Mapping
from dataclasses import dataclass

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.fit import Fit
from ladder.rating.results import Log
from ladder.results.diagnostics.encounters import Encounters, Scatter, encounters, scatter
from ladder.results.diagnostics.seats import chances, seat_worths


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
