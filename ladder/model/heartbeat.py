"""How long a process has been paused, and whether its work goes on, as its parent sees it.

A thread of the process writes the time twice a second into memory that both share. If a beat is
later than the process's own work and waits for a core explain, the process was stopped, or its
container or machine was. The referee does the same for its clocks, with more precision. The
process's promises show that it does not hang, however its thread beats.
"""

import threading
import time
from ctypes import c_double
from multiprocessing.sharedctypes import RawArray

from referee.sandbox.kernel import kernel

_BEAT_S = 0.5
_LEAST_S = 0.5
"""A shorter pause cannot be distinguished from ordinary thread scheduling."""
_USUAL_S = 60.0
LONG_WORK_S = 1800.0
"""How long work may take, such as planning for hundreds of bots or building them."""
SECONDS_BETWEEN_LOOKS = 0.1
"""How long a wait on a process's `clock` sleeps at least before it looks again."""


class Heartbeat:
    """A process's heartbeat, shared with its parent."""

    def __init__(self) -> None:
        """Begin without a pause, in memory that child processes inherit."""
        self._memory = RawArray(c_double, 3)
        """When it last beat, the total pause, and when the next promise is due, in seconds."""
        self.promise()

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
        last, paused, _ = self._memory
        silent = time.monotonic() - last - _BEAT_S
        return float(paused + (silent if last and silent >= _LEAST_S else 0.0))

    def clock(self) -> float:
        """Return a time in seconds that stops while the process is paused."""
        return time.monotonic() - self.paused_s

    def promise(self, within_s: float = _USUAL_S) -> None:
        """Promise another promise within this number of seconds; pauses do not prolong them."""
        self._memory[2] = time.monotonic() + within_s

    @property
    def is_overdue(self) -> bool:
        """Whether a promise is overdue."""
        return time.monotonic() > float(self._memory[2])
