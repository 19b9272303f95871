"""Supervises one process per ladder that plays it, beside the process that serves the pages.

They are separate because planning and rating would delay readers, and because a bug there must not
take the pages down. A process that ends is restarted after a pause; one without a sign of life is
killed first. All end gracefully with the supervisor, even if it is killed.
"""

import asyncio
import contextlib
import logging
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from ladder.model.errors import LadderError, LockedError
from ladder.model.progress import Progress
from ladder.runner.child_process import Child, Parent, ignore_interrupts, when_alone
from ladder.runner.json_log import LoggedProgress, log_as_json
from ladder.runner.line_progress import LineProgress
from ladder.runner.log_limit import limit_log
from ladder.server.restarts import LONG_LIFE_S, Pauses
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.core.lossy_output import lossy_output
from referee.core.scratch import scratch
from referee.sandbox.levels import open_sandbox
from referee.sandbox.trusted import WARNING

if TYPE_CHECKING:
    from ladder.runner.remote.gateway_process import GatewaySettings

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 5.0
"""The interval between checks for a sign of life."""
_LOOKS_UNTIL_STUCK = 2
"""One check is not enough: supervisor and process may have been stopped together."""
_LOOKS_UNTIL_KILLED = 12
_MOST_IN_VAIN = 6
"""The number of failed starts in a row before the supervisor gives up."""
_WAITS = os.EX_TEMPFAIL
"""The exit status of a process that found the ladder already being played, which is temporary."""


class Condition(StrEnum):
    """The condition of a process that plays."""

    PLAYING = "playing"
    STUCK = "stuck"
    """Alive, but without a sign of life."""
    ENDED = "ended"
    """Ended, and about to be restarted."""


class _PlayerProcess:
    """The process that plays one ladder."""

    def __init__(
        self, home: Home, workers: int, gateway_settings: "GatewaySettings | None", *, json: bool
    ) -> None:
        self.home = home
        self.stopping = asyncio.Event()
        self.in_vain = 0
        """Failed starts in a row."""
        self.ending = ""
        """A description of its last end."""
        self._name = f"the process that plays {home.path.resolve().name}"
        given = home, workers, gateway_settings
        self.child = Child(self._name, partial(play_apart, json=json), *given)
        self._late = 0
        """Checks in a row without a sign of life."""

    @property
    def condition(self) -> Condition:
        """Its current condition."""
        if not self.child.process.is_alive():
            return Condition.ENDED
        return Condition.STUCK if self._late >= _LOOKS_UNTIL_STUCK else Condition.PLAYING

    async def keep(self, lost: Callable[[], None]) -> None:
        """Run and restart the process until `stopping`, then wait for its end.

        Call `lost` after too many failed starts.
        """
        pauses = Pauses()
        while not self.stopping.is_set():
            began = time.monotonic()
            self.child.heartbeat.promise()
            self.child.start()
            await self._ended()
            if self.stopping.is_set():
                return
            lived = time.monotonic() - began
            if lived >= LONG_LIFE_S:
                self.in_vain = 0
            self.ending = self.child.ending()
            self.in_vain += self.child.process.exitcode != _WAITS
            if self.in_vain >= _MOST_IN_VAIN:
                lost()
            if self.stopping.is_set():
                return
            pause = pauses.after(lived)
            _LOG.warning("%s; restarting it in %.0f s", self.ending, pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), pause)

    async def _ended(self) -> None:
        """Wait until the process has ended; kill it after too long without a sign of life."""
        process, self._late = self.child.process, 0
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(process.sentinel, over.set)
        try:
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), _LOOK_EVERY_S)
                self._late = self._late + 1 if self.child.heartbeat.is_overdue else 0
                if self._late == _LOOKS_UNTIL_KILLED:
                    _LOG.warning("%s is stuck: killing it", self._name)
                    process.kill()
        finally:
            loop.remove_reader(process.sentinel)
        self.child.reap()

    def stop(self) -> None:
        """Ask the process to end after its running matches; a second call ends it at once."""
        # The second request needs another signal: two SIGTERMs may be one request, received twice.
        number = signal.SIGINT if self.stopping.is_set() else signal.SIGTERM
        self.stopping.set()
        if self.child.process.is_alive():
            os.kill(self.child.process.pid or 0, number)


@dataclass(frozen=True, slots=True, eq=False)
class PlayerProcesses:
    """The processes that play."""

    each: Sequence[_PlayerProcess]

    def condition(self, home: Home) -> Condition:
        """Return the condition of the process that plays this ladder."""
        return next(each.condition for each in self.each if each.home == home)

    @property
    def loss(self) -> str | None:
        """Why no ladder is played any more; None while at least one is."""
        if any(each.in_vain < _MOST_IN_VAIN for each in self.each):
            return None
        return f"{self.each[0].ending}, {self.each[0].in_vain} times in a row"

    def stop(self) -> None:
        """Ask all processes to end after their running matches; a second call ends them at once."""
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
    """Play these ladders, each with this many workers, until the end of the context.

    With gateway settings, which need a single ladder, remote bots can join. Events go to stdout and
    stderr as text, or to stderr as JSON lines. Call `lost` when no ladder can be played any more;
    `loss` says why.
    """
    kept = PlayerProcesses(
        [_PlayerProcess(home, workers, gateway_settings, json=json) for home in homes]
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
    parent: Parent,
    home: Home,
    workers: int,
    gateway_settings: "GatewaySettings | None",
    *,
    json: bool,
) -> None:
    """Play a ladder forever, in a process of its own; report all problems."""
    from ladder.runner.forever import play_forever  # noqa: PLC0415 - slow to import, and not in the parent
    from ladder.runner.remote.gateway import opened_gateway  # noqa: PLC0415 - as below

    os.setpgrp()  # the supervisor handles the terminal's Ctrl-C
    ignore_interrupts()
    when_alone(partial(os.kill, os.getpid(), signal.SIGTERM))
    progress = _progress(home, json=json)
    try:
        with (
            scratch(),
            Ladder.open(home) as ladder,
            opened_gateway(ladder, gateway_settings) as gateway,
        ):
            level = open_sandbox(ladder.settings.sandbox).level
            progress.say(WARNING if level == "trusted" else f"Sandbox level: {level}.")
            if gateway is not None:
                progress.say(f"Remote bots can join at {gateway.address}.")
            beating = parent.heartbeat
            play_forever(ladder, workers, progress, gateway=gateway, heartbeat=beating)
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
        limit_log()
        return LineProgress()
    log_as_json()
    return LoggedProgress(home.path.resolve().name)
