"""Time a decision, and report what the machine was like."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.core.clock import Measured
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
