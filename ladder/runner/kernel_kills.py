"""Counts the processes that the kernel has killed for lack of memory."""

from contextlib import suppress
from pathlib import Path

_COUNTER = "oom_kill"
_ROOT = Path("/")


def kernel_kills(root: Path = _ROOT) -> int | None:
    """Return how many processes the kernel has killed for lack of memory; None if unknown.

    The count is that of this process's control group, or else of the whole system.
    """
    for file in (*_of_group(root), root / "proc/vmstat"):
        with suppress(OSError, ValueError):
            for line in file.read_text().splitlines():
                name, _, value = line.partition(" ")
                if name == _COUNTER:
                    return int(value)
    return None


def _of_group(root: Path) -> list[Path]:
    """Return the files that may hold the counter of this process's control group."""
    files = []
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            folder = group.lstrip("/")
            if "memory" in controllers.split(","):
                files.append(root / "sys/fs/cgroup/memory" / folder / "memory.oom_control")
            elif not controllers:
                files.append(root / "sys/fs/cgroup" / folder / "memory.events.local")
    return files
