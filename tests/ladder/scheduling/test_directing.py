"""Decisions of a tournament's director: departures, late entries and annulments."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from itertools import count

import pytest
from rich.console import Console

from ladder.cli.tournament_text import MOST_LINES, print_tournament, rounds_table
from ladder.model.directives import ByePoints, Directive, DirectiveKind
from ladder.model.errors import SettingsError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.tournaments import By, Kind
from ladder.scheduling.tournament.directing import why_out
from ladder.scheduling.tournament.formats.base import ABSENT
from ladder.scheduling.tournament.irregularities import is_walkover, mark, never_finished
from ladder.scheduling.tournament.meeting_results import Blocks
from ladder.scheduling.tournament.planner import (
    ELIMINATING,
    TournamentPlan,
    TournamentProgress,
    progress_of,
)
from ladder.scheduling.tournament.reconstruction import last_about
from ladder.scheduling.tournament.summary import TournamentSummary, summarize
from ladder.scheduling.tournament.team_standings import of_interest, team_standings
from tests.ladder.scheduling.test_tournament_planner import match, version

WITHDRAW, DISQUALIFY = DirectiveKind.WITHDRAW, DirectiveKind.DISQUALIFY
Crashed = Callable[[int], bool]


def played(
    plan: TournamentPlan,
    seats: int,
    directives: Sequence[Directive] = (),
    most: int = 99,
    crashed: Sequence[int] = (),
) -> tuple[TournamentProgress, list[Blocks]]:
    """Play a tournament to its end, or some of the ladder's rounds; the lower id wins.

    A decision is known from when its round was planned.
    """
    rounds: list[Blocks] = []
    while True:
        known = [each for each in directives if each.after_round <= len(rounds)]
        now = progress_of(plan, seats, rounds, known)
        if now.over or len(rounds) >= most:
            return now, rounds
        number, places = len(rounds) + 1, count()
        rounds.append(
            [
                [
                    replace(_match(table, crashed), match_id=f"{number}.{i}", round=number, index=i)
                    for table, i in zip(block.tables, places, strict=False)
                ]
                for block in now.due
            ]
        )


def _match(table: Sequence[int | None], crashed: Sequence[int]) -> MatchLine:
    """Return a match in which the lower id wins, and the stand-in loses."""
    strength = [99 if e is None else e + 50 * (e in crashed) for e in table]
    ranks = [1 + sum(other < own for other in strength) for own in strength]
    return match(table, ranks, crashed=crashed)


def leaves(kind: DirectiveKind, who: int, after: int) -> Directive:
    """Return a withdrawal or disqualification."""
    return Directive(kind, after, "a reason", version=who, given_at="2026-11-22T10:00:00+00:00")


def show(
    plan: TournamentPlan, seats: int, rounds: Sequence[Blocks], *decided: Directive
) -> TournamentSummary:
    """Return the summary of a tournament."""
    return summarize(plan, seats, {number: version(number) for number in range(9)}, rounds, decided)


def test_a_double_forfeit_is_won_by_neither() -> None:
    """A double forfeit is 0 to 0, wins no match, and is marked with the reason."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, (0, 1, 2, 3))
    now, rounds = played(plan, 2, crashed=(2, 3))
    table = {line.entrant: line for line in now.lines}
    [both] = [r for r in now.field.results if set(r.meeting.entrants) == {2, 3}]
    [one] = [r for r in now.field.results if set(r.meeting.entrants) == {0, 3}]
    data = json.loads(show(plan, 2, rounds).to_json())

    assert both.scores() == {2: 0, 3: 0}
    assert table[2].score == table[3].score == 0
    assert table[2].tie_breaks["first places"] == 0
    assert [mark(both, 2), mark(one, 0), mark(one, 3)] == ["- (TIMEOUT)", "+", "- (TIMEOUT)"]
    assert never_finished(now) == [2, 3]
    assert data["never_finished"] == ["cat", "dan"]
    assert [row["forfeits"] for row in data["table"]] == [0, 0, 6, 6]


