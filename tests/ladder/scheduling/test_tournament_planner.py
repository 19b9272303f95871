"""A tournament's progress follows from the stored matches."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console

from ladder.cli.tournament_text import final_table, rounds_table
from ladder.model.bots import Version
from ladder.model.errors import SettingsError
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.model.tournaments import Kind, Seeding
from ladder.scheduling import contest
from ladder.scheduling.tournament.formats.base import Meeting
from ladder.scheduling.tournament.meeting_results import Blocks, Deal, result_of
from ladder.scheduling.tournament.planner import (
    ELIMINATING,
    TournamentPlan,
    TournamentProgress,
    progress_of,
)
from ladder.scheduling.tournament.summary import TournamentSummary
from ladder.storage.ladder import Ladder
from ladder.storage.tables import settings

SEATS = 4
NAMES = dict(enumerate(("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida")))
Ranks = Callable[[Sequence[int]], Sequence[int]]


def version(number: int) -> Version:
    """Return the entrant of this number."""
    name = NAMES.get(number, f"a_bot_{number}")
    return Version(number, name, 1, f"{number}", ("run",), active=True, submitted_at="")


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
    ranks = [1 + sum(o < e for o in entrants) for e in entrants]
    turned = [[[*a[r:], *a[:r]] for a in (entrants, ranks)] for r in range(len(entrants))]
    return [match(seated, places, state) for seated, places in turned]


def played(plan: TournamentPlan, most_rounds: int = 99) -> tuple[TournamentProgress, list[Blocks]]:
    """Play a tournament to its end, or some rounds of it."""
    rounds: list[Blocks] = []
    now = progress_of(plan, SEATS, rounds)
    while now.pending and len(rounds) < most_rounds:
        rounds.append([block([e for e in due.tables[0] if e is not None]) for due in now.due])
        now = progress_of(plan, SEATS, rounds)
    return now, rounds


@pytest.mark.parametrize("kind", Kind)
def test_the_better_seed_wins(kind: Kind) -> None:
    """Every format ends, and the first seed wins if the better seed always wins.

    A gauntlet has no winner, and lists those whom the challenger has met.
    """
    now, _ = played(TournamentPlan(kind, tuple(range(9))))
    gauntlet = kind is Kind.GAUNTLET
    shown = TournamentSummary(TournamentPlan(kind, tuple(range(9))), SEATS, NAMES, now)

    assert now.over
    assert now.lines[0].entrant == (1 if gauntlet else 0)
    assert len(now.lines) == (8 if gauntlet else 9)
    assert shown.winners() == ([] if gauntlet else ["ann"])


@pytest.mark.parametrize("kind", Kind)
def test_any_moment_is_a_beginning(kind: Kind) -> None:
    """A tournament reconstructed after any round goes on the same."""
    plan = TournamentPlan(kind, tuple(range(9)), deals=2)
    whole, rounds = played(plan)

    for number in range(len(rounds)):
        then = progress_of(plan, SEATS, rounds[:number])
        assert [m for m in then.pending if m.round == number] == [
            r.meeting for r in whole.field.results if r.meeting.round == number
        ]


def test_an_open_round_does_not_count() -> None:
    """A round with an open match is the current round."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)))
    now, rounds = played(plan, most_rounds=1)
    under_way = [block(m.entrants) for m in now.pending]
    under_way[0] = block(now.pending[0].entrants, MatchState.RUNNING)

    open_ = progress_of(plan, SEATS, [*rounds, under_way])
    assert (open_.field, open_.pending, open_.begun) == (now.field, now.pending, now.begun)


def test_the_table_moves_as_meetings_end() -> None:
    """A finished meeting counts at once; entrants still playing have no bye."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)))
    now, rounds = played(plan, most_rounds=1)
    under_way = [block(m.entrants) for m in now.pending]
    under_way[0] = block(now.pending[0].entrants, MatchState.RUNNING)
    live = {line.entrant: line for line in progress_of(plan, SEATS, [*rounds, under_way]).lines}

    assert [live[e].meetings for e in now.pending[0].entrants] == [1] * 4
    assert [live[e].meetings for e in now.pending[1].entrants] == [2] * 4
    assert {line.byes for line in live.values()} == {0}


def test_a_void_meeting_counts_as_equal() -> None:
    """A meeting without a complete block gives everyone a half, and is named as void."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(4)), rounds=1)
    broken = [*block(range(4))[:3], *block(range(4), MatchState.VOID)[3:]]

    now = progress_of(plan, SEATS, [[broken]])

    assert {line.score for line in now.lines} == {Fraction(1, 2)}
    assert "1 meeting(s)" in TournamentSummary(plan, SEATS, NAMES, now).rules()["void"]


