"""The bracket of a knockout: byes in the first round only, full tables, groups kept apart."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.scheduling.tournament.formats.base import Field, MeetingResult
from ladder.scheduling.tournament.formats.bracket import FINAL, THIRD, advancing
from ladder.scheduling.tournament.formats.deciding import Decider
from ladder.scheduling.tournament.formats.groups import Groups, in_group_name
from ladder.scheduling.tournament.formats.knockout import Knockout
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

KNOCKOUT = Knockout(Decider(0, "drawn"))
GROUPS = Groups(knockout=KNOCKOUT)
NOT_FULL = {5: {FINAL: [4], "round of 24": [4, 5, 5, 5, 5]}}
"""At five seats: the sizes of the tables of the later rounds that are not all full."""


def check(n: int, seats: int, play: Play) -> None:
    """Check the rounds of a knockout of more than one table."""
    field = played(KNOCKOUT, range(n), seats, play)
    first, *later = rounds_of(field)
    byes = byes_in(KNOCKOUT, field)
    sizes = sorted(len(meeting.entrants) for meeting in first)

    assert byes[0] == list(range(len(byes[0])))
    assert not any(byes[1:])
    assert sizes[-1] - sizes[0] <= 1
    assert sizes[0] > advancing(seats)
    for meetings in later:
        tables = [m for m in meetings if m.stage != THIRD]
        usual = [seats] * len(tables)
        expected = NOT_FULL.get(seats, {}).get(tables[0].stage, usual)
        assert sorted(len(m.entrants) for m in tables) == expected
    assert [m.stage for m in later[-1]] == [FINAL, THIRD][: 1 + (seats == 2 and n > 3)]


@given(n=st.integers(6, 64), seats=st.integers(2, 5), salt=st.integers(0, 99))
@examples(30)
def test_byes_come_first_and_later_tables_are_full(n: int, seats: int, salt: int) -> None:
    """Byes go to the best seeds, in the first round only; every later table is full.

    At five seats the final has four, and so has one table of a round of 24.
    """
    check(n, seats, somehow(salt))


@pytest.mark.proof
def test_all_brackets(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields of 5 to 64, and 200 tournaments of each."""
    for n, seats in sampled(range(5, 65), proof_cases(1_000)):
        for salt in range(proof_cases(200)):
            if n > seats:
                check(n, seats, somehow(salt))


@pytest.mark.parametrize(
    ("n", "seats", "sizes", "byes"),
    [
        (5, 2, [1, 2, 2], 3),
        (6, 2, [2, 2, 2], 2),
        (5, 3, [2, 1], 1),
        (6, 5, [2, 1], 0),
        (9, 5, [2, 1], 0),
        (12, 5, [2, 2, 1], 6),
        (24, 5, [5, 2, 1], 0),
        (7, 4, [2, 1], 0),
        (5, 5, [1], 0),
    ],
)
def test_rounds_are_few(n: int, seats: int, sizes: list[int], byes: int) -> None:
    """The numbers of tables of each round, including the match for third place."""
    field = played(KNOCKOUT, range(n), seats, by_seed)

    assert [len(meetings) for meetings in rounds_of(field)] == sizes
    assert len(byes_in(KNOCKOUT, field)[0]) == byes


def test_the_bracket_is_made_once() -> None:
    """The winner over a favourite takes over its place in the bracket."""
    first = [
        MeetingResult(m, ((2, 1),) if 0 in m.entrants else ((1, 2),))
        for m in KNOCKOUT.next_round(Field(range(8), 2))
    ]
    second = KNOCKOUT.next_round(Field(range(8), 2, first))

    assert [set(r.meeting.entrants) for r in first] == [{0, 7}, {1, 6}, {2, 5}, {3, 4}]
    assert [set(m.entrants) for m in second] == [{7, 3}, {1, 2}]


def test_the_third_place_is_played_for() -> None:
    """The losers of the semi-finals play for third place."""
    field = played(KNOCKOUT, range(8), 2, by_seed)
    *_, final, third = [result.meeting for result in field.results]

    assert (final.stage, set(final.entrants)) == (FINAL, {0, 1})
    assert (third.stage, set(third.entrants), third.round) == (THIRD, {2, 3}, final.round)
    assert [line.entrant for line in KNOCKOUT.table(field)][:4] == [0, 1, 2, 3]
    assert [line.reached for line in KNOCKOUT.table(field)][:4] == [FINAL] * 2 + [THIRD] * 2


