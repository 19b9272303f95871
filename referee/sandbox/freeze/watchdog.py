"""Threads that stop programs, and kill those that exceed their limit of memory or processes.

The killing thread, a separate one, works where no control group does: reading how much memory some
programs hold takes a tenth of a second, and no stop may wait for that. It looks more often the
nearer a program is to its limit, so that none can reach the limit before the next look. It looks as
soon as a program was stopped, and then seldom, as a stopped program cannot grow. It counts resident
memory and page tables, but not files in a program's own /tmp, which have their own bound. Nor does
it count the kernel's memory for mappings, some 250 bytes each: a process may have 65530 of them,
and its children as many again.
"""

import functools
import math
import os
import threading
import time
from typing import Protocol

from referee.sandbox.freeze.stopper import Stopper
from referee.sandbox.kernel import kernel
from referee.sandbox.launch import Launched

_SECONDS_BETWEEN_PASSES = (0.005, 0.02)
"""The least and the most: nothing announces a watch that becomes due."""
_LEAST_SECONDS = 0.02
_MOST_SECONDS = 0.1
_STOPPED_SECONDS = 1.0
"""The interval for a stopped program, which cannot grow."""
_BYTES_PER_SECOND = 8 * 1024**3
"""How fast memory can be filled."""
_GIB = 1024**3
_FEW_PROCESSES = 8
_MOST_MAPPINGS = _FEW_PROCESSES * 65530
"""So few processes cannot have more mappings; the watchdog counts those of more."""
_TIMES_LESS_OFTEN = 20
"""Counting is slow: the pause after it is this many times as long."""


class Watched(Protocol):
    """Something that the watchdog looks at."""

    @property
    def due(self) -> float:
        """When to look at it next, on the monotonic clock."""

    def look(self) -> None:
        """Look at it, and set the next due time."""


class Watch:
    """Watches the memory and processes of one program."""

    def __init__(self, launched: Launched, stopper: Stopper) -> None:
        """Prepare; `Watchdog.add` begins it."""
        self._launched = launched
        self._stopper = stopper
        self._due = self._looked = time.monotonic()
        self.overrun = ""
        """Why it was killed."""
        self.most_bytes = 0
        """The most memory that it was seen to use."""
        self._mappings_due = 0.0

    @property
    def due(self) -> float:
        """When to look at it next: at once if it was stopped, continued or woken since."""
        if self.overrun:
            return math.inf
        return self._looked if self._stopper.changed > self._looked else self._due

    def look(self) -> None:
        """Look at it, and kill it if it uses too much."""
        self._looked = time.monotonic()
        processes = kernel.descendants(self._launched.root)
        limits = self._launched.limits
        now = kernel.held(processes)
        used = now.resident_bytes + now.tables_bytes
        if used > limits.memory_bytes:
            used = min(used, kernel.proportional_bytes(processes) + now.tables_bytes)
        self.most_bytes = max(self.most_bytes, used)
        self.overrun = _too_much(used, limits.memory_bytes, now.threads, limits.processes)
        self.overrun = self.overrun or self._launched.excess() or self._fragmented(processes)
        if self.overrun:
            self._launched.end()
        left = max(0, limits.memory_bytes - used) / _BYTES_PER_SECOND
        wait = min(_MOST_SECONDS, max(_LEAST_SECONDS, left))
        self._due = time.monotonic() + (wait if self._stopper.since is None else _STOPPED_SECONDS)

    def _fragmented(self, processes: list[int]) -> str:
        began = time.monotonic()
        if len(processes) <= _FEW_PROCESSES or began < self._mappings_due:
            return ""
        count = kernel.mappings(processes, _MOST_MAPPINGS)
        self._mappings_due = time.monotonic() + _TIMES_LESS_OFTEN * (time.monotonic() - began)
        if count < _MOST_MAPPINGS:
            return ""
        return f"its memory was in more than the {_MOST_MAPPINGS} pieces that it may have"


def _too_much(used: int, may: int, threads: int, may_have: int) -> str:
    if used > may:
        return f"it used {size(used)} of the {size(may)} of memory that it may use"
    if threads > may_have:
        return f"it had {threads} of the {may_have} processes and threads that it may have"
    return ""


def size(number: int) -> str:
    """Return a number of bytes in MiB or GiB."""
    if number >= _GIB:
        return f"{number / _GIB:.2f}".rstrip("0").rstrip(".") + " GiB"
    return f"{number / 1024**2:.0f} MiB"


class Watchdog:
    """Looks at each watched thing when it is due."""

    def __init__(self, name: str) -> None:
        """Start the thread of this name; it runs as long as the process."""
        self._changed = threading.Condition()
        self._watched: dict[Watched, None] = {}
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def add(self, watched: Watched) -> None:
        """Begin to watch."""
        with self._changed:
            self._watched[watched] = None
            self._changed.notify()

    def remove(self, watched: Watched) -> None:
        """Stop watching: nothing looks at it or kills it after this."""
        with self._changed:
            self._watched.pop(watched, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                for watched in self._watched:
                    if watched.due <= time.monotonic():
                        watched.look()
                self._changed.wait(self._seconds_to_the_next())

    def _seconds_to_the_next(self) -> float | None:
        """Return the seconds to the next pass; None if nothing is watched."""
        if not self._watched:
            return None
        least, most = _SECONDS_BETWEEN_PASSES
        until = min(watched.due for watched in self._watched) - time.monotonic()
        return min(most, max(least, until))


def watchdog() -> Watchdog:
    """Return this process's watchdog of memory and processes; its looks may take long.

    A forked process has none of its parent's threads.
    """
    return _of_process(os.getpid(), "courtyard-watchdog")


def stopping() -> Watchdog:
    """Return this process's watchdog that stops programs; it waits for no other look."""
    return _of_process(os.getpid(), "courtyard-stopping")


@functools.cache
def _of_process(_process: int, name: str) -> Watchdog:
    return Watchdog(name)
