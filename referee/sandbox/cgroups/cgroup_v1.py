"""Control groups version 1: one tree per controller."""

import os
from collections.abc import Callable, Mapping
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
from referee.sandbox.cgroups.cgroup_freezer import Freezer, freezer_of, parent_of_freezers
from referee.sandbox.meter.cpu_meters import CpuMeter, Meter, ProcessMeter, delay_meter
from referee.sandbox.program import Limits

_PERIOD_US = 100_000
_NEEDED = ("memory", "pids")
_WANTED = ("cpu", "cpuacct")
_FREEZER = "freezer"
_SHARES = 1024
_A_STEP = 1.25
"""A step of niceness divides the share of a process by so much, so it does that of a group."""
_A_REFUSAL = 1 << 20
"""The kernel asks for several pages at once: less room than this may be refused."""
_REFUSALS = ("memory.failcnt", "memory.memsw.failcnt")


@dataclass(frozen=True, slots=True)
class GroupsV1:
    """Makes version 1 groups: one in the tree of each controller, and one with a freezer."""

    parents: Mapping[str, Path]

    @classmethod
    def find(cls) -> "GroupsV1":
        """Find this process's groups; raise `Unavailable` if it may not make groups below them."""
        parents: dict[str, Path] = {}
        for controller in (*_NEEDED, *_WANTED, _FREEZER):
            try:
                parent = parent_of_freezers() if controller == _FREEZER else own_group(controller)
            except Unavailable:
                if controller not in _WANTED:
                    raise
                continue
            if not os.access(parent, os.W_OK):
                raise Unavailable(f"{parent} may not be written to by this user")
            parents[controller] = parent
            remove_stale(parent)
        return cls(parents)

    def make(self, name: str, limits: Limits) -> "GroupV1":
        """Make a group of this name that holds these limits."""
        remove_when_alone(*dict.fromkeys(self.parents.values()))
        folders = {part: parent / name for part, parent in self.parents.items()}
        for folder in set(folders.values()):
            folder.mkdir(exist_ok=True)
        group = GroupV1(folders, freezer_of(folders[_FREEZER]))
        settings: dict[str, dict[str, object]] = {
            "memory": {
                "memory.limit_in_bytes": limits.memory_bytes,
                # With swap; cannot be set below the limit without swap.
                "memory.memsw.limit_in_bytes": limits.memory_bytes,
            },
            "pids": {"pids.max": limits.processes},
            "cpu": {
                "cpu.cfs_period_us": _PERIOD_US,
                "cpu.cfs_quota_us": limits.cores * _PERIOD_US,
                "cpu.shares": round(_SHARES / _A_STEP ** own_niceness()),
            },
        }
        for controller in settings.keys() & group.folders.keys():
            set_all(group.folders[controller], settings[controller])
        return group


@dataclass(frozen=True, slots=True)
class GroupV1:
    """A version 1 group: one folder in each tree."""

    folders: Mapping[str, Path]
    freezer: Freezer

    def add(self, process: int) -> None:
        """Add a process; its later children belong to the group too."""
        for folder in self.folders.values():
            write(folder / "cgroup.procs", process)

    def freeze(self) -> None:
        """Freeze all processes; returns once they are frozen."""
        self.freezer.freeze()

    def thaw(self) -> None:
        """Thaw all."""
        self.freezer.thaw()

    def kills(self) -> int:
        """Return how many of its processes the kernel killed for lack of memory."""
        return field(self.folders["memory"] / "memory.oom_control", "oom_kill")

    def was_full(self) -> bool:
        """Return whether its own limit, and not one above it, has refused memory.

        Not every kernel counts refusals.
        """
        folder = self.folders["memory"]
        left = number(folder / "memory.limit_in_bytes") - self.most_bytes()
        return left < _A_REFUSAL or any(number(folder / name) for name in _REFUSALS)

    def most_bytes(self) -> int:
        """Return the most memory that its processes have used together."""
        return number(self.folders["memory"] / "memory.max_usage_in_bytes")

    def meter(self, program: Callable[[], int]) -> Meter:
        """Return a meter, exact if the kernel accounts for groups.

        The delay is that of the group with the freezer, if that is one of version 2.
        """
        if "cpuacct" not in self.folders:
            return ProcessMeter(program)
        delays = delay_meter(self.folders[_FREEZER], program)
        return CpuMeter(self.folders["cpuacct"] / "cpuacct.usage", delays)

    def remove(self) -> bool:
        """Remove it; return False while it has a process."""
        return all(remove(folder) for folder in self.folders.values())
