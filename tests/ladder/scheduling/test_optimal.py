"""The choices of the optimal scheduler."""

from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest

from ladder.model.history import History
from ladder.scheduling.ladder.balanced import Table
from ladder.scheduling.ladder.optimal import RANKING, SHARPNESS, TOP, Objective, optimal
from ladder.scheduling.ladder.policy import Floats, Past
from referee.games.randomness import Stream
from tests.ladder.scheduling.conftest import FakeStrengths, MakeStrengths

EQUAL = 0.2
"""Logits by which bots differ that are about equal."""


def met(tables: list[Table]) -> Counter[frozenset[int]]:
    """Count the meetings."""
    taken = ([v for v in table if v is not None] for table in tables)
    return Counter(frozenset(pair) for table in taken for pair in combinations(table, 2))


def test_open_pairs_come_first(make_strengths: MakeStrengths) -> None:
    """Level pairs meet, not those whose order is clear."""
    past = Past(strengths=make_strengths([3.0, 2.0, 1.0, 1.0, 0.0, -1.0], sd=0.1))

    tables = optimal()(range(6), 2, past, Stream("x"), 1)

    assert set(tables[0]) == {2, 3}


def test_the_top_is_asked_for_its_boundary(make_strengths: MakeStrengths) -> None:
    """With the aim "top" a tie further down is left alone; with "ranking" it is not."""
    strengths = make_strengths([3.0, 2.0, 1.0, 1.0, -1.0, -1.0], sd=0.1)

    of_top = met(optimal(TOP)(range(6), 2, Past(strengths=strengths), Stream("x"), 6))
    of_all = met(optimal(RANKING)(range(6), 2, Past(strengths=strengths), Stream("x"), 6))

    assert set(of_top) == {frozenset((2, 3))}
    assert {frozenset((2, 3)), frozenset((4, 5))} <= set(of_all)


def test_an_open_pair_gets_its_share(make_strengths: MakeStrengths) -> None:
    """In a round of mixed tables bots play equally often; an open pair meets more than others."""
    past = Past(strengths=make_strengths([3.0, 2.0, 1.0, 1.0, -1.0, -3.0], sd=0.1))

    rounds = [optimal(mixed=True)(range(6), 2, past, Stream(f"{n}"), 3) for n in range(100)]

    meetings = met(list(chain(*rounds)))
    assert all(Counter(chain(*tables)) == Counter(range(6)) for tables in rounds)
    assert len(meetings) == 15
    assert meetings[frozenset((2, 3))] > 100 / 5 + 10


def test_a_crowd_takes_no_tables_from_others(make_strengths: MakeStrengths) -> None:
    """Where many are equal, the others still play as often as they."""
    strengths = make_strengths([2.0, 1.0, -1.0, -2.0, *[0.0] * 20], sd=0.3)

    tables = optimal(mixed=True)(range(24), 4, Past(strengths=strengths), Stream("x"), 6)

    assert Counter(chain(*tables)) == Counter(range(24))


def test_newcomers_catch_up(make_strengths: MakeStrengths) -> None:
    """Who has played little beside others plays twice as often as they, but no longer than needed.

    Newcomers are those that results say least of, so chosen tables tell most of them.
    """
    strengths = make_strengths([0.0] * 24)
    strengths.V[20:, 20:] *= 25
    history = History([(i, i + 1, i + 2, i + 3) for i in range(0, 20, 4)] * 60)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            past, stream = Past(history.copy(), strengths), Stream(history.packed().hex())
            for table in optimal(mixed=True)(range(24), 4, past, stream, 6):
                history.add(table)

    play(10)
    after_ten = [history.played(version) for version in range(20, 24)]
    play(30)

    assert all(16 <= played <= 30 for played in after_ten)
    assert all(48 <= history.played(version) <= 60 for version in range(20, 24))


@pytest.mark.parametrize(("newcomers", "rounds"), [(7, 165), (12, 151)])
def test_a_crowd_of_newcomers_takes_few_tables_from_others(
    make_strengths: MakeStrengths, newcomers: int, rounds: int
) -> None:
    """Others need at most a tenth more rounds for 150 matches, and none if most are new."""
    strengths, others = make_strengths([0.0] * 16), range(16 - newcomers)
    strengths.V[len(others) :, len(others) :] *= 25
    history = History([tuple(others)] * 100)

    for number in range(rounds):
        past = Past(history.copy(), strengths)
        for table in optimal(mixed=True)(range(16), 4, past, Stream(f"{number}"), 4):
            history.add(table)

    assert all(history.played(version) >= 250 for version in others)


def test_mixed_tables_count_each_other(make_strengths: MakeStrengths) -> None:
    """Optimal tables take the balanced ones of their round for played."""
    past = Past(strengths=make_strengths([0.0] * 8))

    tables = optimal(mixed=True)(range(8), 2, past, Stream("x"), 28)

    assert len(met(tables)) >= 20
    assert max(met(tables).values()) <= 3


def test_a_round_looks_ahead(make_strengths: MakeStrengths) -> None:
    """Planned tables count as played, so all level versions get their share."""
    past = Past(strengths=make_strengths([0.0] * 8))

    tables = optimal()(range(8), 2, past, Stream("x"), 28)

    assert len(met(tables)) >= 20
    assert max(met(tables).values()) <= 3


