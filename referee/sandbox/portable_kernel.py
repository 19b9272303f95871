"""Facts about processes where there is no Linux: see `kernel`.

Theory of operation. psutil lists processes with their parents and sessions. A process whose parent
ends becomes a child of the system's first process, so parents alone do not show what belongs to a
program. A listed process belongs to it if its parent does, if its session does, or if it has no
parent of its own any more and began with the program's mark in its environment. What once belonged
to a program still does. A process evades this only by emptying its environment and leaving its
session and its parents between two listings.

Where psutil does not work, the program's process group is all that is known: signals reach the
group, and nothing is measured.
"""

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from referee.sandbox.memory_usage import Held
from referee.sandbox.meter.cpu_meters import Usage
from referee.sandbox.meter.process_list import AT_REST, ENDED, ProcessList, psutil

MEASURES_WAITS = False
_MOST_PASSES = 20
_SECONDS_TO_STOP = 0.005
_SECONDS_BETWEEN_PASSES = 0.0005
_TICKS = os.sysconf("SC_CLK_TCK")

_list = ProcessList()


def shortcomings() -> tuple[str, ...]:
    """Return what is not watched or measured here."""
    shortcomings = ["a bot's wait for a core is unknown: its clock is the wall's"]
    if watches():
        shortcomings.append(
            "the system holds no limit of a bot's memory and processes: the referee looks at them "
            "some times a second instead"
        )
    else:
        shortcomings.append(
            "psutil does not work here: a bot's memory, processes and CPU time are not watched, "
            "and only its process group is stopped and ended"
        )
    return tuple(shortcomings)


def watches() -> bool:
    """Return whether a program's processes and memory can be known."""
    return psutil is not None


def marks() -> tuple[str, ...]:
    """Return the folder of psutil's package, and a new program's mark."""
    packages = "" if psutil is None else str(Path(psutil.__file__).parents[1])
    return packages, secrets.token_hex(16)


def begin(root: int, program: int, marked: tuple[str, ...]) -> None:
    """Note a program: its root, its first process, which leads a session, and its marks."""
    _list.begin(root, program, marked[-1])


def forget(root: int) -> None:
    """Forget a program that has ended."""
    _list.forget(root)


def descendants(root: int) -> list[int]:
    """Return all living processes of a program, as far as known."""
    return _list.members(root)


def stop(root: int) -> list[int] | None:
    """Stop all processes of a program; return them, or None if they fork too fast for that."""
    signalled: set[int] = set()
    for _ in range(_MOST_PASSES):
        found = descendants(root)
        if signalled.issuperset(found):
            _wait_for(found)
            return found
        send_signal((process for process in found if process not in signalled), signal.SIGSTOP)
        signalled.update(found)
    return None


def _wait_for(processes: list[int]) -> None:
    """Wait until they have stopped, but not for long: some get no core."""
    until = time.monotonic() + _SECONDS_TO_STOP
    while not all(map(is_at_rest, processes)) and time.monotonic() < until:
        time.sleep(_SECONDS_BETWEEN_PASSES)


def send_signal(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each of these that still exists, and to the group that it leads."""
    for process in processes:
        # The permission is refused where only ended processes are left, too.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.kill(process, number)
        if _list.leads(process):
            with contextlib.suppress(PermissionError, ProcessLookupError):
                os.killpg(process, number)


def kill(root: int) -> None:
    """Kill all current processes of a program."""
    send_signal(descendants(root), signal.SIGKILL)


def is_gone(process: int) -> bool:
    """Return whether a process has ended, though it may still be listed."""
    return _list.status(process) in ENDED


def is_at_rest(process: int) -> bool:
    """Return whether a process is gone or stopped; True if unknown."""
    return psutil is None or _list.status(process) in AT_REST


def cpu_ns(process: int) -> int:
    """Return the CPU time of a process; 0 if it is gone, at least 1 if not."""
    user_s, system_s, _ = _list.cpu_s(process)
    used_ns = int((user_s + system_s) * 1e9)
    return used_ns or int(not is_gone(process))


def user_ticks(process: int) -> int:
    """Return the CPU time of a process outside the kernel, in ticks; 0 if unknown."""
    return int(_list.cpu_s(process)[0] * _TICKS)


def children_ticks(process: int) -> int:
    """Return the CPU time of a process's reaped children, in ticks; 0 if unknown."""
    return int(_list.cpu_s(process)[2] * _TICKS)


def held(processes: Iterable[int]) -> Held:
    """Return the resident memory and the threads of processes; page tables are unknown."""
    resident = threads = 0
    for process in processes:
        memory, count = _list.held(process)
        resident += memory
        threads += count
    return Held(resident, 0, threads)


def proportional_bytes(processes: Iterable[int]) -> int:
    """Return the memory that is each process's own; all resident memory where that is hidden."""
    return sum(map(_list.own_bytes, processes))


def mappings(processes: Iterable[int], most: int) -> int:  # noqa: ARG001 -- unknown here
    """Return 0: their number is unknown."""
    return 0


class meter:  # noqa: N801 -- called as a function
    """Reads the CPU time of a program's first process. Its delay is unknown."""

    def __init__(self, program: Callable[[], int]) -> None:
        """Read the process whose id `program` returns; 0: none yet."""
        self._program = program
        self._last = Usage(0, 0)

    def read(self) -> Usage:
        """Return the CPU time so far; of a process that is gone, the last one read."""
        program = self._program()
        used_ns = cpu_ns(program) if program else 0
        if used_ns:
            self._last = Usage(used_ns // 1000, 0)
        return self._last

    def close(self) -> None:
        """Do nothing: no file is open."""


class thread_times:  # noqa: N801 -- called as a function
    """Reads the CPU time of the calling thread. Its wait for a core is unknown."""

    def open(self) -> None:
        """Do nothing: a thread reads its own time."""

    def close(self) -> None:
        """Do nothing."""

    def read(self) -> tuple[int, int]:
        """Return the calling thread's CPU time in nanoseconds, and 0."""
        return time.thread_time_ns(), 0


def all_threads_ns() -> int:
    """Return the CPU time of this process."""
    return time.process_time_ns()


def tasks() -> int:
    """Return 0: the limit of processes is watched, not held."""
    return 0


def unheld_limits() -> frozenset[str]:
    """Return what is watched instead; address space, only if that can be watched."""
    return frozenset({"as", "nproc"} if watches() else {"nproc"})


def affinity() -> frozenset[int]:
    """Return no cores: processes cannot be kept on one."""
    return frozenset()
