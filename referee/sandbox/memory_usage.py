"""Memory and threads of processes."""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from referee.sandbox import process_tree

_FIELD = re.compile(r"^(VmRSS|VmPTE|Threads):\s+(\d+)", re.MULTILINE)
_MACHINE = re.compile(
    r"^MemTotal:\s+(?P<total>\d+) kB$.*?^MemAvailable:\s+(?P<available>\d+) kB$",
    re.MULTILINE | re.DOTALL,
)
_AT_ONCE = 65536


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


def is_plentiful() -> bool:
    """Return whether half of the machine's memory is available; not if that is unknown."""
    found = _MACHINE.search(process_tree.read("/proc/meminfo"))
    return found is not None and int(found["available"]) >= _PLENTY * int(found["total"])


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
