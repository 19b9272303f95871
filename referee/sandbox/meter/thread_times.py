"""Read the CPU time of this process's threads, and their waits for a core, in /proc."""

import os
import threading

from referee.sandbox.meter import process_tree


class TaskTimes:
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
