"""What the tournament formats promise."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.scheduling.tournaments.base import Field, Format, Line, Meeting, Result
from ladder.scheduling.tournaments.deciding import Decider
from ladder.scheduling.tournaments.knockout import Groups, Knockout
from ladder.scheduling.tournaments.round_robin import Gauntlet, RoundRobin
from ladder.scheduling.tournaments.swiss import Swiss

FORMATS: dict[str, Format] = {
    "round robin": RoundRobin(),
    "round robin twice": RoundRobin(cycles=2),
    "swiss": Swiss(),
    "gauntlet": Gauntlet(),
    "knockout": Knockout(),
    "knockout by play": Knockout(Decider(0, "drawn")),
    "groups": Groups(),
}
every_format = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)


def fields(test: Callable[..., None]) -> Callable[..., None]:
    """Try a test with fields of many sizes."""
    sizes = given(n=st.integers(2, 17), seats=st.integers(2, 5), salt=st.integers(0, 99))
    return settings(max_examples=40)(sizes(test))


Ranks = Callable[[Meeting], tuple[int, ...]]


def by_seed(meeting: Meeting) -> tuple[int, ...]:
    """Let the smaller number win."""
    return tuple(1 + sum(o < e for o in meeting.entrants) for e in meeting.entrants)


def somehow(salt: int) -> Ranks:
    """Let chance decide, now and then with shared ranks."""

    def ranks(meeting: Meeting) -> tuple[int, ...]:
        drawn = [hash((salt, meeting.round, e)) % 5 for e in meeting.entrants]
        return tuple(1 + sum(o < e for o in drawn) for e in drawn)

    return ranks


def played(form: Format, entrants: Sequence[int], seats: int, ranks: Ranks) -> Field:
    """Play a tournament to its end."""
    results: list[Result] = []
    for _ in range(400):
        meetings = form.next_round(Field(entrants, seats, results))
        if not meetings:
            return Field(entrants, seats, results)
        results += [Result(meeting, (ranks(meeting),)) for meeting in meetings]
    raise AssertionError("the tournament does not end")


def places(form: Format, field: Field) -> list[int]:
    """Return the entrants as they are placed."""
    return [line.entrant for line in form.table(field)]


@every_format
@fields
def test_it_ends_with_a_table(form: Format, n: int, seats: int, salt: int) -> None:
    """Whatever happens it ends, and everybody has a place of its own."""
    entrants = list(range(10, 10 + n))

    lines = form.table(played(form, entrants, seats, somehow(salt)))

    assert [line.place for line in lines] == list(range(1, n + 1))
    assert sorted(line.entrant for line in lines) == entrants


@every_format
@fields
def test_rounds_are_playable(form: Format, n: int, seats: int, salt: int) -> None:
    """In a round nobody sits twice, and no table has more entrants than seats or only one."""
    field = played(form, range(n), seats, somehow(salt))

    for number in range(field.rounds):
        meetings = [r.meeting for r in field.results if r.meeting.round == number]
        seated = Counter(e for meeting in meetings for e in meeting.entrants)
        assert set(seated.values()) == {1}
        assert all(2 <= len(meeting.entrants) <= seats for meeting in meetings)


@every_format
@fields
def test_the_order_of_results_does_not_matter(form: Format, n: int, seats: int, salt: int) -> None:
    """A resumed tournament goes on the same: only what happened counts, not when it was stored."""
    field = played(form, range(n), seats, somehow(salt))
    half = [r for r in field.results if r.meeting.round < field.rounds // 2]

    for results in (half, list(field.results)):
        turned = Field(field.entrants, seats, results[::-1])
        assert form.next_round(turned) == form.next_round(Field(field.entrants, seats, results))
        assert form.table(turned) == form.table(Field(field.entrants, seats, results))


@every_format
@pytest.mark.parametrize(("n", "seats"), [(8, 2), (9, 3), (16, 4), (10, 5), (7, 2), (13, 4)])
def test_the_best_wins(form: Format, n: int, seats: int) -> None:
    """If the better seed always wins, the first seed is first."""
    assert places(form, played(form, range(n), seats, by_seed))[0] == 0


@every_format
@fields
def test_tie_breaks_are_named(form: Format, n: int, seats: int, salt: int) -> None:
    """Every line says what was compared, the seed at last."""
    field = played(form, range(n), seats, somehow(salt))
    lines = form.table(field)

    for line in lines:
        assert list(line.tie_breaks)[-1] == form.tie_breaks[-1] == "seed"
    if not isinstance(form, Groups):
        assert all(line.tie_breaks["seed"] == 1 + line.entrant for line in lines)


@given(n=st.integers(2, 14), seats=st.integers(2, 5))
def test_round_robin_brings_all_together(n: int, seats: int) -> None:
    """After a round robin every two have met; at tables of two exactly once."""
    field = played(RoundRobin(), range(n), seats, by_seed)
    met = Counter(
        frozenset(pair) for r in field.results for pair in combinations(r.meeting.entrants, 2)
    )

    assert len(met) == n * (n - 1) // 2
    if seats == 2:
        assert set(met.values()) == {1}
        assert field.rounds == n - 1 + n % 2


@given(n=st.integers(2, 14), seats=st.integers(2, 5))
def test_gauntlet_is_one_against_all(n: int, seats: int) -> None:
    """The first seed meets everybody, and sits at every table."""
    field = played(Gauntlet(), range(n), seats, by_seed)

    assert all(r.meeting.entrants[0] == 0 for r in field.results)
    assert {e for r in field.results for e in r.meeting.entrants} == set(range(n))


@pytest.mark.parametrize("n", [6, 8, 11, 16])
def test_swiss_has_no_rematch(n: int) -> None:
    """At tables of two nobody meets anybody twice, nor has two byes."""
    field = played(Swiss(), range(n), 2, by_seed)
    met = Counter(frozenset(r.meeting.entrants) for r in field.results)

    assert set(met.values()) == {1}
    assert max(line.byes for line in Swiss().table(field)) <= 1


def test_swiss_pairs_equal_scores() -> None:
    """In the second round of a Swiss tournament winners meet winners."""
    field = Field(range(8), 2)
    first = [Result(m, (by_seed(m),)) for m in Swiss().next_round(field)]

    second = Swiss().next_round(Field(range(8), 2, first))

    winners = {0, 1, 2, 3}
    assert [set(r.meeting.entrants) for r in first] == [{0, 4}, {1, 5}, {2, 6}, {3, 7}]
    assert all(len(winners & set(meeting.entrants)) in {0, 2} for meeting in second)


def test_a_bye_counts_half() -> None:
    """Who sits out a round of a Swiss tournament has half a point of it."""
    field = Field(range(3), 2)
    results = [Result(m, (by_seed(m),)) for m in Swiss().next_round(field)]

    lines = {line.entrant: line for line in Swiss().table(Field(range(3), 2, results))}

    assert (lines[2].score, lines[2].byes) == (Fraction(1, 2), 1)


def test_knockout_halves_the_field() -> None:
    """Sixteen at tables of four: eight, four, and the final; favourites meet there."""
    field = played(Knockout(), range(16), 4, by_seed)
    stages = Counter(r.meeting.stage for r in field.results)

    assert stages == {"round of 16": 4, "round of 8": 2, "final": 1}
    assert set(field.results[-1].meeting.entrants) == {0, 1, 2, 3}
    assert places(Knockout(), field)[:4] == [0, 1, 2, 3]


def test_knockout_byes_go_to_the_best_seeds() -> None:
    """With five at tables of two the first seed has the first bye, the second the next."""
    field = played(Knockout(), range(5), 2, by_seed)
    by_round = [
        {e for r in field.results if r.meeting.round == number for e in r.meeting.entrants}
        for number in range(field.rounds)
    ]

    assert 0 not in by_round[0]
    assert [len(entrants) for entrants in by_round] == [4, 2, 2]
    assert 1 not in by_round[1]


def test_group_winners_go_on() -> None:
    """Of groups of four the two best play on, and places below go by the place in the group."""
    field = played(Groups(size=4, advancing=2), range(8), 2, by_seed)
    groups = {r.meeting.stage for r in field.results if r.meeting.round < 3}

    assert groups == {"group A", "group B"}
    assert places(Groups(size=4, advancing=2), field) == [0, 1, 2, 3, 4, 5, 6, 7]


def result(*entrants: int, ranks: tuple[int, ...], number: int = 0) -> Result:
    """Return a meeting's result."""
    return Result(Meeting(number, entrants), (ranks,))


