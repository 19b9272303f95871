"""Keeps a process for each ladder that plays it for ever, beside the one that shows it.

A process of its own, because planning and rating would make readers wait, and because a bug there
must not take the pages down. One that ends is started again after a while; one that shows no sign
of life is killed first. All end in good order with the process that keeps them, also when that one
is killed.
"""

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING

from rich.console import Console

from ladder.model.errors import LadderError, LockedError
from ladder.model.progress import Progress
from ladder.runner.child_process import ending, ignore_interrupts, start_blocking_signals
from ladder.runner.json_log import LoggedProgress, log_as_json
from ladder.runner.kernel_kills import kernel_kills
from ladder.runner.line_progress import LineProgress
from ladder.runner.watchdog import Watchdog
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from referee.core.lossy_output import lossy_output
from referee.core.scratch import scratch
from referee.sandbox.levels import open_sandbox
from referee.sandbox.trusted import WARNING

if TYPE_CHECKING:
    from ladder.runner.remote.gateway_process import GatewaySettings

_LOG = logging.getLogger("courtyard.run")

_FIRST_PAUSE_S = 1.0
"""How long to wait until one that ended is started again; twice as long after each time."""
_LONGEST_PAUSE_S = 300.0
_LOOK_EVERY_S = 5.0
"""How often it is looked whether one shows a sign of life."""
_LOOKS_UNTIL_STUCK = 2
"""One look is not enough: the keeper may have been stopped as long as the one that plays."""
_LOOKS_UNTIL_KILLED = 12
_LONG_LIFE_S = 60.0
"""Whoever has lived so long was not started in vain."""
_MOST_IN_VAIN = 6
"""So often one is started in vain before that is told as lost."""
_WAITS = os.EX_TEMPFAIL
"""The exit status of one that found the ladder being played already, which passes."""


class Condition(StrEnum):
    """How it goes with a process that plays."""

    PLAYING = "playing"
    STUCK = "stuck"
    """It is there, and shows no sign of life."""
    ENDED = "ended"
    """It will be started again."""


@dataclass(slots=True, eq=False)
class _PlayerProcess:
    """The process that plays one ladder."""

    home: Home
    workers: int
    json: bool
    gateway_settings: "GatewaySettings | None"
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    process: SpawnProcess | None = None
    in_vain: int = 0
    """How often it was started in a row and ended soon."""
    ending: str = ""
    """How it ended, the last time."""
    _late: int = 0
    """How many looks in a row found no sign of life."""

    @property
    def condition(self) -> Condition:
        """How it goes with it now."""
        if self.process is None or not self.process.is_alive():
            return Condition.ENDED
        return Condition.STUCK if self._late >= _LOOKS_UNTIL_STUCK else Condition.PLAYING

    async def keep(self, lost: Callable[[], None]) -> None:
        """Have it run until `stopping`, and then until it has ended.

        `lost` is called when it was started in vain too often.
        """
        pause = _FIRST_PAUSE_S
        while not self.stopping.is_set():
            began, watchdog, kills = time.monotonic(), Watchdog(), kernel_kills()
            arguments = (self.home, self.workers, self.json, self.gateway_settings, watchdog)
            self.process = get_context("spawn").Process(target=play_apart, args=arguments)
            start_blocking_signals(self.process)
            await self._ended(self.process, watchdog)
            if self.stopping.is_set():
                return
            if time.monotonic() - began >= _LONG_LIFE_S:
                pause, self.in_vain = _FIRST_PAUSE_S, 0
            self.ending = f"the process that plays {self._name} {ending(self.process, kills)}"
            self.in_vain += self.process.exitcode != _WAITS
            if self.in_vain >= _MOST_IN_VAIN:
                lost()
            if self.stopping.is_set():
                return
            _LOG.warning("%s; it is started again in %.0f s", self.ending, pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _ended(self, process: SpawnProcess, watchdog: Watchdog) -> None:
        """Wait until the process has ended; end it if it shows no sign of life for too long."""
        loop, over, self._late = asyncio.get_running_loop(), asyncio.Event(), 0
        loop.add_reader(process.sentinel, over.set)
        try:
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), _LOOK_EVERY_S)
                self._late = self._late + 1 if watchdog.is_overdue else 0
                if self._late == _LOOKS_UNTIL_KILLED:
                    _LOG.warning("the process that plays %s is stuck: it is ended", self._name)
                    process.kill()
        finally:
            loop.remove_reader(process.sentinel)
        process.join()

    @property
    def _name(self) -> str:
        return self.home.path.resolve().name

    def stop(self) -> None:
        """Ask it to end after the matches under way; asked again, at once."""
        # Another signal for the second request: two of SIGTERM may be one request, heard twice.
        number = signal.SIGINT if self.stopping.is_set() else signal.SIGTERM
        self.stopping.set()
        if self.process is not None and self.process.pid and self.process.is_alive():
            os.kill(self.process.pid, number)


