"""Small drawings as SVG paths, with coordinates of at most one decimal to keep pages small.

The strict content security policy forbids inline styles, so drawings use attributes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from values to pixels, the same in every row of a table."""

    low: float
    high: float
    width: int

    def x(self, value: float) -> float:
        """Return a value's position, clamped to slightly outside the drawing."""
        place = (value - self.low) / (self.high - self.low) * self.width
        return round(min(max(place, -9.0), self.width + 9.0), 1)

    def ticks(self) -> list[float]:
        """Return round values for grid lines, in ascending order."""
        step = _round_step((self.high - self.low) / _MOST_TICKS)
        first = math.ceil(self.low / step)
        return [i * step for i in range(first, math.floor(self.high / step) + 1)]


def axis_over(intervals: Sequence[tuple[float, float]], width: int) -> Axis:
    """Return a scale that covers these intervals, with a margin on both sides."""
    low = min((low for low, _ in intervals), default=0.0)
    high = max((high for _, high in intervals), default=1.0)
    air = max(0.06 * (high - low), 0.25)
    return Axis(low - air, high + air, width)


def sparkline(values: Sequence[float], width: int, height: int) -> str:
    """Return the path of a curve through the values, in whole pixels; "" if there are too few."""
    if len(values) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    low, high = min(values), max(values)
    middle, half = (low + high) / 2, max((high - low) / 2, 0.25)
    step = width / (len(values) - 1)
    points = (
        f"{round(i * step)} {round(height / 2 * (1 - (value - middle) / half))}"
        for i, value in enumerate(values)
    )
    return "M" + "L".join(points)


def thinned(values: Sequence[T], most: int) -> list[T]:
    """Return at most `most` of the values, evenly spread, including the first and the last."""
    if len(values) <= most:
        return list(values)
    step = (len(values) - 1) / (most - 1)
    return [values[round(i * step)] for i in range(most)]


def _round_step(at_least: float) -> float:
    """Return the smallest number of the form 1, 2 or 5 times a power of ten from `at_least` on."""
    power: float = 10.0 ** math.floor(math.log10(at_least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= at_least * (1 - 1e-9))