def test_scores_are_shares() -> None:
    """At a table of four the places score 1, 2/3, 1/3 and 0, shared ones their mean."""
    assert list(result(1, 2, 3, 4, ranks=(1, 2, 2, 4)).scores().values()) == [
        Fraction(1),
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(0),
    ]


def test_direct_encounter_decides_first() -> None:
    """Among equals the one that beat the others is ahead, whatever its seed."""
    results = [
        result(0, 3, ranks=(2, 1)),
        result(1, 2, ranks=(1, 2)),
        result(0, 2, ranks=(1, 2), number=1),
        result(1, 3, ranks=(1, 2), number=1),
    ]

    table: list[Line] = RoundRobin().table(Field(range(4), 2, results))

    assert [line.entrant for line in table] == [1, 3, 0, 2]
    assert table[1].tie_breaks["direct encounter"] == 1


@pytest.mark.parametrize(
    ("entrants", "seats", "reason"),
    [([1], 2, "at least two"), ([1, 1], 2, "one seed"), ([1, 2], 6, "2 to 5 seats")],
)
@every_format
def test_nonsense_is_refused(form: Format, entrants: list[int], seats: int, reason: str) -> None:
    """A tournament of one, or with an entrant twice, or of tables that no game has."""
    with pytest.raises(ValueError, match=reason):
        form.next_round(Field(entrants, seats))
