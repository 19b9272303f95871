"""How sharply a likelihood falls off around its maximum, and what follows from that."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import Comparisons
from ladder.rating.dispersion import Encounters

_MOST = 4.0
"""The largest factor that makes up for fitted parameters; it grows without bounds at first."""


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
