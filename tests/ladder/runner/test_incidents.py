"""What happened to matches out of the ordinary is told for each, by its match and for all."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.model.directives import Directive, DirectiveKind
from ladder.model.incidents import Incident, IncidentKind
from ladder.results import incidents, queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import directives, matches
from referee.core.verdicts import MOST_ATTEMPTS
from tests.support.waiting import until

Start = Callable[..., subprocess.Popen[str]]
Submit = Callable[..., None]
Command = Callable[..., Any]

K = IncidentKind


@pytest.fixture
def submit(home: Home, make_bot: Callable[..., Path], enter: Callable[..., object]) -> Submit:
    """Submit bots with these names."""

    def submit_all(*names: str) -> None:
        with Ladder.open(home) as ladder:
            for name in names:
                enter(ladder, make_bot(name))

    return submit_all


def happened(home: Home) -> list[Incident]:
    """What happened to all matches, the first first."""
    with Ladder.open(home) as ladder:
        lines = queries.latest(ladder, 99)
        return [each for line in reversed(lines) for each in incidents.of_match(ladder, line)]


@pytest.mark.costly
def test_a_lost_worker(home: Home, start: Start, submit: Submit) -> None:
    """A match whose worker died tells so; the others tell nothing."""
    submit("ann", "bob", "cat", "once-killer")
    start(3, workers=1).communicate()

    (lost,) = happened(home)
    assert lost.kind is K.RETRIED
    assert "its worker was ended by SIGKILL" in lost.why


@pytest.mark.costly
def test_pauses_of_the_referee(home: Home, start: Start, submit: Submit) -> None:
    """Each pause that made a match be played again is told, and how long it was."""
    submit("pauser")
    (home.path / "pauses").write_text("2")
    start(1, workers=1).communicate()

    paused = happened(home)
    assert [each.kind for each in paused] == [K.PAUSED] * 2
    assert all("the referee was paused for 9.0 s" in each.why for each in paused)


@pytest.mark.costly
def test_a_match_that_is_given_up(home: Home, start: Start, submit: Submit) -> None:
    """Every void attempt is told, and that it was the last of this run."""
    submit("voider")
    start(1, workers=1).communicate()

    found = happened(home)
    assert [each.kind for each in found] == [K.RETRIED] * (MOST_ATTEMPTS - 1) + [K.GIVEN_UP]
    assert {each.why for each in found} == {"the machine is tired"}


@pytest.mark.costly
def test_a_run_that_is_killed(home: Home, gate: Home, start: Start, submit: Submit) -> None:
    """A match that its run had begun tells that it was begun before."""
    submit("gate")
    run = start(1, workers=1)
    (gate.path / "started").read_text()
    until(lambda: any(line.state == "running" for line in lines_of(home)))
    run.send_signal(signal.SIGKILL)
    run.communicate()
    again = start(1, workers=1)
    (gate.path / "started").read_text()
    (gate.path / "go").write_text("")
    again.communicate()

    assert [each.kind for each in happened(home)] == [K.INTERRUPTED]


@pytest.mark.costly
def test_authors_get_reasons_once_the_deal_is_played(
    home: Home, start: Start, submit: Submit
) -> None:
    """The log tells at once that a match was void, and why once its deal is not played again."""
    submit("voider")
    start(1, workers=1).communicate()
    (line,) = lines_of(home)
    with Ladder.open(home) as ladder:
        told = incidents.for_author(ladder, line)
        with ladder.database.write() as tx:
            matches.drop(tx, line.match_id, "it is over")
        (line,) = queries.latest(ladder, 1)
        later = incidents.for_author(ladder, line)

    assert [each.kind for each in later] == [*(each.kind for each in told), K.VOID]
    assert {each.why for each in told} == {
        "the reason is told once its deal is played on all seats"
    }
    assert {each.why for each in later} == {"the machine is tired", "it is over"}


def lines_of(home: Home) -> Any:
    """The matches as they are now."""
    with Ladder.open(home) as ladder:
        return queries.latest(ladder, 9)


@pytest.mark.costly
def test_an_annulment_and_its_retraction(home: Home, start: Start, submit: Submit) -> None:
    """The director's decisions about a match are told with their reasons."""
    submit("ann")
    start(1, workers=1).communicate()
    (line,) = lines_of(home)
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        for kind, why in ((DirectiveKind.ANNUL, "a protest"), (DirectiveKind.RETRACT, "it failed")):
            directives.add(tx, Directive(kind, 1, why, match_id=line.match_id))

    told = [(each.kind, each.why) for each in happened(home)]
    assert told == [(K.ANNULLED, "a protest"), (K.RETRACTED, "it failed")]


@pytest.mark.costly
def test_commands_answer_a_protest(
    home: Home, start: Start, submit: Submit, command: Command
) -> None:
    """`match` and `report --incidents` tell it, for one bot if asked, in JSON if asked."""
    submit("ann", "bob", "cat", "once-killer")
    start(1, workers=1).communicate()
    (line,) = lines_of(home)
    at = ("--ladder", home.path)

    assert "void, played again: its worker was ended by SIGKILL" in (
        command("match", line.match_id[:8], *at).out
    )
    table = command("report", "--incidents", "--bot", "ann", *at).out
    assert line.match_id[:12] in table
    assert "SIGKILL" in table
    (only,) = json.loads(command("report", "--incidents", "--json", *at).out)
    assert (only["match"], only["kind"]) == (line.match_id, "void, played again")
    log = command("log", "ann", *at).out
    assert "Out of the ordinary:" in log
    assert "void, played again  its worker was ended by SIGKILL" in log
    assert "void, played again: its worker" in command("log", "ann", line.match_id[:8], *at).out
    (told,) = json.loads(command("log", "ann", "--json", *at).out)
    assert (told["match"], told["state"], told["seat"]) == (line.match_id, "done", 0)
    assert [(each["kind"], each["at"]) for each in told["incidents"]] == [
        (only["kind"], only["at"])
    ]
    assert "--version" in command("log", "ann", line.match_id[:8], "--json", *at).err
    assert "nemo" in command("report", "--incidents", "--bot", "nemo", *at).err
    assert "--incidents" in command("report", "--bot", "ann", *at).err