def test_who_never_finished_is_named_below_the_table() -> None:
    """The terminal names bots that forfeited every match, with the kinds."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, (0, 1, 2))
    notes = show(plan, 2, played(plan, 2, crashed=(2,))[1]).notes()

    assert notes == ["Never finished a match: cat (TIMEOUT)"]


def test_who_forfeits_after_an_annulment_has_finished_matches() -> None:
    """Forfeits in sudden death after an annulled deal do not outweigh matches finished before."""
    plan = TournamentPlan(Kind.KNOCKOUT, (0, 1, 2), sudden_death=1, draw="x")
    _, rounds = played(plan, 2, most=2)
    annulled = Directive(DirectiveKind.ANNUL, 2, "why", match_id="2.0")
    due = progress_of(plan, 2, rounds, [annulled]).due
    forfeited = [[_match(table, (1,)) for table in block.tables] for block in due]
    now = progress_of(plan, 2, [*rounds, forfeited], [annulled])

    assert now.void
    assert never_finished(now) == []


@pytest.mark.parametrize("seats", [2, 4])
def test_a_bot_that_leaves_a_swiss_is_paired_no_more(seats: int) -> None:
    """In a Swiss the others are paired without a bot that left; its results stand."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=4)
    gone = leaves(WITHDRAW, 0, after=2)
    now, rounds = played(plan, seats, [gone])
    in_round = [
        {e for r in now.field.results if r.meeting.round == n for e in r.meeting.entrants}
        for n in range(4)
    ]
    table = {line.entrant: line for line in now.lines}

    assert [0 in entrants for entrants in in_round] == [True, True, False, False]
    assert table[0].score == 2
    assert table[0].byes == 0
    assert progress_of(plan, seats, rounds, [gone]) == now
    assert show(plan, seats, rounds, gone).decisions() == [
        "2026-11-22T10:00:00+00:00: ann is withdrawn: a reason"
    ]


def test_a_disqualified_bot_is_last() -> None:
    """A disqualified leader is placed last, even after the end; its results stand."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(4)), rounds=2)
    over, rounds = played(plan, 2)
    now = progress_of(plan, 2, rounds, [leaves(DISQUALIFY, over.lines[0].entrant, after=2)])

    assert now.lines[-1].entrant == over.lines[0].entrant == 0
    assert [line.place for line in over.lines] == [1, 2, 2, 4]
    assert [line.place for line in now.lines] == [1, 1, 3, 4]
    assert now.lines[-1].score == over.lines[0].score


def test_late_entrants_have_half_points() -> None:
    """A late entrant of a Swiss gets half a point for each missed round and is paired."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(4)), rounds=3)
    late = Directive(DirectiveKind.ENTER, 1, version=8)
    one, _ = played(plan, 2, [late], most=1)
    whole, rounds = played(plan, 2, [late])

    assert next(line for line in one.lines if line.entrant == 8).score == Fraction(1, 2)
    assert any(8 in meeting.entrants for meeting in one.pending) or one.field.rounds == 1
    assert len({line.entrant for line in whole.lines}) == 5
    assert show(plan, 2, rounds, late).progress.late == {8: 1}


