"""The covariance against its formulas, written out without the shortcuts."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import comparisons
from ladder.rating.composite import fit
from ladder.rating.covariance import Errors, Interactions, sandwich
from ladder.rating.curvature import Curvature
from ladder.rating.dispersion import encounters, scatter
from ladder.rating.estimate import Estimate
from ladder.rating.fit import Variances
from ladder.rating.log import Log, Result


def some_log(entrants: int = 5, blocks: int = 60) -> Log:
    """Return duplicate blocks of three at a table."""
    random = np.random.default_rng(3)
    log = Log(entrants)
    for block in range(blocks):
        group = random.permutation(entrants)[:3].tolist()
        for turn in range(3):
            ranks = random.integers(1, 4, 3).tolist()
            log.append(Result(block, group[turn:] + group[:turn], range(3), ranks))
    return log


def test_the_sandwich_is_that_of_the_blocks() -> None:
    """Without interactions V is H^-1 (c D sum g g' D + prior) H^-1, summed block by block."""
    data = comparisons(some_log())
    met = encounters(data)
    n, size = data.entrants, data.entrants + data.seats
    p = np.full(len(data.cells.i), 0.5)
    seen = scatter(data, met, p)
    weight = np.linspace(0.5, 1.5, len(met.i))
    hessian = np.diag(np.linspace(5.0, 9.0, size)) + 0.1
    curvature = Curvature.of(hessian, np.linspace(0.5, 2.0, size), n)

    estimate = Estimate(np.zeros(size), weight, seen, curvature, Variances())
    errors = Errors.of(data, met, estimate, np.ones(n))

    found = sandwich(errors, errors)

    middle = np.diag(curvature.precision)
    pair_weight = {(i, j): w for i, j, w in zip(met.i, met.j, weight, strict=True)}
    total = np.zeros((size, size))
    for block in range(data.block_count):
        g = np.zeros(size)
        for row in np.flatnonzero(data.block == block):
            cell = data.cell[row]
            i, j = data.cells.i[cell], data.cells.j[cell]
            score = pair_weight[i, j] * data.cells.weight[cell] * (data.score[row] - 0.5)
            g[[i, n + data.cells.seat_i[cell]]] += score
            g[[j, n + data.cells.seat_j[cell]]] -= score
        total += np.outer(g, g)
    few = np.concatenate([np.sqrt(data.blocks / (data.blocks - 2)), np.ones(data.seats)])
    inverse = np.linalg.inv(hessian)
    fitted = n - (np.diag(inverse) * curvature.precision)[:n].sum()
    raised = 1 / (1 - fitted / (2 * data.block_count))
    middle = middle + raised * few[:, None] * total * few
    assert found == pytest.approx(inverse @ middle @ inverse, rel=1e-9)


@pytest.mark.parametrize("field", [(1, 1, 1, 1, 1), (1, 1, 0, 1, 0)])
def test_interactions_are_what_is_left_beside_strengths(field: tuple[int, ...]) -> None:
    """K is the covariance of scores, also of two kinds, block by block, for independent gains."""
    tables = [(0, 1, 2), (0, 1, 2), (0, 3, 4), (1, 3), (2, 3, 4), (0, 1, 4)]
    met = encounters(comparisons(_tables(tables)))
    informations = np.linspace(0.2, 2.0, len(met.pair)), np.linspace(1.0, 0.5, len(met.pair))
    inside = np.array(field, np.float64)

    def scores(told: Floats, gains: Floats) -> Floats:
        laplacians = np.zeros((len(tables), 5, 5))
        for block, pair, a in zip(met.block, met.pair, told, strict=True):
            apart = np.eye(5)[met.i[pair]] - np.eye(5)[met.j[pair]]
            laplacians[block] += a * np.outer(apart, apart)
        score: Floats = -laplacians.sum(axis=0) @ (2.5 * gains @ inside / inside.sum())
        for laplacian, table in zip(laplacians, tables, strict=True):
            here = np.isin(np.arange(5), table)
            score += laplacian @ (gains @ here * here)
        return score

    expected = np.zeros((5, 5))
    for i, j in combinations(range(5), 2):
        gains = np.zeros((5, 5))
        gains[i, j], gains[j, i] = 1, -1
        expected += np.outer(*(scores(told, gains) for told in informations))

    one, other = (Interactions.of(5, met, told, 2.5, inside) for told in informations)

    assert one.covariance(other) == pytest.approx(expected, abs=1e-12)


def test_a_round_robin_leaves_nothing_of_the_interactions() -> None:
    """When all pairs tell equally much, the strength against the field is what was measured."""
    met = encounters(comparisons(_tables(list(combinations(range(5), 2)))))

    even = Interactions.of(5, met, np.full(10, 1.7), 2.0, np.ones(5))

    assert even.covariance(even) == pytest.approx(0, abs=1e-12)


def test_errors_shrink_as_the_log_grows() -> None:
    """Four times the blocks give about half the error bars."""
    few, many = fit(some_log(blocks=100)), fit(some_log(blocks=400))

    def bar(of: Floats) -> float:
        return float(np.median(of[np.triu_indices(5, 1)]))

    assert bar(many.deviations()) == pytest.approx(bar(few.deviations()) / 2, rel=0.25)


def _tables(tables: Sequence[Sequence[int]]) -> Log:
    """Return a match of each table."""
    matches = [
        Result(block, table, range(len(table)), range(1, len(table) + 1))
        for block, table in enumerate(tables)
    ]
    return Log(5, matches)
