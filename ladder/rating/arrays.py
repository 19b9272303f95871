"""The arrays of the statistics, and the one way in which they are summed."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def summed(index: Ints, values: Floats, size: int) -> Floats:
    """Return (size,) the sums of the values that share an index, added up in their order."""
    return np.bincount(index, values, minlength=size).astype(np.float64)
