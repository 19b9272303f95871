"""The command lines that `ladder` prints for authors work as printed."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.model.matches import PlannedMatch
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of

RANDOM = Path(__file__).parents[3] / "sample_bots" / "python" / "courtisans" / "random" / "bot.py"
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
MATCH = "1a" * 16


@pytest.fixture
def bot(make_bot: Callable[..., Path], tmp_path: Path) -> Callable[[str], Path]:
    """Make a real bot on a carrier, whose validation match it forfeits."""

    def make(transport: str) -> Path:
        folder = make_bot("bad", manifest=f'transport = "{transport}"\n')
        told = f'import os\nassert os.environ["COURTYARD_TRANSPORT"] == "{transport}"  # forfeits\n'
        (folder / "bot.py").write_text(told + RANDOM.read_text())
        return folder.rename(tmp_path / "the author's bot")

    return make


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder unrelated to the ladder and the bot."""
    folder = tmp_path / "else where"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def typed(line: str) -> str:
    """Run a line in the current folder as a shell does; return its output."""
    ended = subprocess.run(
        ["/bin/sh", "-c", line],
        env=os.environ | {"PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def behind(label: str, out: str) -> str:
    """Return what follows a label in output."""
    (line,) = (line for line in out.splitlines() if line.startswith(label))
    return line.removeprefix(label).strip()


@pytest.mark.costly
@pytest.mark.parametrize("transport", ["grpc", "stdio", "stdio-json"])
def test_a_rejected_bot_can_be_asked_again_by_the_lines_that_are_printed(
    transport: str, command: Callable[..., Any], home: Home, bot: Any, elsewhere: Path
) -> None:
    """The printed lines replay a rejected bot from its author's folder, on any carrier."""
    folder = Path("..", bot(transport).name)
    ended = command("submit", folder, "--ladder", home.path)
    assert ended.status == 1

    typed(behind("Save its record:", ended.out))
    told = typed(behind("Replay it:", ended.out))

    assert {path.name for path in elsewhere.iterdir()} == {"bad-1.json"}
    assert told.startswith("Seat 0 of match ")
    assert " was bad (courtisans, 4 seats).\n" in told
    assert told.endswith(" differently, 0 wrongly\n")


def test_the_log_of_a_version_tells_them_too(
    command: Callable[..., Any], home: Home, bot: Any, elsewhere: Path
) -> None:
    """The log names the bot's folder if it is in the current one, else a placeholder."""
    folder = bot("stdio-json")
    command("submit", folder, "--ladder", home.path)
    at = ("log", "bad", "--version", 1, "--ladder", home.path)
    unknown = behind("Replay it:", command(*at).out)
    folder.rename(elsewhere / "bad")
    known = behind("Replay it:", command(*at).out)

    assert unknown.endswith("bad-1.json --seat 0 FOLDER   (FOLDER: the bot's folder)")
    assert shlex.split(known)[-4:] == ["bad-1.json", "--seat", "0", "bad"]


@pytest.mark.costly
def test_the_log_of_a_match_tells_how_to_ask_again(
    command: Callable[..., Any], ladder: Ladder, make_bot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed line asks the bot in this folder the match's requests, on its carrier."""
    folder = make_bot("bob", manifest='transport = "stdio-json"\n')
    (folder / "bot.py").write_text(RANDOM.read_text())
    _play(ladder)
    monkeypatch.chdir(folder)

    out = command("log", "bob", "1a", "--ladder", ladder.home.path).out
    line = behind("Replay it:", out)
    told = typed(line)

    assert line.endswith(f"repro 1a1a1a1a1a1a --seat 1 . --ladder {ladder.home.path}")
    assert told.startswith(f"Seat 1 of match {MATCH} was bob version 1 (courtisans, 4 seats).\n")
    assert "7 of 7 requests" in told


def _play(ladder: Ladder) -> None:
    """Put a match of the four bots into a ladder, with random legal actions."""
    match = Match(MatchSetup(MATCH, "courtisans", 4, "seed"))
    while match.due is not None:
        match.decide(match.state.random_action(Stream("any")), 1000)
    names = ("ann", "bob", "cat", "dan")
    record = record_of(match, [SeatInfo(name, "1") for name in names], sandbox="strict")
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch(MATCH, 1, 0, tuple(bots.active(tx)))])
        spec = MatchSpec(MATCH, "courtisans", (None,) * 4, "seed")
        matches.finish(tx, pack(record, {}, spec))
