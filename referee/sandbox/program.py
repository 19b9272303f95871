"""A program to run and its limits: the interface between the referee and its sandboxes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

_MIB = 1024 * 1024
MARK = "COURTYARD_BOT_MARK"
"""The variable that marks a program where its processes' parents do not show that they are its."""


class Level(StrEnum):
    """How well a bot is contained, as named on the command line and in records."""

    STRICT_CG = "strict+cg"
    """Strict, and a control group holds total memory, processes and CPU rate."""
    STRICT = "strict"
    """Namespaces, seccomp and limits; a watchdog holds total memory."""
    TRUSTED = "trusted"
    """A plain process with limits: guards against accidents, not against a hostile bot."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one program and its whole process tree."""

    memory_bytes: int = 1024 * _MIB
    """Resident memory of all its processes together."""
    address_space_bytes: int = 16 * 1024 * _MIB
    """Address space of each process; virtual machines reserve much more than they use."""
    processes: int = 128
    """Processes and threads."""
    cores: int = 1
    """How many cores they may keep busy together; only control groups hold this."""
    open_files: int = 256
    """File descriptors of each process."""
    file_bytes: int = 16 * _MIB
    """The largest file that it may write."""
    scratch_bytes: int = 32 * _MIB
    """The total size of its files in /tmp."""


@dataclass(frozen=True, slots=True)
class Program:
    """One bot, or one step of its build."""

    command: tuple[str, ...]
    directory: Path
    """Where it runs; read-only, unless it may write there."""
    place: Path | None = None
    """A private folder with what it needs to reach the referee."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables added to the cleared environment."""
    piped: bool = False
    """Its stdin and stdout carry the protocol; otherwise stdin is empty and stdout is output."""
    writable: bool = False
    """It may write in its folder: a build."""
    network: bool = False
    """It may use the network: a build, where the owner of the machine allows it."""
    limits: Limits = Limits()