@pytest.mark.parametrize(
    ("points", "half_byes", "score"),
    [
        (ByePoints.ZERO, 2, 0),
        (ByePoints.HALF, 0, 0),
        (ByePoints.HALF, None, Fraction(1, 2)),
        (ByePoints.HALF, 2, 1),
        (None, None, 1),
    ],
)
def test_what_a_late_entrant_scores_is_a_rule(
    points: ByePoints | None, half_byes: int | None, score: Fraction
) -> None:
    """The plan says what missed rounds score, and how many may; an old plan gives half for all."""
    plan = TournamentPlan(
        Kind.SWISS, tuple(range(4)), rounds=3, late_bye=points, half_byes=half_byes
    )
    now, _ = played(plan, 2, [Directive(DirectiveKind.ENTER, 2, version=8)], most=2)
    line = next(line for line in now.lines if line.entrant == 8)

    assert (line.score, line.byes) == (score, 2)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_bye_on_request(seats: int) -> None:
    """A bot with a bye on request is not paired in that round, scores its points, and plays on."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(6)), rounds=3)
    asked = [
        Directive(DirectiveKind.HALF_BYE, 0, version=0, round=2),
        Directive(DirectiveKind.ZERO_BYE, 0, version=1, round=2),
        Directive(DirectiveKind.ZERO_BYE, 0, version=2, round=2),
        Directive(DirectiveKind.RETRACT, 1, version=2),
    ]
    now, rounds = played(plan, seats, asked)
    table = {line.entrant: line for line in now.lines}
    sat = [
        {e for r in now.field.results if r.meeting.round == n for e in r.meeting.entrants}
        for n in range(3)
    ]

    assert [{0, 1, 2} & entrants for entrants in sat] == [{0, 1, 2}, {2}, {0, 1, 2}]
    assert (table[0].byes, table[0].score) == (1, Fraction(5, 2))
    assert table[1].byes == 1
    assert table[1].score == now.field.results[0].scores().get(1, 0) + sum(
        result.scores().get(1, 0) for result in now.field.results[1:]
    )
    text = StringIO()
    Console(file=text, width=99).print(rounds_table(show(plan, seats, rounds, *asked)))
    assert "ann 0.50, bob 0.00" in text.getvalue()


def test_byes_lapse_if_no_table_could_be_made() -> None:
    """If fewer than two bots are left without byes, all that are there play the round."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2, 3), rounds=3)
    decided = [
        Directive(DirectiveKind.ZERO_BYE, 0, version=0, round=2),
        Directive(DirectiveKind.ZERO_BYE, 0, version=1, round=2),
        leaves(WITHDRAW, 2, after=1),
        leaves(WITHDRAW, 3, after=1),
    ]
    now, rounds = played(plan, 2, decided)

    assert [{*r.meeting.entrants} for r in now.field.results if r.meeting.round] == [{0, 1}] * 2
    data = json.loads(show(plan, 2, rounds, *decided).to_json())
    assert [each["round"] for each in data["directives"]] == [None, None, 2, 2]


@pytest.mark.parametrize(("after", "counted"), [(2, False), (3, True)])
def test_half_of_a_round_robin(after: int, counted: bool) -> None:  # noqa: FBT001 -- parametrized
    """Below half a round robin no results count; else all do, and missed meetings are lost."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(6)))
    now, rounds = played(plan, 2, [leaves(WITHDRAW, 0, after)])
    table = {line.entrant: line for line in now.lines}
    missed = [r for r in now.field.results if 0 in r.meeting.entrants and r.meeting.round >= after]

    assert now.gone[0].counted is counted
    assert all(is_walkover(result) for result in missed)
    assert table[0].meetings == (5 if counted else 0)
    assert {table[e].meetings for e in range(1, 6)} == {5 if counted else 4}
    assert table[0].score == (Fraction(3, 5) if counted else 0)
    assert now.lines[-1].entrant == (0 if not counted else 5)
    assert progress_of(plan, 2, rounds, [leaves(WITHDRAW, 0, after)]) == now


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_opponents_go_on_by_walkover(seats: int) -> None:
    """A bot that left a knockout is behind its opponents; one alone at a table walks over."""
    plan = TournamentPlan(Kind.KNOCKOUT, tuple(range(9)), sudden_death=2, draw="x")
    gone = leaves(WITHDRAW, 0, after=1)
    now, rounds = played(plan, seats, [gone])
    later = [r for r in now.field.results if 0 in r.meeting.entrants and r.meeting.round]

    assert now.over
    assert now.lines[0].entrant == 1
    assert len(later) == 1
    assert later[0].scores()[0] == 0
    assert set(later[0].forfeits_of(0)) == {ABSENT}
    assert is_walkover(later[0]) == (seats == 2)
    assert progress_of(plan, seats, rounds, [gone]) == now


def test_a_bot_that_left_is_behind_one_that_forfeits() -> None:
    """A bot that forfeits every match goes on before one that left."""
    plan = TournamentPlan(Kind.KNOCKOUT, tuple(range(8)), sudden_death=2, draw="x")
    gone = [leaves(WITHDRAW, who, 0) for who in (0, 3)]
    now, rounds = played(plan, 4, gone, most=1, crashed=(4,))
    [table] = [r for r in now.field.results if 4 in r.meeting.entrants]
    decision = show(plan, 4, rounds, *gone).decision(table)

    assert table.scores() == {0: 0, 3: 0, 4: 0, 7: 1}
    assert decision
    assert (list(decision.on), decision.by) == ([7, 4], "absence")


def test_a_walkover_rests_on_no_match() -> None:
    """A gauntlet's interval counts played matches only; without any it is 0 to 1."""
    plan = TournamentPlan(Kind.GAUNTLET, (0, 1, 2))
    gone = leaves(WITHDRAW, 1, 0)
    now, rounds = played(plan, 2, [gone])
    data = json.loads(show(plan, 2, rounds, gone).to_json())

    assert [line.entrant for line in now.lines] == [1, 2]
    assert {line.score for line in now.lines} == {1}
    assert now.lines[0].interval == (0, 1)
    assert [m["matches"] for r in data["rounds"] for m in r["meetings"]] == [0, 2]


