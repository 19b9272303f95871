"""System calls through which bots could signal each other, and which the filter refuses.

Programs in different sandboxes share the system's files and one kernel. All of them see a lock on a
shared file, the time of a device node, whether a page of it is cached, or a counter of the whole
machine: what one bot changes another can read, even while the first is stopped. docs/security.md
lists these channels and their capacities. `tests/referee/sandbox/test_shared_inodes.py` finds
inodes that bots share, and tries what can be changed about them.
"""

from collections.abc import Iterator
from typing import NamedTuple

_LOW_32_BITS = 0xFFFFFFFF
"""The kernel ignores the higher bits of an `int` argument."""


class RefusedCall(NamedTuple):
    """A system call that is refused if the masked argument has this value."""

    call: str
    argument: int
    mask: int
    value: int


CALLS = (
    # Watches of files
    *("inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_mark"),
    # Which pages of a file are in memory
    *("fadvise64", "fadvise64_64", "mincore", "readahead", "move_pages", "mbind"),
    "migrate_pages",
    # Counts of the whole machine: requests, threads and memory, processes ever started
    *("io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_cancel", "io_destroy"),
    *("sysinfo", "ustat", "pidfd_open"),
)
"""Calls that no program may make."""
ONLY_BUILDS = ("flock", "seccomp")
"""Calls that builds may make and bots may not: package managers lock their caches. Filters take
room of the machine's pool for compiled ones (net.core.bpf_jit_limit)."""
TIMES = ("utime", "utimes", "futimesat", "utimensat")
"""They seem to work, and change nothing; builds may change times.

The device nodes in /dev are the machine's, and who may write to one may set its times, even
where its mount is read-only to all else.
"""
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
"""Asks for the memory node of a page, which depends on who read it first."""
_PR_SET_SECCOMP, _PR_SET_MEMORY_MERGE = 22, 67
_SO_COOKIE, _SO_PASSPIDFD, _SO_PEERPIDFD = 57, 76, 77
_FILTERING = (
    *(26, 50, 51, 52),  # SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF and _EBPF
    16,  # SO_PASSCRED: older kernels then name the socket by a counter of the machine
)
_CLONE_PIDFD = 0x1000
_ONLY_A_FAMILY = 2
"""The length of an address that has no name: older kernels then take one by that counter."""
MAP_HUGETLB = 0x40000
"""Takes pages from a pool of the whole machine."""
_KIND_OF_REQUEST = 8
_OF_TERMINALS = ord("T")
"""The kind of ioctl's requests about terminals, pipes and sockets."""
FLAGGED = ("preadv2", "pwritev2")
"""Calls refused if their last argument has flags, which ask whether a page is cached."""


def refused(*, building: bool) -> Iterator[RefusedCall]:
    """Yield the calls refused for their arguments; builds may lock files."""
    for command in (*_NOTICES, *(() if building else _LOCKING)):
        yield RefusedCall("fcntl", 1, _LOW_32_BITS, command)
    for option in () if building else _FILTERING:
        yield RefusedCall("setsockopt", 2, _LOW_32_BITS, option)
    if not building:
        yield RefusedCall("bind", 2, _LOW_32_BITS, _ONLY_A_FAMILY)
        yield RefusedCall("prctl", 0, _LOW_32_BITS, _PR_SET_SECCOMP)
    for advice in _ADVICE:
        yield RefusedCall("madvise", 2, _LOW_32_BITS, advice)
    for option in (_SO_COOKIE, _SO_PEERPIDFD):
        yield RefusedCall("getsockopt", 2, _LOW_32_BITS, option)
    yield RefusedCall("setsockopt", 2, _LOW_32_BITS, _SO_PASSPIDFD)
    yield RefusedCall("get_mempolicy", 4, _MPOL_F_ADDR, _MPOL_F_ADDR)
    yield RefusedCall("prctl", 0, _LOW_32_BITS, _PR_SET_MEMORY_MERGE)
    yield RefusedCall("clone", 0, _CLONE_PIDFD, _CLONE_PIDFD)


def foreign_requests() -> Iterator[RefusedCall]:
    """Yield what makes a request of ioctl one that is not about terminals, pipes or sockets.

    File systems and drivers have hundreds of requests, and some tell every reader of a file what
    others did with it. Each kind that differs has at least one bit that differs.
    """
    for bit in range(_KIND_OF_REQUEST, 2 * _KIND_OF_REQUEST):
        yield RefusedCall("ioctl", 1, 1 << bit, ~(_OF_TERMINALS << _KIND_OF_REQUEST) & 1 << bit)
