"""Remote bots of one author that keep joining and leaving a real gateway."""

import asyncio
import contextlib
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

from ladder.results import queries
from ladder.runner import run as running
from ladder.runner.interrupts import Interrupts
from ladder.runner.remote.gateway import Gateway
from ladder.runner.remote.gateway_process import GatewaySettings
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage import tokens
from ladder.storage.ladder import Ladder, create
from ladder.submission.submit import submit
from referee.core.clock import ClockConfig
from referee.core.verdicts import MOST_VOID_IN_A_ROW
from referee.sandbox.program import Level
from tests.support.bot_clients import BotClients
from tests.support.remote_bots import HERE, Keys, dialled, hello, joined

FLAPPING, STEADY = "abcdefgh", "steady"
SOON = 60.0
"""Seconds within which a bot joins, however busy the machine is."""
VOID, PLAYED = MOST_VOID_IN_A_ROW + 5, 4
QUICK = ClockConfig(decision_limit_ms=300, bank_ms=300)
"""A bot that leaves during a match forfeits soon."""


class Flock:
    """Bots, in a thread, that join and leave in turn until told to stay."""

    def __init__(self, address: str, roots: Path, names: str, token: str) -> None:
        """Let these join with their author's token."""
        self._where = address, roots
        self._tokens = dict.fromkeys(names, token)
        self.calm, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let all leave."""
        self.calm.set()
        self._over.set()
        self._thread.join()

    def _live(self) -> None:
        asyncio.run(self._flap())
        with BotClients(*self._where, self._tokens):
            self._over.wait()

    async def _flap(self) -> None:
        address, roots = self._where
        credentials = grpc.ssl_channel_credentials(roots.read_bytes())
        bots = itertools.cycle(self._tokens.items())
        while not self.calm.is_set():
            # The gateway ends a connection that has taken back too many calls.
            async with dialled(address, credentials) as channel:
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    while not self.calm.is_set():
                        stream = await joined(channel, hello(*next(bots)))
                        await stream.read()  # now it is admitted
                        stream.cancel()


class Told:
    """Counts what a run reports, and stops it in the end."""

    def __init__(self, void: int, calm: threading.Event, played: int) -> None:
        """Set `calm` after `void` void matches, and stop after `played` more that are played."""
        self._void, self._calm, self._played = void, calm, played

    def begin(self) -> None:
        """Do nothing."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Do nothing."""

    def advance(self, decisions: int) -> None:
        """Count."""
        if decisions == 0 and self._void > 0:
            self._void -= 1
            if not self._void:
                self._calm.set()
        elif decisions and not self._void:
            self._played -= 1
            if not self._played:
                os.kill(os.getpid(), signal.SIGINT)

    def tell(self, status: str) -> None:
        """Do nothing."""

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
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
        secret="a seed",
        sandbox=Level.TRUSTED,
    )
    with Ladder.open(home) as opened:
        for name in FLAPPING:
            submit(opened, make_remote_bot(name), lambda _: None, author="eve")
        submit(opened, make_remote_bot(STEADY), lambda _: None, author="ann")
        yield opened


@pytest.mark.proof
def test_bots_that_flap_do_not_stop_the_ladder(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the bots flap many matches are void; once they stay, all are played."""
    monkeypatch.setattr(running, "SECONDS_TO_COME_BACK", 0.05)
    keys = Keys.made(tmp_path)
    of_eve, of_ann = (tokens.create(ladder, author) for author in ("eve", "ann"))
    steady = [tally.version for tally in queries.tallies(ladder) if tally.version.bot == STEADY]
    settings = GatewaySettings(f"{HERE}:0", keys.of_gate)
    with Gateway(ladder.home, settings, Level.TRUSTED) as gateway, Interrupts() as interrupts:
        where = gateway.address, keys.roots
        with BotClients(*where, {STEADY: of_ann}), Flock(*where, FLAPPING, of_eve) as flock:
            assert not gateway.gather(steady, SOON)
            report = run(
                ladder,
                LadderPlanner(ladder, presence=gateway.presence),
                1,
                Told(VOID, flock.calm, PLAYED),
                gateway=gateway,
                interrupts=interrupts,
                enduring=True,
            )

    assert report.void >= VOID
    assert report.matches >= PLAYED