def test_a_bot_whose_results_do_not_count_has_no_equal() -> None:
    """Bots without a point are compared by direct encounter, apart from those that left."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(4)))
    now, _ = played(plan, 2, [leaves(WITHDRAW, 0, 1)], crashed=(2, 3))
    table = {line.entrant: line for line in now.lines}

    assert table[0].score == table[2].score == table[3].score == 0
    assert "direct encounter" in table[2].tie_breaks
    assert "direct encounter" not in table[0].tie_breaks


def test_the_next_in_the_group_advances() -> None:
    """If a bot leaves before the knockout, the next of its group advances."""
    plan = TournamentPlan(Kind.GROUPS, tuple(range(8)), sudden_death=2, draw="x")
    without, _ = played(plan, 2, most=3)
    now, _ = played(plan, 2, [leaves(WITHDRAW, 0, after=3)], most=3)

    assert 0 in {e for meeting in without.pending for e in meeting.entrants}
    assert 0 not in {e for meeting in now.pending for e in meeting.entrants}
    assert len(now.pending) == len(without.pending)


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_all_but_one_leave(kind: Kind, seats: int) -> None:
    """However many bots leave, a tournament ends, and can be reconstructed after any round."""
    plan = TournamentPlan(kind, tuple(range(7)), sudden_death=2 if kind in ELIMINATING else None)
    decided = [leaves(WITHDRAW, who, after=who % 3) for who in (6, 2, 0, 5, 1, 4)]
    decided.sort(key=lambda each: each.after_round)
    now, rounds = played(plan, seats, decided)

    assert now.over
    for number in range(len(rounds)):
        planned = progress_of(plan, seats, rounds[:number], decided[:])
        known = [each for each in decided if each.after_round <= number]
        assert [*planned.pending] == [*progress_of(plan, seats, rounds[:number], known).pending]


def returns(who: int, after: int) -> Directive:
    """Return the retraction of a departure."""
    return Directive(DirectiveKind.RETRACT, after, "a mistake", version=who)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_missed_round_of_a_swiss_is_a_bye_without_points(seats: int) -> None:
    """A bot that returns to a Swiss has no points for missed rounds, and is paired again."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=5)
    decided = [leaves(WITHDRAW, 0, after=1), returns(0, after=3)]
    now, rounds = played(plan, seats, decided)
    line = next(line for line in now.lines if line.entrant == 0)
    paired = [r.meeting.round for r in now.field.results if 0 in r.meeting.entrants]

    assert paired == [0, 3, 4]
    assert (float(line.score), line.meetings, line.byes) == (3.0, 3, 2)
    assert now.gone == {}
    shown = show(plan, seats, rounds, *decided)
    row = next(row for row in json.loads(shown.to_json())["table"] if row["bot"] == "ann")
    assert row["status"] == "missed rounds 2, 3"


