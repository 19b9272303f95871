"""The system calls that a bot may not make, as a filter that the kernel asks at each of them.

All else is allowed, as virtual machines use more calls than anybody lists. What is refused either
leads out of the sandbox, or holds memory that no limit on processes counts, or is a part of the
kernel that no bot needs and that has often been broken, or is a way in which bots could tell each
other something (see `channels`). A refused call fails, it does not kill.
"""

import errno
import functools
import os
import socket
from collections.abc import Iterable
from typing import Any

from referee.sandbox import channels

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
_ATTRIBUTES = ("setxattr", "lsetxattr", "fsetxattr", "setxattrat")
"""They hold up to 128 KiB of the kernel's memory a file, for which not even a group is charged."""
_AF_NETLINK = 16
_OF_THE_NETWORK = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, _AF_NETLINK)


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
    calls = (*_REFUSED, *channels.CALLS, *(() if building else channels.LOCKS))
    _refuse(pyseccomp, rules, denied, calls)
    for call, *asked in channels.refused(building=building):
        _refuse(pyseccomp, rules, denied, (call,), _masked(pyseccomp, *asked))
    _refuse(pyseccomp, rules, denied, channels.FLAGGED, pyseccomp.Arg(5, pyseccomp.NE, 0))
    for flag in _NEW_NAMESPACES:
        _refuse(pyseccomp, rules, denied, ("clone",), _masked(pyseccomp, 0, flag, flag))
    # As on a file system that has none: who copies files goes on.
    _refuse(pyseccomp, rules, pyseccomp.ERRNO(errno.EOPNOTSUPP), _ATTRIBUTES)
    # Its flags are behind a pointer, out of a filter's sight; libraries then fall back to clone.
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    no_family = pyseccomp.ERRNO(errno.EAFNOSUPPORT)
    if network:
        for family in set(range(_AF_NETLINK)) - set(_OF_THE_NETWORK):
            rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
        rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.GT, _AF_NETLINK))
    else:
        rules.add_rule(no_family, "socket", pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    # It makes sockets of any family before it finds that most have no pairs.
    rules.add_rule(no_family, "socketpair", pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    return _exported(rules)


def _refuse(pyseccomp: Any, rules: Any, answer: Any, calls: Iterable[str], *asked: Any) -> None:
    """Add a rule for each call of these that there is here, if its arguments are such."""
    for name in calls:
        if (number := _number(pyseccomp, name)) is not None:
            rules.add_rule(answer, number, *asked)


def _masked(pyseccomp: Any, argument: int, mask: int, value: int) -> Any:
    return pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, mask, value)


def _number(pyseccomp: Any, name: str) -> int | None:
    """Return a system call's number; None where this machine or its libseccomp has no such call."""
    try:
        number: int = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except (OSError, ValueError):
        return None
    return number if number >= 0 else None


def _exported(rules: object) -> bytes:
    reading, writing = os.pipe()  # a filter has some 1000 bytes, a pipe has room for 65536
    with os.fdopen(reading, "rb") as source:
        with os.fdopen(writing, "wb") as target:
            rules.export_bpf(target)  # type: ignore[attr-defined]
        return source.read()
