"""Whether a measured quantity grows, as far as its samples can tell.

What a process needs goes up and down, and samples that follow each other are alike. So the time
after the warm-up is cut into batches, whose medians are nearly independent, and a line is fitted to
these. Its slope has a Student interval with as many degrees of freedom as batches, less two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_WARM_UP = 1 / 3
"""This part of the time is not looked at: caches fill, and libraries are loaded when needed."""
BATCHES = 12
_CONFIDENCE = 0.95
_SHADES = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Trend:
    """A slope per hour with its 95 % interval."""

    slope: float
    low: float
    high: float

    def verdict(self, negligible: float) -> str:
        """Say whether it grows, if slopes up to a negligible one count as none."""
        if self.low > 0 and self.slope > negligible:
            return "grows"
        if self.high <= negligible:
            return "flat"
        return "not clear: longer"


def trend(hours: Sequence[float], values: Sequence[float]) -> Trend | None:
    """Return the trend after the warm-up; None if there are too few samples for it."""
    from scipy import stats  # noqa: PLC0415 -- heavy: not to collect tests

    kept = [(h, v) for h, v in zip(hours, values, strict=True) if h >= hours[-1] * _WARM_UP]
    if len(kept) < 2 * BATCHES:
        return None
    batches = np.array_split(np.array(kept), BATCHES)
    times, levels = (np.array([np.median(batch[:, i]) for batch in batches]) for i in (0, 1))
    if np.ptp(levels) == 0.0:
        return Trend(0.0, 0.0, 0.0)
    fitted = stats.linregress(times, levels)
    half = float(stats.t.ppf((1 + _CONFIDENCE) / 2, BATCHES - 2)) * float(fitted.stderr)
    slope = float(fitted.slope)
    return Trend(slope, slope - half, slope + half)


def drawn(values: Sequence[float], width: int = 60) -> str:
    """Draw values as a line of bars, from the lowest to the highest of them."""
    means = [float(np.mean(part)) for part in np.array_split(np.array(values), width) if len(part)]
    low, high = min(means), max(means)
    scale = (len(_SHADES) - 1) / (high - low) if high > low else 0.0
    return "".join(_SHADES[round((mean - low) * scale)] for mean in means)
