"""The kernel's view of processes: children, memory, CPU time."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> Sequence[int]:
    """Return a process's living children, the oldest first."""
    found = {}
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            for child in map(int, tasks.read_text().split()):
                with suppress(OSError):  # so has this one
                    found[child] = int(_stat(child)[19])
    return sorted(found, key=found.__getitem__)


def family(pid: int) -> Sequence[int]:
    """Return a process and all its descendants."""
    return [pid, *(one for child in children(pid) for one in family(child))]


def is_python_child(pid: int) -> bool:
    """Whether a process runs a function of its parent."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped a process that may resume."""
    with suppress(OSError):
        return "\nState:\tT" in Path(f"/proc/{pid}/status").read_text()
    return False


def cpu_s(pid: int) -> float:
    """Return a process's CPU time."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> float:
    """Return a process's memory, with its share of shared pages (PSS)."""
    return _rolled_up(pid, "Pss")


def heap_mib(pid: int) -> float:
    """Return a process's anonymous memory: what it has allocated and written to."""
    return _rolled_up(pid, "Anonymous")


def _rolled_up(pid: int, what: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return int(value) / 1024


def _stat(pid: int) -> Sequence[str]:
    """Return a process's state fields, without its number and name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
