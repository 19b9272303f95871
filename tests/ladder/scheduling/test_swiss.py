"""Swiss tournaments: no avoidable rematch, and evenly spread byes."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from ladder.scheduling.tournament.formats.apart import pairs_at, weighed
from ladder.scheduling.tournament.formats.base import Field, Meeting, MeetingResult
from ladder.scheduling.tournament.formats.pairing import seat, sizes_of
from ladder.scheduling.tournament.formats.swiss import Swiss, rounds_needed
from tests.ladder.scheduling.played import (
    Play,
    by_seed,
    byes_in,
    met_in,
    played,
    rounds_of,
    sampled,
    somehow,
)
from tests.support.sampling import examples

Met = Counter[tuple[int, int]]


def rematches(tables: Sequence[Sequence[int]], met: Met) -> int:
    """Return the number of pairs at these tables that have met before."""
    return sum(bool(met.get(pair)) for table in tables for pair in combinations(table, 2))


def avoidable(entrants: Sequence[int], sizes: Sequence[int], met: Met) -> bool:
    """Return whether these fit at tables of these sizes without a rematch, by exact cover."""
    tables = list(_fresh((), sorted(entrants), set(sizes), met))
    kinds = sorted(set(sizes))
    rows = [*sorted(entrants), *(("size", size) for size in kinds)]
    where = {row: i for i, row in enumerate(rows)}
    at = [(where[r], j) for j, t in enumerate(tables) for r in (*t, ("size", len(t)))]
    if not tables:
        return False
    matrix = csr_array((np.ones(len(at)), np.array(at).T), shape=(len(rows), len(tables)))
    due = np.array([1] * len(entrants) + [list(sizes).count(size) for size in kinds])
    found = milp(
        np.zeros(len(tables)),
        constraints=LinearConstraint(matrix, due, due),
        integrality=np.ones(len(tables)),
        bounds=Bounds(0, 1),
        options={"time_limit": 60},
    )
    assert found.status in (0, 2), "the exact search did not end within a minute"
    return bool(found.status == 0)


def _fresh(table: tuple[int, ...], others: Sequence[int], sizes: set[int], met: Met):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """Yield the tables of these sizes at which no two have met before."""
    if len(table) in sizes:
        yield table
    if len(table) < max(sizes):
        for i, e in enumerate(others):
            rest = [o for o in others[i + 1 :] if not met[e, o]]
            yield from _fresh((*table, e), rest, sizes, met)


def check(n: int, seats: int, play: Play, rounds: int | None = None) -> None:
    """Check that no rematch was avoidable, and that byes differ by at most one."""
    form = Swiss(rounds)
    field = played(form, range(n), seats, play)
    met, had = Met(), Counter(dict.fromkeys(range(n), 0))
    for meetings, byes in zip(rounds_of(field), byes_in(form, field), strict=True):
        tables = [m.entrants for m in meetings]
        if rematches(tables, met):
            fewest = [e for e in had if had[e] == min(had.values())]
            for resting in ([e] for e in fewest) if byes else [byes]:
                there = [e for e in range(n) if e not in resting]
                assert not avoidable(there, [len(t) for t in tables], met), (n, seats, resting)
        had.update(byes)
        met.update(pair for table in tables for pair in combinations(sorted(table), 2))
        met.update((b, a) for table in tables for a, b in combinations(sorted(table), 2))
    byes_of = [line.byes for line in form.table(field)]
    assert max(byes_of) - min(byes_of) <= 1


@given(n=st.integers(5, 30), seats=st.integers(2, 5), salt=st.integers(0, 99))
@examples(8)
def test_no_rematch_can_be_avoided(n: int, seats: int, salt: int) -> None:
    """If a round has a rematch, an exact search confirms that none is without."""
    check(n, seats, somehow(salt))


@pytest.mark.parametrize(("n", "play"), [(34, by_seed), (35, somehow(4, 6))])
def test_a_rematch_is_avoided_where_few_rounds_avoid_it(n: int, play: Play) -> None:
    """A rematch is avoided even if hardly any seating is without one."""
    field = played(Swiss(), range(n), 5, play)

    assert max(met_in([result.meeting for result in field.results]).values()) == 1


@pytest.mark.proof
def test_all_fields(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields of 5 to 64, and 200 tournaments of each."""
    for n, seats in sampled(range(5, 65), proof_cases(2_000)):
        for salt in range(proof_cases(200)):
            check(n, seats, by_seed if salt == 0 else somehow(salt, 2 + salt % 9))


@given(n=st.integers(4, 12), salt=st.integers(0, 999))
@examples(30)
def test_pairs_meet_only_once_as_long_as_there_are_others(n: int, salt: int) -> None:
    """At tables of two no pair meets twice while a field has new opponents."""
    check(n, 2, somehow(salt, 3), rounds=n - 1)


