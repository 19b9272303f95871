"""The promises of every scheduler, and their differences."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.history import History
from ladder.scheduling.ladder.optimal import RANKING, TOP, optimal
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, size_of_round
from ladder.scheduling.ladder.simple import at_random, balanced, swiss
from referee.games.randomness import Stream
from tests.ladder.scheduling.conftest import FakeStrengths, MakeStrengths

if TYPE_CHECKING:
    from ladder.scheduling.ladder.balanced import Table

SCHEDULERS = {
    "balanced": balanced,
    "random": at_random,
    "swiss": swiss,
    "ranking": optimal(RANKING),
    "top": optimal(TOP),
    "mixed": optimal(RANKING, mixed=True),
}
every_scheduler = pytest.mark.parametrize("scheduler", SCHEDULERS.values(), ids=SCHEDULERS)


def some_strengths(n: int, seed: int) -> FakeStrengths:
    """A plausible rating."""
    chance = np.random.default_rng(seed)
    root = chance.normal(size=(n, n)) / n
    told = chance.uniform(0, 5, size=(n, n))
    return FakeStrengths(
        theta=chance.normal(size=n),
        V=root @ root.T + 0.01 * np.eye(n),
        information=told + told.T,
        blocks=chance.integers(0, 9, size=n),
        t2=float(chance.uniform(0, 0.05)),
    )


@every_scheduler
@given(
    n=st.integers(1, 13),
    seats=st.integers(2, 5),
    count=st.integers(1, 7),
    seed=st.integers(0, 99),
    rated=st.booleans(),
)
def test_tables_are_full(
    scheduler: Scheduler, *, n: int, seats: int, count: int, seed: int, rated: bool
) -> None:
    """Schedulers return enough full tables, without repeated versions, with stand-ins if needed."""
    past = Past(strengths=some_strengths(n + 3, seed) if rated else None)

    tables = scheduler(range(2, n + 2), seats, past, Stream(str(seed)), count)

    assert len(tables) >= count
    for table in tables:
        taken = [version for version in table if version is not None]
        assert len(table) == seats
        assert len(set(taken)) == len(taken) == min(n, seats)
        assert set(taken) <= set(range(2, n + 2))


@every_scheduler
@given(n=st.integers(1, 12), seats=st.integers(2, 5), seed=st.integers(0, 99))
def test_plans_repeat(scheduler: Scheduler, n: int, seats: int, seed: int) -> None:
    """The same past and stream give the same plan, whatever the order of the entrants."""
    past = Past(History([tuple(range(min(n, seats)))]), some_strengths(n, seed))
    plan = scheduler(range(n), seats, past, Stream(str(seed)), 5)

    again = scheduler(range(n)[::-1], seats, past, Stream(str(seed)), 5)

    assert again == plan
    assert len(past.history) == 1


@every_scheduler
def test_a_newcomer_is_played(scheduler: Scheduler, make_strengths: MakeStrengths) -> None:
    """A version without a rating is scheduled within a few rounds."""
    past = Past(strengths=make_strengths([0.0] * 11))
    history = past.history
    played = False
    for number in range(6):
        for table in scheduler(range(12), 4, past, Stream(str(number)), 3):
            history.add(table)
            played = played or 11 in table

    assert played


def test_swiss_pairs_neighbours(make_strengths: MakeStrengths) -> None:
    """A Swiss round pairs neighbours that have not met."""
    past = Past(strengths=make_strengths([float(-v) for v in range(8)]))

    tables = swiss(range(8), 2, past, Stream("x"), 1)

    assert {frozenset(table) for table in tables} == {
        frozenset(pair) for pair in [(0, 1), (2, 3), (4, 5), (6, 7)]
    }


def test_swiss_avoids_rematches(make_strengths: MakeStrengths) -> None:
    """Neighbours who met give way to the next ones."""
    past = Past(History([(0, 1), (2, 3)]), make_strengths([0.0, -1.0, -2.0, -3.0]))

    tables = swiss(range(4), 2, past, Stream("x"), 1)

    assert frozenset((0, 2)) in {frozenset(table) for table in tables}


def test_chance_is_even() -> None:
    """The random scheduler draws every group equally often."""
    groups = Counter(
        frozenset(table) for table in at_random(range(5), 2, Past(), Stream("x"), 5000)
    )

    assert len(groups) == 10
    assert max(groups.values()) < 1.25 * min(groups.values())


def test_a_round_is_a_seat_for_everybody() -> None:
    """A round has just enough tables for all, whatever was played before."""
    assert [size_of_round(n, 4) for n in (1, 4, 5, 20)] == [1, 1, 2, 5]


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=300))
def test_results_are_read_when_there_are_enough_new_ones(sizes: list[int]) -> None:
    """Planning never waits for the last round, and lags at most two batches of results."""
    looks = ResultBatches()
    for number, size in enumerate(sizes, start=1):
        looks.add(size)
        assert looks.through < number
        known, all_of_them = sum(sizes[: looks.through]), sum(sizes[:number])
        assert all_of_them - known <= 2 * (min(all_of_them / 12, 1000) + 40)
    assert ResultBatches(sizes).through == looks.through


def test_results_of_a_young_ladder_are_read_round_by_round() -> None:
    """Each of the first twelve rounds is planned from all rounds but the last."""
    looks = ResultBatches()
    for number in range(1, 14):
        looks.add(5)
        assert looks.through == number - 1
    looks.add(5)
    assert looks.through == 12


def test_results_of_an_old_ladder_are_seldom_read() -> None:
    """Over 10,000 rounds results are read about 90 times, each time with a twelfth more."""
    looks = ResultBatches()
    read = set()
    for _ in range(10_000):
        looks.add(2)
        read.add(looks.through)

    assert 85 < len(read) < 100


def test_rounds_of_one_look_are_one_plan(make_strengths: MakeStrengths) -> None:
    """Several rounds planned from the same results have the opponents of one long round."""
    known = make_strengths([0.3 * v for v in range(9)])
    scheduler = optimal()
    at_once = scheduler(range(9), 4, Past(strengths=known), Stream("x"), 9)
    by_round: list[Table] = []
    for _ in range(3):
        past = Past(strengths=known, unrated=by_round)
        by_round = [*by_round, *scheduler(range(9), 4, past, Stream("x"), 3)]

    assert [frozenset(table) for table in by_round] == [frozenset(table) for table in at_once]


def test_tables_of_those_who_left_are_no_matter(make_strengths: MakeStrengths) -> None:
    """Unrated tables may include retired bots."""
    known = make_strengths([0.3 * v for v in range(9)])
    gone: list[Table] = [(0, 8, None, None), (8, 7, 1, 2), (8, None, None, None)]

    tables = optimal()(range(8), 4, Past(strengths=known, unrated=gone), Stream("x"), 2)

    assert all(8 not in table for table in tables)


@every_scheduler
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    own=st.integers(0, 4),
    seats=st.integers(2, 5),
    seed=st.integers(0, 99),
    rated=st.booleans(),
)
def test_bots_of_one_author_never_meet(
    scheduler: Scheduler, *, sizes: list[int], own: int, seats: int, seed: int, rated: bool
) -> None:
    """Bots of one author never meet, tables are as full as possible, and all bots play."""
    whose = [f"author {a}" for a, size in enumerate(sizes) for _ in range(size)]
    n = len(whose) + own
    authors = dict(enumerate(whose))
    past = Past(strengths=some_strengths(n, seed) if rated else None, authors=authors)

    tables = scheduler(range(n), seats, past, Stream(str(seed)), 7)

    people = len(sizes) + own
    assert len(tables) >= 7
    for table in tables:
        taken = [version for version in table if version is not None]
        assert len(table) == seats
        assert len(taken) == min(people, seats)
        assert len({authors.get(version, version) for version in taken}) == len(taken)
    if scheduler is balanced:
        assert {version for table in tables for version in table} >= set(range(n))


def test_authors_change_no_balance_where_none_has_many_bots() -> None:
    """With eight authors of two bots all play equally often, at no more tables than without."""
    authors = {version: f"author {version // 2}" for version in range(16)}

    tables = balanced(range(16), 4, Past(authors=authors), Stream("x"), 4)

    assert len(tables) == 4
    assert sorted(v for table in tables for v in table if v is not None) == [*range(16)]


@pytest.mark.parametrize("n", [16, 80])
def test_the_optimal_scheduler_keeps_authors_apart_in_any_field(n: int) -> None:
    """The optimal scheduler keeps authors apart, even if one has half of many bots."""
    authors = dict.fromkeys(range(n // 2), "eve")
    past = Past(strengths=some_strengths(n, 1), authors=authors)

    tables = optimal()(range(n), 4, past, Stream("x"), n)

    for table in tables:
        assert None not in table
        assert sum(version in authors for version in table) <= 1
