"""For how long a process was paused, as whoever started it sees, also while it is.

A thread of the process notes the time twice a second, in memory that both share. Where it comes
late by more than the process's own work and waits for a core explain, the process was stopped, or
its container or machine was. The referee does the same for its clocks, with more precision.
"""

import mmap
import threading
import time
from ctypes import c_double, sizeof
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any, Self

from referee.sandbox.pauses import all_threads_ns

_BEAT_S = 0.5
_LEAST_S = 0.5
"""A shorter pause is not told from the time that threads take turns."""
SECONDS_BETWEEN_LOOKS = 0.1
"""Whoever waits by a process's `clock` looks again after so long at least: it may be paused."""


class Heartbeat:
    """Shared by a process and the one that started it."""

    def __init__(self, memory: Any = None) -> None:
        """Know of no pause before the first beat; by default the memory is of one's children."""
        self._memory = RawArray(c_double, 2) if memory is None else memory
        """When it last beat, and for how long it was paused in all."""

    @classmethod
    def at(cls, file: Path) -> Self:
        """Return one in a file, which is made if it is not there."""
        memory = c_double * 2
        with file.open("a+b") as opened:
            opened.truncate(sizeof(memory))
            return cls(memory.from_buffer(mmap.mmap(opened.fileno(), sizeof(memory))))

    def begin(self) -> None:
        """Beat from now on, in a thread of this process; until now nobody did for a while."""
        if self._memory[0]:
            self._note(time.monotonic() - self._memory[0])
        self._note(0.0)
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        while True:
            began, worked_ns = time.monotonic(), all_threads_ns()
            time.sleep(_BEAT_S)
            explained = (all_threads_ns() - worked_ns) / 1e9
            self._note(time.monotonic() - began - _BEAT_S - explained)

    def _note(self, late: float) -> None:
        if late >= _LEAST_S:
            self._memory[1] += late
        self._memory[0] = time.monotonic()

    @property
    def paused_s(self) -> float:
        """How many seconds the process was paused in all; it goes on while it is."""
        last, paused = self._memory
        silent = time.monotonic() - last - _BEAT_S
        return float(paused + (silent if last and silent >= _LEAST_S else 0.0))

    def clock(self) -> float:
        """Return a time in seconds that stands still while the process is paused."""
        return time.monotonic() - self.paused_s