def test_several_deals_are_one_meeting() -> None:
    """A meeting's score is the mean over the complete blocks among its deals."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2, 3), rounds=1, deals=2)
    other = progress_of(plan, SEATS, []).due[1]
    level = [match(table, (1, 1, 1, 1)) for table in other.tables]

    now = progress_of(plan, SEATS, [[block(range(4)), level]])

    assert now.lines[0].score == Fraction(3, 4)


def test_deals_and_rotations() -> None:
    """A meeting's deals are blocks; each has all rotations, in a circle of its own."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=1, deals=2)
    now = progress_of(plan, SEATS, [])
    first = [block.tables for block in now.due[:2]]

    assert [len(tables) for tables in first] == [4, 4]
    assert all({table.index(0) for table in tables} == set(range(4)) for tables in first)
    assert not set(first[0]) & set(first[1])
    assert first[0][0] == now.pending[0].entrants


@pytest.mark.parametrize("kind", Kind)
def test_no_stand_in_sits_at_a_table(kind: Kind) -> None:
    """No table has a stand-in: fewer bots play the game for fewer players."""
    for n in range(2, 12):
        plan = TournamentPlan(kind, tuple(range(n)))
        now = progress_of(plan, SEATS, [])
        seated = [table for block in now.due for table in block.tables]
        assert all(2 <= len(table) <= SEATS and None not in table for table in seated)


def test_the_stand_in_and_forfeits() -> None:
    """The stand-in has no place, and forfeits score nothing, even against each other."""
    ended = match((0, None, 1, 2), (1, 2, 3, 4), crashed=(1, 2))

    result = result_of(Meeting(0, (0, 1, 2)), [Deal([ended])])

    assert result is not None
    assert result.scores() == {0: Fraction(1), 1: Fraction(0), 2: Fraction(0)}


@pytest.mark.parametrize(
    ("plan", "option"),
    [
        (TournamentPlan(Kind.KNOCKOUT, (0, 1), rounds=3), "--rounds"),
        (TournamentPlan(Kind.DOUBLE_ELIMINATION, (0, 1), rounds=3), "--rounds"),
        (TournamentPlan(Kind.SWISS, (0, 1), group_size=4), "--group-size"),
        (TournamentPlan(Kind.GAUNTLET, (0, 1), advancing=2), "--advancing"),
        (TournamentPlan(Kind.ROUND_ROBIN, (0, 1), sudden_death=2), "--sudden-death"),
        (TournamentPlan(Kind.GROUPS, (0, 1), group_size=3, advancing=3), "go on"),
    ],
)
def test_numbers_that_mean_nothing(plan: TournamentPlan, option: str) -> None:
    """An option that does not apply to the format is refused."""
    with pytest.raises(SettingsError, match=option):
        plan.form()


KNOCKOUT = TournamentPlan(
    Kind.KNOCKOUT, tuple(range(4)), seeding=Seeding.DRAW, sudden_death=2, draw="a drawn seed"
)


def pair(a: int, b: int, *ranks: tuple[int, int], crashed: Sequence[int] = ()) -> list[MatchLine]:
    """Return a block at a table of two; the points follow the places."""
    lines = [
        match((a, b), ranks[0], crashed=crashed),
        match((b, a), ranks[1][::-1], crashed=crashed),
    ]
    return [
        replace(
            line,
            seats=tuple(
                replace(seat, result=replace(seat.result, points=10 - 3 * seat.result.rank))
                for seat in line.seats
                if seat.result
            ),
        )
        for line in lines
    ]


LEVEL = ((1, 2), (2, 1))
WON = ((1, 2), (1, 2))
LOST = ((2, 1), (2, 1))


def test_a_level_table_plays_on() -> None:
    """Only level tables play another deal, for which the next round waits."""
    first = [pair(0, 3, *LEVEL), pair(1, 2, *WON)]

    level = progress_of(KNOCKOUT, 2, [first])
    again = progress_of(KNOCKOUT, 2, [first, [pair(0, 3, *LEVEL)]])
    decided = progress_of(KNOCKOUT, 2, [first, [pair(0, 3, *LEVEL)], [pair(0, 3, *LOST)]])

    assert (level.plays_on, [m.entrants for m in level.pending]) == (True, [(0, 3)])
    assert (again.plays_on, again.begun) == (True, 2)
    assert [m.stage for m in decided.pending] == ["final", "third place"]
    assert not decided.plays_on
    assert set(decided.pending[0].entrants) == {1, 3}
    assert decided.blocks[level.pending[0]] == [(1, 0), (2, 0), (3, 0)]


