"""What both versions of control groups have in common: folders and files of the kernel's."""

import contextlib
import os
import time
from pathlib import Path

from referee.sandbox import process_tree

_PREFIX = "courtyard-"
_SECONDS_TO_WAIT = 0.005
_SECONDS_BETWEEN_PASSES = 0.0001


class Unavailable(Exception):  # noqa: N818 -- a state, not an error
    """No group can be made here; the message says why."""


def group_name(number: int) -> str:
    """Return a name for a group of this process, by which others see when it is left over."""
    return f"{own_prefix()}{number}"


def own_prefix() -> str:
    """Return how the names of all groups of this process begin, and no others."""
    return f"{_PREFIX}{os.getpid()}-"


def own_group(controller: str = "") -> Path:
    """Return the folder of the group that this process is in; raise `Unavailable` if none is seen.

    Without a controller that is the group of version 2.
    """
    kind = "cgroup" if controller else "cgroup2"
    for line in process_tree.read("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        root, mounted = before.split()[3:5]
        options = after.split()
        if options[0] == kind and (not controller or controller in options[2].split(",")):
            return Path(mounted, os.path.relpath(_path(controller), root))
    raise Unavailable(f"no {controller or 'version 2'} tree of control groups is mounted")


def _path(controller: str) -> str:
    """Return the path of this process's group in a tree."""
    for line in process_tree.read("/proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if controller in controllers.split(",") and (controller or number == "0"):
            return path
    raise Unavailable(f"this process is in no group of {controller or 'version 2'}")


def remove_stale(parent: Path) -> None:
    """Remove the groups that processes have left behind which are gone.

    What is still in one was killed while a freezer of version 1 held it, and dies when let go.
    """
    for folder in parent.glob(f"{_PREFIX}*-*"):
        if _is_over(folder.name.split("-")[1]):
            with contextlib.suppress(OSError):
                write(folder / "freezer.state", "THAWED")
            remove(folder)


def _is_over(process: str) -> bool:
    """Tell whether a process is gone, or has ended and only nobody has waited for it."""
    return not Path("/proc", process).exists() or process_tree.is_zombie(int(process))


def remove(folder: Path) -> bool:
    """Remove a group; False while a process is left in it."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def write(file: Path, value: object) -> None:
    """Set something; the kernel takes it in one write."""
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def set_all(folder: Path, settings: dict[str, object]) -> None:
    """Set what a group has of this; swap, for one, is not on every machine."""
    for name, value in settings.items():
        with contextlib.suppress(FileNotFoundError):
            write(folder / name, value)


def field(file: Path, name: str) -> int:
    """Return a number of a file whose lines are names and numbers; 0 if it is not there."""
    for line in process_tree.read(str(file)).splitlines():
        if line.startswith(f"{name} "):
            return int(line.split()[1])
    return 0


def wait_for(text: str, file: Path) -> None:
    """Wait until a line is in a file, at most 5 ms.

    A group freezes in some 0.2 ms. What is not given a core may take longer to get there, but runs
    no instruction of its own meanwhile.
    """
    until = time.monotonic() + _SECONDS_TO_WAIT
    while text not in process_tree.read(str(file)).splitlines() and time.monotonic() < until:
        time.sleep(_SECONDS_BETWEEN_PASSES)
