"""A tournament stops before a round whose pairings it shows, and plays them unless it must not."""

import json
from pathlib import Path

import pytest

from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import ELIMINATING, TournamentPlan, TournamentPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.ladder.server.web.filled_tournament import fill
from tests.support.ladders import Command
from tests.support.simulated import Simulated


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(400, 424))
def test_the_pairings_shown_are_played(seed: int) -> None:
    """In every format the pairings shown before a round are those of the round."""
    played = Simulated(seed, most=9)
    whole = played.summarize()
    for rounds in range(len(played.rounds)):
        known = [each for each in played.directives if each.after_round <= rounds]
        shown = played.summarize(rounds, known).pairings()
        assert shown is not None
        results = whole.results(shown.number - 1)
        if not shown.begun:
            assert {*shown.meetings} == {result.meeting for result in results}
            assert {*shown.byes} <= {*whole.resting(shown.number - 1)}


PLANS = {
    kind: TournamentPlan(kind, tuple(range(1, 7)), sudden_death=0, draw="x")
    if kind in ELIMINATING
    else TournamentPlan(kind, tuple(range(1, 7)))
    for kind in Kind
}


@pytest.mark.parametrize("kind", Kind)
def test_no_round_is_planned_after_the_last_one_asked_for(kind: Kind, tmp_path: Path) -> None:
    """In every format, a planner plans the last round that it is asked for, and nothing after."""
    cup = fill(tmp_path / "cup", PLANS[kind], 2, 0, 99)
    with Ladder.open(Home(cup)) as ladder, ladder.database.read() as tx:
        planners = [TournamentPlanner(PLANS[kind], 2, last) for last in (1, 2, None)]
        blocks = [planner.plan(tx) for planner in planners]

    assert [bool(each) for each in blocks] == [False, True, True]
    assert blocks[0] is None
    assert [planner.ahead() for planner in planners] == [0, None, None]


def test_a_decision_repairs_the_pairings(command: Command, tmp_path: Path) -> None:
    """A decision after the pairings were shown changes them, in the terminal and the JSON."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 7))), 2, 0, 99)
    file = tmp_path / "cup.json"
    told = []
    for decision in (None, ("withdraw", "ada"), ("retract", "ada", "--why", "it is well again")):
        if decision:
            command(*decision, "--ladder", cup)
        shown = command("tournament", "swiss", cup, "--until-round", 1, "--json", file)
        told.append(json.loads(file.read_text())["pairings"])
        assert "Stopped before round 2, whose pairings are above. To play it: ladder " in shown.out
        assert "Pairings of round 2\n" in shown.out
    before, without, again = ([b for m in t["meetings"] for b in m["entrants"]] for t in told)

    assert told[0] == told[2]
    assert before == again
    assert {*before} - {*without} - {*told[1]["byes"]} == {"ada"}
    assert [each["begun"] for each in told] == [False] * 3


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("1", "round 2 has begun and is played to its end: use --until-round 2"),
        ("-1", "--until-round takes the number of a round, or next, not '-1'"),
        ("last", "--until-round takes the number of a round, or next, not 'last'"),
        ("9" * 5000, "--until-round takes the number of a round"),
    ],
)
def test_where_it_cannot_stop(command: Command, tmp_path: Path, until: str, said: str) -> None:
    """A round that has begun and what is no round are refused in one line."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 7))), 2, 1, 1)

    for words in (("tournament", "swiss", cup), ("run", "--ladder", cup)):
        ended = command(*words, f"--until-round={until}")
        assert (ended.status, ended.err.count("\n")) == (1, 1)
        assert said in ended.err
