"""TrueSkill for many ladders at once: one match of each, as the `trueskill` package would rate it.

Factor graph, schedule and stopping rule are those of the package's version 0.4.5 (Herbrich, Minka
and Graepel 2007); every array has a leading axis over ladders. The players of a match stand in the
order of the result, so that only neighbours are compared. A message is a pair of arrays: precision
and precision times mean.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MU = 25.0
SIGMA = MU / 3

_ROUNDS = 10
_CLOSE = 1e-4
"""Messages that move less than this are settled."""


class Message(NamedTuple):
    """A normal distribution in natural parameters, (S,) each."""

    pi: Floats
    tau: Floats

    def __mul__(self, other: "Message") -> "Message":  # type: ignore[override]
        """Join what both say."""
        return Message(self.pi + other.pi, self.tau + other.tau)

    def __truediv__(self, other: "Message") -> "Message":
        """Take out what the other one said."""
        return Message(self.pi - other.pi, self.tau - other.tau)


@dataclass(frozen=True, slots=True)
class Environment:
    """The settings of a TrueSkill; the defaults are the package's."""

    beta: float = SIGMA / 2
    tau: float = SIGMA / 100
    draw_probability: float = 0.10

    def rate(self, mu: Floats, sigma: Floats, ranks: Ints) -> tuple[Floats, Floats]:
        """Return the new means and deviations of S matches of k players; all arrays are (S, k).

        A smaller rank is better, equal ones share the place.
        """
        order = np.argsort(ranks, axis=1, kind="stable")
        rows = np.arange(len(order))[:, None]
        drawn = np.diff(ranks[rows, order], axis=1) == 0
        variance = sigma[rows, order] ** 2 + self.tau**2
        new_mu, new_sigma = self._in_order(mu[rows, order], variance, drawn)
        back = np.argsort(order, axis=1)
        return new_mu[rows, back], new_sigma[rows, back]

    def _in_order(
        self, mu: Floats, variance: Floats, drawn: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Rate players who stand in the order of the result."""
        k = mu.shape[1]
        spread = variance + self.beta**2
        own = [Message(1 / spread[:, i], mu[:, i] / spread[:, i]) for i in range(k)]
        told = self._pass_along(own, drawn)
        new_mu, new_variance = np.empty_like(mu), np.empty_like(variance)
        for i, message in enumerate(told):
            noise = 1 + self.beta**2 * message.pi
            pi = 1 / variance[:, i] + message.pi / noise
            new_variance[:, i] = 1 / pi
            new_mu[:, i] = (mu[:, i] / variance[:, i] + message.tau / noise) / pi
        return new_mu, np.sqrt(new_variance)

    def _pass_along(self, own: list[Message], drawn: NDArray[np.bool_]) -> list[Message]:
        """Return what the result tells each player's performance."""
        k, nothing = len(own), Message(np.zeros(len(drawn)), np.zeros(len(drawn)))
        from_left, from_right = [nothing] * k, [nothing] * k
        seen = [nothing] * (k - 1)

        def compare(i: int) -> tuple[Message, Message, Floats]:
            upper, lower = own[i] * from_left[i], own[i + 1] * from_right[i + 1]
            difference = _difference(upper, lower)
            truth = self._truncated(difference, drawn[:, i])
            moved = np.maximum(
                np.abs(truth.tau - seen[i].tau), np.sqrt(np.abs(truth.pi - seen[i].pi))
            )
            seen[i] = truth
            return _sum(truth, lower), _difference(upper, truth), moved

        for _ in range(_ROUNDS):
            moves = []
            for i in range(k - 2):
                _, from_left[i + 1], moved = compare(i)
                moves.append(moved)
            for i in range(k - 2, 0, -1):
                from_right[i], _, moved = compare(i)
                moves.append(moved)
            if not moves or np.max(moves) <= _CLOSE:
                break
        from_right[0], _, _ = compare(0)
        _, from_left[k - 1], _ = compare(k - 2)
        return [left * right for left, right in zip(from_left, from_right, strict=True)]

    def _truncated(self, difference: Message, drawn: NDArray[np.bool_]) -> Message:
        """Return what the outcome tells a difference of performances."""
        root = np.sqrt(difference.pi)
        margin = ndtri((self.draw_probability + 1) / 2) * np.sqrt(2) * self.beta * root
        mean = difference.tau / root
        v, w = _win(mean - margin)
        if drawn.any():
            v_drawn, w_drawn = _draw(mean, margin)
            v, w = np.where(drawn, v_drawn, v), np.where(drawn, w_drawn, w)
        share = np.maximum(1 - w, 1e-12)
        joint = Message(difference.pi / share, (difference.tau + root * v) / share)
        return joint / difference


def _difference(a: Message, b: Message) -> Message:
    """Return the distribution of a - b."""
    pi = a.pi * b.pi / (a.pi + b.pi)
    return Message(pi, pi * (a.tau / a.pi - b.tau / b.pi))


def _sum(a: Message, b: Message) -> Message:
    """Return the distribution of a + b."""
    pi = a.pi * b.pi / (a.pi + b.pi)
    return Message(pi, pi * (a.tau / a.pi + b.tau / b.pi))


def _log_density(x: Floats) -> Floats:
    logs: Floats = -0.5 * x * x - 0.5 * np.log(2 * np.pi)
    return logs


def _win(x: Floats) -> tuple[Floats, Floats]:
    """Return the corrections of mean and variance when the difference is above the margin."""
    v = np.exp(_log_density(x) - log_ndtr(x))
    return v, np.clip(v * (v + x), 0, 1)


def _draw(x: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return the corrections when the difference is within the margin."""
    a, b = margin - np.abs(x), -margin - np.abs(x)
    mass = np.maximum(ndtr(a) - ndtr(b), 1e-300)
    low, high = np.exp(_log_density(b)), np.exp(_log_density(a))
    v = (low - high) / mass
    w = v * v + (a * high - b * low) / mass
    return v * np.where(x < 0, -1.0, 1.0), np.clip(w, 0, 1)
