"""Scores of mirrored pairs as duels meet them, from nearly always level to skewed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats

_STEEPEST = 400.0


@dataclass(frozen=True, slots=True)
class Scores:
    """The possible scores of a pair, their frequencies, and the effect that a duel is to find."""

    values: tuple[float, ...]
    shares: tuple[float, ...]
    effect: float

    def drawn(self, random: np.random.Generator, mean: float, size: tuple[int, ...]) -> Floats:
        """Return scores of this mean; the frequencies are tilted to it, and none becomes 0."""
        values, shares = np.array(self.values), np.array(self.shares)
        low, high = -_STEEPEST, _STEEPEST
        for _ in range(100):
            middle = (low + high) / 2
            tilted = shares * np.exp(middle * (values - 0.5))
            tilted /= tilted.sum()
            low, high = (middle, high) if tilted @ values < mean else (low, middle)
        return random.choice(values, size=size, p=tilted)


_FIFTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
FIELDS: Mapping[str, Scores] = {
    "half level": Scores(_FIFTHS, (0.08, 0.17, 0.50, 0.17, 0.08), 0.03),
    "80 % level": Scores(_FIFTHS, (0.02, 0.08, 0.80, 0.08, 0.02), 0.02),
    "96 % level": Scores(_FIFTHS, (0.005, 0.015, 0.96, 0.015, 0.005), 0.006),
    "few large": Scores((0.0, 0.5, 0.75, 1.0), (0.10, 0.60, 0.20, 0.10), 0.03),
    "skewed": Scores((0.0, 0.5, 0.75), (0.06, 0.82, 0.12), 0.02),
    "four seats": Scores(
        tuple(i / 8 for i in range(9)), (0.02, 0.05, 0.1, 0.18, 0.3, 0.18, 0.1, 0.05, 0.02), 0.03
    ),
}
