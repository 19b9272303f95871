"""The director's decisions hold in the very run that created the tournament."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ladder.model.matches import MatchState
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from referee.core.verdicts import MOST_ATTEMPTS
from tests.support.ladders import Command
from tests.support.processes import children, is_python_child
from tests.support.waiting import until

Run = subprocess.Popen[str]

LADDER = Path(sys.executable).with_name("ladder")
BOTS = ("ann", "bob", "cyd", "dan")
PATIENT = """
import os
import time
from pathlib import Path

from courtyard_kit.courtisans import run

shared = Path({shared!r})
validated = shared / {name!r}
patient = validated.exists()
validated.touch()


def choose(position):
    while patient and not (shared / "go").exists():
        (shared / f"waiting-{{os.getpid()}}").touch()
        time.sleep(0.01)
    return position.random_action()


run(choose, name={name!r})
"""
"""A bot that plays its validation match, and others only once it may go on."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave every ladder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Make a folder in which bots say that they wait, and read that they may go on."""
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


@pytest.fixture
def run(tmp_path: Path, shared: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Create a Swiss tournament in a real process, with further options; its first match waits."""
    options: Sequence[str] = getattr(request, "param", ())
    folders = []
    for name in BOTS:
        folders.append(tmp_path / "bots" / name)
        folders[-1].mkdir(parents=True)
        (folders[-1] / "bot.toml").write_text(
            f'name = "{name}"\ngames = ["courtisans"]\ncommand = ["python3", "bot.py"]\n'
            'transport = "stdio"\n'
        )
        (folders[-1] / "bot.py").write_text(PATIENT.format(shared=str(shared), name=name))
    words = ("tournament", "swiss", "cup", *map(str, folders), "--seeding", "given")
    process = subprocess.Popen(
        [LADDER, *words, "--sandbox", "trusted", "--seats", "2", "--workers", "1", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        until(lambda: any(shared.glob("waiting-*")) or process.poll() is not None)
        assert process.poll() is None, process.communicate()[0]
        yield process
    finally:
        process.kill()
        process.communicate()


def end_of(run: Run, shared: Path) -> str:
    """Let the bots go on, and return what the run has printed by its end."""
    (shared / "go").touch()
    printed, _ = run.communicate(timeout=240)
    return printed


def stored() -> Sequence[MatchState]:
    """Return the states of the tournament's matches."""
    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.read() as tx:
        return [m.state for m in match_lines.latest(tx, bots.all_versions(tx), limit=1000)]


def most_attempts() -> int:
    """Return how often the match was tried that was tried most often."""
    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.read() as tx:
        return max(m.attempts for m in matches.open_matches(tx, bots.all_versions(tx)))


@pytest.mark.costly
def test_a_pause(command: Command, run: Run, shared: Path) -> None:
    """A pause starts no further match, and the run ends; `ladder run` after `resume` plays on."""
    paused = command("pause", "--why", "lunch", "--ladder", "cup")
    printed = end_of(run, shared)
    by_then = stored()
    command("resume", "--ladder", "cup")
    resumed = command("run", "--ladder", "cup")

    assert paused.status == 0
    assert "wins" not in printed
    assert "Paused by the director" in printed
    assert by_then.count(MatchState.DONE) == 1
    assert resumed.status == 0
    assert {*stored()} == {MatchState.DONE}


@pytest.mark.proof
def test_forbidden_pairs(command: Command, run: Run, shared: Path) -> None:
    """A run ends by one line when no pairing holds them, and a retraction lets the next go on."""
    for other in ("bob", "cyd", "dan"):
        command("forbid", "ann", other, "--why", "ann asked", "--ladder", "cup")
    printed = end_of(run, shared)
    waits = command("run", "--ladder", "cup")
    sound = command("verify", "--ladder", "cup")
    shown = command("tournament", "swiss", "cup")
    back = command("retract", "dan", "--why", "dan may", "--ladder", "cup")
    ended = command("run", "--ladder", "cup")

    assert run.returncode == 1
    assert "Traceback" not in printed
    said = "round 2 has no pairing in which no forbidden pair meets"
    assert said in " ".join(printed.split())
    assert (waits.status, waits.err.count("\n")) == (1, 1)
    assert said in waits.err
    assert sound.status == 0
    assert said in shown.err
    assert "#" in shown.out
    assert back.out == "dan may meet ann again.\n"
    assert ended.status == 0
    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.read() as tx:
        lines = match_lines.latest(tx, bots.all_versions(tx), limit=1000)
    met = [{s.version.bot for s in m.seats if s.version} for m in lines if m.round > 1]
    assert {"ann", "dan"} in met
    assert {"ann", "bob"} not in met
    assert {"ann", "cyd"} not in met


@pytest.mark.proof
def test_a_withdrawal(command: Command, run: Run, shared: Path) -> None:
    """A bot that is withdrawn during the first round plays in no later one."""
    command("withdraw", "dan", "--why", "ill", "--ladder", "cup")
    printed = end_of(run, shared)

    assert run.returncode == 0
    assert "dan is withdrawn" in printed
    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.read() as tx:
        lines = match_lines.latest(tx, bots.all_versions(tx), limit=1000)
    later = [seat.version.bot for m in lines if m.round > 1 for seat in m.seats if seat.version]
    assert later
    assert "dan" not in later


@pytest.mark.proof
@pytest.mark.parametrize("run", [("--until-round", "next")], indirect=True)
def test_round_by_round(command: Command, run: Run, shared: Path) -> None:
    """A killed run that was to play one round plays it when repeated; repeated again, the next."""
    run.kill()
    end_of(run, shared)
    begun = stored()
    words = ("tournament", "swiss", "cup", "--until-round", "next")
    told = [(command(*words), stored()) for _ in range(2)]

    assert MatchState.DONE not in begun
    for number, (ended, _) in enumerate(told, start=2):
        assert ended.status == 0
        assert f"Stopped before round {number}, whose pairings are above" in ended.out
        assert f"Pairings of round {number}\n" in ended.out
    assert [done for _, done in told] == [[MatchState.DONE] * n for n in (4, 8)]


@pytest.mark.proof
def test_a_match_whose_worker_dies(command: Command, run: Run, shared: Path) -> None:
    """A match that cannot be played stays open and no bot wins; the next run plays it."""
    while most_attempts() < MOST_ATTEMPTS:
        until(lambda: any(shared.glob("waiting-*")) or run.poll() is not None)
        assert run.poll() is None
        waiting = {*shared.glob("waiting-*")}
        for worker in filter(is_python_child, children(run.pid)):
            os.kill(worker, signal.SIGKILL)
        for bot in waiting:
            bot.unlink()
    printed = end_of(run, shared)
    by_then = stored()
    again = command("run", "--ladder", "cup")
    table = command("tournament", "swiss", "cup", "--all")

    assert "until the ladder is run again" in printed
    assert "wins" not in printed
    assert MatchState.VOID not in by_then
    assert again.status == 0
    assert "wins" in table.out
    assert "ABSENT" not in table.out
    assert command("verify", "--ladder", "cup").status == 0