def test_equals_that_are_known_to_be_equal_are_left_alone() -> None:
    """A pair known to be equal gives way to a pair whose order is open."""
    own = np.diag([0.06, 0.06, 0.1, 0.1]) ** 2
    strengths = FakeStrengths(np.array([1.0, 1.0, 0.1, 0.0]), own, np.zeros((4, 4)), np.full(4, 10))

    tables = optimal()(range(4), 2, Past(strengths=strengths), Stream("x"), 4)

    assert met(tables)[frozenset((2, 3))] == 4


@pytest.mark.parametrize(("matches", "third"), [(1, {0, 1}), (4, {2, 3})])
def test_a_table_tells_as_much_as_is_played_of_it(matches: int, third: set[int]) -> None:
    """One match leaves an open pair open; after four of a deal another pair is next."""
    own = np.diag([0.16, 0.16, 0.09, 0.09])
    strengths = FakeStrengths(np.array([2.0, 2.0, 0.0, 0.0]), own, np.zeros((4, 4)), np.full(4, 10))
    past = Past(strengths=strengths, matches_a_table=matches)

    tables = optimal()(range(4), 2, past, Stream("x"), 3)

    assert [set(table) for table in tables] == [{0, 1}, {2, 3}, third]


def test_pairings_that_deviate_spread_opponents(make_strengths: MakeStrengths) -> None:
    """A pair with diminishing returns gives way to other opponents."""
    theta = [0.0, 0.0, 0.0, 0.0]
    told = np.zeros((4, 4))
    told[0, 1] = told[1, 0] = 100.0
    own = np.diag([0.2, 0.2, 0.1, 0.1])
    strengths = FakeStrengths(np.array(theta), own, told, np.full(4, 10), t2=0.1)

    tables = optimal()(range(4), 2, Past(strengths=strengths), Stream("x"), 1)

    assert set(tables[0]) != {0, 1}


def test_it_begins_balanced(make_strengths: MakeStrengths) -> None:
    """Until versions have about two blocks, all play equally often."""
    fresh = make_strengths([1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    known = FakeStrengths(fresh.theta, fresh.V, fresh.information, np.full(8, 1))

    tables = optimal()(range(8), 4, Past(strengths=known), Stream("x"), 2)

    assert Counter(v for table in tables for v in table) == Counter(range(8))


def test_a_newcomer_is_first(make_strengths: MakeStrengths) -> None:
    """A version with fewer than two blocks is scheduled first."""
    old = make_strengths([0.0] * 9, sd=0.3)

    tables = optimal(TOP)(range(10), 4, Past(strengths=old), Stream("x"), 3)

    assert 9 in tables[0]
    assert 9 in tables[1]


@pytest.mark.parametrize("aim", [RANKING, TOP, Objective(1), Objective(10)])
def test_the_largest_gain_is_what_is_played(aim: Objective) -> None:
    """The first pair is the one that lowers the weighted variances most, by exhaustive search."""
    chance = np.random.default_rng(4)
    root = chance.normal(size=(7, 7)) / 8
    before = root @ root.T + 0.01 * np.eye(7)
    theta = chance.normal(size=7) / 2
    strengths = FakeStrengths(theta, before, np.zeros((7, 7)), np.full(7, 10))

    def suffering(after: Floats) -> float:
        total = 0.0
        for i, j in combinations(range(7), 2):
            s2 = before[i, i] + before[j, j] - 2 * before[i, j]
            apart = (SHARPNESS * (theta[i] - theta[j])) ** 2 + EQUAL**2
            weight = np.exp(-apart / (2 * s2)) / s2**1.5
            places = [int(np.sum(theta > theta[v])) for v in (i, j)]
            if aim.top in {None, 10} or sum(place < (aim.top or 0) for place in places) == 1:
                total += weight * (after[i, i] + after[j, j] - 2 * after[i, j])
        return total

    def after(i: int, j: int) -> Floats:
        p = 1 / (1 + np.exp(theta[j] - theta[i]))
        edge = np.zeros(7)
        edge[i], edge[j] = 1.0, -1.0
        news = 1e-6 * 2 * p * (1 - p) / strengths.phi  # what one more comparison is worth at once
        told: Floats = np.linalg.inv(np.linalg.inv(before) + news * np.outer(edge, edge))
        return told

    best = min(combinations(range(7), 2), key=lambda pair: suffering(after(*pair)))

    tables = optimal(aim)(range(7), 2, Past(strengths=strengths), Stream("x"), 1)

    assert set(tables[0]) == set(best)


@pytest.mark.costly
def test_a_thousand_versions() -> None:
    """A round of a thousand versions schedules each at most a few times."""
    chance = np.random.default_rng(1)
    n = 1000
    strengths = FakeStrengths(
        chance.normal(size=n), np.eye(n) * 0.05, np.zeros((n, n)), np.full(n, 10)
    )

    tables = optimal()(range(n), 4, Past(strengths=strengths), Stream("x"), 250)

    appearances = Counter(v for table in tables for v in table)
    assert len(tables) == 250
    assert max(appearances.values()) <= 8
