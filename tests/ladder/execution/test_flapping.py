"""Remote bots of one author that join and leave again and again, at a real gateway."""

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

import grpc
import grpc.aio
import pytest

from ladder import running, tokens
from ladder.execution.gatehouse import Gatehouse
from ladder.execution.gatekeeper import GateSettings
from ladder.execution.interrupts import Interrupts
from ladder.ladder import Ladder, create
from ladder.models import MatchState
from ladder.rounds import Rounds
from ladder.running import MOST_VOID_IN_A_ROW, run
from ladder.submitting import submit
from referee.clock import ClockConfig
from referee.sandbox.program import Level
from tests.crowd import Crowd
from tests.remote_bots import HERE, Keys, dialled, hello, joined

FLAPPING = tuple("abcdefgh")
SOON = 60.0
"""Seconds within which a bot joins, however busy the machine is."""
STAY_S = 0.0
"""For how long a bot stays that flaps."""
QUICK = ClockConfig(decision_limit_ms=300, bank_ms=300)
"""Whoever leaves in the middle of a match forfeits soon."""


class Flock:
    """Bots that join and leave in turn until this is left. They live in a thread."""

    def __init__(self, address: str, roots: Path, names: Sequence[str], token: str) -> None:
        """Let these join with their author's token."""
        self._address, self._roots = address, roots
        self._names, self._token = names, token
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._flap()))

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let all leave."""
        self._over.set()
        self._thread.join()

    async def _flap(self) -> None:
        credentials = grpc.ssl_channel_credentials(self._roots.read_bytes())
        async with dialled(self._address, credentials) as channel:
            for name in itertools.cycle(self._names):
                if self._over.is_set():
                    return
                stream = await joined(channel, hello(name, self._token))
                await stream.read()
                await asyncio.sleep(STAY_S)
                stream.cancel()


class Told:
    """What a run reports; acts when so many matches were given up, and so many were played."""

    def __init__(self, void: int, calm: Callable[[], None], played: int) -> None:
        """Call `calm` after so many void matches in a row, stop after so many more are played."""
        self._void, self._calm, self._played = void, calm, played

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Do nothing."""

    def advance(self, decisions: int) -> None:
        """Count."""
        if decisions == 0 and self._void > 0:
            self._void -= 1
            if not self._void:
                self._calm()
        elif decisions and not self._void:
            self._played -= 1
            if not self._played:
                os.kill(os.getpid(), signal.SIGINT)

    def tell(self, status: str) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Do nothing."""

    def warn(self, text: str) -> None:
        """Do nothing."""


@pytest.fixture
def ladder(tmp_path: Path, make_remote_bot: Callable[[str], Path]) -> Iterator[Ladder]:
    """Make a ladder of eight remote bots of one author and one of another."""
    home = create(
        tmp_path / "ladder",
        game="courtisans",
        seats=2,
        config={},
        clock=QUICK,
        secret="a seed",  # noqa: S106 -- nobody guesses here
        sandbox=Level.TRUSTED,
    )
    with Ladder.open(home) as opened:
        for name in FLAPPING:
            submit(opened, make_remote_bot(name), lambda _: None, author="eve")
        submit(opened, make_remote_bot("steady"), lambda _: None, author="ann")
        yield opened


def test_bots_that_flap_do_not_stop_the_ladder(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every match has one of them, and dozens are void; once they stay, all is played."""
    monkeypatch.setattr(running, "SECONDS_TO_COME_BACK", 0.05)
    keys = Keys.made(tmp_path)
    of_eve, of_ann = (tokens.create(ladder, author) for author in ("eve", "ann"))
    settings = GateSettings(f"{HERE}:0", keys.of_gate)
    with Gatehouse(ladder.home, settings, Level.TRUSTED) as gatehouse, Interrupts() as interrupts:
        flock = Flock(gatehouse.address, keys.roots, FLAPPING, of_eve)
        stay = Crowd(gatehouse.address, keys.roots, dict.fromkeys(FLAPPING, of_eve))
        calm = threading.Event()

        def change() -> None:
            flock._over.set()
            calm.set()

        def later() -> None:
            calm.wait()
            flock.__exit__()
            stay.__enter__()

        told = Told(3 * MOST_VOID_IN_A_ROW, change, played=4)
        change_over = threading.Thread(target=later)
        with Crowd(gatehouse.address, keys.roots, {"steady": of_ann}), flock:
            change_over.start()
            steady = [t.version for t in ladder.tallies() if t.version.bot == "steady"]
            assert not gatehouse.gather(steady, SOON)
            planner = Rounds(ladder, attendance=gatehouse.here)
            report = run(
                ladder, planner, 1, told, gatehouse=gatehouse, interrupts=interrupts, enduring=True
            )
        change_over.join()
        stay.__exit__()

    print(report)
    assert report.void >= 3 * MOST_VOID_IN_A_ROW
    assert report.matches >= 4
    assert {line.state for line in ladder.latest(10_000)} <= set(MatchState)
