"""The kernel's filter of system calls that a bot may not make, on x86-64 and ARM (aarch64).

It allows all other calls that Linux had in 2023, as virtual machines use more than anybody lists;
newer ones do not exist for a bot, as on an older kernel. A refused call leads out of the sandbox,
holds memory that no process limit counts, reaches a part of the kernel that no bot needs and that
has often been broken, or lets bots signal each other. A refused call fails; it does not kill. Calls
are named, as numbers differ between architectures, and some calls are in one only. A program for
another one, as of 32 bits, is killed at its first call.

Bots in different sandboxes share the system's files and one kernel. All of them see a lock on a
shared file, the time of a device node, whether a page of it is cached, or a counter of the whole
machine: what one bot changes another can read, even while the first is stopped. docs/security.md
lists these channels and their capacities. `tests/referee/sandbox/test_shared_inodes.py` finds
inodes that bots share, and tries what can be changed about them.
"""

import errno
import functools
import os
import signal
import socket
import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

_LOW_32_BITS = 0xFFFFFFFF
"""The kernel ignores the higher bits of an `int` argument."""


class _RefusedCall(NamedTuple):
    """A system call that is refused if the masked argument has this value."""

    call: str
    argument: int
    mask: int
    value: int


_COVERT = (
    # Watches of files
    *("inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_mark"),
    # Which pages of a file are in memory
    *("fadvise64", "fadvise64_64", "mincore", "readahead", "move_pages", "mbind"),
    "migrate_pages",
    # Counts of the whole machine: requests, threads and memory, processes ever started
    *("io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_cancel", "io_destroy"),
    *("sysinfo", "ustat", "pidfd_open"),
)
"""Calls through which bots could signal each other, and which no program may make."""
_ONLY_BUILDS = ("flock", "seccomp")
"""Calls that builds may make and bots may not: package managers lock their caches. Filters take
room of the machine's pool for compiled ones (net.core.bpf_jit_limit)."""
_TIMES = ("utime", "utimes", "futimesat", "utimensat")
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
    25,  # MADV_COLLAPSE: it reveals whether others use the pages of a file
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
_MAP_HUGETLB = 0x40000
"""Takes pages from a pool of the whole machine."""
_KIND_OF_REQUEST = 8
_OF_TERMINALS = ord("T")
"""The kind of ioctl's requests about terminals, pipes and sockets."""
_FLAGGED = ("preadv2", "pwritev2")
"""Calls refused if their last argument has flags, which ask whether a page is cached."""


def _refused_for_arguments(*, building: bool) -> Iterator[_RefusedCall]:
    """Yield the calls refused for their arguments; builds may lock files."""
    for command in (*_NOTICES, *(() if building else _LOCKING)):
        yield _RefusedCall("fcntl", 1, _LOW_32_BITS, command)
    for option in () if building else _FILTERING:
        yield _RefusedCall("setsockopt", 2, _LOW_32_BITS, option)
    if not building:
        yield _RefusedCall("bind", 2, _LOW_32_BITS, _ONLY_A_FAMILY)
        yield _RefusedCall("prctl", 0, _LOW_32_BITS, _PR_SET_SECCOMP)
    for advice in _ADVICE:
        yield _RefusedCall("madvise", 2, _LOW_32_BITS, advice)
    for option in (_SO_COOKIE, _SO_PEERPIDFD):
        yield _RefusedCall("getsockopt", 2, _LOW_32_BITS, option)
    yield _RefusedCall("setsockopt", 2, _LOW_32_BITS, _SO_PASSPIDFD)
    yield _RefusedCall("get_mempolicy", 4, _MPOL_F_ADDR, _MPOL_F_ADDR)
    yield _RefusedCall("prctl", 0, _LOW_32_BITS, _PR_SET_MEMORY_MERGE)
    yield _RefusedCall("clone", 0, _CLONE_PIDFD, _CLONE_PIDFD)