def check_groups(form: Groups, n: int, seats: int, play: Play) -> None:
    """Check that bots of one group meet only if more of them are left than there are tables."""
    field = played(form, range(n), seats, play)
    draw, _ = form.part_of_knockout(field)
    group_of = {e: in_group_name(e, form.tables(field)) for e in draw.slots}
    for meetings in rounds_of(field)[draw.first :]:
        tables = [meeting for meeting in meetings if meeting.stage != THIRD]
        of_group = Counter(group_of[e] for m in tables for e in m.entrants)
        for meeting in tables:
            here = Counter(group_of[e] for e in meeting.entrants)
            for group, times in here.items():
                assert times == 1 or of_group[group] > len(tables), (n, seats, meeting)


@pytest.mark.costly
@given(
    n=st.integers(8, 64),
    seats=st.integers(2, 5),
    size=st.integers(3, 8),
    advancing=st.integers(2, 4),
    salt=st.integers(0, 99),
)
@examples(30)
def test_groups_are_kept_apart(n: int, seats: int, size: int, advancing: int, salt: int) -> None:
    """Bots of one group meet again as late as possible, whichever win."""
    form = Groups(size=max(size, advancing + 1), advancing=advancing, knockout=KNOCKOUT)
    check_groups(form, n, seats, somehow(salt))


@pytest.mark.proof
def test_groups_of_all_fields(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields of 8 to 64 with the usual groups."""
    for n, seats in sampled(range(8, 65), proof_cases(2_000)):
        for salt in range(proof_cases(50)):
            check_groups(GROUPS, n, seats, by_seed if salt == 0 else somehow(salt))


def test_the_first_of_a_group_meets_a_second_of_another() -> None:
    """With two groups A1 meets B2, and B1 meets A2."""
    field = played(GROUPS, range(8), 2, by_seed)
    draw, part = GROUPS.part_of_knockout(field)
    places = {
        line.entrant: f"{group.name[-1]}{line.place}"
        for group in GROUPS.tables(field)
        for line in group.lines
    }
    first = [r.meeting for r in part.results if r.meeting.round == draw.first]

    assert [{places[e] for e in m.entrants} for m in first] == [{"A1", "B2"}, {"B1", "A2"}]


@pytest.mark.parametrize(
    ("n", "size", "sizes", "on"),
    [(7, 4, [3, 4], [2, 2]), (9, 4, [3, 3, 3], [2] * 3), (5, 4, [3, 2], [2, 1]), (4, 4, [4], [2])],
)
def test_groups_are_no_larger_than_asked(
    n: int, size: int, sizes: list[int], on: list[int]
) -> None:
    """Groups are as few and even as possible, and each eliminates at least one bot."""
    groups = Groups(size=size, knockout=KNOCKOUT)
    tables = groups.tables(played(groups, range(n), 2, by_seed))

    assert [len(group.lines) for group in tables] == sizes
    assert [len(group.going_on) for group in tables] == on


def test_why_each_went_on_from_its_group() -> None:
    """Each bot that goes on has the criterion that decided."""
    field = played(GROUPS, range(8), 2, by_seed)

    assert [[*group.going_on.values()] for group in GROUPS.tables(field)] == [["score"] * 2] * 2


def test_both_stages_count() -> None:
    """Bots of the knockout have the meetings and byes of both stages."""
    field = played(GROUPS, range(7), 2, by_seed)
    table = {line.entrant: line for line in GROUPS.table(field)}

    assert [(table[e].meetings, table[e].byes) for e in range(7)] == [
        (4, 1), (5, 0), (5, 0), (4, 1), (2, 1), (3, 0), (3, 0)
    ]  # fmt: skip
    assert [table[e].score for e in (0, 6)] == [1, 0]


def test_a_group_plays_a_round_robin() -> None:
    """All bots of a group meet each other, and bots of other groups only in the knockout."""
    field = played(GROUPS, range(11), 2, by_seed)
    draw, _ = GROUPS.part_of_knockout(field)
    met = met_in([m for meetings in rounds_of(field)[: draw.first] for m in meetings])
    groups = [[line.entrant for line in group.lines] for group in GROUPS.tables(field)]

    assert met == Counter(frozenset(p) for group in groups for p in combinations(group, 2))
