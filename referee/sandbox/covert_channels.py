"""What bots could tell each other through the kernel: the system calls and the files for that.

Programs in different sandboxes see the same files of the system, and one kernel serves them all. A
lock on a shared file, a page of it in memory, or a count of the whole machine is seen by all, and
what one bot changes another can read, also while the first is stopped. docs/security.md lists these
channels with what passes through each.
"""

from collections.abc import Iterator
from typing import NamedTuple

_LOW_32_BITS = 0xFFFFFFFF
"""The kernel drops what a program puts above them in an `int`."""


class Refused(NamedTuple):
    """A system call that is refused if this argument, under the mask, has this value."""

    call: str
    argument: int
    mask: int
    value: int


CALLS = (
    # Watches of files
    *("inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_mark"),
    # Which pages of a file are in memory
    *("fadvise64", "fadvise64_64", "mincore", "cachestat", "readahead", "move_pages", "mbind"),
    "migrate_pages",
    # Counts of the whole machine: requests, threads and memory, processes ever started
    *("io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_cancel", "io_destroy"),
    *("sysinfo", "ustat", "pidfd_open"),
)
"""What no bot may call."""
LOCKS = ("flock",)
"""What a build may call, and a bot may not: package managers lock their caches."""
_LOCKING = (
    *(5, 6, 7),  # F_GETLK, F_SETLK, F_SETLKW
    *(12, 13, 14),  # F_GETLK64, F_SETLK64, F_SETLKW64
    *(36, 37, 38),  # F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW
)
_NOTICES = (
    *(1024, 1025, 1026),  # F_SETLEASE, F_GETLEASE, F_NOTIFY
    *(1031, 1033),  # F_SETPIPE_SZ: a user's pipes share their memory; F_ADD_SEALS
    *(1036, 1038),  # F_SET_RW_HINT, F_SET_FILE_RW_HINT: they are the inode's
    *(1039, 1040),  # F_GETDELEG, F_SETDELEG
)
_ADVICE = (
    12,  # MADV_MERGEABLE: pages that are equal become one
    *(20, 21),  # MADV_COLD, MADV_PAGEOUT
    25,  # MADV_COLLAPSE: it tells whether others use the pages of a file
)
_MPOL_F_ADDR = 2
"""Asks in which memory of several a page is, and so who read it first."""
_PR_SET_MEMORY_MERGE = 67
_SO_COOKIE, _SO_PASSPIDFD, _SO_PEERPIDFD = 57, 76, 77
_CLONE_PIDFD = 0x1000
FLAGGED = ("preadv2", "pwritev2")
"""What is refused with flags, the last argument: these ask whether a page is in memory."""


def refused(*, building: bool) -> Iterator[Refused]:
    """Yield the calls that are refused for what they ask; builds may lock files."""
    for command in (*_NOTICES, *(() if building else _LOCKING)):
        yield Refused("fcntl", 1, _LOW_32_BITS, command)
    for advice in _ADVICE:
        yield Refused("madvise", 2, _LOW_32_BITS, advice)
    for option in (_SO_COOKIE, _SO_PEERPIDFD):
        yield Refused("getsockopt", 2, _LOW_32_BITS, option)
    yield Refused("setsockopt", 2, _LOW_32_BITS, _SO_PASSPIDFD)
    yield Refused("get_mempolicy", 4, _MPOL_F_ADDR, _MPOL_F_ADDR)
    yield Refused("prctl", 0, _LOW_32_BITS, _PR_SET_MEMORY_MERGE)
    yield Refused("clone", 0, _CLONE_PIDFD, _CLONE_PIDFD)