@given(seats=st.integers(3, 5), n=st.integers(5, 40), salt=st.integers(0, 99))
@examples(20)
def test_all_play_in_every_round_at_larger_tables(seats: int, n: int, salt: int) -> None:
    """At larger tables no bot has a bye, and table sizes differ by at most one."""
    field = played(Swiss(), range(n), seats, somehow(salt))

    for meetings in rounds_of(field):
        sizes = {len(meeting.entrants) for meeting in meetings}
        assert sum(len(meeting.entrants) for meeting in meetings) == n
        assert max(sizes) - min(sizes) <= 1
        assert len(meetings) == -(-n // seats)
    assert not any(byes_in(Swiss(), field))


@pytest.mark.sweep
@pytest.mark.parametrize("n", [3, 5, 7])
def test_no_bot_has_a_second_bye_before_all_had_one(n: int) -> None:
    """In twice as many rounds as entrants each has two byes, never two more than another."""
    field = played(Swiss(2 * n), range(n), 2, by_seed)
    had = Counter[int]()
    for byes in byes_in(Swiss(2 * n), field):
        had.update(byes)
        assert max(had.values()) - min(had[e] for e in range(n)) <= 1

    assert set(had.values()) == {2}


@pytest.mark.parametrize(
    ("n", "seats", "rounds"),
    [(2, 2, 1), (3, 2, 3), (4, 2, 3), (8, 2, 5), (64, 2, 8), (7, 4, 2), (16, 4, 4), (64, 4, 5)],
)
def test_rounds_are_no_more_than_a_field_allows(n: int, seats: int, rounds: int) -> None:
    """The default rounds suffice for one leader, plus up to two without forced rematches."""
    assert rounds_needed(n, seats) == rounds


@pytest.mark.parametrize(("n", "seats"), [(8, 4), (9, 5), (6, 3), (12, 5)])
def test_the_fewest_rematches_where_some_are_unavoidable(n: int, seats: int) -> None:
    """The number of rematches is the minimum over all seatings."""
    first = [m.entrants for m in Swiss().next_round(Field(range(n), seats))]
    met = Met(pair for table in first for pair in combinations(table, 2))
    met += Met((b, a) for a, b in met)
    sizes = sizes_of(n, -(-n // seats))

    def fewest(left: tuple[int, ...], number: int) -> int:
        if number == len(sizes):
            return 0
        here = combinations(left[1:], sizes[number] - 1)
        return min(
            rematches([(left[0], *more)], met)
            + fewest(tuple(e for e in left[1:] if e not in more), number + 1)
            for more in here
        )

    weights = weighed(range(n), pairs_at(sizes), met)
    found = seat(list(range(n)), sizes, weights, met)
    assert rematches(found, met) == fewest(tuple(range(n)), 0)


def test_the_pairing_is_the_same_everywhere() -> None:
    """The pairing depends on plan and results alone: these are the tables, to the last seat."""
    field = played(Swiss(), range(13), 4, lambda m: tuple(7 * e % 3 for e in m.entrants))
    tables = [[m.entrants for m in meetings] for meetings in rounds_of(field)]

    assert tables[0] == [(0, 4, 8, 12), (1, 5, 9), (2, 6, 10), (3, 7, 11)]
    assert len(met_in([r.meeting for r in field.results])) > 30
    again = [
        MeetingResult(Meeting(r.meeting.round, r.meeting.entrants), r.ranks) for r in field.results
    ]
    for number in range(field.rounds):
        past = [r for r in again if r.meeting.round < number]
        assert [m.entrants for m in Swiss().next_round(Field(range(13), 4, past))] == tables[number]


@pytest.mark.parametrize("points", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_a_given_bye(points: Fraction) -> None:
    """A given bye has its own points and does not spare the bye of an odd entrant."""
    meetings = [Meeting(0, (1, 2)), Meeting(0, (3, 4))]
    by_then = [MeetingResult(meeting, (by_seed(meeting),)) for meeting in meetings]
    field = Field([1, 2, 3, 4, 5], 2, by_then, given_byes={(0, 5): points, (1, 4): Fraction(0)})
    form = Swiss(rounds=3)
    seated = {entrant for meeting in form.next_round(field) for entrant in meeting.entrants}
    five = next(line for line in form.table(field) if line.entrant == 5)
    odd = replace(field, given_byes={(0, 5): points})
    resting = form.resting(odd, form.next_round(odd))

    assert seated == {1, 2, 3, 5}
    assert (five.score, five.byes) == (points, 1)
    assert resting == [5 if points == 0 else 4]
