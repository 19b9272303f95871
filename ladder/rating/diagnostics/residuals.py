"""How the encounters of a log differ from what its fit expects: what the reports are made from."""

from collections.abc import Mapping
from dataclasses import dataclass

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.fit import Fit
from ladder.rating.overdispersion import Encounters, Scatter, encounters, scatter
from ladder.rating.results import Log
from ladder.rating.seats import seat_worths


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """A log against its fit."""

    data: Comparisons
    met: Encounters
    seen: Scatter
    p: Floats
    """(C,) what is expected of each cell."""
    seats: Mapping[int, Floats]
    """What a seat is worth in logits, by table size, (seats,); they sum to zero."""
    seat_covariance: Mapping[int, Floats]
    """Covariance of the errors of that, by table size, (seats, seats)."""


def residuals(log: Log, fit: Fit) -> Residuals:
    """Compare a log with its fit."""
    data = comparisons(log)
    met = encounters(data)
    seats, covariance = seat_worths(data, fit.theta)
    p = data.chances(fit.theta, seats)
    return Residuals(data, met, scatter(data, met, p), p, seats, covariance)
