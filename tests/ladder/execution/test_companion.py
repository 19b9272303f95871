"""`ladder serve --play`: one process shows a ladder and keeps another that plays it."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.home import Home
from ladder.ladder import Ladder

COMMAND = Path(sys.executable).with_name("ladder")
BOTS = Path(__file__).resolve().parents[3] / "sample_bots" / "python" / "courtisans"
Serve = subprocess.Popen[str]


@pytest.fixture
def served(home: Home) -> Iterator[Serve]:
    """Show and play a ladder, and tell events as JSON."""
    command = [str(COMMAND), "serve", "--play", "--port", "0", "--workers", "1", "--log", "json"]
    with subprocess.Popen(
        [*command, "--ladder", str(home.path)], stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.terminate()


def heard(served: Serve, beginning: str) -> Any:
    """Read events until a message begins like this, and return that event."""
    assert served.stderr is not None
    for line in served.stderr:
        event = json.loads(line)
        if event["message"].startswith(beginning):
            return event
    raise AssertionError(f"it ended without {beginning!r}")


def player(served: Serve) -> int:
    """The process that plays."""
    children = Path(f"/proc/{served.pid}/task/{served.pid}/children").read_text().split()
    (playing,) = [
        child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return int(playing)


def test_a_bot_plays_as_soon_as_it_is_submitted(
    home: Home, served: Serve, command: Callable[..., Any]
) -> None:
    """It enters while the ladder rests, its matches are played, and SIGTERM ends all in order."""
    heard(served, "Open http://127.0.0.1:")
    heard(served, "Nothing to play")
    for bot in ("random", "greedy"):
        assert command("submit", BOTS / bot, "--ladder", home.path).status == 0
    assert heard(served, "played")["matches"] == 1

    served.terminate()
    heard(served, "Stopped.")
    assert served.wait() == 0
    with Ladder.open(home) as ladder:
        assert "running" not in {str(match.state) for match in ladder.latest(1000)}


def test_what_plays_hears_no_ctrl_c_while_it_starts(served: Serve) -> None:
    """The terminal sends it to all; only the process that shows the ladder stops by it."""
    starting: list[int] = []
    while not starting:
        with contextlib.suppress(ValueError, OSError):
            starting = [player(served)]
    while os.getpgid(starting[0]) != starting[0]:
        os.kill(starting[0], signal.SIGINT)

    heard(served, "Nothing to play")
    assert player(served) == starting[0]


def test_what_plays_is_started_again(served: Serve) -> None:
    """If the process that plays is killed, the pages stay and another takes its place."""
    heard(served, "Nothing to play")
    os.kill(player(served), signal.SIGKILL)

    assert heard(served, "Nothing to play")["level"] == "INFO"
    assert served.poll() is None


def test_nobody_plays_on_alone(served: Serve) -> None:
    """If the process that shows is killed, the one that plays ends too, in good order."""
    heard(served, "Nothing to play")
    ended = os.pidfd_open(player(served))
    served.kill()

    assert select.select([ended], [], [], 30)[0]
    os.close(ended)


def test_workers_are_for_playing(home: Home, command: Callable[..., Any]) -> None:
    """A number of workers without --play is refused."""
    ended = command("serve", "--workers", "2", "--ladder", home.path)

    assert (ended.status, ended.err) == (1, "error: --workers is for --play\n")