def test_meetings_missed_before_a_return_are_lost() -> None:
    """A bot that returns to a round robin plays on: its meetings count, missed ones as lost."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(6)))
    now, _ = played(plan, 2, [leaves(DISQUALIFY, 0, after=1), returns(0, after=3)])
    own = [result for result in now.field.results if 0 in result.meeting.entrants]
    table = {line.entrant: line for line in now.lines}

    assert [is_walkover(result) for result in own] == [False, True, True, False, False]
    assert table[0].score == Fraction(3, 5)
    assert {line.meetings for line in now.lines} == {5}


def test_a_bot_that_returned_may_leave_again() -> None:
    """What a bot missed before it returned is not among the half that it must have played."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(6)))
    twice = [leaves(WITHDRAW, 0, after=1), returns(0, after=3), leaves(WITHDRAW, 0, after=4)]
    now, _ = played(plan, 2, twice)

    assert now.gone[0].counted is False


def test_a_disqualification_is_undone_before_the_withdrawal() -> None:
    """Of a bot withdrawn and then disqualified, each retraction undoes the last decision."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=5)
    decided = [leaves(WITHDRAW, 0, 1), leaves(DISQUALIFY, 0, 2), returns(0, 3), returns(0, 4)]
    one, _ = played(plan, 2, decided[:3])
    both, _ = played(plan, 2, decided)

    assert (one.gone[0].disqualified, one.gone[0].round) == (False, 1)
    assert (both.gone, both.missed) == ({}, {0: [1, 2, 3]})


DOUBLE = TournamentPlan(Kind.DOUBLE_ELIMINATION, tuple(range(8)), sudden_death=2, draw="x")


def test_a_table_missed_in_a_double_elimination_is_an_elimination() -> None:
    """A bot that returns plays on among the losers, and may still win."""
    decided = [leaves(WITHDRAW, 0, after=0), returns(0, after=1)]
    now, rounds = played(DOUBLE, 2, decided)
    first, second = (
        next(m for m in now.blocks if m.round == number and 0 in m.entrants) for number in (1, 2)
    )

    assert why_out(DOUBLE, progress_of(DOUBLE, 2, rounds[:1], decided), 0) == ""
    assert (first.stage, second.stage) == ("losers' round 1", "losers' round 2")
    assert [m.stage for m in now.blocks][-2:] == ["final", "second final"]
    assert now.lines[0].entrant == 0


@pytest.mark.parametrize("number", [2, 3])
def test_who_missed_two_tables_of_a_double_elimination_is_out(number: int) -> None:
    """It cannot return after its second table, nor while it is played, and the reason says so."""
    left = [leaves(WITHDRAW, 0, after=0)]
    _, rounds = played(DOUBLE, 2, left, most=2)
    under_way = [[replace(m, state=MatchState.PLANNED) for m in block] for block in rounds[1]]
    stored = [rounds[0], under_way if number == 2 else rounds[1]]
    now = progress_of(DOUBLE, 2, stored, [*left, returns(0, after=2)])

    assert why_out(DOUBLE, now, 0) == "it lost its table of round 2 by absence, and others went on"


def test_a_match_counts_again() -> None:
    """An annulment taken back later counts for the table again; rounds planned by it stay."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(4)), rounds=3)
    annulled = Directive(DirectiveKind.ANNUL, 1, "a reason", match_id="1.0")
    again = Directive(DirectiveKind.RETRACT, 2, "a mistake", match_id="1.0")
    without, _ = played(plan, 2, [annulled])
    now, rounds = played(plan, 2, [annulled, again])

    assert [r.meeting for r in now.field.results][:4] == [r.meeting for r in without.field.results][
        :4
    ]
    assert now.lines != without.lines
    assert now.annulled == {}
    assert progress_of(plan, 2, rounds, [annulled, again]) == now


