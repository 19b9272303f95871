"""Reproducible normal draws, for probabilities that are estimated by counting."""

from functools import lru_cache

from numpy.random import Philox
from scipy.special import ndtri

from ladder.rating.arrays import Floats


@lru_cache(maxsize=4)
def normal(count: int, n: int) -> Floats:
    """Return standard normal numbers, (count, n), the same on every machine and version."""
    bits = Philox(key=0).random_raw(count * n)
    numbers: Floats = ndtri((bits // 2**11 + 0.5) / 2.0**53).reshape(count, n)
    numbers.flags.writeable = False
    return numbers
