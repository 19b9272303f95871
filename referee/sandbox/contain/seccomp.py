"""The kernel's filter of system calls that a bot may not make, on x86-64 and ARM (aarch64).

It allows all other calls that Linux had in 2023, as virtual machines use more than anybody lists;
newer ones do not exist for a bot, as on an older kernel. A refused call leads out
of the sandbox, holds memory that no process limit counts, reaches a part of the kernel that no bot
needs and that has often been broken, or lets bots signal each other (see `covert_channels`). A
refused call fails; it does not kill. Calls are named, as numbers differ between architectures, and
some calls are in one only. A program for another one, as of 32 bits, is killed at its first call.
"""

import errno
import functools
import os
import signal
import socket
import struct
from collections.abc import Iterable
from typing import Any

from referee.sandbox.contain import covert_channels

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

What calls to come tell or change is unknown. Some of those that came since set
attributes (`setxattrat`), open mounts, list them, or tell which pages are cached.
"""
_X32 = 0x40000000
"""From here on calls are another ABI's, for which the filter kills."""
_INSTRUCTION = struct.Struct("=HBBI")
_LOAD_NUMBER, _IF_AT_LEAST, _RETURN, _ERRNO = 0x20, 0x35, 0x06, 0x00050000
_AF_NETLINK = 16
_OF_THE_NETWORK = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, _AF_NETLINK)


_INT = 0xFFFFFFFF
"""The kernel ignores the higher bits of an `int` argument."""
_F_SETSIG, _PR_SET_PDEATHSIG = 10, 1
_WAKES: dict[str, tuple[tuple[int, int, int], ...]] = {
    # Signals to itself or its children
    "kill": ((1, _INT, signal.SIGCONT),),
    "tkill": ((1, _INT, signal.SIGCONT),),
    "tgkill": ((2, _INT, signal.SIGCONT),),
    "rt_sigqueueinfo": ((1, _INT, signal.SIGCONT),),
    "rt_tgsigqueueinfo": ((2, _INT, signal.SIGCONT),),
    "pidfd_send_signal": ((1, _INT, signal.SIGCONT),),
    # A signal of its choice, behind a pointer, at some time: no runtime needs these. Timers can
    # use setitimer, alarm and timerfd, which wake no stopped process.
    "timer_create": (),
    "mq_notify": (),
    # A signal of its choice when a file has something to read, or when a parent or child dies
    "fcntl": ((1, _INT, _F_SETSIG),),
    "prctl": ((0, _INT, _PR_SET_PDEATHSIG), (1, _INT, signal.SIGCONT)),
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
    _refuse(pyseccomp, rules, denied, (*_REFUSED, *covert_channels.CALLS))
    for call, *asked in covert_channels.refused(building=building):
        _refuse(pyseccomp, rules, denied, (call,), _masked(pyseccomp, *asked))
    _refuse(pyseccomp, rules, denied, covert_channels.FLAGGED, pyseccomp.Arg(5, pyseccomp.NE, 0))
    for flag in _NEW_NAMESPACES:
        _refuse(pyseccomp, rules, denied, ("clone",), _masked(pyseccomp, 0, flag, flag))
    # As on a file system without attributes: copying goes on.
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(errno.EOPNOTSUPP), _ATTRIBUTES)
    # As where the pool is empty.
    no_huge_pages = _masked(pyseccomp, 3, covert_channels.MAP_HUGETLB, covert_channels.MAP_HUGETLB)
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


def _refuse(pyseccomp: Any, rules: Any, answer: Any, calls: Iterable[str], *asked: Any) -> None:
    """Add a rule for each of these calls that exists here, for such arguments."""
    for name in calls:
        if (number := _number(pyseccomp, name)) is not None:
            rules.add_rule(answer, number, *asked)


def _refuse_to_bots(pyseccomp: Any, rules: Any) -> None:
    """Add the rules for calls that builds may make."""
    denied = pyseccomp.ERRNO(errno.EPERM)
    _refuse(pyseccomp, rules, denied, covert_channels.ONLY_BUILDS)
    # As of a file whose system has no such request.
    for call, *asked in covert_channels.foreign_requests():
        unknown = pyseccomp.ERRNO(errno.ENOTTY)
        _refuse(pyseccomp, rules, unknown, (call,), _masked(pyseccomp, *asked))
    for name, conditions in _WAKES.items():
        asked = [_masked(pyseccomp, *condition) for condition in conditions]
        _refuse(pyseccomp, rules, denied, (name,), *asked)
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(0), (*_NEW_GROUPS, *covert_channels.TIMES))


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