def test_an_annulled_match_does_not_count() -> None:
    """An annulled match's deal does not count, and earlier pairings stay."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=3)
    before, rounds = played(plan, 2, most=2)
    annulled = Directive(DirectiveKind.ANNUL, 2, "a bad machine", match_id="1.0")
    now = progress_of(plan, 2, rounds, [annulled])
    [changed] = [r for r in now.field.results if (1, 0) in now.blocks[r.meeting]]

    assert set(changed.scores().values()) == {Fraction(1, 2)}
    assert now.void == {changed.meeting}
    assert [r.meeting for r in now.field.results] == [r.meeting for r in before.field.results]
    assert show(plan, 2, rounds, annulled).decisions()[0].endswith("annulled: a bad machine")


def test_an_annulled_final_is_played_on() -> None:
    """An annulled final is level, so it plays on to a decision."""
    plan = TournamentPlan(Kind.KNOCKOUT, (0, 1), sudden_death=2, draw="x")
    over, rounds = played(plan, 2)
    now = progress_of(plan, 2, rounds, [Directive(DirectiveKind.ANNUL, 1, "why", match_id="1.1")])

    assert over.over
    assert now.plays_on
    assert now.pending == [rounds_meeting(over)]


def rounds_meeting(now: TournamentProgress) -> object:
    """Return the only meeting of a tournament."""
    return now.field.results[0].meeting


_OF_THE_COMMAND = 9
"""Lines that it prints besides: an empty one, where there is more, and that it is paused."""


@pytest.mark.sweep
@pytest.mark.parametrize("kind", Kind)
def test_sixty_lines_are_enough(kind: Kind) -> None:
    """A tournament of 64 bots prints at most 60 lines of 100 columns, the table first."""
    names = {number: replace(version(number), bot=f"a_bot_{number}") for number in range(64)}
    plan = TournamentPlan(kind, tuple(range(64)))
    _, rounds = played(plan, 2, most=2)
    console = Console(width=100, file=StringIO(), record=True)
    print_tournament(
        console, summarize(plan, 2, names, rounds, ()), "a cup", "Courtisans", everything=False
    )
    lines = console.export_text().splitlines()

    assert len(lines) <= MOST_LINES + 2 <= 60 - _OF_THE_COMMAND
    assert max(map(len, lines)) <= 100
    assert lines[3].split()[:2] == ["#", "bot"]
    assert all(any(f"a_bot_{number} " in line for line in lines[4:45]) for number in range(64))
    assert "--all shows everything." in lines[-1]


@pytest.mark.sweep
@pytest.mark.parametrize("kind", Kind)
def test_the_terminal_marks_who_left(kind: Kind) -> None:
    """Each table with a sign of a bot that left has a line below that says what it means."""
    decided = [leaves(WITHDRAW, 1, after=1), leaves(DISQUALIFY, 2, after=1)]
    lines = printed(kind, 100, *decided)
    told = [i for i, line in enumerate(lines) if line == "* withdrawn, ** disqualified"]
    tables = [[line.split() for line in lines[:at]] for at in told]

    assert len(told) == (2 if kind in (Kind.ROUND_ROBIN, Kind.GROUPS) else 1)
    assert all(any("bob*" in words[:2] for words in table) for table in tables)
    assert all(any("cat**" in words[:2] for words in table) for table in tables)
    assert "ann*" not in " ".join(lines)
    assert not any("withdrawn" in line for line in printed(kind, 100))


@pytest.mark.parametrize(("width", "columns"), [(100, "bob ann {} eve dan"), (70, "1 2 3 4 5")])
def test_a_cross_table_in_the_terminal_has_names(width: int, columns: str) -> None:
    """The names stand above the columns, and the places where the terminal is too narrow."""
    cat = "cat_of_the_long_name"
    lines = [" ".join(line.split()) for line in printed(Kind.ROUND_ROBIN, width, cat=cat)]

    assert f"# cross table {columns.format(cat)} score meetings" in lines


@pytest.mark.costly
def test_a_double_elimination_in_the_terminal_has_two_trees() -> None:
    """Each bracket has its tree with its rounds side by side, and each final its table."""
    decided = [leaves(WITHDRAW, 0, after=0), returns(0, after=1)]
    lines = on_screen(show(DOUBLE, 2, played(DOUBLE, 2, decided)[1], *decided), 120)
    start = lines.index("Losers' bracket")

    assert lines[start - 10 : start - 7] == [
        "Winners' bracket",
        "ann 0.00 ┬─ hal 0.00 ┐",
        "hal 1.00 ┘           ├─ dan 0.00 ┐",
    ]
    assert lines[start + 1 : start + 15] == [
        "                                    dan 0.00 ┐",
        "            cat 0.00 ┬─ ann 1.00 ┐           ├",
        "eve 0.00 ┬─ ann 1.00 ┘           ├─ ann 1.00 ┘",
        "ann 1.00 ┘                       │",
        "            hal 0.00 ┬─ fay 0.00 ┘",
        "fay 1.00 ┬─ fay 1.00 ┘",
        "gus 0.00 ┘",
        "",
        "Final",
        "bob 0.00 ┬",
        "ann 1.00 ┘",
        "",
        "Second final",
        "bob 0.00 ┬",
    ]


def test_the_pairings_of_a_gauntlet_name_the_challenger() -> None:
    """The challenger, which has no line in the table, stands in the pairings without a score."""
    lines = printed(Kind.GAUNTLET, 100)

    assert lines[lines.index("Pairings of round 3") + 2].split() == ["1", "ann,", "dan"]


def printed(kind: Kind, width: int, *decided: Directive, cat: str = "cat") -> list[str]:
    """Return the lines of a terminal for a tournament of five bots after two rounds."""
    plan = TournamentPlan(kind, tuple(range(5)))
    shown = show(plan, 2, played(plan, 2, decided, most=2)[1], *decided)
    return on_screen(replace(shown, names={**shown.names, 2: cat}), width)


def on_screen(shown: TournamentSummary, width: int) -> list[str]:
    """Return the lines of a terminal for a tournament."""
    console = Console(width=width, file=StringIO(), record=True, force_terminal=True)
    print_tournament(console, shown, "a cup", "Courtisans", everything=True)
    return console.export_text().splitlines()


def forbids(one: int, other: int, after: int) -> Directive:
    """Return that two bots may not meet."""
    return Directive(DirectiveKind.FORBID, after, "a reason", version=one, other=other)


def allows(one: int, other: int, after: int) -> Directive:
    """Return that this is taken back."""
    return Directive(DirectiveKind.RETRACT, after, "a reason", version=one, other=other)


def met(now: TournamentProgress) -> list[set[int]]:
    """Return the rounds in which the first two bots met."""
    return [{r.meeting.round} for r in now.field.results if {0, 1} <= {*r.meeting.entrants}]


def test_a_pair_is_forbidden_from_the_next_round_on() -> None:
    """A planned round stays; later ones keep the pair apart until it is allowed again."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2, 3), rounds=6)
    free, rounds = played(plan, 2)
    [first, *_] = met(free)
    late, _ = played(plan, 2, [forbids(0, 1, after=1 + max(first))])
    never, _ = played(plan, 2, [forbids(1, 0, after=0)])
    again, _ = played(plan, 2, [forbids(0, 1, after=0), allows(0, 1, after=3)])
    told = json.loads(show(plan, 2, rounds[:1], forbids(0, 1, after=1)).to_json())

    assert met(late) == [first]
    assert met(never) == []
    assert [number > 2 for numbers in met(again) for number in numbers] == [True] * len(met(again))
    assert met(again)
    assert told["rules"]["forbidden pairs"] == "ann and bob"
    assert [(d["what"], d["bot"], d["other"], d["round"]) for d in told["directives"]] == [
        ("ann and bob may not meet", "ann", "bob", 2)
    ]


