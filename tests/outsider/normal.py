"""The normal distribution, and small matrices."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import NormalDist

Vector = list[float]
Matrix = list[Vector]
STANDARD = NormalDist()
_WORD = 2**64
_MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
_ROUNDS = 10


def below(x: float) -> float:
    """The distribution function."""
    return math.erfc(-x / math.sqrt(2)) / 2


def density(x: float) -> float:
    """The density."""
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def logistic(x: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-x)) if x > 0 else 1 - 1 / (1 + math.exp(x))


def above(mean: float) -> tuple[float, float]:
    """By how much the mean of a normal variable rises, and its variance, as it is known to be > 0.

    Its variance is 1 before.
    """
    rise = density(mean) / below(mean)
    return rise, 1 - rise * (rise + mean)


def within(mean: float, margin: float) -> tuple[float, float]:
    """The same as it is known to be within a margin of 0."""
    if 2 * margin * max(abs(mean), 1) < 1e-2:
        return -mean * (1 - margin**2 / 3), margin**2 / 3
    low, high = abs(mean) - margin, abs(mean) + margin  # both ends turned to the positive side
    mass = below(-low) - below(-high)
    fall = (density(low) - density(high)) / mass
    left = 1 - fall**2 + (low * density(low) - high * density(high)) / mass
    return -math.copysign(fall, mean), left


def inverse(matrix: Matrix) -> Matrix:
    """The inverse of a positive definite matrix."""
    found = [row[:] for row in matrix]
    for k, pivoted in enumerate(found):
        pivot = pivoted[k]
        row = [x / pivot for x in pivoted]
        row[k] = 1 / pivot
        for i, other in enumerate(found):
            if i != k:
                factor = other[k]
                found[i] = [x - factor * y for x, y in zip(other, row, strict=True)]
                found[i][k] = -factor / pivot
        found[k] = row
    return found


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The sum of the products."""
    return sum(x * y for x, y in zip(one, other, strict=True))


def times(matrix: Matrix, vector: Sequence[float]) -> Vector:
    """A matrix times a vector."""
    return [dot(row, vector) for row in matrix]


def product(one: Matrix, other: Matrix) -> Matrix:
    """A matrix times another."""
    columns = [*zip(*other, strict=True)]
    return [[dot(row, column) for column in columns] for row in one]


def zeros(n: int) -> Matrix:
    """A square matrix of zeros."""
    return [[0.0] * n for _ in range(n)]


def of(matrix: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
    """The part of a matrix in these rows and columns."""
    return [[matrix[i][j] for j in columns] for i in rows]


def variance_between(matrix: Matrix, i: int, j: int) -> float:
    """The variance of the difference of two variables with this covariance."""
    return matrix[i][i] + matrix[j][j] - 2 * matrix[i][j]


def square_root(matrix: Matrix) -> Matrix:
    """The symmetric root of a symmetric matrix; negative eigenvalues count as 0."""
    n, left = len(matrix), [row[:] for row in matrix]
    vectors = [[float(i == j) for j in range(n)] for i in range(n)]  # in rows
    scale = max((abs(x) for row in matrix for x in row), default=0)
    while any(abs(left[i][j]) > 1e-15 * scale for i in range(n) for j in range(i)):
        for i in range(n):
            for j in range(i):
                _turn(left, vectors, i, j)
    roots = [math.sqrt(max(left[k][k], 0.0)) for k in range(n)]
    scaled = [[root * x for x in row] for root, row in zip(roots, vectors, strict=True)]
    return product([[*column] for column in zip(*vectors, strict=True)], scaled)


def _turn(left: Matrix, vectors: Matrix, i: int, j: int) -> None:
    """Turn two axes so that the entry between them vanishes (Jacobi)."""
    if not left[i][j]:
        return
    ratio = (left[j][j] - left[i][i]) / (2 * left[i][j])
    tangent = math.copysign(1, ratio) / (abs(ratio) + math.hypot(1, ratio))
    c = 1 / math.hypot(1, tangent)
    s = tangent * c
    for rows in (left, vectors):
        one, other = rows[i], rows[j]
        rows[i] = [c * x - s * y for x, y in zip(one, other, strict=True)]
        rows[j] = [s * x + c * y for x, y in zip(one, other, strict=True)]
    for row in left:
        row[i], row[j] = c * row[i] - s * row[j], s * row[i] + c * row[j]
    left[i][j] = left[j][i] = 0.0


def draws(count: int, n: int) -> Iterator[Vector]:
    """Standard normal numbers, the same every time: `count` draws of n."""
    numbers = (STANDARD.inv_cdf(((word >> 11) + 0.5) / 2**53) for word in _words())
    return (list(islice(numbers, n)) for _ in range(count))


def _words() -> Iterator[int]:
    """Philox 4x64 with the key 0."""
    counter = 0
    while True:
        counter += 1
        a, b, c, d = counter, 0, 0, 0
        key, second = 0, 0
        for _ in range(_ROUNDS):
            x, y = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
            a, b, c, d = (y // _WORD) ^ b ^ key, y % _WORD, (x // _WORD) ^ d ^ second, x % _WORD
            key, second = (key + _STEPS[0]) % _WORD, (second + _STEPS[1]) % _WORD
        yield from (a, b, c, d)
