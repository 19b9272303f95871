"""The freezers of control groups, versions 1 and 2: no signal wakes a frozen process."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from referee.sandbox.cgroups.cgroup_files import (
    Unavailable,
    group_name,
    own_group,
    own_prefix,
    start_survivor,
    wait_for,
    write,
)

_THAW_WHEN_ALONE = (
    'read -r _; for state in "$0"/"$1"*/freezer.state; do echo THAWED > "$state"; done'
)
"""A shell script; its stdin ends when the referee does."""


class Freezer(Protocol):
    """The freezer of one group."""

    def freeze(self) -> None:
        """Freeze all processes; returns once they are frozen."""

    def thaw(self) -> None:
        """Thaw all."""


@dataclass(frozen=True, slots=True)
class FreezerV2:
    """The freezer of a version 2 group; frozen processes can be killed."""

    folder: Path

    def freeze(self) -> None:
        """Freeze all processes."""
        write(f"{self.folder}/cgroup.freeze", 1)
        wait_for("frozen 1", f"{self.folder}/cgroup.events")

    def thaw(self) -> None:
        """Thaw all."""
        write(f"{self.folder}/cgroup.freeze", 0)


@dataclass(frozen=True, slots=True)
class FreezerV1:
    """The freezer of a version 1 group; killed processes die only once thawed."""

    folder: Path

    def freeze(self) -> None:
        """Freeze all processes; none outlives a killed referee.

        Once the referee has ended, its groups are thawed; then the kernel's SIGKILL takes effect.
        """
        start_survivor(_THAW_WHEN_ALONE, str(self.folder.parent), own_prefix())
        write(f"{self.folder}/freezer.state", "FROZEN")
        wait_for("FROZEN", f"{self.folder}/freezer.state")

    def thaw(self) -> None:
        """Thaw all."""
        write(f"{self.folder}/freezer.state", "THAWED")


def freezer_of(folder: Path) -> Freezer:
    """Return the freezer of a group, for the version of its tree."""
    if (folder / "cgroup.freeze").exists():
        return FreezerV2(folder)
    return FreezerV1(folder)


def parent_of_freezers() -> Path:
    """Return where groups with a freezer can be made, for use with version 1 controllers.

    Prefers the tree of version 2, where frozen processes can be killed. Raise `Unavailable` if
    neither version has a freezer.
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
