"""Control groups version 2: one tree, with processes in its leaves only.

The referee moves into a leaf beside those of its bots, and so takes over the group that it was in.
That group must hold only programs of the same session.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.cgroups.cgroup_files import (
    Unavailable,
    field,
    number,
    own_group,
    own_niceness,
    remove,
    remove_stale,
    remove_when_alone,
    set_all,
    write,
)
from referee.sandbox.cgroups.cgroup_freezer import FreezerV2
from referee.sandbox.meter import process_tree
from referee.sandbox.meter.cpu_meters import CpuMeter, Meter, delay_meter
from referee.sandbox.program import Limits

_LEAF = "courtyard"
_PERIOD_US = 100_000
_NEEDED = {"memory", "pids"}
_WANTED = _NEEDED | {"cpu"}


@dataclass(frozen=True, slots=True)
class GroupsV2:
    """Makes version 2 groups."""

    parent: Path

    @classmethod
    def find(cls) -> "GroupsV2":
        """Take over this process's group; raise `Unavailable` if that is impossible."""
        own = own_group()
        parent = own.parent if own.name == _LEAF else own
        missing = _NEEDED - set(process_tree.read(f"{parent}/cgroup.controllers").split())
        if missing:
            raise Unavailable(f"{parent} has no controller for {' and '.join(sorted(missing))}")
        try:
            _settle(parent)
        except OSError as error:
            raise Unavailable(f"{parent} is not delegated to this user: {error.strerror}") from None
        remove_stale(parent)
        return cls(parent)

    def make(self, name: str, limits: Limits) -> "GroupV2":
        """Make a group of this name that holds these limits."""
        remove_when_alone(self.parent)
        folder = self.parent / name
        folder.mkdir()
        set_all(
            folder,
            {
                "memory.max": limits.memory_bytes,
                "memory.swap.max": 0,
                "memory.oom.group": 1,
                "pids.max": limits.processes,
                "cpu.max": f"{limits.cores * _PERIOD_US} {_PERIOD_US}",
                "cpu.weight.nice": own_niceness(),
            },
        )
        return GroupV2(folder)


@dataclass(frozen=True, slots=True)
class GroupV2:
    """A version 2 group."""

    folder: Path

    def add(self, process: int) -> None:
        """Add a process; its later children belong to the group too."""
        write(self.folder / "cgroup.procs", process)

    def freeze(self) -> None:
        """Freeze all processes; returns once they are frozen."""
        FreezerV2(self.folder).freeze()

    def thaw(self) -> None:
        """Thaw all."""
        FreezerV2(self.folder).thaw()

    def kills(self) -> int:
        """Return how many of its processes the kernel killed for lack of memory."""
        return field(self.folder / "memory.events", "oom_kill")

    def was_full(self) -> bool:
        """Return whether its own limit, and not one above it, had the kernel kill."""
        events = self.folder / "memory.events.local"  # in Linux 5.2 and newer
        return field(events if events.exists() else self.folder / "memory.events", "oom") > 0

    def most_bytes(self) -> int:
        """Return the most memory that its processes have used together; Linux 5.19 has that."""
        return number(self.folder / "memory.peak")

    def meter(self, program: Callable[[], int]) -> Meter:
        """Return an exact meter of all processes."""
        return CpuMeter(self.folder / "cpu.stat", delay_meter(self.folder, program))

    def remove(self) -> bool:
        """Remove it; return False while it has a process."""
        return remove(self.folder)


def _settle(parent: Path) -> None:
    """Move a group's processes into a leaf, and enable its controllers for the leaves."""
    if (parent / "cgroup.type").exists():  # every group has it but the root of the tree
        processes = [int(line) for line in process_tree.read(f"{parent}/cgroup.procs").split()]
        if any(os.getsid(process) != os.getsid(0) for process in processes):
            raise Unavailable(f"{parent} holds programs of other sessions")
        (parent / _LEAF).mkdir(exist_ok=True)
        for process in processes:
            write(parent / _LEAF / "cgroup.procs", process)
    there = set(process_tree.read(f"{parent}/cgroup.controllers").split())
    write(parent / "cgroup.subtree_control", " ".join(f"+{it}" for it in sorted(_WANTED & there)))
