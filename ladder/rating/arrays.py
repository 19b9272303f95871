"""Array types, and sums and inverses that are the same to the last bit on every machine."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def summed(index: Ints, values: Floats, size: int) -> Floats:
    """Return the sums, (size,), of the values that share an index, added in their order."""
    return np.bincount(index, values, minlength=size).astype(np.float64)


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric positive definite matrix, symmetric to the last bit."""
    if not len(matrix):
        return matrix
    root, _ = lapack.dpotrf(matrix, lower=1)
    lower, _ = lapack.dpotri(root, lower=1)
    found: Floats = lower + lower.T  # LAPACK leaves the upper triangle at zero
    np.fill_diagonal(found, np.diag(lower))
    return found
