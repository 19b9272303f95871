"""A control group of this process's own, in which a test lets memory run out."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.sandbox.cgroups.cgroup_files import Unavailable, own_group
from tests.support.lacking import skip
from tests.support.waiting import until

_LIMITS = ("memory.limit_in_bytes", "memory.max")


@contextmanager
def memory_group(mib: int) -> Iterator[Path]:
    """Make a group with so much memory and yield it; skip the test where that cannot be."""
    group = _made(mib)
    if group is None:
        skip("no group of memory can be made", "run this as root, with control groups of version 1")
    try:
        yield group
    finally:
        for folder in (*group.glob("*/"), group):
            until(lambda folder=folder: _is_removed(folder))  # type: ignore[misc]


def within(group: Path, *command: object) -> Sequence[str]:
    """Return the command that runs a command in a group."""
    return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group), *map(str, command)]


def _made(mib: int) -> Path | None:
    for controller in ("memory", ""):
        with suppress(Unavailable, OSError):
            group = own_group(controller) / f"test-{os.getpid()}"
            group.mkdir()
            for limit in (group / name for name in _LIMITS):
                if limit.exists():
                    limit.write_text(str(mib << 20))
                    return group
            group.rmdir()
    return None


def _is_removed(folder: Path) -> bool:
    """Remove a group, unless a process in it has yet to end."""
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()
