"""The promises of the tournament formats."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.scheduling.tournament.formats.base import Field, Format, Line, Meeting, MeetingResult
from ladder.scheduling.tournament.formats.deciding import Decider
from ladder.scheduling.tournament.formats.gauntlet import Gauntlet
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.round_robin import RoundRobin
from ladder.scheduling.tournament.formats.swiss import Swiss
from tests.ladder.scheduling.played import (
    Play,
    by_seed,
    byes_in,
    met_in,
    played,
    rounds_of,
    somehow,
)
from tests.support.sampling import examples

FORMATS: dict[str, Format] = {
    "round robin": RoundRobin(),
    "round robin twice": RoundRobin(cycles=2),
    "swiss": Swiss(),
    "gauntlet": Gauntlet(),
    "knockout": Knockout(Decider(0, "drawn")),
    "groups": Groups(knockout=Knockout(Decider(0, "drawn"))),
}
every_format = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)


def fields(test: Callable[..., None]) -> Callable[..., None]:
    """Try a test with fields of many sizes."""
    sizes = given(n=st.integers(2, 17), seats=st.integers(2, 5), salt=st.integers(0, 99))
    return examples(40)(sizes(test))


def places(form: Format, field: Field) -> list[int]:
    """Return the entrants as they are placed."""
    return [line.entrant for line in form.table(field)]


@pytest.mark.costly
@every_format
@fields
def test_it_ends_with_a_table(form: Format, n: int, seats: int, salt: int) -> None:
    """Every tournament ends with a place for each entrant, except a gauntlet's challenger."""
    entrants = list(range(10, 10 + n))

    lines = form.table(played(form, entrants, seats, somehow(salt)))

    ranked = entrants if form.has_winner else entrants[1:]
    found = [line.place for line in lines]
    assert all(place == 1 + sum(other < place for other in found) for place in found)
    assert found == sorted(found)
    assert sorted(line.entrant for line in lines) == ranked


@every_format
@fields
def test_rounds_are_playable(form: Format, n: int, seats: int, salt: int) -> None:
    """In a round no entrant sits twice, and tables have at least two and no surplus entrants."""
    field = played(form, range(n), seats, somehow(salt))

    for meetings, byes in zip(rounds_of(field), byes_in(form, field), strict=True):
        seated = [e for meeting in meetings for e in meeting.entrants]
        assert len({*seated, *byes}) == len(seated) + len(byes)
        assert all(2 <= len(meeting.entrants) <= seats for meeting in meetings)


