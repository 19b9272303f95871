"""Memory and threads of processes."""

import contextlib
import functools
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

from referee.sandbox.cgroups import memory_groups
from referee.sandbox.meter import process_tree

_FIELD = re.compile(r"^(VmRSS|VmPTE|Threads):\s+(\d+)", re.MULTILINE)
_MACHINE = re.compile(
    r"^MemTotal:\s+(?P<total>\d+) kB$.*?^MemAvailable:\s+(?P<available>\d+) kB$",
    re.MULTILINE | re.DOTALL,
)
_AT_ONCE = 65536
_HARDLY_ANY = 32 * 1024 * 1024
"""No bot starts with so little."""


_PLENTY = 0.5
"""The share of memory that has to be available for it to be plentiful."""


@dataclass(frozen=True, slots=True)
class Held:
    """Totals over processes."""

    resident_bytes: int
    """Resident memory; shared pages count for each process."""
    tables_bytes: int
    """Page tables, which also grow with memory that is only read."""
    threads: int


def available() -> tuple[int, int] | None:
    """Return the memory that is available here and that there is, in bytes; None if unknown.

    Here is the machine, or the control group around this process that has less left.
    """
    found = _MACHINE.search(process_tree.read("/proc/meminfo"))
    if found is None:
        return None
    machine = int(found["available"]) * 1024, int(found["total"]) * 1024
    return min(machine, memory_groups.room() or machine)


def is_plentiful() -> bool:
    """Return whether half of the memory here is available; not if that is unknown."""
    return _is_plentiful(int(time.monotonic()))


def is_exhausted() -> bool:
    """Return whether hardly any memory is available here; not if that is unknown."""
    found = available()
    return found is not None and found[0] < _HARDLY_ANY


@functools.lru_cache(maxsize=1)
def _is_plentiful(_second: int) -> bool:
    """Look at most once a second: that takes a hundredth of a short match."""
    left, there_is = available() or (0, 1)
    return left >= _PLENTY * there_is


def held(processes: Iterable[int]) -> Held:
    """Return the current totals of these processes."""
    resident = tables = count = 0
    for process in processes:
        fields = dict(_FIELD.findall(process_tree.read(f"/proc/{process}/status")))
        resident += int(fields.get("VmRSS", 0)) * 1024
        tables += int(fields.get("VmPTE", 0)) * 1024
        count += int(fields.get("Threads", 0))
    return Held(resident, tables, count)


def proportional_bytes(processes: Iterable[int]) -> int:
    """Return the resident memory of processes, with shared pages counted once; slow.

    A process that hides its memory map counts with all its shared pages.
    """
    return sum(_proportional(process) for process in processes)


def _proportional(process: int) -> int:
    for line in process_tree.read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return held([process]).resident_bytes


def mappings(processes: Iterable[int], most: int) -> int:
    """Return the number of memory mappings of processes, at most `most`; slow."""
    count = 0
    for process in processes:
        with contextlib.suppress(OSError), open(f"/proc/{process}/maps", "rb", 0) as lines:  # noqa: PTH123
            while count < most and (chunk := lines.read(_AT_ONCE)):
                count += chunk.count(b"\n")
    return min(count, most)
