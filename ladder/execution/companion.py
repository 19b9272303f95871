"""Keeps a process for each ladder that plays it for ever, beside the one that shows it.

A process of its own, because planning and rating would make readers wait, and because a bug there
must not take the pages down. One that ends is started again after a while. All end in good order
with the process that keeps them, also when that one is killed.
"""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING

from rich.console import Console

from ladder.errors import LadderError
from ladder.execution.child import ignore_interrupts, start_unheard
from ladder.home import Home
from ladder.journal import LoggedProgress, log_as_json
from ladder.ladder import Ladder
from ladder.progress import LineProgress
from ladder.reporting import Progress
from referee.sandbox.levels import open_sandbox
from referee.sandbox.trusted import WARNING
from referee.scratch import scratch

if TYPE_CHECKING:
    from ladder.execution.gatekeeper import GateSettings

_FIRST_PAUSE_S = 1.0
"""How long to wait until one that ended is started again; twice as long after each time."""
_LONGEST_PAUSE_S = 300.0


@dataclass(slots=True, eq=False)
class _Companion:
    """The process that plays one ladder."""

    home: Home
    workers: int
    json: bool
    gate: "GateSettings | None"
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    process: SpawnProcess | None = None

    async def keep(self) -> None:
        """Have it run until `stopping`, and then until it has ended."""
        pause = _FIRST_PAUSE_S
        while not self.stopping.is_set():
            arguments = (self.home, self.workers, self.json, self.gate)
            self.process = get_context("spawn").Process(target=play_apart, args=arguments)
            start_unheard(self.process)
            await _ended(self.process)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def stop(self) -> None:
        """Ask it to end after the matches under way; asked again, at once."""
        # Another signal for the second request: two of SIGTERM may be one request, heard twice.
        number = signal.SIGINT if self.stopping.is_set() else signal.SIGTERM
        self.stopping.set()
        if self.process is not None and self.process.pid and self.process.is_alive():
            os.kill(self.process.pid, number)


@dataclass(frozen=True, slots=True, eq=False)
class Companions:
    """The processes that play."""

    each: Sequence[_Companion]

    def is_alive(self, home: Home) -> bool:
        """Tell whether there is a process now that plays this ladder."""
        playing = (each.process for each in self.each if each.home == home)
        return any(process is not None and process.is_alive() for process in playing)

    def stop(self) -> None:
        """Ask them to end after the matches under way; asked again, at once."""
        for companion in self.each:
            companion.stop()


@contextlib.asynccontextmanager
async def companions(
    homes: Sequence[Home], workers: int, *, json: bool, gate: "GateSettings | None" = None
) -> AsyncIterator[Companions]:
    """Play these ladders, each with so many workers, until the end of the context.

    With a gate, which is that of one ladder, remote bots can join it. Events are told on stdout and
    stderr as lines for people, or on stderr as lines of JSON.
    """
    kept = Companions([_Companion(home, workers, json, gate) for home in homes])
    async with asyncio.TaskGroup() as group:
        for companion in kept.each:
            group.create_task(companion.keep())
        try:
            yield kept
        finally:
            if not all(companion.stopping.is_set() for companion in kept.each):
                kept.stop()


async def _ended(process: SpawnProcess) -> None:
    """Wait until a process has ended."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(process.sentinel, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(process.sentinel)
    process.join()


def play_apart(
    home: Home,
    workers: int,
    json: bool,  # noqa: FBT001 -- see `keep`
    gate: "GateSettings | None" = None,
) -> None:
    """Play a ladder for ever; what goes wrong is told. Runs in a process of its own."""
    from ladder.execution.gatehouse import opened_gate  # noqa: PLC0415 - as below
    from ladder.service import play_forever  # noqa: PLC0415 - slow to import, and not in the parent

    os.setpgrp()  # the terminal's Ctrl-C is for who keeps this process
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    progress = _progress(home, json=json)
    try:
        with (
            scratch(),
            Ladder.open(home) as ladder,
            opened_gate(ladder, gate) as gatehouse,
        ):
            level = open_sandbox(ladder.settings.sandbox).level
            progress.say(WARNING if level == "trusted" else f"Bots are contained at {level}.")
            if gatehouse is not None:
                progress.say(f"Remote bots can join at {gatehouse.address}.")
            play_forever(ladder, workers, progress, gatehouse=gatehouse)
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
