"""Time a decision, and judge whether the machine made a bot late.

A busy machine shows in two places: the bot's process waits for a core, and so does the referee's
own thread, which hardly uses one. The machine is to blame if the bot would have been in time
without the longer of these waits, or without both where exact work is charged. A bot that burns all
cores causes both, so the CPU time of its own processes is deducted from the waits, and a bot that
ran for its allowed time has no excuse.

A bot can cause the wait of a process and the kernel's pressure figures in more ways than anyone can
list. So a busy machine voids only some attempts at a match, and a pause of the referee voids none
in which the bot fills the machine's memory.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.core.clock import Measured, is_starved
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.kernel import kernel
from referee.sandbox.process import SHARE_OF_MEMORY, BotProcess

PRESSURE = Path("/proc/pressure")
"""The kernel's pressure files."""
_PRESSURES = ("cpu", "memory", "io")
_SHORT_OF_MEMORY = 1.0
"""Percentage of time in which something waited for memory."""
_US_A_TICK = 1_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The state of the machine when a bot seemed late."""

    measured: Measured
    """The bot's own times."""
    waited_us: int
    """How long the referee's own thread waited for a core meanwhile."""
    ran_us: int
    """CPU time of all the bot's processes, as far as measured."""
    pressures: tuple[tuple[str, float], ...]
    """Percentage of the last 10 s by resource; empty if the kernel has no figures."""

    def held_up(self, allowed_us: int) -> Measured | None:
        """Return the measurements that blame the machine; None if they do not.

        Their delay is how long the machine held up the bot or the referee.
        """
        others_us = max(0, self.ran_us - self.measured.cpu_us)
        delay_us = max(self.measured.delay_us - others_us, self.waited_us - self.ran_us)
        return self._without(delay_us, allowed_us)

    def unfit(self, allowed_us: int) -> Measured | None:
        """Do the same, with the referee's own wait alone."""
        return self._without(self.waited_us - self.ran_us, allowed_us)

    def read_late(self, allowed_us: int) -> Measured | None:
        """Do the same for an answer that is charged by exact work, thus without the bot's wait.

        Once it was there, the referee may have waited for a core to read it.
        """
        read_us = max(0, self.waited_us - self.ran_us)
        return self._without(self.measured.delay_us + read_us, allowed_us)

    def _without(self, delay_us: int, allowed_us: int) -> Measured | None:
        """Return the measurements with this delay if the bot was in time without it, else None."""
        if self.ran_us > allowed_us:
            return None
        without = self.measured._replace(delay_us=max(0, min(delay_us, self.measured.wall_us)))
        return without if is_starved(without, allowed_us) else None

    def __str__(self) -> str:
        """Return the text for a verdict."""
        waits = (
            f"the referee waited for a core for {self.waited_us // 1000} ms, "
            f"the bot for {self.measured.delay_us // 1000} ms"
        )
        if not self.pressures:
            return waits
        told = ", ".join(f"{name} {percent:.0f} %" for name, percent in self.pressures)
        return f"{waits}; pressure: {told}"


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

    def with_waits(self) -> Measured:
        """Return them with the referee's own wait for a core if that is longer."""
        measured = self.measured()
        delay_us = min(max(measured.delay_us, self._waited_us()), measured.wall_us)
        return measured._replace(delay_us=delay_us)

    def _waited_us(self) -> int:
        return (self._pauses.waited_ns() - self._waited_ns) // 1000

    def note(self) -> None:
        """Note the CPU time so far: the decision takes longer than most."""
        if self._process is not None and self._ran_us is None:
            self._ran_us = run_us(self._process)

    def conditions(self, measured: Measured) -> Conditions:
        """Return the state of the machine during the decision."""
        ran_us = measured.cpu_us
        if self._process is not None and self._ran_us is not None:
            ran_us = max(ran_us, run_us(self._process) - self._ran_us)
        waited_us = min(self._waited_us(), measured.wall_us)
        return Conditions(measured, waited_us, ran_us, pressures())


def run_us(process: BotProcess) -> int:
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


def fills_memory(process: BotProcess) -> bool:
    """Return whether memory is short and the bot is partly to blame."""
    short = dict(pressures()).get("memory", 0.0) >= _SHORT_OF_MEMORY
    if not short or not process.root:
        return False
    held = kernel.held(kernel.descendants(process.root))
    return held.resident_bytes >= SHARE_OF_MEMORY * process.most_memory


def pressures() -> tuple[tuple[str, float], ...]:
    """Return the percentage of the last 10 s in which something waited for cores, memory, disks."""
    found = ((name, _pressure(PRESSURE / name)) for name in _PRESSURES)
    return tuple((name, percent) for name, percent in found if percent is not None)


def _pressure(file: Path) -> float | None:
    try:
        some = file.read_text().split("\n", 1)[0]  # some avg10=0.00 avg60=... total=123
        return float(some.partition("avg10=")[2].split()[0])
    except (OSError, ValueError, IndexError):
        return None