def test_a_round_without_a_pairing_waits() -> None:
    """The tournament is not over, says what is in the way, and goes on by the next decision."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2, 3), rounds=3, forbidden=((0, 1),))
    given = [forbids(0, 2, after=1), forbids(3, 0, after=1)]
    now, rounds = played(plan, 2, most=1)
    stuck = progress_of(plan, 2, rounds, given)
    shown = show(plan, 2, rounds, *given)
    text = StringIO()
    print_tournament(Console(file=text, width=200), shown, "", "", everything=False)
    freed = progress_of(plan, 2, rounds, [*given, allows(3, 0, after=1)])
    gone = progress_of(plan, 2, rounds, [*given, leaves(WITHDRAW, 0, after=1)])

    assert not now.unpaired
    assert (stuck.over, stuck.pending, stuck.due, stuck.number) == (False, [], [], 2)
    assert (
        "round 2 has no pairing in which no forbidden pair meets (at best "
        in text.getvalue().lower()
    )
    assert "`ladder retract BOT BOT`" in text.getvalue()
    assert json.loads(shown.to_json())["pairings"] is None
    assert {frozenset(m.entrants) for m in freed.pending} == {frozenset({0, 3}), frozenset({1, 2})}
    assert not gone.unpaired


def test_a_pair_forbidden_at_the_beginning_is_allowed_again() -> None:
    """From the next round on the pair may meet, as if it had never been forbidden."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2, 3), rounds=6, forbidden=((0, 1),))
    free, _ = played(replace(plan, forbidden=()), 2)
    never, _ = played(plan, 2)
    at_once, _ = played(plan, 2, [allows(0, 1, after=0)])
    later, rounds = played(plan, 2, [allows(0, 1, after=3)])
    told = json.loads(show(plan, 2, rounds, allows(0, 1, after=3)).to_json())

    assert met(never) == []
    assert met(at_once) == met(free) != []
    assert met(later)
    assert all(number > 2 for numbers in met(later) for number in numbers)
    assert "forbidden pairs" not in told["rules"]
    assert told["forbidden"] == [["ann", "bob"]]
    assert [(d["kind"], d["bot"], d["other"], d["round"]) for d in told["directives"]] == [
        ("retract", "ann", "bob", 4)
    ]