@dataclass(frozen=True, slots=True, eq=False)
class PlayerProcesses:
    """The processes that play."""

    each: Sequence[_PlayerProcess]

    def condition(self, home: Home) -> Condition:
        """Return how it goes with the process that plays this ladder."""
        return next(each.condition for each in self.each if each.home == home)

    @property
    def loss(self) -> str | None:
        """Why no ladder is played any more, as far as this can be told; None while one is."""
        if any(each.in_vain < _MOST_IN_VAIN for each in self.each):
            return None
        return f"{self.each[0].ending}, {self.each[0].in_vain} times in a row"

    def stop(self) -> None:
        """Ask them to end after the matches under way; asked again, at once."""
        for player in self.each:
            player.stop()


@contextlib.asynccontextmanager
async def player_processes(
    homes: Sequence[Home],
    workers: int,
    *,
    json: bool,
    gateway_settings: "GatewaySettings | None" = None,
    lost: Callable[[], None],
) -> AsyncIterator[PlayerProcesses]:
    """Play these ladders, each with so many workers, until the end of the context.

    With a gateway, which is one ladder's, remote bots can join it. Events are told on stdout and
    stderr as lines for people, or on stderr as lines of JSON. `lost` is called when none of the
    ladders can be played: the `loss` is why.
    """
    kept = PlayerProcesses(
        [_PlayerProcess(home, workers, json, gateway_settings) for home in homes]
    )

    def one_lost() -> None:
        if kept.loss:
            kept.stop()
            lost()

    async with asyncio.TaskGroup() as group:
        for player in kept.each:
            group.create_task(player.keep(one_lost))
        try:
            yield kept
        finally:
            if not all(player.stopping.is_set() for player in kept.each):
                kept.stop()


@lossy_output()
def play_apart(
    home: Home,
    workers: int,
    json: bool,  # noqa: FBT001 -- see `keep`
    gateway_settings: "GatewaySettings | None",
    watchdog: Watchdog,
) -> None:
    """Play a ladder for ever; what goes wrong is told. Runs in a process of its own."""
    from ladder.runner.forever import play_forever  # noqa: PLC0415 - slow to import, and not in the parent
    from ladder.runner.remote.gateway import opened_gateway  # noqa: PLC0415 - as below

    os.setpgrp()  # the terminal's Ctrl-C is for who keeps this process
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    progress = _progress(home, json=json)
    try:
        with (
            scratch(),
            Ladder.open(home) as ladder,
            opened_gateway(ladder, gateway_settings) as gateway,
        ):
            level = open_sandbox(ladder.settings.sandbox).level
            progress.say(WARNING if level == "trusted" else f"Bots are contained at {level}.")
            if gateway is not None:
                progress.say(f"Remote bots can join at {gateway.address}.")
            play_forever(ladder, workers, progress, gateway=gateway, watchdog=watchdog)
    except LockedError as error:
        progress.warn(str(error))
        raise SystemExit(_WAITS) from None
    except LadderError as error:
        progress.warn(str(error))
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(1) from None


def _progress(home: Home, *, json: bool) -> Progress:
    if not json:
        return LineProgress(Console(highlight=False))
    log_as_json()
    return LoggedProgress(home.path.resolve().name)


def _end_with_parent() -> None:
    """Ask this process to end in good order when the one that keeps it is gone."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
