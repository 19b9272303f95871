"""What the kernel says of processes: their children, their memory, the time that they work."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> Sequence[int]:
    """Return the processes that a process has started and that still are, the oldest first."""
    found = {}
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            for child in map(int, tasks.read_text().split()):
                with suppress(OSError):  # so has this one
                    found[child] = int(_stat(child)[19])
    return sorted(found, key=found.__getitem__)


def family(pid: int) -> Sequence[int]:
    """Return a process and all that descend from it."""
    return [pid, *(one for child in children(pid) for one in family(child))]


def is_python_child(pid: int) -> bool:
    """Whether a process runs a function for the one that started it."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, and may go on."""
    with suppress(OSError):
        return "\nState:\tT" in Path(f"/proc/{pid}/status").read_text()
    return False


def cpu_s(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> float:
    """Return the memory of a process, of what it shares with others its share (PSS)."""
    return _rolled_up(pid, "Pss")


def heap_mib(pid: int) -> float:
    """Return the memory of a process that is of no file: what it has taken and written to."""
    return _rolled_up(pid, "Anonymous")


def _rolled_up(pid: int, what: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return int(value) / 1024


def _stat(pid: int) -> Sequence[str]:
    """Return the fields of a process's state, without its number and name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