@pytest.mark.parametrize("about", [0, 1])
def test_a_forbidden_pair_is_retracted_once(about: int) -> None:
    """By either bot the pair is found; once it is taken back, nothing about it is left."""
    earlier, given = leaves(WITHDRAW, 1, after=0), forbids(0, 1, after=0)
    lifted = allows(0, 1, after=0)

    assert last_about([earlier, given], [about], None) == given
    assert last_about([given, lifted], [about], None) is None
    assert last_about([earlier, given, lifted], [1], None) == earlier


def test_two_bots_name_their_pair() -> None:
    """The decision about a pair is found behind later ones about its bots, and no other one."""
    given = [forbids(0, 1, after=0), forbids(1, 2, after=0), leaves(WITHDRAW, 1, after=0)]

    assert last_about(given, [1, 0], None) == given[0]
    assert last_about(given, [0, 2], None) is None


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.GAUNTLET])
def test_places_follow_the_first_result(kind: Kind) -> None:
    """Until then terminal, JSON and CSV tell no place, and no team has standings."""
    plan, text = TournamentPlan(kind, tuple(range(8)), teams=("Red", "Blue") * 4), StringIO()
    before, after = (show(plan, 2, played(plan, 2, most=most)[1]) for most in (0, 1))
    print_tournament(Console(file=text, width=200), before, "", "", everything=True)

    told, later = json.loads(before.to_json()), json.loads(after.to_json())
    rows = [*told["table"], *(row for cross in told["cross"] for row in cross["table"])]
    assert {row["place"] for row in rows} == {None}
    assert {row["place"] for row in later["table"]} >= {1}
    assert {row["place"] for cross in later["cross"] for row in cross["table"]} >= {1}
    assert before.to_csv().splitlines()[1].startswith(",ann,")
    assert re.search(r"^ +ann +1 ", text.getvalue(), re.MULTILINE)
    assert of_interest(before) == []
    assert of_interest(after)
    with pytest.raises(SettingsError, match="no places before the first result"):
        team_standings(before, By.TEAM)


def test_who_advances_alone_is_told() -> None:
    """A single group from which one bot advances has no knockout, and a note says so."""
    plan = TournamentPlan(Kind.GROUPS, (0, 1, 2), group_size=3, advancing=1)
    half, whole = (show(plan, 2, played(plan, 2, most=most)[1]) for most in (1, 99))
    two = replace(plan, advancing=2)

    assert whole.progress.over
    assert whole.notes() == ["Only ann advanced from the groups: no knockout is played."]
    assert half.notes() == show(two, 2, played(two, 2)[1]).notes() == []
