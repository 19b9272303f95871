"""The kernel's freezers, of both versions of control groups: what is frozen runs for no signal."""

import contextlib
import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from referee.sandbox.cgroup_files import (
    Unavailable,
    group_name,
    own_group,
    own_prefix,
    wait_for,
    write,
)

_THAW_WHEN_ALONE = (
    'read -r _; for state in "$0"/"$1"*/freezer.state; do echo THAWED > "$state"; done'
)
"""A shell's program; its stdin ends when the referee does."""


class Freezer(Protocol):
    """The freezer of one group."""

    def freeze(self) -> None:
        """Stop all processes in it; they have stopped when this returns."""

    def thaw(self) -> None:
        """Let them go on."""


@dataclass(frozen=True, slots=True)
class FreezerV2:
    """That of a group of version 2. What is in it can be killed."""

    folder: Path

    def freeze(self) -> None:
        """Stop all processes in it."""
        write(self.folder / "cgroup.freeze", 1)
        wait_for("frozen 1", self.folder / "cgroup.events")

    def thaw(self) -> None:
        """Let them go on."""
        write(self.folder / "cgroup.freeze", 0)


@dataclass(frozen=True, slots=True)
class FreezerV1:
    """That of a group of version 1. What is in it dies only when it is let go on."""

    folder: Path

    def freeze(self) -> None:
        """Stop all processes in it; none outlives a referee that is killed."""
        _thaw_when_alone(self.folder.parent, os.getpid())
        write(self.folder / "freezer.state", "FROZEN")
        wait_for("FROZEN", self.folder / "freezer.state")

    def thaw(self) -> None:
        """Let them go on."""
        write(self.folder / "freezer.state", "THAWED")


@functools.cache
def _thaw_when_alone(parent: Path, _process: int) -> "subprocess.Popen[bytes]":
    """Start a process that lets all groups of this one go on when this one is gone.

    They die then: the kernel has sent each of them SIGKILL.
    """
    return subprocess.Popen(
        ["sh", "-c", _THAW_WHEN_ALONE, str(parent), own_prefix()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def freezer_of(folder: Path) -> Freezer:
    """Return the freezer of a group, of the version that its tree is of."""
    if (folder / "cgroup.freeze").exists():
        return FreezerV2(folder)
    return FreezerV1(folder)


def parent_of_freezers() -> Path:
    """Return where beside the trees of version 1 groups with a freezer can be made.

    That is in the tree of version 2 if there is one, as what is frozen there can be killed. Raise
    `Unavailable` if there is no freezer of either version.
    """
    with contextlib.suppress(Unavailable, OSError):
        parent = own_group()
        tried = parent / group_name(0)
        tried.mkdir()
        try:
            if (tried / "cgroup.freeze").exists():
                return parent
        finally:
            tried.rmdir()
    return own_group("freezer")
