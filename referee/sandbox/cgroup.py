"""Control groups: hard limits on all processes of a program together, and their usage.

Machines with systemd have version 2; an ordinary user gets a part of its tree with
`systemd-run --user --scope -p Delegate=yes`. Older machines and some virtual ones have version 1,
with one tree per controller, which needs root. Groups are made below the referee's own group, so
its limits apply too.
"""

from collections.abc import Callable
from typing import Protocol

from referee.sandbox.meter.cpu_meters import Meter
from referee.sandbox.program import Limits


class ControlGroup(Protocol):
    """The control group of one program."""

    def add(self, process: int) -> None:
        """Add a process; its later children belong to the group too."""

    def freeze(self) -> None:
        """Freeze all processes; returns once they are frozen."""

    def thaw(self) -> None:
        """Thaw all processes."""

    def kills(self) -> int:
        """Return how many of its processes the kernel has killed for lack of memory."""

    def was_full(self) -> bool:
        """Return whether they have used all the memory that its own limit allows."""

    def most_bytes(self) -> int:
        """Return the most memory that they have used together; 0 if unknown."""

    def meter(self, program: Callable[[], int]) -> Meter:
        """Return a meter of its processes; `program` returns the id of the first, 0 if none."""

    def remove(self) -> bool:
        """Remove the group; return False while a process is left in it."""


class ControlGroups(Protocol):
    """Makes control groups."""

    def make(self, name: str, limits: Limits) -> ControlGroup:
        """Make a group of this name with these limits."""