def test_why_who_went_on_is_told() -> None:
    """The table of rounds and the JSON tell what decided each table, and show every deal."""
    first = [pair(0, 3, *LEVEL), pair(1, 2, *WON)]
    rounds = [first, [pair(0, 3, *LOST)], [pair(3, 1, *LEVEL), pair(0, 2, *WON)]]
    rounds += [[pair(3, 1, *LEVEL)], [pair(3, 1, *LEVEL)]]
    shown = TournamentSummary(KNOCKOUT, 2, NAMES, progress_of(KNOCKOUT, 2, rounds))
    console = Console(width=200, record=True, file=StringIO())
    console.print(rounds_table(shown))
    text = console.export_text()
    semis, final = (r["meetings"] for r in json.loads(shown.to_json())["rounds"])

    assert "dan: sudden death, deal 1: 1.00 to 0.00" in text
    assert "bob: score" in text
    assert [m["decided_by"] for m in semis] == ["sudden death", "score"]
    assert [m["decided_by"] for m in final] == ["lot", "score"]
    assert semis[0]["goes_on"] == ["dan"]
    assert semis[0]["scores"] == {"dan": 0.5, "ann": 0.5}
    assert semis[0]["sudden_death"] == [{"dan": 1.0, "ann": 0.0}]
    assert (semis[0]["matches"], final[0]["matches"]) == (4, 6)
    winner = final[0]["goes_on"][0]
    assert json.loads(shown.to_json())["table"][0]["bot"] == winner
    assert f"{winner}: lot after 2 more deals" in text
    assert "by draw: 1 ann" in shown.rules()["seeds"]
    assert "up to 2 more deals" in shown.rules()["who goes on"]


def test_until_it_is_decided_no_bot_goes_on() -> None:
    """While a table plays on no winner is marked, and byes are still listed."""
    plan = replace(KNOCKOUT, entrants=tuple(range(3)))
    shown = TournamentSummary(plan, 2, NAMES, progress_of(plan, 2, [[pair(1, 2, *LEVEL)]]))
    [round_] = json.loads(shown.to_json())["rounds"]

    assert round_["meetings"][0]["goes_on"] == []
    assert round_["byes"] == ["ann"]
    assert {line.reached for line in shown.progress.lines} == {"", "round of 3"}
    assert "level: sudden death" in shown.why(shown.results(0)[0])


def test_points_of_a_forfeit_tell_nothing() -> None:
    """The margin counts matches without a forfeit."""
    plan = replace(KNOCKOUT, entrants=(0, 1), sudden_death=0)
    lost, won = pair(0, 1, *LEVEL, crashed=(1,)), pair(0, 1, *LEVEL)
    [ended] = progress_of(plan, 2, [[[lost[0], won[1]]]]).field.results

    assert ended.points == ((4, 7),)
    assert ended.margins() == {0: Fraction(-3), 1: Fraction(3)}


def test_a_deal_that_could_not_be_played_decides_nothing() -> None:
    """A void sudden-death deal counts as level, so that the tournament ends."""
    broken = [replace(m, state=MatchState.VOID) for m in pair(0, 1, *WON)]
    plan = replace(KNOCKOUT, entrants=(0, 1))

    now = progress_of(plan, 2, [[pair(0, 1, *LEVEL)], [broken]])

    assert now.plays_on
    assert progress_of(plan, 2, [[pair(0, 1, *LEVEL)], [broken], [broken]]).over


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ELIMINATING)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_any_moment_of_a_sudden_death_is_a_beginning(kind: Kind, seats: int) -> None:
    """A tournament reconstructed during sudden death goes on the same."""
    plan = TournamentPlan(kind, tuple(range(9)), sudden_death=2, draw="x", deals=2)
    rounds: list[Blocks] = []
    seen: list[TournamentProgress] = []
    now = progress_of(plan, seats, rounds)
    while now.pending:
        seen.append(now)
        rounds.append(
            [[match(table, [1] * len(table)) for table in block.tables] for block in now.due]
        )
        now = progress_of(plan, seats, rounds)

    assert any(each.plays_on for each in seen)
    for number, each in enumerate(seen):
        assert progress_of(plan, seats, rounds[:number]) == each


