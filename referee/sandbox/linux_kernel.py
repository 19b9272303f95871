"""Processes on Linux: see `kernel`."""

import os
import threading

from referee.sandbox.memory_usage import held, mappings, proportional_bytes
from referee.sandbox.meter import process_tree
from referee.sandbox.meter.cpu_meters import ProcessMeter as meter  # noqa: N813 -- called as a function
from referee.sandbox.meter.process_tree import (
    children_ticks,
    cpu_ns,
    descendants,
    is_at_rest,
    is_gone,
    kill,
    read,
    send_signal,
    stop,
    user_ticks,
)

__all__ = [
    "MEASURES_WAITS",
    "affinity",
    "all_threads_ns",
    "begin",
    "children_ticks",
    "cpu_ns",
    "descendants",
    "forget",
    "held",
    "is_at_rest",
    "is_gone",
    "kill",
    "mappings",
    "marks",
    "meter",
    "proportional_bytes",
    "send_signal",
    "shortcomings",
    "stop",
    "tasks",
    "thread_times",
    "unheld_limits",
    "user_ticks",
]

MEASURES_WAITS = True


def shortcomings() -> tuple[str, ...]:
    """Return nothing: Linux provides everything."""
    return ()


def marks() -> tuple[str, ...]:
    """Return nothing: a program's processes stay below its root."""
    return ()


def begin(root: int, program: int, marked: tuple[str, ...]) -> None:
    """Do nothing: the system knows them."""


def forget(root: int) -> None:
    """Do nothing."""


def tasks() -> int:
    """Return the number of all processes and threads of this machine."""
    return int(read("/proc/loadavg").split()[3].partition("/")[2])


def unheld_limits() -> frozenset[str]:
    """Return nothing: Linux holds all of them."""
    return frozenset()


def affinity() -> frozenset[int]:
    """Return the cores that this process may use."""
    return frozenset(os.sched_getaffinity(0))


class thread_times:  # noqa: N801 -- called as a function
    """Reads the CPU time of a thread, and its wait for a core."""

    def __init__(self) -> None:
        """Start closed."""
        self._file = -1

    def open(self) -> None:
        """Open the times of this thread; a kernel without them gives zeros."""
        try:
            self._file = os.open(_schedstat(threading.get_native_id()), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = -1

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def read(self) -> tuple[int, int]:
        """Return the thread's CPU time and its wait for a core until now, in nanoseconds."""
        if self._file < 0:
            return 0, 0
        try:
            return _times(os.pread(self._file, 64, 0))
        except (OSError, ValueError):
            return 0, 0


def all_threads_ns() -> int:
    """Return the total running and waiting time of all threads of this process.

    A thread with the interpreter's lock holds up all others.
    """
    total = 0
    for thread in process_tree.threads(os.getpid()):
        try:
            total += sum(_times(process_tree.read(_schedstat(int(thread))).encode()))
        except ValueError:  # it has ended
            continue
    return total


def _schedstat(thread: int) -> str:
    return f"/proc/self/task/{thread}/schedstat"


def _times(line: bytes) -> tuple[int, int]:
    cpu, waited, _ = line.split()
    return int(cpu), int(waited)
