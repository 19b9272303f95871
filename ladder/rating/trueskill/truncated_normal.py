"""Mean and variance of a truncated standard normal variable, however far out.

TrueSkill needs them for every outcome of a match. For extreme upsets, where the error function
loses its precision, series take over.
"""

import math

_FAR = 30.0
"""Beyond so many standard deviations series replace the error function."""
_NARROW = 1e-2
"""Over an interval this narrow the density is linear."""
_STEEP = 40.0
"""An interval over which the log density falls this far is practically unbounded."""
_ROOT_2 = math.sqrt(2)
_HAZARD = math.sqrt(2 / math.pi)


def above(low: float) -> tuple[float, float]:
    """Return the mean and variance of a standard normal variable above a bound."""
    if low > _FAR:
        x = 1 / (low * low)
        return low * (1 + x * (1 - x * (2 - 10 * x))), x * (1 - x * (6 - 50 * x))
    mean = _HAZARD * math.exp(-low * low / 2) / math.erfc(low / _ROOT_2)
    return mean, min(1.0, 1 - mean * (mean - low))


def within(low: float, high: float) -> tuple[float, float]:
    """Return the mean and variance of a standard normal variable between two bounds."""
    if low + high < 0:
        mean, variance = within(-high, -low)
        return -mean, variance
    middle, half = (low + high) / 2, (high - low) / 2
    if half * max(1.0, middle) < _NARROW:
        variance = half * half / 3
        return middle * (1 - variance), variance
    if low > _FAR:
        return _tail(low, middle, half)
    mass = math.erfc(low / _ROOT_2) - math.erfc(high / _ROOT_2)
    first = _HAZARD * math.exp(-low * low / 2)
    second = _HAZARD * math.exp(-high * high / 2)
    mean = (first - second) / mass
    return mean, 1 - mean * mean + (low * first - high * second) / mass


def _tail(low: float, middle: float, half: float) -> tuple[float, float]:
    """Return the moments far out, where the density falls exponentially."""
    fall = 2 * half * middle
    if fall > _STEEP:
        return above(low)
    rest = 2 * half / math.expm1(fall)
    return low + 1 / middle - rest, 1 / (middle * middle) - rest * (rest + 2 * half)
