"""Whether the machine was fit while a bot was waited for: asked before a bot is called late.

What holds a machine up is seen in two places: the bot's process waits for a core, and so does the
referee's own thread, which hardly uses one. A bot is excused if it would have been in time without
the longer of these waits. A bot that burns all cores brings both about. So what its own processes
ran is taken off the waits, and one that ran for as long as it might is excused for nothing.

The wait of one process and the pressure that the kernel tells can be brought about in more ways
than can be listed. So a busy machine excuses a bot in some attempts at a match only, and a referee
that was paused excuses none that fills the machine's memory.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from referee.core.clock import Measured, is_starved
from referee.sandbox import memory_usage, process_tree
from referee.sandbox.pauses import Pauses
from referee.sandbox.process import BotProcess
from referee.sandbox.signal_freezer import cpu_ns

PRESSURE = Path("/proc/pressure")
"""Where the kernel tells of it."""
_PRESSURES = ("cpu", "memory", "io")
_SHARE_OF_MEMORY = 0.5
"""A bot that holds so much of what it may hold has a part in it if memory is short."""
_SHORT_OF_MEMORY = 1.0
"""In percent of the time in which something waited for memory."""
_US_A_TICK = 1_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What there was to see of the machine when a bot was about to be called late."""

    measured: Measured
    """What was measured of the bot."""
    waited_us: int
    """How long the referee's own thread has waited for a core meanwhile."""
    ran_us: int
    """CPU time of all processes of the bot, as far as it was seen."""
    pressures: tuple[tuple[str, float], ...]
    """In percent of the last 10 seconds; nothing where the kernel does not tell."""

    def held_up(self, allowed_us: int) -> Measured | None:
        """Return what shows that the bot is late because of the machine; None if nothing does.

        The delay is then how long the machine held the bot or the referee up.
        """
        others_us = max(0, self.ran_us - self.measured.cpu_us)
        delay_us = max(self.measured.delay_us - others_us, self.waited_us - self.ran_us)
        return self._without(delay_us, allowed_us)

    def unfit(self, allowed_us: int) -> Measured | None:
        """Return the same by what held up the referee alone."""
        return self._without(self.waited_us - self.ran_us, allowed_us)

    def _without(self, delay_us: int, allowed_us: int) -> Measured | None:
        """Return what was measured with another delay, if the bot would be in time without it."""
        if self.ran_us > allowed_us:
            return None
        without = replace(self.measured, delay_us=max(0, min(delay_us, self.measured.wall_us)))
        return without if is_starved(without, allowed_us) else None

    def __str__(self) -> str:
        """Say it in the words of a verdict."""
        waits = (
            f"the referee waited for a core for {self.waited_us // 1000} ms, "
            f"the bot for {self.measured.delay_us // 1000} ms"
        )
        if not self.pressures:
            return waits
        told = ", ".join(f"{name} {percent:.0f} %" for name, percent in self.pressures)
        return f"{waits}; pressure: {told}"


class DecisionTiming:
    """The time for which one bot is waited for."""

    def __init__(
        self,
        pauses: Pauses,
        measure: Callable[[int], Measured],
        process: BotProcess | None,
        *,
        new: bool = False,
    ) -> None:
        """Begin; `measure` tells what the bot took since a moment, `new`: its process just began.

        A bot that runs elsewhere has no process.
        """
        self._pauses = pauses
        self._measure = measure
        self._process = process
        self._ran_us: int | None = 0 if new else None
        """What all processes of the bot had run when that was noted."""
        self.began_ns = pauses.now_ns()
        self._waited_ns = pauses.waited_at_beat_ns

    def measured(self) -> Measured:
        """Return what the bot has taken so far."""
        return self._measure(self.began_ns)

    def with_waits(self) -> Measured:
        """Return that with the referee's own wait for a core, where it is the longer."""
        measured = self.measured()
        delay_us = min(max(measured.delay_us, self._waited_us()), measured.wall_us)
        return replace(measured, delay_us=delay_us)

    def _waited_us(self) -> int:
        return (self._pauses.waited_ns() - self._waited_ns) // 1000

    def note(self) -> None:
        """Note what the bot has run until now: it takes longer than most decisions."""
        if self._process is not None and self._ran_us is None:
            self._ran_us = run_us(self._process)

    def conditions(self, measured: Measured) -> Conditions:
        """Return how the machine was while the bot was waited for."""
        ran_us = measured.cpu_us
        if self._process is not None and self._ran_us is not None:
            ran_us = max(ran_us, run_us(self._process) - self._ran_us)
        waited_us = min(self._waited_us(), measured.wall_us)
        return Conditions(measured, waited_us, ran_us, pressures())


def run_us(process: BotProcess) -> int:
    """Return the CPU time of all processes of a bot, also of those that have ended; slow.

    Only a child that ended unheard of, because its parent ignores that, is missed.
    """
    root = process.root
    if not root:
        return 0
    total = 0
    for one in (root, *process_tree.descendants(root)):
        total += cpu_ns(one) // 1000 + process_tree.children_ticks(one) * _US_A_TICK
    return total


def fills_memory(process: BotProcess) -> bool:
    """Tell whether memory is short, and the bot has a part in it."""
    short = dict(pressures()).get("memory", 0.0) >= _SHORT_OF_MEMORY
    if not short or not process.root:
        return False
    held = memory_usage.held(process_tree.descendants(process.root))
    return held.resident_bytes >= _SHARE_OF_MEMORY * process.most_memory


def pressures() -> tuple[tuple[str, float], ...]:
    """Return for how much of the last 10 s something waited for cores, memory and disks."""
    found = ((name, _pressure(PRESSURE / name)) for name in _PRESSURES)
    return tuple((name, percent) for name, percent in found if percent is not None)


def _pressure(file: Path) -> float | None:
    try:
        some = file.read_text().split("\n", 1)[0]  # some avg10=0.00 avg60=... total=123
        return float(some.partition("avg10=")[2].split()[0])
    except (OSError, ValueError, IndexError):
        return None
