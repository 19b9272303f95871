"""`ladder serve --play`: one process shows a ladder and keeps another that plays it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ladder.model import heartbeat
from ladder.model.errors import LadderError
from ladder.model.matches import MatchState
from ladder.results import queries
from ladder.server import player_process, restarts
from ladder.server.player_process import PlayerProcesses, player_processes
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.server.web.health import Health
from ladder.server.web.server import Playing, serve
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.processes import Watched, children, is_python_child
from tests.support.waiting import until

COMMAND = Path(sys.executable).with_name("ladder")
BOTS = Path(__file__).resolve().parents[3] / "sample_bots" / "python" / "courtisans"
Serve = subprocess.Popen[str]


@pytest.fixture
def served(home: Home) -> Iterator[Serve]:
    """Show and play a ladder, logging events as JSON."""
    command = [str(COMMAND), "serve", "--play", "--port", "0", "--workers", "1", "--log", "json"]
    with subprocess.Popen(
        [*command, "--ladder", str(home.path)], stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.terminate()


def heard(served: Serve, beginning: str) -> Any:
    """Return the first event whose message begins like this."""
    assert served.stderr is not None
    for line in served.stderr:
        event = json.loads(line)
        if event["message"].startswith(beginning):
            return event
    raise AssertionError(f"it ended without {beginning!r}")


def player(served: Serve) -> int:
    """The player process."""
    (playing,) = filter(is_python_child, children(served.pid))
    return playing


@pytest.mark.costly
def test_a_bot_plays_as_soon_as_it_is_submitted(
    home: Home, served: Serve, command: Callable[..., Any]
) -> None:
    """The bot enters a resting ladder and plays; SIGTERM ends all cleanly."""
    heard(served, "Open http://127.0.0.1:")
    heard(served, "Nothing to play")
    for bot in ("random", "greedy"):
        assert command("submit", BOTS / bot, "--ladder", home.path).status == 0
    assert heard(served, "played")["matches"] == 1

    served.terminate()
    heard(served, "Stopped.")
    assert served.wait() == 0
    with Ladder.open(home) as ladder:
        assert "running" not in {str(match.state) for match in queries.latest(ladder, 1000)}


@pytest.mark.costly
def test_what_plays_hears_no_ctrl_c_while_it_starts(served: Serve) -> None:
    """The terminal sends it to all; only the process that shows the ladder obeys."""
    starting = until(lambda: next(filter(is_python_child, children(served.pid)), 0))

    def has_its_group() -> bool:
        if os.getpgid(starting) == starting:
            return True
        os.kill(starting, signal.SIGINT)
        return False

    until(has_its_group)
    heard(served, "Nothing to play")
    assert player(served) == starting


@pytest.mark.costly
def test_what_plays_is_started_again(served: Serve) -> None:
    """If the player process is killed, the pages stay and another replaces it."""
    heard(served, "Nothing to play")
    os.kill(player(served), signal.SIGKILL)

    assert heard(served, "Nothing to play")["level"] == "INFO"
    assert served.poll() is None


@pytest.mark.costly
def test_the_player_process_does_not_play_on_alone(served: Serve) -> None:
    """If the process that shows is killed, the player process ends too."""
    heard(served, "Nothing to play")
    playing = Watched(player(served))
    served.kill()

    assert playing.ends()


def test_workers_are_for_playing(home: Home, command: Callable[..., Any]) -> None:
    """`serve` refuses workers without --play."""
    ended = command("serve", "--workers", "2", "--ladder", home.path)

    assert (ended.status, ended.err) == (1, "error: --workers needs --play\n")


async def comes(true: Callable[[], bool]) -> None:
    """Let others work until a condition holds."""
    while not true():  # noqa: ASYNC110 -- no event tells
        await asyncio.sleep(0.005)


@pytest.mark.costly
def test_what_is_stuck_is_told_and_replaced(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """/health reports a player process that shows no sign of life, and another replaces it."""
    hours = 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 3600 * hours)
    monkeypatch.setattr(heartbeat, "time", clock)
    monkeypatch.setattr(player_process, "_LOOK_EVERY_S", 0.01)

    async def stop_one(ladder: Ladder) -> None:
        nonlocal hours
        health = Health([Following(PublicReader(ladder))])

        def player() -> object:
            return health.report()["ladders"][0]["player"]

        async with player_processes([home], 1, json=False, lost=lambda: None) as kept:
            health.player_processes = kept
            await comes(lambda: player() == "playing")
            first = kept.each[0].child.process
            os.kill(first.pid or 0, signal.SIGSTOP)
            hours = 1
            await comes(lambda: player() == "stuck")
            assert health.report()["status"] == "failing"
            await comes(lambda: not first.is_alive())
            hours = 0
            await comes(lambda: player() == "playing")

    with Ladder.open(home) as ladder:
        asyncio.run(stop_one(ladder))


@pytest.mark.costly
def test_what_cannot_be_played_ends_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the player process fails again and again, the command fails and says how."""
    monkeypatch.setattr(player_process, "_MOST_IN_VAIN", 2)
    monkeypatch.setattr(restarts, "FIRST_PAUSE_S", 0.01)
    nowhere = Home(home.path / "nowhere")

    with Ladder.open(home) as ladder:
        shown = [Following(PublicReader(ladder))]
        playing = Playing([nowhere], 1, json=False)
        with pytest.raises(
            LadderError, match="plays nowhere exited with status 1, 2 times in a row"
        ):
            serve(shown, "127.0.0.1", 0, lambda _: None, playing)


@pytest.mark.costly
def test_who_waits_for_another_run_is_not_lost(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    make_bot: Callable[[str], Path],
    enter: Callable[..., Any],
) -> None:
    """While another process plays the ladder it retries, without counting failures."""
    with Ladder.open(home) as ladder:
        for name in ("ann", "bob"):
            enter(ladder, make_bot(name))
    monkeypatch.setattr(player_process, "_MOST_IN_VAIN", 1)
    monkeypatch.setattr(restarts, "FIRST_PAUSE_S", 0.01)
    lost: list[PlayerProcesses] = []

    async def wait_for_the_lock() -> None:
        async with player_processes([home], 1, json=False, lost=lambda: lost.append(kept)) as kept:
            await comes(lambda: bool(kept.each[0].ending))
            assert "exited with status 75" in kept.each[0].ending

    with home.locked():
        asyncio.run(wait_for_the_lock())
    assert lost == []


@pytest.mark.costly
@pytest.mark.parametrize(
    "words",
    [
        ["run", "--rounds", "1"],
        pytest.param(["serve", "--play", "--port", "0"], marks=pytest.mark.proof),
    ],
)
def test_unread_output_stops_nothing(
    home: Home, command: Callable[..., Any], words: list[str]
) -> None:
    """Bots play on though the pipe is closed and the disk of stderr full."""
    for bot in ("random", "greedy"):
        assert command("submit", BOTS / bot, "--ladder", home.path).status == 0
    reading, writing = os.pipe()
    os.close(reading)
    with Ladder.open(home) as ladder, Path("/dev/full").open("w") as full:
        process = subprocess.Popen(
            [str(COMMAND), *words, "--workers", "1", "--ladder", str(home.path)],
            stdout=writing,
            stderr=full,
        )
        os.close(writing)

        def has_played() -> bool:
            assert process.poll() in (None, 0)
            return any(match.state is MatchState.DONE for match in queries.latest(ladder, 10))

        until(has_played)
        if words[0] == "serve":
            process.terminate()
        assert process.wait() == 0
