"""Tables at which all pairs meet about equally often, and circles with changing neighbours."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import pytest

from ladder.scheduling.tournament.formats import circles, designs
from ladder.scheduling.tournament.formats.round_robin import Round, schedule_of

PROVEN = [(n, k) for k in (3, 4, 5) for n in range(k + 1, 65)]


def meetings(tables: list[designs.Block], n: int) -> list[int]:
    """Return how often each pair of n meets."""
    counted = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    return [counted[pair] for pair in combinations(range(n), 2)]


@pytest.mark.parametrize(
    ("n", "k", "tables", "times"),
    [
        (7, 3, 7, 1),
        (7, 4, 7, 2),
        (9, 3, 12, 1),
        (13, 3, 26, 1),
        (13, 4, 13, 1),
        (15, 3, 35, 1),
        (16, 4, 20, 1),
        (21, 5, 21, 1),
        (25, 5, 30, 1),
        (5, 4, 5, 3),
        (6, 5, 6, 4),
    ],
)
def test_exact_designs(n: int, k: int, tables: int, times: int) -> None:
    """An exact design with so few tables is used."""
    [cycle] = designs.cycles(n, k, 1)

    assert len(cycle) == tables
    assert set(meetings(cycle, n)) == {times}


@pytest.mark.parametrize(("n", "k"), [(9, 3), (15, 3), (16, 4), (25, 5)])
def test_planes_and_schoolgirls_fill_every_round(n: int, k: int) -> None:
    """In affine planes and Kirkman's schoolgirls everyone plays in every round."""
    rounds = schedule_of(n, k)

    assert len(rounds) == (n - 1) // (k - 1)
    assert all(sorted(e for table in groups for e in table) == list(range(n)) for groups in rounds)


def check(n: int, k: int, cycles: int) -> None:
    """Check that meetings differ by one at most at the end of each cycle, and who plays how much.

    No bot sits twice in a round, and all sit equally often.
    """
    tables: list[designs.Block] = []
    for number, cycle in enumerate(designs.cycles(n, k, cycles), start=1):
        tables += cycle
        met = meetings(tables, n)
        assert all(len(set(table)) == k for table in cycle)
        assert number <= min(met) <= max(met) <= min(met) + 1
        assert len({*Counter(e for table in tables for e in table).values()}) == 1
    for arranged in (False, True):
        check_rounds(n, k, cycles, schedule_of(n, k, cycles, arranged=arranged))
    rounds = schedule_of(n, k, cycles, arranged=False)
    played = [tuple(sorted(t)) for groups in rounds for t in groups]
    assert Counter(played) == Counter(tuple(sorted(t)) for t in tables)


def check_rounds(n: int, k: int, cycles: int, rounds: Sequence[Round]) -> None:
    """Check the same of the rounds, and that no bot sits twice in one."""
    tables = [table for groups in rounds for table in groups]
    met = meetings(tables, n)
    assert cycles <= min(met) <= max(met) <= min(met) + 1
    assert len({*Counter(e for table in tables for e in table).values()}) == 1
    assert all(len(table) == k for table in tables)
    assert all(len({e for t in groups for e in t}) == k * len(groups) for groups in rounds)


@pytest.mark.parametrize("k", [4, 5])
@pytest.mark.parametrize("n", range(7, 14))
def test_small_fields_fill_every_round(n: int, k: int) -> None:
    """Seven to 13 at 4 and 5 seats play as many tables at once as fit, in no more rounds.

    The exceptions are two exact designs, any two tables of which share a bot, and ten at five.
    """
    rounds, before = schedule_of(n, k), schedule_of(n, k, arranged=False)

    one_table = {(13, 4), (11, 5), (10, 5)}
    assert {len(groups) for groups in rounds} == {1 if (n, k) in one_table else n // k}
    assert len(rounds) <= len(before)
    for cycles in (1, 2, 3):
        check_rounds(n, k, cycles, schedule_of(n, k, cycles))


@pytest.mark.parametrize(("n", "k"), [(n, k) for k in (4, 5) for n in range(k + 2, 14)])
def test_why_fewer_tables_fill_no_round(n: int, k: int) -> None:
    """Where a cycle has as many tables as bots, every two tables share a bot."""
    [tables] = designs.cycles(n, k, 1)

    assert len(tables) == n
    assert all({*one} & {*other} for one, other in combinations(tables, 2))


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(("n", "k"), PROVEN[::9])
def test_meetings_differ_by_one_at_most(n: int, k: int) -> None:
    """Numbers of meetings differ by at most one after each cycle, and all play equally often."""
    check(n, k, 2)


@pytest.mark.proof
def test_meetings_of_all_fields(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields up to 64, and for four cycles."""
    for n, k in PROVEN[:: len(PROVEN) // proof_cases(len(PROVEN))]:
        check(n, k, 4)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_neighbours_change_from_deal_to_deal(n: int) -> None:
    """After all circles of a table each has sat right before each other equally often."""
    number = {2: 1, 3: 2, 4: 6, 5: 4}[n]
    order = [circles.of_deal(tuple(range(n)), deal) for deal in range(number)]
    before = Counter(pair for circle in order for pair in circles.neighbours(circle))

    assert order[0] == tuple(range(n)) == circles.of_deal(tuple(range(n)), number)
    assert {before[pair] for pair in permutations(range(n), 2)} == {number // (n - 1)}


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("n", range(6, 17, 2))
def test_neighbours_change_from_meeting_to_meeting(n: int, k: int) -> None:
    """In a round robin sitting before and after the same bot differs by at most two."""
    before = Counter(
        pair
        for groups in schedule_of(n, k, 3)
        for table in groups
        for pair in circles.neighbours(table)
    )

    assert all(abs(before[a, b] - before[b, a]) <= 2 for a, b in combinations(range(n), 2))
