"""The worth of each seat, given the strengths of the players."""

from collections.abc import Mapping

import numpy as np
from scipy import linalg
from scipy.special import expit

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.comparisons import Comparisons

_STEPS = 20
_SMALL = 1e-9


def seat_worths(data: Comparisons, theta: Floats) -> tuple[dict[int, Floats], dict[int, Floats]]:
    """Return the worth of the seats in logits, (seats,), and its covariance, by table size.

    The probability that i comes before j is logistic in the difference of strength plus seat.
    Newton's method maximises the likelihood with a prior N(0, 1) on each seat. The covariance is
    the sandwich estimator of Huber and White, clustered by block, as a block's matches share a
    deal.
    """
    cells, size = data.cells, data.seats
    a, b = cells.seat_i, cells.seat_j
    worth = np.zeros(size)
    hessian = np.eye(size)
    for _ in range(_STEPS):
        p = chances(data, theta, _by_table(data, worth))
        left = cells.weight * (cells.score - cells.count * p)
        information = cells.weight * cells.count * p * (1 - p)
        across = summed(a * size + b, information, size * size).reshape(size, size)
        across += across.T
        hessian = np.eye(size) + np.diag(across.sum(axis=1)) - across
        step = linalg.solve(hessian, summed(a, left, size) - summed(b, left, size) - worth)
        worth = worth + step
        if np.max(np.abs(step), initial=0.0) < _SMALL:
            break
    inverse = linalg.inv(hessian)
    residual = cells.weight[data.cell] * (
        data.score - chances(data, theta, _by_table(data, worth))[data.cell]
    )
    score = np.zeros((data.block_count, size))
    np.add.at(score, (data.block, a[data.cell]), residual)
    np.add.at(score, (data.block, b[data.cell]), -residual)
    covariance = inverse @ (score.T @ score + np.eye(size)) @ inverse
    return (
        _by_table(data, worth),
        {table: covariance[columns, columns] for table, columns in data.columns.items()},
    )


def chances(data: Comparisons, theta: Floats, worth: Mapping[int, Floats]) -> Floats:
    """Return the probability that i comes before j, (C,), from strengths and seats in logits.

    `theta` is (N,); `worth` holds the worth of the seats by table size.
    """
    seat = np.zeros(data.seats)
    for size, columns in data.columns.items():
        seat[columns] = worth[size]
    cells = data.cells
    p: Floats = expit(theta[cells.i] - theta[cells.j] + seat[cells.seat_i] - seat[cells.seat_j])
    return p


def table_sizes(data: Comparisons) -> Ints:
    """Return the table size of each comparison, (R,)."""
    sizes = np.array(list(data.columns), np.int64)
    starts = np.array([columns.start for columns in data.columns.values()], np.int64)
    found = np.searchsorted(starts, data.cells.seat_i, side="right") - 1
    return sizes[found][data.cell]


def _by_table(data: Comparisons, worth: Floats) -> dict[int, Floats]:
    return {table: worth[columns] for table, columns in data.columns.items()}
