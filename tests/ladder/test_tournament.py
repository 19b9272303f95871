"""A tournament is worked out from the matches that the ladder has stored."""

import csv
import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console

from ladder.errors import SettingsError
from ladder.models import MatchLine, MatchState, SeatLine, SeatResult, Version
from ladder.tournament import Blocks, Course, Kind, Plan, course
from ladder.tournament_table import Shown

SEATS = 4
NAMES = dict(enumerate(("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida")))
Ranks = Callable[[Sequence[int]], Sequence[int]]


def version(number: int) -> Version:
    """Return the entrant of this number."""
    return Version(number, NAMES[number], 1, f"{number}", ("run",), active=True, submitted_at="")


def match(
    entrants: Sequence[int | None],
    ranks: Sequence[int],
    state: MatchState = MatchState.DONE,
    crashed: Sequence[int] = (),
) -> MatchLine:
    """Return a match with these places; None is the stand-in."""
    seats = tuple(
        SeatLine(
            None if e is None else version(e),
            SeatResult(rank, 0, "TIMEOUT" if e in crashed else None)
            if state is MatchState.DONE
            else None,
        )
        for e, rank in zip(entrants, ranks, strict=True)
    )
    return MatchLine("", 1, 0, state, 0, None, 1, "", seats)


def block(entrants: Sequence[int], state: MatchState = MatchState.DONE) -> list[MatchLine]:
    """Return a block in which the better seed wins, on all rotations."""
    filled = [*entrants, *[None] * (SEATS - len(entrants))]
    ranks = [1 + sum(o is not None and e is not None and o < e for o in filled) for e in filled]
    return [match(filled[r:] + filled[:r], ranks[r:] + ranks[:r], state) for r in range(SEATS)]


def played(plan: Plan, most_rounds: int = 99) -> tuple[Course, list[Blocks]]:
    """Play a tournament to its end, or some rounds of it."""
    rounds: list[Blocks] = []
    now = course(plan, SEATS, rounds)
    while now.pending and len(rounds) < most_rounds:
        rounds.append([block(m.entrants) for m in now.pending for _ in range(plan.deals)])
        now = course(plan, SEATS, rounds)
    return now, rounds


@pytest.mark.parametrize("kind", Kind)
def test_the_better_seed_wins(kind: Kind) -> None:
    """Every format ends, and if the better seed always wins the first one is first."""
    now, _ = played(Plan(kind, tuple(range(9))))

    assert now.over
    assert now.lines[0].entrant == 0
    assert len(now.lines) == 9


@pytest.mark.parametrize("kind", Kind)
def test_any_moment_is_a_beginning(kind: Kind) -> None:
    """Looked at again after each round, it goes on as it would have."""
    plan = Plan(kind, tuple(range(9)), deals=2)
    whole, rounds = played(plan)

    for number in range(len(rounds)):
        then = course(plan, SEATS, rounds[:number])
        assert [m for m in then.pending if m.round == number] == [
            r.meeting for r in whole.field.results if r.meeting.round == number
        ]


def test_an_open_round_does_not_count() -> None:
    """As long as a match of a round is open, the round is what is being played."""
    plan = Plan(Kind.SWISS, tuple(range(8)))
    now, rounds = played(plan, most_rounds=1)
    under_way = [block(m.entrants) for m in now.pending]
    under_way[0] = block(now.pending[0].entrants, MatchState.RUNNING)

    assert course(plan, SEATS, [*rounds, under_way]) == now


def test_a_void_meeting_counts_as_equal() -> None:
    """A meeting without a complete block gives everybody a half, and is named."""
    plan = Plan(Kind.SWISS, tuple(range(4)), rounds=1)
    broken = [*block(range(4))[:3], *block(range(4), MatchState.VOID)[3:]]

    now = course(plan, SEATS, [[broken]])

    assert {line.score for line in now.lines} == {Fraction(1, 2)}
    assert "1 meeting(s)" in Shown(plan, SEATS, NAMES, now).rules()["void"]


def test_several_deals_are_one_meeting() -> None:
    """A meeting's score is the mean over the complete blocks among its deals."""
    plan = Plan(Kind.SWISS, (0, 1, 2, 3), rounds=1, deals=2)
    level = [match((0, 1, 2, 3), (1, 1, 1, 1))] * 4

    now = course(plan, SEATS, [[block(range(4)), level]])

    assert now.lines[0].score == Fraction(3, 4)


def test_the_stand_in_and_forfeits() -> None:
    """The stand-in has no place, and two that forfeited share the last one."""
    plan = Plan(Kind.SWISS, (0, 1, 2), rounds=1)
    ended = match((0, None, 1, 2), (1, 2, 3, 4), crashed=(1, 2))

    scores = {line.entrant: line.score for line in course(plan, SEATS, [[[ended]]]).lines}

    assert scores == {0: Fraction(1), 1: Fraction(1, 4), 2: Fraction(1, 4)}


@pytest.mark.parametrize(
    ("plan", "option"),
    [
        (Plan(Kind.KNOCKOUT, (0, 1), rounds=3), "--rounds"),
        (Plan(Kind.SWISS, (0, 1), group_size=4), "--group-size"),
        (Plan(Kind.GAUNTLET, (0, 1), advancing=2), "--advancing"),
        (Plan(Kind.GROUPS, (0, 1), group_size=3, advancing=3), "go on"),
    ],
)
def test_numbers_that_mean_nothing(plan: Plan, option: str) -> None:
    """A number that the format has no use for is refused."""
    with pytest.raises(SettingsError, match=option):
        plan.form()


@pytest.mark.parametrize("kind", Kind)
def test_exports_say_the_same(kind: Kind) -> None:
    """JSON and CSV have the same table; JSON has every meeting and the rules."""
    now, rounds = played(Plan(kind, tuple(range(9))))
    shown = Shown(Plan(kind, tuple(range(9))), SEATS, NAMES, now)

    whole = json.loads(shown.to_json())
    rows = list(csv.DictReader(StringIO(shown.to_csv())))

    assert [row["bot"] for row in rows] == [NAMES[line.entrant] for line in now.lines]
    assert [row["bot"] for row in whole["table"]] == [row["bot"] for row in rows]
    assert [float(row["score"]) for row in rows] == [row["score"] for row in whole["table"]]
    assert [len(r["meetings"]) for r in whole["rounds"]] == [len(blocks) for blocks in rounds]
    assert {"seeds", "rounds", "byes", "ties"} <= whole["rules"].keys()


def test_byes_are_listed() -> None:
    """Who had no table in a round is named there, and its bye counts in the table."""
    plan = Plan(Kind.SWISS, tuple(range(9)), rounds=2)
    shown = Shown(plan, SEATS, NAMES, played(plan)[0])

    first = json.loads(shown.to_json())["rounds"][0]

    assert first["byes"] == ["ida"]
    assert next(row for row in json.loads(shown.to_json())["table"] if row["bot"] == "ida")["byes"]


@pytest.mark.parametrize("kind", Kind)
def test_tables_can_be_printed(kind: Kind) -> None:
    """Before, amidst and after it there is a table with a line for each entrant."""
    console = Console(width=200, record=True, file=StringIO())
    for most in (0, 1, 99):
        plan = Plan(kind, tuple(range(9)))
        shown = Shown(plan, SEATS, NAMES, played(plan, most)[0])

        console.print(shown.rounds_table())
        console.print(shown.final_table())
        text = console.export_text()

        assert all(text.count(name) > 0 for name in NAMES.values())
