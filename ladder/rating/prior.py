"""What is believed of strengths before any match, and how far matches show that they spread.

A version without a predecessor has a strength from N(0, sd^2). A successor has the predecessor's
estimate as its mean, and for variance drift^2 plus that of the estimate; it inherits no results.
Both spreads are estimated by steps of EM: the mean square of the estimates' distances from their
prior means, plus the variance of their errors. Usual values weigh as much as a few versions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, Ints
from ladder.rating.fit import Variances
from ladder.rating.logit import Penalty

_NONE = -1
_USUAL = Variances()
_WEIGHT_OF_SD = 1.0
_WEIGHT_OF_DRIFT = 4.0
"""How many versions the usual values weigh."""
_WIDEST = 3.0
"""Bots that always come in the same order would have no finite spread. A gap of this size is one
win in twenty; a larger spread would only make it seem less sure that the better one is better."""


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The lineage of N versions."""

    predecessor: Ints
    """(N,) by index; -1 for none."""
    unit: float
    """What is a logit on the scale of the estimates."""

    @classmethod
    def of(cls, entrants: int, predecessors: Mapping[int, int], unit: float) -> "Prior":
        """Note whom each version replaced."""
        predecessor = np.full(entrants, _NONE)
        predecessor[list(predecessors)] = list(predecessors.values())
        return cls(predecessor, unit)

    def penalty(self, variances: Variances, theta: Floats, errors: Floats, seats: int) -> Penalty:
        """Return the prior of the strengths, and of so many worths of seats, N(0, 1).

        `theta` and `errors`, (N,), are the present estimates and their variances.
        """
        mean, extra = self._inherited(theta), self._inherited(errors)
        successor = self.predecessor != _NONE
        own = np.where(successor, variances.drift**2 + extra, variances.sd**2)
        return Penalty(
            mean=np.concatenate([mean, np.zeros(seats)]),
            precision=np.concatenate([1 / own, np.ones(seats)]),
        )

    def spread(self, theta: Floats, errors: Floats) -> tuple[float, float]:
        """Return sd and drift as the estimates show them."""
        successor = self.predecessor != _NONE
        squares = (theta - self._inherited(theta)) ** 2 + errors - self._inherited(errors)
        squares = np.maximum(squares, 0.0)
        sd = _mean(squares[~successor], (self.unit * _USUAL.sd) ** 2, _WEIGHT_OF_SD)
        drift = _mean(squares[successor], (self.unit * _USUAL.drift) ** 2, _WEIGHT_OF_DRIFT)
        widest = self.unit * _WIDEST
        return min(sd**0.5, widest), min(drift**0.5, widest)

    def _inherited(self, values: Floats) -> Floats:
        """Return (N,) the values of the predecessors, 0 without one."""
        return np.where(self.predecessor == _NONE, 0.0, values[self.predecessor])


def _mean(squares: Floats, usual: float, weight: float) -> float:
    return float((usual * weight + squares.sum()) / (weight + len(squares)))
