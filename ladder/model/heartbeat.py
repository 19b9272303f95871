"""How long a process has been paused, as its parent sees it, even during the pause.

A thread of the process writes the time twice a second into memory that both share. If a beat is
later than the process's own work and waits for a core explain, the process was stopped, or its
container or machine was. The referee does the same for its clocks, with more precision.
"""

import threading
import time
from ctypes import c_double
from multiprocessing.sharedctypes import RawArray

from referee.sandbox.kernel import kernel

_BEAT_S = 0.5
_LEAST_S = 0.5
"""A shorter pause cannot be told from ordinary thread scheduling."""
SECONDS_BETWEEN_LOOKS = 0.1
"""How long a wait on a process's `clock` sleeps at least before it looks again."""


class Heartbeat:
    """A process's heartbeat, shared with its parent."""

    def __init__(self) -> None:
        """Begin without a pause, in memory that child processes inherit."""
        self._memory = RawArray(c_double, 2)
        """The time of the last beat, and the total pause, in seconds."""

    def begin(self) -> None:
        """Start to beat in a thread of this process; the time since an earlier beat was a pause."""
        if self._memory[0]:
            self._note(time.monotonic() - self._memory[0])
        self._note(0.0)
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        while True:
            began, worked_ns = time.monotonic(), kernel.all_threads_ns()
            time.sleep(_BEAT_S)
            explained = (kernel.all_threads_ns() - worked_ns) / 1e9
            self._note(time.monotonic() - began - _BEAT_S - explained)

    def _note(self, late: float) -> None:
        if late >= _LEAST_S:
            self._memory[1] += late
        self._memory[0] = time.monotonic()

    @property
    def paused_s(self) -> float:
        """The total pause in seconds, which grows while the process is paused."""
        last, paused = self._memory
        silent = time.monotonic() - last - _BEAT_S
        return float(paused + (silent if last and silent >= _LEAST_S else 0.0))

    def clock(self) -> float:
        """Return a time in seconds that stops while the process is paused."""
        return time.monotonic() - self.paused_s
