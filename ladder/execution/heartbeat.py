"""For how long a process was paused, as whoever started it sees, also while it is.

A thread of the process notes the time twice a second, in memory that both share. Where it comes
late by more than the process's own work and waits for a core explain, the process was stopped, or
its container or machine was. The referee does the same for its clocks, with more precision.
"""

import threading
import time
from ctypes import c_double
from multiprocessing.sharedctypes import RawValue

from referee.pauses import all_threads_ns

_BEAT_S = 0.5
_LEAST_S = 0.5
"""A shorter pause is not told from the time that threads take turns."""


class Heartbeat:
    """Shared by a process and the one that started it."""

    def __init__(self) -> None:
        """Count what comes before the first beat as a pause, but for a moment."""
        self._last = RawValue(c_double, time.monotonic())
        self._paused = RawValue(c_double, 0.0)

    def begin(self) -> None:
        """Beat from now on, in a thread of this process; it may have had one before."""
        self._note(time.monotonic() - self._last.value)
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        while True:
            began, worked_ns = time.monotonic(), all_threads_ns()
            time.sleep(_BEAT_S)
            explained = (all_threads_ns() - worked_ns) / 1e9
            self._note(time.monotonic() - began - _BEAT_S - explained)

    def _note(self, late: float) -> None:
        if late >= _LEAST_S:
            self._paused.value += late
        self._last.value = time.monotonic()

    @property
    def paused_s(self) -> float:
        """How many seconds the process was paused in all; it goes on while it is."""
        silent = time.monotonic() - self._last.value - _BEAT_S
        return float(self._paused.value) + (silent if silent >= _LEAST_S else 0.0)
