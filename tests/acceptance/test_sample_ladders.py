"""The whole ladder with real bots: played, shown, checked, killed and continued."""

import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.app import main
from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import unpack
from ladder.storage.verify import check_blocks, check_files, check_match, finished_matches
from tests.support.made_once import made_once

BIN = Path(sys.executable).parent
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python" / "courtisans"
ROUNDS = 1


def run(*arguments: object, status: int = 0) -> str:
    """Run the command `ladder` in its own process and return its output."""
    command = [str(BIN / "ladder"), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == status, ended.stderr
    return ended.stdout


def here(*arguments: object, status: int = 0) -> str:
    """Run the command `ladder` in this process, which takes less time."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["ladder", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == status, err.getvalue()
    return out.getvalue()


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Play some rounds between the three sample bots and a copy of one."""
    return Home(made_once(tmp_path_factory, "tournament", _play) / "ladder")


def _play(folder: Path) -> None:
    copy = folder / "copy"
    shutil.copytree(SAMPLES / "random", copy)
    (copy / "bot.toml").write_text(
        (copy / "bot.toml").read_text().replace('name = "random"', 'name = "copy"')
    )
    home = Home(folder / "ladder")
    here("init", home.path, "--seats", 3, "--deals", "duplicate")
    bots = [SAMPLES / name for name in ("random", "greedy", "counter")]
    here("submit", *bots, copy, "--ladder", home.path)
    run("run", "--rounds", ROUNDS, "--ladder", home.path)


@pytest.fixture
def ladder(tournament: Home, tmp_path: Path) -> Home:
    """Copy that ladder, free to change, and confirm the copy."""
    shutil.copytree(tournament.path, tmp_path / "ladder")
    here("trust", tmp_path / "ladder", "--yes")
    return Home(tmp_path / "ladder")


def change(home: Home, statement: str, *values: object) -> None:
    """Change the database behind the ladder's back."""
    with sqlite3.connect(home.database) as connection:
        connection.execute(statement, values)
    connection.close()


def rows(home: Home, query: str) -> list[tuple[Any, ...]]:
    """Return the database's rows."""
    connection = sqlite3.connect(home.database)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


@pytest.mark.costly
def test_everybody_played(tournament: Home) -> None:
    """The bots have played all rounds without faults, each within a block of the others."""
    standings = json.loads(here("standings", "--json", "--ladder", tournament.path))

    assert {row["bot"] for row in standings} == {"random", "greedy", "counter", "copy"}
    assert sum(row["matches"] for row in standings) == 2 * 3 * 3 * ROUNDS
    assert max(r["matches"] for r in standings) - min(r["matches"] for r in standings) <= 3
    assert {row["fault_rate"] for row in standings} == {0.0}


@pytest.mark.costly
def test_everything_is_verified(tournament: Home) -> None:
    """Every match follows from its record, and every rating from the matches."""
    assert here("verify", "--ladder", tournament.path) == (
        f"No problem found in the files and {2 * 3 * ROUNDS} matches.\n"
    )
    assert here("rerate", "--ladder", tournament.path) == "No rating differed.\n"


@pytest.mark.costly
def test_record_is_for_the_referee(tournament: Home, tmp_path: Path) -> None:
    """The referee verifies the printed record of a match."""
    with Ladder.open(tournament) as opened:
        newest = queries.latest(opened, 1)[0].match_id
    record = tmp_path / "match.json"
    record.write_text(here("match", newest[:12], "--json", "--ladder", tournament.path))

    subprocess.run([BIN / "referee", "verify", record], check=True, capture_output=True)

    assert json.loads(record.read_text())["match_id"] == newest


def test_match_is_shown_again(tournament: Home) -> None:
    """`replay` tells a match by turns, as the audience or a seat saw it."""
    with Ladder.open(tournament) as opened:
        newest = queries.latest(opened, 1)[0].match_id
    whole = here("replay", newest, "--ladder", tournament.path)
    seen = here("replay", newest, "--seat", 1, "--ladder", tournament.path)

    assert newest in whole
    assert "seat 1" in seen
    assert whole != seen
    assert here("match", newest, "--ladder", tournament.path).startswith(f"match {newest}")


LATE_CRASHER = """
import sys
from courtyard_kit.courtisans import run

def choose(position):
    print("thinking as seat", position.seat, file=sys.stderr)
    if position.seat:  # not in the validation match
        raise SystemExit("my map is upside down \x1b[2J")
    return position.random_action()

run(choose, name="crasher")
"""


@pytest.mark.costly
def test_author_sees_what_went_wrong(tmp_path: Path) -> None:
    """A crashed bot's author sees the reason, what the bot knew, and its output."""
    bot = tmp_path / "crasher"
    at = ("--ladder", tmp_path / "ladder")
    here("new-bot", bot, "--language", "python")
    (bot / "bot.py").write_text(LATE_CRASHER)
    here("init", tmp_path / "ladder", "--seats", 2)
    here("submit", bot, *at)
    here("run", "--rounds", 2, *at)
    with Ladder.open(Home(tmp_path / "ladder")) as opened:
        played = {
            line.seats.index(seat): line.match_id
            for line in queries.latest(opened, 2)
            for seat in line.seats
            if seat.version
        }

    shown = here("match", played[1], *at)
    told = here("log", "crasher", played[1], *at)
    fine = here("log", "crasher", played[0], *at)

    assert "DISCONNECTED: " in shown
    assert "Last output of crasher (seat 1):" in shown
    assert "  my map is upside down ·[2J" in shown
    assert "Forfeit: DISCONNECTED at decision 1." in told
    assert "Hand" in told
    assert "  thinking as seat 1\n  my map is upside down ·[2J\n" in told
    assert "  thinking as seat 0\n" in fine
    assert "forfeited" not in fine
    assert "No problem found" in here("verify", *at)


def test_author_plays_a_match_again(tournament: Home) -> None:
    """An unchanged bot answers all requests of a match as recorded."""
    with Ladder.open(tournament) as opened:
        line, seat = next(
            (line, seat)
            for line in queries.latest(opened, 99)
            for seat, taken in enumerate(line.seats)
            if taken.version and taken.version.bot == "greedy"
        )
    bot = ("--", "python3", SAMPLES / "greedy" / "bot.py")

    told = here("repro", line.match_id, "--seat", seat, "--ladder", tournament.path, *bot)

    assert re.fullmatch(
        rf"Seat {seat} of match {line.match_id} was greedy version 1 \(courtisans, 3 seats\)\.\n"
        r"\n(\d+) of \1 requests: \1 answered as recorded, 0 differently, 0 wrongly\n",
        told,
    )


@pytest.mark.costly
def test_crash_at_the_start_is_found_before_it_plays(tmp_path: Path) -> None:
    """A bot that cannot start is rejected with its output, and never scheduled."""
    bot = tmp_path / "crasher"
    here("new-bot", bot, "--language", "python")
    (bot / "bot.py").write_text("raise SystemExit('no map')\n")
    here("init", tmp_path / "ladder", "--seats", 2)

    told = here("submit", bot, "--ladder", tmp_path / "ladder", status=1)

    assert "crasher version 1 is rejected: it forfeited its validation match: FAILED_TO_" in told
    assert "  no map\n" in told
    assert json.loads(here("standings", "--json", "--ladder", tmp_path / "ladder")) == []


DAMAGE: dict[str, tuple[Callable[[Home], None], str]] = {
    "points": (
        lambda home: change(home, "update seats set points = points + 1 where rowid = 1"),
        "outcomes: the record and the ladder do not agree",
    ),
    "seats": (
        lambda home: change(home, "update seats set version_id = null where rowid = 1"),
        "seats: the record and the ladder do not agree",
    ),
    "swapped records": (
        lambda home: change(
            home, "update records set body = (select body from records where rowid = 2)"
        ),
        "match_id: the record and the ladder do not agree",
    ),
    "secret": (
        lambda home: change(home, "update ladder set secret = 'another'"),
        "master_seed: the record and the ladder do not agree",
    ),
    "record": (
        lambda home: change(home, "update records set body = ?", b"no record"),
        "the stored record is damaged",
    ),
    "edited record": (
        lambda home: change(
            home,
            "update records set body = ? where rowid = 1",
            _without_last_seal(rows(home, "select body from records")[0][0]),
        ),
        "seals",
    ),
    "round": (
        lambda home: change(home, "update matches set round = round + 100"),
        "match_id: it does not follow from the ladder, the round and the versions",
    ),
    "deal": (
        lambda home: change(home, "update matches set deal = (select min(deal) from matches)"),
        "its matches are not rotations of one table",
    ),
    "file": (
        lambda home: _edit(next(home.bots.glob("*/bot.py"))),
        "its files were changed",
    ),
    "files": (
        lambda home: shutil.rmtree(next(home.bots.iterdir())),
        "its files are missing",
    ),
}


def _without_last_seal(packed: bytes) -> bytes:
    record = unpack(packed)
    del record.seals[-1]
    return zlib.compress(record.SerializeToString())


def _edit(path: Path) -> None:
    path.chmod(0o644)
    path.write_text("import this\n")


@pytest.mark.sweep
@pytest.mark.parametrize("damage", DAMAGE)
def test_tampering_is_found(ladder: Home, damage: str) -> None:
    """`ladder verify` names whatever is changed in the database or the bots' files."""
    tamper, said = DAMAGE[damage]
    tamper(ladder)

    with Ladder.open(ladder) as opened:
        done = [match for match in finished_matches(opened) if not isinstance(match, str)]
        problems = [*check_files(opened.home, opened.database), *check_blocks(opened, done)]
        for match in done:
            problems += check_match(opened, match).problems

    assert said in "\n".join(problems)


def test_problems_fail_the_command(ladder: Home) -> None:
    """`ladder verify` prints each problem on a line, and fails."""
    change(ladder, "update seats set points = points + 1 where seat = 0 and rowid < 4")

    lines = here("verify", "--ladder", ladder.path, status=1).splitlines()

    assert lines
    assert all(line.startswith("match ") and "outcomes" in line for line in lines)


OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the controlling terminal, which sends the Ctrl-C, and runs a command."""


@pytest.mark.costly
def test_interrupted_at_a_terminal(ladder: Home) -> None:
    """Ctrl-C at the terminal stops after the running matches; the last line continues."""
    terminal, theirs = pty.openpty()
    command = [str(BIN / "ladder"), "run", "--rounds", "500", "--ladder", str(ladder.path)]
    process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},  # a dumb one shows progress at the end alone
    )
    os.close(theirs)
    said = ""
    asked = False
    while chunk := _read(terminal):
        said += chunk
        if "decisions/s" in said and not asked:
            os.write(terminal, b"\x03")
            asked = True
    status = process.wait()
    os.close(terminal)

    assert "Stopping after the matches under way" in said
    assert "Interrupted: " in said
    assert re.search(r"To continue: .*ladder'? run --rounds 4\d\d", said)
    assert "Traceback" not in said
    assert status == 130
    assert set(rows(ladder, "select distinct state from matches")) <= {("done",), ("planned",)}


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # the other side is closed
        return ""
