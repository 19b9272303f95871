"""How the encounters of a log differ from what its fit expects: what the reports are made from."""

from dataclasses import dataclass

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.dispersion import Encounters, Scatter, encounters, scatter
from ladder.rating.fit import Fit
from ladder.rating.log import Log


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """A log against its fit."""

    data: Comparisons
    met: Encounters
    seen: Scatter
    p: Floats
    """(C,) what is expected of each cell."""


def residuals(log: Log, fit: Fit) -> Residuals:
    """Compare a log with its fit."""
    data = comparisons(log)
    met = encounters(data)
    p = data.chances(fit.theta, fit.gamma)
    return Residuals(data, met, scatter(data, met, p), p)
