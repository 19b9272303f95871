"""The comparisons of a log."""

from dataclasses import fields

import numpy as np
import pytest

from ladder.rating.comparisons import Comparisons, comparisons
from ladder.rating.results import Log, MatchResult
from ladder.results.diagnostics.seats import table_sizes
from tests.ladder.rating.simulation import shuffled


def seen(of: Comparisons) -> list[tuple[int, int, float]]:
    """Return the compared versions with the first one's score."""
    cells = of.cells
    pairs = zip(cells.i[of.cell], cells.j[of.cell], of.score, strict=True)
    return sorted((int(i), int(j), float(score)) for i, j, score in pairs)


def test_a_match_is_all_its_pairs() -> None:
    """All pairs are compared, the better rank is ahead, and ties count half."""
    log = Log(3, [MatchResult(0, (2, 0, 1), (0, 1, 2), (1, 2, 2))])

    assert seen(comparisons(log)) == [(0, 1, 0.5), (0, 2, 0.0), (1, 2, 0.0)]


def test_a_match_weighs_as_many_steps_as_its_ranking() -> None:
    """The comparisons of a match of k versions weigh k - 1 in all."""
    for k in (2, 3, 4, 5):
        data = comparisons(Log(5, [MatchResult(0, range(k), range(k), range(1, k + 1))]))
        assert data.cells.weight[data.cell].sum() == pytest.approx(k - 1)


def test_who_crashed_is_behind_the_others_only() -> None:
    """A forfeit is behind all others, whatever its rank; two forfeits are not compared."""
    ranks, crashed = (4, 1, 1, 3), (False, True, True, False)
    log = Log(4, [MatchResult(0, (0, 1, 2, 3), (0, 1, 2, 3), ranks, crashed)])

    assert seen(comparisons(log)) == [
        (0, 1, 1.0),
        (0, 2, 1.0),
        (0, 3, 0.0),
        (1, 3, 0.0),
        (2, 3, 0.0),
    ]


def test_copies_are_not_compared_with_each_other() -> None:
    """At a table with two copies of each of two versions there are four comparisons."""
    log = Log(2, [MatchResult(0, (0, 0, 1, 1), (0, 1, 2, 3), (1, 4, 2, 3))])

    assert seen(comparisons(log)) == [(0, 1, 0.0), (0, 1, 0.0), (0, 1, 1.0), (0, 1, 1.0)]


def test_seats_of_different_tables_are_different() -> None:
    """The first seat of a table for two is not that of a table for three."""
    log = Log(
        3, [MatchResult(0, (0, 1), (0, 1), (1, 2)), MatchResult(1, (0, 1), (0, 2), (1, 2), table=3)]
    )
    data = comparisons(log)

    assert data.columns == {2: slice(0, 2), 3: slice(2, 5)}
    assert sorted(data.cells.seat_i.tolist()) == [0, 2]
    assert sorted(data.cells.seat_j.tolist()) == [1, 4]
    assert sorted(table_sizes(data).tolist()) == [2, 3]


def test_blocks_are_counted_for_each_version() -> None:
    """A version's blocks count once each, however many matches they have."""
    log = Log(4)
    for block, versions in [(5, (0, 1)), (5, (1, 0)), (8, (0, 2))]:
        log.append(MatchResult(block, versions, (0, 1), (1, 2)))

    assert comparisons(log).blocks.tolist() == [2, 1, 1, 0]


def test_order_does_not_matter() -> None:
    """The comparisons of a shuffled log are the same in the same order."""
    log = Log(4)
    random = np.random.default_rng(1)
    for block in range(30):
        crashed = (random.random(4) < 0.2).tolist()
        ranks = random.integers(1, 5, 4).tolist()
        log.append(
            MatchResult(block // 3, random.permutation(4).tolist(), range(4), ranks, crashed)
        )
    one, other = comparisons(log), comparisons(shuffled(log, 2))

    for name in ("cell", "score", "block", "match", "blocks"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for column in fields(one.cells):
        assert np.array_equal(getattr(one.cells, column.name), getattr(other.cells, column.name))
