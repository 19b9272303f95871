"""The limits that the kernel holds for each process (setrlimit)."""

import resource

from referee.sandbox.program import Limits

_PENDING_SIGNALS = 4096
"""Pending signals and timers; the kernel counts them for all processes of a user together."""


def resource_limits(limits: Limits, *, others: int = 0) -> dict[str, int]:
    """Return the limits to set, by prlimit's option names, which are those of RLIMIT_*.

    `others` is the number of other processes and threads of the same user. No limit exceeds what
    this process may set. Resources that this system does not limit are missing.
    """
    wanted = {
        "as": limits.address_space_bytes,
        "nproc": limits.processes + others,
        "nofile": limits.open_files,
        "fsize": limits.file_bytes,
        "core": 0,
        "msgqueue": 0,
        "sigpending": _PENDING_SIGNALS,
        "nice": 0,
        "rtprio": 0,
    }
    known = {name: value for name, value in wanted.items() if hasattr(resource, _constant(name))}
    return {name: _within(number(name), value) for name, value in known.items()}


def number(name: str) -> int:
    """Return the number by which the system calls know a limit."""
    return int(getattr(resource, _constant(name)))


def _constant(name: str) -> str:
    return f"RLIMIT_{name.upper()}"


def _within(limit: int, value: int) -> int:
    highest = resource.getrlimit(limit)[1]
    return value if highest == resource.RLIM_INFINITY else min(value, highest)
