"""A person at the terminal plays a seat: `referee play --human SEAT`."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.match.record import load_record
from referee.match.verify import verify
from tests.support.games import GAMES
from tests.support.referees import Command

REFEREE = Path(sys.executable).parent / "referee"
in_every_game = pytest.mark.parametrize("game", GAMES)


def play(
    typed: str, *arguments: str, game: str = "courtisans"
) -> "subprocess.CompletedProcess[str]":
    """Play with stand-ins, typing this into a pipe."""
    options = ["--human", "1", "--seats", "3", "--seed", "5", "--game", game]
    command = [str(REFEREE), "play", *options, *arguments]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False)


@pytest.mark.costly
@in_every_game
def test_a_whole_match_is_played_from_a_pipe(game: str, tmp_path: Path) -> None:
    """In plain lines without colours; the end tells the scoring, and the record is true."""
    record = tmp_path / "match.json"
    done = play("1\n" * 500, "--record", str(record), game=game)

    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "You have seat 1." in done.stdout
    assert re.search(r"^place\s+bot\s+points", done.stdout, re.MULTILINE)
    assert verify(load_record(record)) == []
    assert load_record(record).seats[1].name == "person"


@pytest.mark.costly
def test_what_is_typed_is_answered() -> None:
    """A step back shows the step before; what is no option is said to be none; ? explains."""
    done = play("u\n9999\nx y\nh\n1\nu\n?\nq\n")

    assert done.returncode == 0
    first = "Which card goes to the Queen's table, and on which side of the mat?"
    assert "nothing can be taken back" in done.stdout
    assert "9999: not a number from 1 to 6." in done.stdout
    assert "x y: not a number from 1 to 6." in done.stdout
    assert "h: not a number from 1 to 6." in done.stdout  # there are no hints
    assert done.stdout.count(first) == 3  # at first, taken back, and after the explanation
    assert "Six families are at court." in done.stdout
    assert done.stdout.rstrip().endswith("You left the match: it has no result and no record.")


@pytest.mark.costly
def test_a_bot_says_what_it_would_do() -> None:
    """The same as often as it is asked; it is started when it is asked first."""
    done = play("h\nh\nq\n", "--hints", "greedy")

    assert done.returncode == 0, done.stderr
    assert "q leaves, h asks for a hint." in done.stdout
    first, second = re.findall(
        r"^(?:> )+(greedy would choose: .+, then .+\.)$", done.stdout, re.MULTILINE
    )
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--human", "0", "--hints", "nobody"), "nobody: no such folder, and courtisans has no "),
        (("--hints", "greedy"), "--hints needs a person who asks for them: --human or --browser"),
    ],
)
def test_hints_that_cannot_be_are_one_line(
    referee_here: Command, arguments: tuple[str, ...], said: str
) -> None:
    """It says what is missing."""
    done = referee_here("play", *arguments)

    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.costly
def test_an_input_that_ends_is_one_line() -> None:
    """The command fails, as the match has no end."""
    done = play("1\n1")

    assert done.returncode == 1
    assert done.stderr == "error: the input ended before the match did\n"


@pytest.mark.parametrize(
    ("arguments", "human", "said"),
    [
        ((), 3, "there is no seat 3: the match has seats 0 to 2"),
        ((), -1, "there is no seat -1: the match has seats 0 to 2"),
        (("greedy", "greedy", "greedy"), 0, "3 bots for 2 seats: name at most 2"),
    ],
)
def test_a_seat_that_cannot_be_had_is_one_line(
    referee_here: Command, arguments: tuple[str, ...], human: int, said: str
) -> None:
    """It names the seats that there are."""
    done = referee_here("play", "--human", human, "--seats", 3, *arguments)

    assert (done.returncode, done.stderr) == (1, f"error: {said}\n")


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The two ends of a terminal: the person's, and the program's."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


@pytest.mark.costly
def test_a_terminal_shows_colours_and_many_options_side_by_side(
    terminal: tuple[int, int],
) -> None:
    """Here all spots of the board; Ctrl-C ends the match with status 130."""
    ours, theirs = terminal
    command = [str(REFEREE), "play", "--human", "0", "--seats", "2", "--seed", "1"]
    playing = subprocess.Popen(
        [*command, "--game", "miracles"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"},
    )
    seen = until_asked(ours)
    assert "\x1b[1m" in seen
    os.write(ours, b"1\n")
    seen = until_asked(ours)
    assert len(re.findall(r"^.*?\d+.*?  .*?\d+.*?  .*$", seen, re.MULTILINE)) >= 3
    playing.send_signal(signal.SIGINT)
    assert playing.wait() == 130


def until_asked(end: int) -> str:
    """Read what a program writes to a terminal until it waits for an answer."""
    seen = b""
    while not seen.endswith(b"\n> "):
        seen += os.read(end, 65_536)
    return seen.decode()
