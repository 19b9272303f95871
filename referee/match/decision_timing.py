"""Time a decision, wait until its time is over, and report what the machine was like."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from referee.core.clock import NOT_MEASURED, Measured
from referee.core.verdicts import Came, Facts, patience_us
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.kernel import kernel
from referee.sandbox.process import BotProcess

PRESSURE = Path("/proc/pressure")
"""The kernel's pressure files."""
_PRESSURES = ("cpu", "memory", "io")
_US_A_TICK = 1_000_000 // os.sysconf("SC_CLK_TCK")


class DecisionTiming:
    """The timing of one decision, or of a bot's start."""

    def __init__(
        self,
        pauses: Pauses,
        measure: Callable[[int], Measured],
        process: BotProcess | None,
        *,
        new: bool = False,
    ) -> None:
        """Start timing; `measure` returns the bot's times since a monotonic time in ns.

        `process` is None for a remote bot; `new`: the process has just started.
        """
        self._pauses = pauses
        self._measure = measure
        self._process = process
        self._ran_us: int | None = 0 if new else None
        """CPU time of all the bot's processes at the `note`."""
        self.began_ns = pauses.now_ns()
        self._waited_ns = pauses.waited_at_beat_ns

    def measured(self) -> Measured:
        """Return the bot's times so far."""
        return self._measure(self.began_ns)

    def patience_us(self, allowed_us: int) -> int:
        """Return how many microseconds longer to wait for the bot."""
        return patience_us(self.measured(), allowed_us, self._waited_us())

    def _waited_us(self) -> int:
        return (self._pauses.waited_ns() - self._waited_ns) // 1000

    def note(self) -> None:
        """Note the CPU time so far: the decision takes longer than most."""
        if self._process is not None and self._ran_us is None:
            self._ran_us = _run_us(self._process)

    def facts(self, came: Came, allowed_us: int, measured: Measured, **known: Any) -> Facts:
        """Return the facts of this decision; `known` are those that only its caller knows."""
        ran_us, held = measured.cpu_us, 0.0
        if self._process is not None:
            held = self._process.held()
            if self._ran_us is not None:
                ran_us = max(ran_us, _run_us(self._process) - self._ran_us)
        return Facts(
            came,
            allowed_us,
            measured,
            waited_us=min(self._waited_us(), measured.wall_us),
            ran_us=ran_us,
            pressures=_pressures(),
            held=held,
            pause=self._pauses.latest(),
            began_ns=self.began_ns,
            **known,
        )


def _run_us(process: BotProcess) -> int:
    """Return the CPU time of all processes of a bot, ended ones included; slow.

    Misses only ended children of a parent that ignores SIGCHLD.
    """
    root = process.root
    if not root:
        return 0
    total = 0
    for one in (root, *kernel.descendants(root)):
        total += kernel.cpu_ns(one) // 1000 + kernel.children_ticks(one) * _US_A_TICK
    return total


def _pressures() -> tuple[tuple[str, float], ...]:
    """Return the percentage of the last 10 s in which something waited for cores, memory, disks."""
    found = ((name, _pressure(PRESSURE / name)) for name in _PRESSURES)
    return tuple((name, percent) for name, percent in found if percent is not None)


def _pressure(file: Path) -> float | None:
    try:
        some = file.read_text().split("\n", 1)[0]  # some avg10=0.00 avg60=... total=123
        return float(some.partition("avg10=")[2].split()[0])
    except (OSError, ValueError, IndexError):
        return None


T = TypeVar("T")

_NOTED_AFTER_US = 100_000
"""A longer decision may need a verdict: its measurements start then."""
_LATE_S = 0.005
_TURN_US = 20_000
"""Lets the event loop read what has arrived before the verdict."""


async def in_time(timing: DecisionTiming, allowed_us: int, awaited: Awaitable[T]) -> T:
    """Await the bot's answer; raise `TimeoutError` once it has worked longer than allowed."""
    async with asyncio.timeout(None) as patience:
        deadline = _Deadline(timing, allowed_us, patience)
        try:
            return await awaited
        finally:
            deadline.stop()


class _Deadline:
    """Checks now and then whether the time is over.

    A check that is itself late gives no verdict, as an unread answer may have arrived.
    """

    def __init__(self, timing: DecisionTiming, allowed_us: int, patience: asyncio.Timeout) -> None:
        self._timing = timing
        self._allowed_us = allowed_us
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._has_read = False
        self._look_in(min(_NOTED_AFTER_US, patience_us(NOT_MEASURED, allowed_us)))

    def _look_in(self, in_us: int) -> None:
        self._due_s = time.monotonic() + in_us / 1e6
        self._handle = self._loop.call_later(in_us / 1e6, self._look)

    def _look(self) -> None:
        is_late = time.monotonic() > self._due_s + _LATE_S
        self._timing.note()
        left_us = self._timing.patience_us(self._allowed_us)
        if not left_us and is_late and not self._has_read:
            self._has_read = True
            left_us = _TURN_US
        if left_us:
            self._look_in(left_us)
        else:
            self._patience.reschedule(self._loop.time())

    def stop(self) -> None:
        """Stop checking."""
        self._handle.cancel()
