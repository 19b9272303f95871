"""What Linux tells of processes: see `kernel`."""

import os

from referee.sandbox.memory_usage import held, mappings, proportional_bytes
from referee.sandbox.meter.cpu_meters import ProcessMeter as meter  # noqa: N813 -- called as a function
from referee.sandbox.meter.process_tree import (
    children_ticks,
    cpu_ns,
    descendants,
    is_at_rest,
    is_gone,
    kill,
    read,
    stop,
    tell,
    user_ticks,
)
from referee.sandbox.meter.thread_times import TaskTimes as thread_times  # noqa: N813 -- the same
from referee.sandbox.meter.thread_times import all_threads_ns

__all__ = [
    "TELLS_WAITS",
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
    "shortcomings",
    "stop",
    "tasks",
    "tell",
    "thread_times",
    "unheld_limits",
    "user_ticks",
]

TELLS_WAITS = True


def shortcomings() -> tuple[str, ...]:
    """Return nothing: Linux tells all that is asked."""
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
