"""The maximum of a penalised logit likelihood over comparisons, by Newton's method.

The N + Q parameters are the strengths of the versions and the worths of the seats. A comparison of
cell c has the predictor x_c = theta_i - theta_j + gamma_a - gamma_b, which is a row of the design
matrix with four entries. The penalties make the objective strictly concave, so there is one maximum
and steps that are halved until they do not lead downwards reach it from anywhere.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.special import expit

from ladder.rating.arrays import Floats, summed
from ladder.rating.comparisons import Comparisons

_STEPS = 100
_SMALL = 1e-9
"""A last step of this size on the logit scale leaves an error of its square."""
_SIGNS = np.array([1.0, 1.0, -1.0, -1.0])
"""Of the first version and its seat, and of the other ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """A normal prior of each parameter."""

    mean: Floats
    """(N + Q,)"""
    precision: Floats
    """(N + Q,) one over the variance."""


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where the objective is highest."""

    beta: Floats
    """(N + Q,) strengths, then worths of seats."""
    hessian: Floats
    """(N + Q, N + Q) minus the second derivatives, penalties included."""
    p: Floats
    """(C,) the probability of each cell that the first version is ahead."""


class Likelihood:
    """The comparisons of a log in the form that is maximised again and again."""

    def __init__(self, of: Comparisons) -> None:
        """Lay out the rows of the design matrix: each has two entries 1 and two entries -1."""
        cells, n = of.cells, of.entrants
        self._size = n + of.seats
        self._where = np.stack([cells.i, n + cells.seat_i, cells.j, n + cells.seat_j])
        self._places = (self._where[:, None] * self._size + self._where).reshape(16, -1)
        self._count = cells.count.astype(np.float64)
        self._score = cells.score

    def probabilities(self, beta: Floats) -> Floats:
        """Return (C,) how probable it is that the first version is ahead."""
        p: Floats = expit(self._predictor(beta))
        return p

    def maximise(self, weight: Floats, penalty: Penalty, start: Floats) -> Maximum:
        """Return the maximum for these weights of the cells, (C,)."""
        beta, x = start, self._predictor(start)
        value = self._value(weight, penalty, beta, x)
        for _ in range(_STEPS):
            p = expit(x)
            hessian = self._hessian(weight, penalty, p)
            slope = self._collected(weight * (self._score - self._count * p))
            slope -= penalty.precision * (beta - penalty.mean)
            step = linalg.cho_solve(linalg.cho_factor(hessian), slope)
            change = self._predictor(step)
            length = 1.0
            while length > _SMALL:
                new = self._value(weight, penalty, beta + length * step, x + length * change)
                if new >= value - _SMALL * abs(value):
                    break
                length /= 2
            beta, x, value = beta + length * step, x + length * change, new
            if np.max(np.abs(step), initial=0.0) < _SMALL:
                break
        return Maximum(beta, hessian, expit(x))

    def _value(self, weight: Floats, penalty: Penalty, beta: Floats, x: Floats) -> float:
        """Return the objective. A cell's logarithm is score x - count log(1 + exp(x))."""
        fit = weight * (self._score * x - self._count * np.logaddexp(0.0, x))
        return float(fit.sum() - (penalty.precision * (beta - penalty.mean) ** 2).sum() / 2)

    def _predictor(self, beta: Floats) -> Floats:
        """Return (C,) the design matrix times the parameters."""
        i, seat_i, j, seat_j = beta[self._where]
        x: Floats = i + seat_i - j - seat_j
        return x

    def _collected(self, values: Floats) -> Floats:
        """Return (N + Q,) the transposed design matrix times values of the cells."""
        signed = _SIGNS[:, None] * values
        return summed(self._where.ravel(), signed.ravel(), self._size)

    def _hessian(self, weight: Floats, penalty: Penalty, p: Floats) -> Floats:
        curvature = weight * self._count * p * (1 - p)
        signed = np.outer(_SIGNS, _SIGNS).reshape(16, 1) * curvature
        dense = summed(self._places.ravel(), signed.ravel(), self._size**2)
        return dense.reshape(self._size, self._size) + np.diag(penalty.precision)
