"""The maximum of the penalised likelihood, against an optimiser that knows nothing of it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import comparisons
from ladder.rating.log import Log, Result
from ladder.rating.logit import Likelihood, Penalty


def some_log() -> Log:
    """Return matches of two sizes with shared ranks, of five versions."""
    random = np.random.default_rng(5)
    log = Log(5)
    for block in range(40):
        k = int(random.integers(2, 5))
        versions = random.permutation(5)[:k].tolist()
        log.append(Result(block, versions, range(k), random.integers(1, 4, k).tolist()))
    return log


def test_it_is_the_maximum() -> None:
    """A general optimiser of the objective, written out match by match, finds the same place."""
    data = comparisons(some_log())
    size = data.entrants + data.seats
    weight = data.cells.weight * np.linspace(0.5, 2, len(data.cells.i))
    penalty = Penalty(np.linspace(-1, 1, size), np.linspace(0.5, 3, size))

    def objective(beta: Floats) -> float:
        total = 0.0
        for row, cell in enumerate(data.cell):
            strength = beta[data.cells.i[cell]] - beta[data.cells.j[cell]]
            seat_i, seat_j = data.cells.seat_i[cell], data.cells.seat_j[cell]
            x = strength + beta[data.entrants + seat_i] - beta[data.entrants + seat_j]
            y = data.score[row]
            total += weight[cell] * (y * x - np.log1p(np.exp(x)))
        return float(-total + (penalty.precision * (beta - penalty.mean) ** 2).sum() / 2)

    found = Likelihood(data).maximise(weight, penalty, np.zeros(size))
    expected = minimize(objective, np.zeros(size), tol=1e-12)

    assert found.beta == pytest.approx(expected.x, abs=1e-4)
    assert objective(found.beta) <= objective(expected.x)


def test_the_curvature_is_that_of_the_objective() -> None:
    """The slope changes as the Hessian says."""
    data = comparisons(some_log())
    size = data.entrants + data.seats
    likelihood = Likelihood(data)
    penalty = Penalty(np.zeros(size), np.ones(size))
    found = likelihood.maximise(data.cells.weight, penalty, np.zeros(size))
    pull = 1e-4 * np.linspace(-1, 1, size)  # the penalty's mean moved, the maximum follows

    moved = likelihood.maximise(data.cells.weight, Penalty(pull, np.ones(size)), found.beta)

    assert found.hessian @ (moved.beta - found.beta) == pytest.approx(pull, abs=1e-8)


def test_it_is_found_from_far_away() -> None:
    """Steps that would lead downwards are shortened, so any start ends at the same place."""
    data = comparisons(some_log())
    size = data.entrants + data.seats
    penalty = Penalty(np.zeros(size), np.full(size, 0.1))
    likelihood = Likelihood(data)

    near = likelihood.maximise(data.cells.weight, penalty, np.zeros(size))
    far = likelihood.maximise(data.cells.weight, penalty, 60 * np.cos(np.arange(size)))

    assert far.beta == pytest.approx(near.beta, abs=1e-9)
