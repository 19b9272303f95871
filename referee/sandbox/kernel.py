"""The operating system's interface to processes, on Linux and elsewhere.

On Linux it reads /proc. Elsewhere psutil gives part of it, and process groups the rest. All code
that works on both asks `kernel`; only the stricter levels, which need Linux, read /proc themselves.
"""

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from referee.sandbox.memory_usage import Held
from referee.sandbox.meter.cpu_meters import Meter


class ThreadTimes(Protocol):
    """Reads the CPU time of the thread that opened it, and its wait for a core."""

    def open(self) -> None:
        """Begin to read this thread's times."""

    def close(self) -> None:
        """Stop reading."""

    def read(self) -> tuple[int, int]:
        """Return CPU time and wait until now, in nanoseconds; 0 where unknown."""


class Kernel(Protocol):
    """One way to ask. A module is one, too."""

    MEASURES_WAITS: bool
    """Whether it knows how long a thread waited for a core."""

    def shortcomings(self) -> tuple[str, ...]:
        """Return what it cannot watch or measure here, one sentence each."""

    def marks(self) -> tuple[str, ...]:
        """Return what finds a new program's processes: where psutil is, and a mark; or nothing."""

    def begin(self, root: int, program: int, marked: tuple[str, ...], /) -> None:
        """Note a program: its root, its first process, which leads a session, and its marks."""

    def forget(self, root: int, /) -> None:
        """Forget a program that has ended."""

    def descendants(self, root: int, /) -> list[int]:
        """Return all living processes below a program's root, as far as known."""

    def stop(self, root: int, /) -> list[int] | None:
        """Stop them and return them; None if they fork too fast for that."""

    def send_signal(self, processes: Iterable[int], number: signal.Signals, /) -> None:
        """Send a signal to each of these that still exists."""

    def kill(self, root: int, /) -> None:
        """Kill all current processes below a program's root."""

    def is_gone(self, process: int, /) -> bool:
        """Return whether a process has ended, though it may still be listed."""

    def is_at_rest(self, process: int, /) -> bool:
        """Return whether a process is gone or stopped, with all its threads; True if unknown."""

    def cpu_ns(self, process: int, /) -> int:
        """Return the CPU time of a process; 0 if it is gone, 1 if that is unknown."""

    def user_ticks(self, process: int, /) -> int:
        """Return its CPU time outside the kernel, in ticks; 0 if unknown."""

    def children_ticks(self, process: int, /) -> int:
        """Return the CPU time of its reaped children, in ticks; 0 if unknown."""

    def held(self, processes: Iterable[int], /) -> Held:
        """Return the memory and threads of these processes."""

    def proportional_bytes(self, processes: Iterable[int], /) -> int:
        """Return their memory with shared pages counted once, as far as possible; slow."""

    def mappings(self, processes: Iterable[int], most: int, /) -> int:
        """Return how many memory mappings they have, at most `most`; 0 if unknown."""

    def meter(self, program: Callable[[], int], /) -> Meter:
        """Return a meter of the process whose id `program` returns."""

    def thread_times(self) -> ThreadTimes:
        """Return a reader for one thread of this process, closed."""

    def all_threads_ns(self) -> int:
        """Return the running, and if known waiting, time of all threads of this process."""

    def tasks(self) -> int:
        """Return the number of all processes and threads; 0 if the limit of them is not held."""

    def unheld_limits(self) -> frozenset[str]:
        """Return which of a program's limits are not the system's to hold, by prlimit's names."""

    def affinity(self) -> frozenset[int]:
        """Return the cores that this process may use; empty if that cannot be set here."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(kernel.affinity()) or os.cpu_count() or 1


def _of_this_machine() -> Kernel:
    if IS_LINUX:
        from referee.sandbox import linux_kernel  # noqa: PLC0415 -- one of two

        return linux_kernel
    from referee.sandbox import portable_kernel  # noqa: PLC0415 -- the other

    return portable_kernel


IS_LINUX = hasattr(os, "pidfd_open") and Path("/proc/self/task").is_dir()
"""Whether Linux's calls and /proc are there."""
kernel: Kernel = _of_this_machine()
"""The interface of this machine."""
