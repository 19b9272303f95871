"""Play decides who goes on from a table of a knockout."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.scheduling.tournament.formats.base import Field, Meeting, MeetingResult, Ranks
from ladder.scheduling.tournament.formats.bracket import FINAL, THIRD
from ladder.scheduling.tournament.formats.deciding import (
    ABSENCE,
    LOT,
    MARGIN,
    SCORE,
    SUDDEN_DEATH,
    Decider,
    TableDecision,
)
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.tables import FIRSTS

DRAWN = Decider(3, "a drawn seed")


def result(
    *matches: Ranks, points: tuple[tuple[int, ...], ...] = (), number: int = 0
) -> MeetingResult:
    """Return the result of a meeting of 0, 1, 2 and so on, in that order."""
    meeting = Meeting(number, tuple(range(len(matches[0]))), "round of 8")
    return MeetingResult(meeting, matches, points=points)


def after(level: MeetingResult, *deals: tuple[Ranks, ...]) -> MeetingResult:
    """Return the result with deals of sudden death."""
    return replace(level, sudden_death=deals)


def decide(decider: Decider, ended: MeetingResult, going_on: int = 1) -> TableDecision:
    """Decide a table."""
    return decider.decide(ended, going_on)


LEVEL = result((1, 2), (2, 1))


def test_the_score_decides_first() -> None:
    """The higher score goes on, without sudden death."""
    ended = result((2, 1), (1, 1))

    assert decide(DRAWN, ended).on == [1]
    assert decide(DRAWN, ended).by == SCORE
    assert not DRAWN.plays_on(ended, 1)


def test_a_level_table_plays_on_until_a_deal_decides() -> None:
    """A level table plays deal after deal, up to the first in which scores differ."""
    once = after(LEVEL, ((1, 2), (2, 1)))
    twice = after(LEVEL, ((1, 2), (2, 1)), ((2, 1), (1, 1)))

    assert [DRAWN.plays_on(ended, 1) for ended in (LEVEL, once, twice)] == [
        True,
        True,
        False,
    ]
    decision = decide(DRAWN, twice)
    assert (decision.on, decision.by, decision.deal) == ([1], SUDDEN_DEATH, 2)
    assert decision.values == (Fraction(3, 4), Fraction(1, 4))


def test_there_is_an_end_to_it() -> None:
    """Copies of a bot are always level: the number of deals is limited."""
    equals = after(LEVEL, *[((1, 2), (2, 1))] * 3)

    assert not DRAWN.plays_on(equals, 1)
    assert decide(DRAWN, equals).by == LOT


def test_only_what_matters_is_played_on() -> None:
    """If two of four go on, ties among the first two or the last two do not matter."""
    level_at_the_ends = result((1, 1, 3, 3))
    level_in_the_middle = result((1, 2, 2, 4))

    assert not DRAWN.plays_on(level_at_the_ends, 2)
    assert DRAWN.plays_on(level_in_the_middle, 2)


def test_what_is_decided_stays_decided() -> None:
    """Sudden death does not change earlier decisions."""
    ended = after(result((1, 2, 2, 4)), ((4, 3, 2, 1),))

    assert decide(DRAWN, ended, 2).order == [0, 2, 1, 3]
    assert decide(DRAWN, ended, 2).by == SUDDEN_DEATH


def test_three_that_are_level_may_be_parted_deal_by_deal() -> None:
    """A bot that drops out in one sudden-death deal does not come back in the next."""
    ended = after(result((1, 1, 1)), ((1, 1, 3),), ((2, 3, 1),))

    assert decide(DRAWN, ended).order == [0, 1, 2]
    assert decide(DRAWN, ended).deal == 2


@pytest.mark.parametrize(
    ("points", "by", "on"),
    [(((5, 7), (4, 3)), MARGIN, 1), (((5, 4), (3, 7)), MARGIN, 1), (((5, 4), (3, 4)), LOT, None)],
)
def test_points_part_those_who_stay_level(
    points: tuple[tuple[int, ...], ...], by: str, on: int | None
) -> None:
    """After the last deal the larger points margin decides."""
    level = result((1, 2), (2, 1), points=points)
    decision = decide(Decider(0, "x"), level)

    assert decision.by == by
    assert on is None or decision.on == [on]


def test_first_places_part_those_with_equal_margins() -> None:
    """With equal score and margin, more won matches decide."""
    level = result((1, 2, 3, 4), (3, 2, 1, 4), (2, 1, 3, 4), (2, 3, 1, 4))
    decision = decide(Decider(0, "x"), level, 1)

    assert level.scores()[0] == level.scores()[1] == level.scores()[2]
    assert (decision.on, decision.by) == ([2], FIRSTS)
    assert decision.values == (Fraction(2), Fraction(1))


def test_lots_are_drawn_for_each_table() -> None:
    """Lots favour neither better seeds nor the same bot each time, and are drawn once."""
    drawn = [
        decide(Decider(0, "x"), result((1, 1), number=number)).order[0] for number in range(200)
    ]

    assert 70 < sum(drawn) < 130
    assert drawn[7] == decide(Decider(0, "x"), result((1, 1), number=7)).order[0]
    turned = MeetingResult(Meeting(7, (1, 0), "round of 8"), ((1, 1),))
    by_id = Decider(0, "x", lots_by_id=True)
    assert decide(by_id, turned).order[0] == decide(by_id, result((1, 1), number=7)).order[0]


def test_the_final_is_decided_too() -> None:
    """A tie at the top of the final is played on; ties behind it are not."""
    form = Knockout(DRAWN)
    final = Meeting(0, (0, 1, 2), FINAL)
    level = MeetingResult(final, ((1, 1, 3),))
    behind = MeetingResult(final, ((1, 2, 2),))

    assert form.play_on(Field(range(3), 4, [level])) == [final]
    assert form.play_on(Field(range(3), 4, [behind])) == []
    decided = after(level, ((2, 1, 3),))
    assert [line.entrant for line in form.table(Field(range(3), 4, [decided]))] == [1, 0, 2]


Play = Callable[[Meeting, int], Ranks]


def by_chance(salt: int, places: int) -> Play:
    """Let chance decide, with many ties."""

    def ranks(meeting: Meeting, deal: int) -> Ranks:
        drawn = [hash((salt, meeting.round, deal, e)) % places for e in meeting.entrants]
        return tuple(1 + sum(other < own for other in drawn) for own in drawn)

    return ranks


def played(form: Knockout | Groups, n: int, seats: int, play: Play) -> Field:
    """Play a tournament to its end, including sudden death."""
    results: dict[Meeting, MeetingResult] = {}
    for deal in count():
        field = Field(range(n), seats, list(results.values()))
        if level := form.play_on(field):
            for meeting in level:
                results[meeting] = after(
                    results[meeting], *results[meeting].sudden_death, (play(meeting, deal),)
                )
        elif meetings := form.next_round(field):
            results |= {m: MeetingResult(m, (play(m, deal),)) for m in meetings}
        else:
            return field
    raise AssertionError


@pytest.mark.costly
@pytest.mark.parametrize("form", [Knockout(DRAWN), Groups(knockout=Knockout(DRAWN))])
@given(
    n=st.integers(3, 17), seats=st.integers(2, 5), salt=st.integers(0, 99), places=st.integers(1, 5)
)
def test_no_table_is_decided_by_the_seed(
    form: Knockout | Groups, n: int, seats: int, salt: int, places: int
) -> None:
    """No table is decided by the seed, but by score, sudden death, tie-breaks or a lot."""
    field = played(form, n, seats, by_chance(salt, places))
    knockout = form.knockout if isinstance(form, Groups) else form
    part = form.part_of_knockout(field)[1] if isinstance(form, Groups) else field

    for ended in part.results:
        decision = knockout.decision(ended, seats)
        assert decision is not None
        assert decision.by in {SCORE, SUDDEN_DEATH, ABSENCE, MARGIN, FIRSTS, LOT}
        assert len(ended.sudden_death) <= 3
        if ended.sudden_death and decision.by == SUDDEN_DEATH:
            assert decision.deal == len(ended.sudden_death)
        last = ended.meeting.stage in (FINAL, THIRD)
        assert len(decision.on) == (1 if last else max(1, seats // 2))
    lines = form.table(field)
    final = next(r for r in part.results if r.meeting.stage == FINAL)
    decided = knockout.decision(final, seats)
    assert decided is not None
    at_final = {line.entrant: line.place for line in lines[: len(decided.order)]}
    assert at_final == decided.places
    assert lines[0].entrant == decided.order[0]
    assert sorted(line.entrant for line in lines) == list(range(n))
