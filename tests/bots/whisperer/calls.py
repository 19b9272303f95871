"""System calls that Python has no name for, on x86-64 and ARM (aarch64)."""

import ctypes
import errno
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_NUMBERS = {
    "cachestat": (451, 451),
    "fcntl": (72, 25),
    "futex": (202, 98),
    "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
    "io_destroy": (207, 1),
    "io_setup": (206, 0),
    "madvise": (28, 233),
    "mincore": (27, 232),
    "pidfd_open": (434, 434),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "sysinfo": (99, 179),
}
"""Of x86-64 and of aarch64."""
_COLUMN = ("x86_64", "aarch64").index(os.uname().machine)


def call(name: str, *arguments: object) -> int:
    """Make a system call; raise `OSError` if it fails."""
    number = _NUMBERS[name][_COLUMN]
    ctypes.set_errno(0)
    _LIBC.syscall.restype = ctypes.c_long
    result: int = _LIBC.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, errno.errorcode.get(error, str(error)))
    return result


def on_first_core() -> None:
    """Stay on one core: many counters are counted on each."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
