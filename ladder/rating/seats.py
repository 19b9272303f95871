"""The worth of each seat, given the strengths of the players."""

import numpy as np
from scipy import linalg

from ladder.rating.arrays import Floats, summed
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
        p = data.chances(theta, _by_table(data, worth))
        left = cells.weight * (cells.score - cells.count * p)
        told = cells.weight * cells.count * p * (1 - p)
        across = summed(a * size + b, told, size * size).reshape(size, size)
        across += across.T
        hessian = np.eye(size) + np.diag(across.sum(axis=1)) - across
        step = linalg.solve(hessian, summed(a, left, size) - summed(b, left, size) - worth)
        worth = worth + step
        if np.max(np.abs(step), initial=0.0) < _SMALL:
            break
    inverse = linalg.inv(hessian)
    residual = cells.weight[data.cell] * (
        data.score - data.chances(theta, _by_table(data, worth))[data.cell]
    )
    score = np.zeros((data.block_count, size))
    np.add.at(score, (data.block, a[data.cell]), residual)
    np.add.at(score, (data.block, b[data.cell]), -residual)
    covariance = inverse @ (score.T @ score + np.eye(size)) @ inverse
    return (
        _by_table(data, worth),
        {table: covariance[columns, columns] for table, columns in data.columns.items()},
    )


def _by_table(data: Comparisons, worth: Floats) -> dict[int, Floats]:
    return {table: worth[columns] for table, columns in data.columns.items()}
