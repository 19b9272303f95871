"""The kernel's view of processes: children, memory, CPU time; skips tests where that is hidden."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.lacking import need_proc


class Watched:
    """A process that may end, and need not be a child."""

    def __init__(self, pid: int) -> None:
        """Watch a process that is there, ended or not."""
        need_proc()
        self._pid = pid
        self._started = self._start()

    def ends(self, seconds: float = 120) -> bool:
        """Wait at most `seconds` until it has ended; return whether it has."""
        until = time.monotonic() + seconds
        while (start := self._start()) and start == self._started:
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def _start(self) -> str:
        """Return when it was started; empty if it has ended, reaped or not."""
        try:
            fields = _stat(self._pid)
        except OSError:
            return ""
        return "" if fields[0] in "ZX" else fields[19]


def children(pid: int) -> Sequence[int]:
    """Return a process's living children, the oldest first."""
    need_proc()
    found = {}
    for thread in _threads(pid):
        with suppress(OSError):  # one that has just ended
            for child in map(int, (thread / "children").read_text().split()):
                with suppress(OSError):  # so has this one
                    found[child] = int(_stat(child)[19])
    return sorted(found, key=found.__getitem__)


def _threads(pid: int) -> Sequence[Path]:
    with suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []  # the process has just ended


def family(pid: int) -> Sequence[int]:
    """Return a process and all its descendants."""
    return [pid, *(one for child in children(pid) for one in family(child))]


def is_python_child(pid: int) -> bool:
    """Whether a process lives and runs a function of its parent."""
    need_proc()
    with suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped a process that may resume."""
    need_proc()
    with suppress(OSError):
        return "\nState:\tT" in Path(f"/proc/{pid}/status").read_text()
    return False


def cpu_s(pid: int) -> float:
    """Return a process's CPU time."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def all_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and of all its descendants, ended ones included."""
    ticks = 0
    for one in family(pid):
        with suppress(OSError):  # its time is its parent's now
            ticks += sum(map(int, _stat(one)[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> float:
    """Return a process's memory, with its share of shared pages (PSS)."""
    return _rolled_up(pid, "Pss")


def all_memory_mib(pid: int) -> float:
    """Return the memory of a process and of all its living descendants, shared pages once (PSS)."""
    found = 0.0
    for one in family(pid):
        with suppress(OSError):  # it has just ended
            found += memory_mib(one)
    return found


def heap_mib(pid: int) -> float:
    """Return a process's anonymous memory: what it has allocated and written to."""
    return _rolled_up(pid, "Anonymous")


def _rolled_up(pid: int, what: str) -> float:
    need_proc()
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return int(value) / 1024


def _stat(pid: int) -> Sequence[str]:
    """Return a process's state fields, without its number and name."""
    need_proc()
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
