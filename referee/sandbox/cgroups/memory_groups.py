"""This process's control groups of memory: their room, and the processes that the kernel killed.

Programs below the level `strict+cg` belong to the group of the referee. That group and those above
it hold the limit of a container, of a service and the like.
"""

import contextlib
import functools
from pathlib import Path

from referee.sandbox.cgroups.cgroup_files import Unavailable, field, own_group
from referee.sandbox.meter import process_tree

_KILLS = "oom_kill"
_FILES_OF_KILLS = ("memory.oom_control", "memory.events.local", "memory.events")
_FILES_OF_ROOM = (
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    ("memory.max", "memory.current", ""),
)
"""The limit, the usage, and what the names of all processes' figures begin with, by version."""


def kernel_kills() -> int | None:
    """Return how many processes the kernel has killed for lack of memory; None if unknown.

    The count is that of this process's control group, or else of the whole system.
    """
    own = groups()[:1]
    files = [str(group / name) for group in own for name in _FILES_OF_KILLS]
    for file in (*files, "/proc/vmstat"):
        if f"{_KILLS} " in process_tree.read(file):
            return field(Path(file), _KILLS)
    return None


def room() -> tuple[int, int] | None:
    """Return the least room that a control group has left, and its limit; None without any limit.

    The kernel's cache of files counts as room.
    """
    return min(filter(None, map(_room, groups())), default=None)


def _room(group: Path) -> tuple[int, int] | None:
    for limit, usage, prefix in _FILES_OF_ROOM:
        most, used = process_tree.read(f"{group}/{limit}"), process_tree.read(f"{group}/{usage}")
        if most.strip().isdecimal() and used:
            stat = group / "memory.stat"
            files = sum(field(stat, f"{prefix}{kind}_file") for kind in ("active", "inactive"))
            return int(most) - int(used) + files, int(most)
    return None


@functools.cache
def groups() -> tuple[Path, ...]:
    """Return this process's control group of memory and those above it; none if it has none."""
    for controller in ("memory", ""):
        with contextlib.suppress(Unavailable, ValueError):
            own = own_group(controller)
            return tuple(one for one in (own, *own.parents) if (one / "memory.stat").exists())
    return ()
