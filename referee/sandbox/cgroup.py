"""Control groups: hard limits for all processes of a program together, and what they used.

Version 2 is what machines have that run systemd; an ordinary user gets a part of its tree by
`systemd-run --user --scope -p Delegate=yes`. Version 1, a tree for each controller, is still found
on older machines and in some virtual ones; there it takes root. A group is made below the one that
the referee itself is in, so the limits of that hold as well.
"""

from collections.abc import Callable
from typing import Protocol

from referee.sandbox.cpu_meters import Meter
from referee.sandbox.program import Limits


class Group(Protocol):
    """The group of one program."""

    def add(self, process: int) -> None:
        """Put a process into it; whatever it starts from then on is in it as well."""

    def freeze(self) -> None:
        """Stop all its processes; they have stopped when this returns."""

    def thaw(self) -> None:
        """Let them go on."""

    def kills(self) -> int:
        """Return how many of its processes the kernel has killed for want of memory."""

    def meter(self, program: Callable[[], int]) -> Meter:
        """Return what reads the use of its processes; this gives the number of the first."""

    def remove(self) -> bool:
        """Remove it; False while a process is left in it."""


class Groups(Protocol):
    """Where groups are made."""

    def make(self, name: str, limits: Limits) -> Group:
        """Make a group of this name that holds these limits."""