@pytest.mark.parametrize("kind", Kind)
def test_exports_say_the_same(kind: Kind) -> None:
    """JSON and CSV have the same table; JSON has every meeting and the rules."""
    now, rounds = played(TournamentPlan(kind, tuple(range(9))))
    shown = TournamentSummary(TournamentPlan(kind, tuple(range(9))), SEATS, NAMES, now)

    whole = json.loads(shown.to_json())
    rows = list(csv.DictReader(StringIO(shown.to_csv())))

    assert [row["bot"] for row in rows] == [NAMES[line.entrant] for line in now.lines]
    assert [row["bot"] for row in whole["table"]] == [row["bot"] for row in rows]
    assert [float(row["score"]) for row in rows] == [row["score"] for row in whole["table"]]
    assert [len(r["meetings"]) for r in whole["rounds"]] == [len(blocks) for blocks in rounds]
    assert {"seeds", "rounds", "byes", "tables"} <= whole["rules"].keys()
    assert ("ties" in whole["rules"]) == (kind is not Kind.GAUNTLET)


def test_byes_are_listed() -> None:
    """Byes are listed by round and count in the table."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(9)), rounds=2)
    first_round = [block(m.entrants) for m in progress_of(plan, 2, []).pending]
    shown = TournamentSummary(plan, 2, NAMES, progress_of(plan, 2, [first_round]))

    first = json.loads(shown.to_json())["rounds"][0]

    assert first["byes"] == ["ida"]
    assert next(row for row in json.loads(shown.to_json())["table"] if row["bot"] == "ida")["byes"]


@pytest.mark.parametrize("kind", Kind)
def test_tables_can_be_printed(kind: Kind) -> None:
    """The table has a line for each entrant at any time."""
    console = Console(width=200, record=True, file=StringIO())
    for most in (0, 1, 99):
        plan = TournamentPlan(kind, tuple(range(9)))
        shown = TournamentSummary(plan, SEATS, NAMES, played(plan, most)[0])

        console.print(rounds_table(shown))
        console.print(final_table(shown))
        text = console.export_text()

        assert all(text.count(name) > 0 for name in NAMES.values())


def test_tournaments_keep_the_places_they_began_with(ladder: Ladder) -> None:
    """In a stored plan that does not say that equals share a place, the seed parts them."""
    asked = TournamentPlan(Kind.SWISS, tuple(range(4)))
    stored = {**asdict(asked), "contest": "tournament"}
    del stored["shared_places"]
    with ladder.changing_settings() as tx:
        settings.begin_contest(tx, stored)

    plan = contest.read(ladder)
    assert isinstance(plan, TournamentPlan)
    assert [line.place for line in progress_of(plan, SEATS, []).lines] == [1, 2, 3, 4]
    assert [line.place for line in progress_of(asked, SEATS, []).lines] == [1, 1, 1, 1]


def test_authors_and_teams_belong_to_the_plan(ladder: Ladder) -> None:
    """The plan keeps each entrant's author and team, and knows none of a late entrant."""
    asked = TournamentPlan(Kind.SWISS, (3, 1), authors=("ann", ""), teams=("", "Club"))
    contest.begin(ladder, asked)

    plan = contest.read(ladder)
    assert plan == asked
    assert [(asked.author(e), asked.team(e)) for e in (3, 1, 7)] == [
        ("ann", ""),
        ("", "Club"),
        ("", ""),
    ]


def test_tournaments_keep_the_pairing_they_began_with(ladder: Ladder) -> None:
    """A stored plan without a version of pairing keeps the tables and lots that it had."""
    asked = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(9)))
    stored = {**asdict(asked), "contest": "tournament", "entrants": [*range(9)]}
    del stored["pairing"]
    with ladder.changing_settings() as tx:
        settings.begin_contest(tx, stored)

    plan = contest.read(ladder)
    assert plan == replace(asked, pairing=1)
    assert len(progress_of(plan, SEATS, []).pending) == 1
    assert len(progress_of(asked, SEATS, []).pending) == 2
    for kind in (*ELIMINATING, Kind.SWISS):
        old, new = (TournamentPlan(kind, (1, 2), pairing=p).form() for p in (1, 2))
        assert old != new