def _foreign_requests() -> Iterator[_RefusedCall]:
    """Yield what makes a request of ioctl one that is not about terminals, pipes or sockets.

    File systems and drivers have hundreds of requests, and some show every reader of a file what
    others did with it. Each kind that differs has at least one bit that differs.
    """
    for bit in range(_KIND_OF_REQUEST, 2 * _KIND_OF_REQUEST):
        yield _RefusedCall("ioctl", 1, 1 << bit, ~(_OF_TERMINALS << _KIND_OF_REQUEST) & 1 << bit)


_REFUSED = (
    # Others' processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise", "kcmp"),
    # Namespaces and mounts
    *("unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "mount_setattr"),
    *("move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick"),
    *("name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "fanotify_init"),
    # Memory that no process is charged for
    *("memfd_create", "memfd_secret", "shmget", "shmat", "shmdt", "shmctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl"),
    *("mq_open", "mq_unlink", "add_key", "request_key", "keyctl"),
    # Ways into the kernel that are often broken
    *("bpf", "perf_event_open", "userfaultfd", "vmsplice"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    # The machine itself
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "swapon", "swapoff", "syslog", "acct", "iopl", "ioperm", "modify_ldt"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("sethostname", "setdomainname", "lookup_dcookie", "nfsservctl"),
)
_NEW_NAMESPACES = (
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
_ATTRIBUTES = ("setxattr", "lsetxattr", "fsetxattr")
"""They hold up to 128 KiB of kernel memory a file, not charged even to a control group."""
FIRST_NEWER = 451
"""Calls from this number on are newer than Linux 6.4; a call has one number on all machines.

The effect of calls to come is unknown. Some of those that came since set attributes (`setxattrat`),
open mounts, list them, or reveal which pages are cached.
"""
_X32 = 0x40000000
"""From here on calls are another ABI's, for which the filter kills."""
_INSTRUCTION = struct.Struct("=HBBI")
_LOAD_NUMBER, _IF_AT_LEAST, _RETURN, _ERRNO = 0x20, 0x35, 0x06, 0x00050000
_AF_NETLINK = 16
_OF_THE_NETWORK = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, _AF_NETLINK)


_F_SETSIG, _PR_SET_PDEATHSIG = 10, 1
_WAKES: dict[str, tuple[tuple[int, int, int], ...]] = {
    # Signals to itself or its children
    "kill": ((1, _LOW_32_BITS, signal.SIGCONT),),
    "tkill": ((1, _LOW_32_BITS, signal.SIGCONT),),
    "tgkill": ((2, _LOW_32_BITS, signal.SIGCONT),),
    "rt_sigqueueinfo": ((1, _LOW_32_BITS, signal.SIGCONT),),
    "rt_tgsigqueueinfo": ((2, _LOW_32_BITS, signal.SIGCONT),),
    "pidfd_send_signal": ((1, _LOW_32_BITS, signal.SIGCONT),),
    # A signal of its choice, behind a pointer, at some time: no runtime needs these. Timers can
    # use setitimer, alarm and timerfd, which wake no stopped process.
    "timer_create": (),
    "mq_notify": (),
    # A signal of its choice when a file has something to read, or when a parent or child dies
    "fcntl": ((1, _LOW_32_BITS, _F_SETSIG),),
    "prctl": ((0, _LOW_32_BITS, _PR_SET_PDEATHSIG), (1, _LOW_32_BITS, signal.SIGCONT)),
    "clone": ((0, 0xFF, signal.SIGCONT),),
}
"""Calls that would wake a bot stopped by SIGSTOP because others are to move.

The filter refuses a call if all its conditions hold: an argument's number, a mask and the value. A
control group's freezer holds whatever a bot does: this is for the level `strict`. Nevertheless,
`referee/sandbox/freeze/signal_freezer.py` looks at stopped bots again.
"""
_NEW_GROUPS = ("setsid", "setpgid")
"""They seem to work, and change nothing: all processes of a bot are one process group.

A stopped process group continues when a death orphans it, or when its session leader loses the
terminal. A process that holds much memory dies slowly, so a bot could begin such a death before it
is stopped. Programs that want a group of their own go on without.
"""


@functools.cache
def seccomp_filter(*, network: bool, building: bool = False) -> bytes:
    """Return the filter as the kernel reads it (an array of `struct sock_filter`).

    Without the network a program has Unix sockets only; a build may lock files. Raise
    `RuntimeError` or `ImportError` where libseccomp is missing.
    """
    # Imported here, as the import fails where the library is missing.
    import pyseccomp  # noqa: PLC0415

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    denied = pyseccomp.ERRNO(errno.EPERM)
    _refuse(pyseccomp, rules, denied, (*_REFUSED, *_COVERT))
    for call, *condition in _refused_for_arguments(building=building):
        _refuse(pyseccomp, rules, denied, (call,), _masked(pyseccomp, *condition))
    _refuse(pyseccomp, rules, denied, _FLAGGED, pyseccomp.Arg(5, pyseccomp.NE, 0))
    for flag in _NEW_NAMESPACES:
        _refuse(pyseccomp, rules, denied, ("clone",), _masked(pyseccomp, 0, flag, flag))
    # As on a file system without attributes: copying goes on.
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(errno.EOPNOTSUPP), _ATTRIBUTES)
    # As where the pool is empty.
    no_huge_pages = _masked(pyseccomp, 3, _MAP_HUGETLB, _MAP_HUGETLB)
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(errno.ENOMEM), ("mmap",), no_huge_pages)
    if not building:
        _refuse_to_bots(pyseccomp, rules)
    # Libraries do without these. A filter cannot see clone3's flags, behind a pointer; a robust
    # list wakes waiters on a page of a file when a thread ends.
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(errno.ENOSYS), ("clone3", "set_robust_list"))
    no_family = pyseccomp.ERRNO(errno.EAFNOSUPPORT)
    if network:
        for family in set(range(_AF_NETLINK)) - set(_OF_THE_NETWORK):
            rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
        rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.GT, _AF_NETLINK))
    else:
        rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    # socketpair makes sockets of any family before it refuses most.
    rules.add_rule(no_family, "socketpair", pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    return _exported(rules)


def _refuse(pyseccomp: Any, rules: Any, answer: Any, calls: Iterable[str], *arguments: Any) -> None:
    """Add a rule for each of these calls that exists here, with these conditions on arguments."""
    for name in calls:
        if (number := _number(pyseccomp, name)) is not None:
            rules.add_rule(answer, number, *arguments)


def _refuse_to_bots(pyseccomp: Any, rules: Any) -> None:
    """Add the rules for calls that builds may make."""
    denied = pyseccomp.ERRNO(errno.EPERM)
    _refuse(pyseccomp, rules, denied, _ONLY_BUILDS)
    # As of a file whose system has no such request.
    for call, *condition in _foreign_requests():
        unknown = pyseccomp.ERRNO(errno.ENOTTY)
        _refuse(pyseccomp, rules, unknown, (call,), _masked(pyseccomp, *condition))
    for name, conditions in _WAKES.items():
        masked = [_masked(pyseccomp, *condition) for condition in conditions]
        _refuse(pyseccomp, rules, denied, (name,), *masked)
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(0), (*_NEW_GROUPS, *_TIMES))


def _masked(pyseccomp: Any, argument: int, mask: int, value: int) -> Any:
    return pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, mask, value)


def _number(pyseccomp: Any, name: str) -> int | None:
    """Return a system call's number; None where this machine has no such call."""
    try:
        number: int = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except (OSError, ValueError):
        number = -1
    return number if number >= 0 else None


def _exported(rules: object) -> bytes:
    reading, writing = os.pipe()  # a filter has some 1000 bytes, a pipe has room for 65536
    with os.fdopen(reading, "rb") as source:
        with os.fdopen(writing, "wb") as target:
            rules.export_bpf(target)  # type: ignore[attr-defined]
        return _without_newer_calls() + source.read()


def _without_newer_calls() -> bytes:
    """Return the filter's first instructions: newer calls end here, all others go on.

    libseccomp knows single calls, and names only those that are older than itself.
    """
    instructions = (
        (_LOAD_NUMBER, 0, 0, 0),
        (_IF_AT_LEAST, 0, 2, FIRST_NEWER),
        (_IF_AT_LEAST, 1, 0, _X32),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    )
    return b"".join(_INSTRUCTION.pack(*each) for each in instructions)
