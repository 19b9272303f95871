"""Folders and files of control groups, common to both versions."""

import contextlib
import functools
import os
import subprocess
import time
from pathlib import Path

from referee.sandbox.meter import process_tree

_PREFIX = "courtyard-"
_REMOVE_WHEN_ALONE = """
read -r _
for again in 1 2 3 4 5 6 7 8 9; do
    left=
    for parent; do
        for group in "$parent/$0"*/; do
            [ ! -d "$group" ] || rmdir "$group" || left=some
        done
    done
    [ -n "$left" ] || exit 0
    sleep 0.2
done
"""
"""A shell script; its stdin ends when the referee does, and the last of its bots soon after."""
_SECONDS_TO_WAIT = 0.005
_SECONDS_BETWEEN_PASSES = 0.0001


class Unavailable(Exception):  # noqa: N818 -- a state, not an error
    """Control groups are unavailable; the message gives the reason."""


def group_name(number: int) -> str:
    """Return a group name that shows other processes when the group is left over."""
    return f"{own_prefix()}{number}"


def own_prefix() -> str:
    """Return the prefix of all group names of this process, and of no others."""
    return f"{_PREFIX}{os.getpid()}-"


def own_group(controller: str = "") -> Path:
    """Return the folder of this process's group; raise `Unavailable` if there is none.

    Without a controller, return the group of version 2.
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


def remove_when_alone(*parents: Path) -> None:
    """Start a process that removes the groups of this process once it has ended."""
    start_survivor(_REMOVE_WHEN_ALONE, own_prefix(), *map(str, parents))


@functools.cache
def start_survivor(script: str, *words: str) -> "subprocess.Popen[bytes]":
    """Start a shell script, once with these words, whose stdin ends when this process does.

    One of the words is `own_prefix()`, so a fork of this process starts its own.
    """
    return subprocess.Popen(
        ["sh", "-c", script, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def remove_stale(parent: Path) -> None:
    """Remove the groups that ended processes left behind.

    A process still in one was killed while frozen in version 1, and dies once thawed.
    """
    for folder in parent.glob(f"{_PREFIX}*-*"):
        if _is_over(folder.name.split("-")[1]):
            with contextlib.suppress(OSError):
                write(folder / "freezer.state", "THAWED")
            remove(folder)


def _is_over(process: str) -> bool:
    """Return whether a process is gone, or a zombie."""
    return not Path("/proc", process).exists() or process_tree.is_zombie(int(process))


def remove(folder: Path) -> bool:
    """Remove a group; return False while it has a process."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def write(file: Path | str, value: object) -> None:
    """Write a value in one system call, as the kernel requires."""
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def own_niceness() -> int:
    """Return the niceness of this process, which children inherit, but groups do not."""
    return os.getpriority(os.PRIO_PROCESS, 0)


def set_all(folder: Path, settings: dict[str, object]) -> None:
    """Write the settings whose files exist; swap, for one, is not on every machine."""
    for name, value in settings.items():
        with contextlib.suppress(FileNotFoundError):
            write(folder / name, value)


def field(file: Path, name: str) -> int:
    """Return the number after this name in a file of name-number lines; 0 if missing."""
    for line in process_tree.read(str(file)).splitlines():
        if line.startswith(f"{name} "):
            return int(line.split()[1])
    return 0


def number(file: Path) -> int:
    """Return the number that is all a file holds; 0 if missing."""
    return int(process_tree.read(str(file)) or 0)


def wait_for(text: str, file: str) -> None:
    """Wait until a file has this line, at most 5 ms.

    A group freezes in about 0.2 ms. A process without a core may take longer, but runs no
    instruction of its own meanwhile.
    """
    until = time.monotonic() + _SECONDS_TO_WAIT
    while text not in process_tree.read(file).splitlines() and time.monotonic() < until:
        time.sleep(_SECONDS_BETWEEN_PASSES)