@pytest.mark.sweep
@every_format
@fields
def test_the_order_of_results_does_not_matter(form: Format, n: int, seats: int, salt: int) -> None:
    """A resumed tournament goes on the same, whatever the order of stored results."""
    field = played(form, range(n), seats, somehow(salt))
    half = [r for r in field.results if r.meeting.round < field.rounds // 2]

    for results in (half, list(field.results)):
        turned = Field(field.entrants, seats, results[::-1])
        assert form.next_round(turned) == form.next_round(Field(field.entrants, seats, results))
        assert form.table(turned) == form.table(Field(field.entrants, seats, results))


@every_format
@pytest.mark.parametrize(("n", "seats"), [(8, 2), (9, 3), (16, 4), (10, 5), (7, 2), (13, 4)])
def test_the_best_wins(form: Format, n: int, seats: int) -> None:
    """If the better seed always wins, the first seed wins, in formats with a winner."""
    field = played(form, range(n), seats, by_seed)

    assert places(form, field)[0] == (0 if form.has_winner else 1)


@every_format
@fields
def test_tie_breaks_are_named(form: Format, n: int, seats: int, salt: int) -> None:
    """Every line names its tie-breaks, the seed last."""
    field = played(form, range(n), seats, somehow(salt))
    lines = form.table(field)

    for line in lines:
        assert list(line.tie_breaks)[-1] == form.tie_breaks[-1] == "seed"
        assert [name for name in form.tie_breaks if name in line.tie_breaks] or isinstance(
            form, Groups
        )
    if not isinstance(form, Groups):
        assert all(line.tie_breaks["seed"] == 1 + line.entrant for line in lines)


@given(n=st.integers(2, 14), seats=st.integers(2, 5), cycles=st.integers(1, 3))
def test_round_robin_brings_all_together(n: int, seats: int, cycles: int) -> None:
    """After n cycles all pairs have met at least n times, with differences of at most one.

    At tables of two they met just so often.
    """
    field = played(RoundRobin(cycles), range(n), seats, by_seed)
    met = met_in([result.meeting for result in field.results])

    assert len(met) == n * (n - 1) // 2
    assert min(met.values()) >= cycles
    assert max(met.values()) - min(met.values()) <= (seats > 2)
    if seats == 2:
        assert field.rounds == cycles * (n - 1 + n % 2 if n > 2 else 1)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("n", range(5, 17))
def test_without_luck_the_order_is_right(n: int, seats: int) -> None:
    """Without luck a round robin finds the true order."""
    order = played(RoundRobin(), range(n), seats, by_seed)

    assert places(RoundRobin(), order) == list(range(n))


@given(n=st.integers(2, 14), seats=st.integers(2, 5))
def test_gauntlet_is_one_against_all(n: int, seats: int) -> None:
    """The first seed meets everyone, at every table; the tables have one size."""
    field = played(Gauntlet(), range(n), seats, by_seed)

    assert all(0 in r.meeting.entrants for r in field.results)
    assert {e for r in field.results for e in r.meeting.entrants} == set(range(n))
    assert {len(r.meeting.entrants) for r in field.results} == {min(n, seats)}
    assert not any(byes_in(Gauntlet(), field))


def test_gauntlet_tells_how_the_challenger_did() -> None:
    """A gauntlet's lines are the challenger's scores with Wilson's intervals; no bot wins."""
    form = Gauntlet(cycles=10)
    field = played(form, range(3), 2, lambda m: (1, 2) if 2 in m.entrants else (2, 1))
    lines = {line.entrant: line for line in form.table(field)}

    assert not form.has_winner
    assert [*lines] == [1, 2]
    assert [lines[e].score for e in (1, 2)] == [0, 1]
    assert lines[1].interval == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert lines[2].interval == pytest.approx((0.722467, 1.0), abs=1e-6)


@pytest.mark.parametrize("n", [6, 8, 11, 16])
def test_swiss_has_no_rematch(n: int) -> None:
    """At tables of two no bot has a rematch or two byes."""
    field = played(Swiss(), range(n), 2, by_seed)

    assert set(met_in([r.meeting for r in field.results]).values()) == {1}
    assert max(line.byes for line in Swiss().table(field)) <= 1


def test_swiss_pairs_equal_scores() -> None:
    """In the second round of a Swiss tournament winners meet winners."""
    field = Field(range(8), 2)
    first = [MeetingResult(m, (by_seed(m),)) for m in Swiss().next_round(field)]

    second = Swiss().next_round(Field(range(8), 2, first))

    winners = {0, 1, 2, 3}
    assert [set(r.meeting.entrants) for r in first] == [{0, 4}, {1, 5}, {2, 6}, {3, 7}]
    assert all(len(winners & set(meeting.entrants)) in {0, 2} for meeting in second)


def test_a_bye_counts_half() -> None:
    """A bye of a Swiss tournament is worth half a point."""
    field = Field(range(3), 2)
    results = [MeetingResult(m, (by_seed(m),)) for m in Swiss().next_round(field)]

    lines = {line.entrant: line for line in Swiss().table(Field(range(3), 2, results))}

    assert (lines[2].score, lines[2].byes) == (Fraction(1, 2), 1)


def test_group_winners_go_on() -> None:
    """The two best of groups of four go on; lower places follow the places in the groups."""
    field = played(Groups(size=4, advancing=2), range(8), 2, by_seed)
    groups = {r.meeting.stage for r in field.results if r.meeting.round < 3}

    assert groups == {"group A", "group B"}
    assert [line.reached for line in Groups().table(field)][-4:] == [
        "group A",
        "group B",
        "group B",
        "group A",
    ]
    assert places(Groups(size=4, advancing=2), field) == [0, 1, 2, 3, 4, 5, 6, 7]


def result(*entrants: int, ranks: tuple[int, ...], number: int = 0) -> MeetingResult:
    """Return a meeting's result."""
    return MeetingResult(Meeting(number, entrants), (ranks,))


def test_places_of_those_who_are_out() -> None:
    """Bots eliminated in the same round are placed by score, then place at the table.

    Two that are level at their table share their place there, without a lot.
    """
    form = Knockout(Decider(0, "drawn"))

    def ranks(meeting: Meeting) -> tuple[int, ...]:
        level = meeting.round == 0 and 0 in meeting.entrants
        return tuple(1 + (e > 0) for e in meeting.entrants) if level else by_seed(meeting)

    field = played(form, range(9), 3, ranks)
    lines = form.table(field)
    by_place = [line.tie_breaks["place at its table"] for line in lines]

    assert [set(r.meeting.entrants) for r in field.results[:2]] == [{0, 5, 6}, {1, 4, 7}]
    assert [line.entrant for line in lines[:5]] == [0, 1, 2, 3, 4]
    assert [line.entrant for line in lines[7:]] == [7, 8]
    assert by_place[3:] == [2, 2, 2, 2, 3, 3]
    assert [line.place for line in lines] == [1, 2, 3, 4, 4, 6, 6, 8, 8]


def _level(meeting: Meeting) -> tuple[int, ...]:
    """Let the smaller number win, but 1 and 2 tie."""
    ranks = {e: 2 if e in (1, 2) else 1 + e for e in meeting.entrants}
    return tuple(ranks.values())


@pytest.mark.parametrize(
    ("form", "ranks", "found"),
    [
        (RoundRobin(), _level, [1, 2, 2, 4]),
        (RoundRobin(shared_places=False), _level, [1, 2, 3, 4]),
        (RoundRobin(), lambda meeting: (1,) * len(meeting.entrants), [1, 1, 1, 1]),
        (Swiss(3), _level, [1, 2, 2, 4]),
        (Swiss(3, shared_places=False), _level, [1, 2, 3, 4]),
        (Knockout(), by_seed, [1, 2, 3, 4, 5, 5, 5, 5]),
        (Knockout(shared_places=False), by_seed, [1, 2, 3, 4, 5, 6, 7, 8]),
        (Groups(), by_seed, [1, 2, 3, 4, 5, 5, 7, 7]),
    ],
)
def test_equals_share_a_place(form: Format, ranks: Play, found: list[int]) -> None:
    """Bots that no tie-break parts share a place, unless the tournament began before they could.

    They are listed by seed.
    """
    n = len(found)
    lines = form.table(played(form, range(n), 2, ranks))

    assert [line.place for line in lines] == found
    assert [line.entrant for line in lines] == list(range(n))


def test_the_better_seed_advances_of_equals() -> None:
    """Bots that share a place in their group show it, and the better seed advances."""
    form = Groups(size=3, advancing=1)
    field = played(form, range(6), 2, lambda _: (1, 1))
    group, _ = form.tables(field)

    assert [line.place for line in group.lines] == [1, 1, 1]
    assert group.going_on == {0: "seed"}


def test_scores_are_shares() -> None:
    """At a table of four the places score 1, 2/3, 1/3 and 0, and ties their mean."""
    assert list(result(1, 2, 3, 4, ranks=(1, 2, 2, 4)).scores().values()) == [
        Fraction(1),
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(0),
    ]


def test_direct_encounter_decides_first() -> None:
    """Among ties the winner of the direct encounter is ahead, whatever its seed.

    It is asked only among equals, and only if all of them met.
    """
    results = [
        result(0, 3, ranks=(2, 1)),
        result(1, 2, ranks=(1, 2)),
        result(0, 2, ranks=(1, 2), number=1),
        result(1, 3, ranks=(1, 2), number=1),
    ]

    table: list[Line] = RoundRobin().table(Field(range(4), 2, results))
    unmet = Swiss().table(Field(range(4), 2, results[:2]))

    assert [line.entrant for line in table] == [1, 3, 0, 2]
    assert table[1].tie_breaks["direct encounter"] == 1
    assert table[2].tie_breaks["direct encounter"] == 0
    for line in (table[0], table[3], *unmet):
        assert "direct encounter" not in line.tie_breaks


def test_tie_breaks_are_means() -> None:
    """A bye or a missing meeting loses no tie-break, as tie-breaks are means."""
    results = [
        result(0, 3, ranks=(1, 2)),
        result(1, 4, ranks=(1, 2)),
        result(0, 4, ranks=(1, 2), number=1),
        result(2, 3, ranks=(1, 2), number=1),
    ]

    table = {line.entrant: line for line in Swiss().table(Field(range(5), 2, results))}

    assert (table[1].score, table[2].score) == (Fraction(3, 2), Fraction(3, 2))
    assert (table[1].byes, table[2].byes) == (1, 1)
    assert table[1].tie_breaks["opponents' scores"] == table[2].tie_breaks["opponents' scores"] == 0
    assert table[0].tie_breaks["first places"] == table[1].tie_breaks["first places"] == 1


def test_opponents_weigh_alike() -> None:
    """Meeting a strong bot twice and a weak one once scores the mean of the two."""
    results = [
        result(0, 1, ranks=(2, 1)),
        result(0, 1, ranks=(2, 1), number=1),
        result(0, 2, ranks=(1, 2), number=2),
    ]

    table = {line.entrant: line for line in RoundRobin().table(Field(range(3), 2, results))}

    assert (table[0].score, table[0].meetings) == (Fraction(1, 2), 3)


@pytest.mark.parametrize(
    ("entrants", "seats", "reason"),
    [([1], 2, "at least two"), ([1, 1], 2, "one seed"), ([1, 2], 11, "2 to 10 seats")],
)
@every_format
def test_nonsense_is_refused(form: Format, entrants: list[int], seats: int, reason: str) -> None:
    """Tournaments of one entrant, with duplicates, or with impossible tables are refused."""
    with pytest.raises(ValueError, match=reason):
        form.next_round(Field(entrants, seats))
