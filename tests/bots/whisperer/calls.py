"""System calls that Python has no name for; the numbers are those of x86-64."""

import ctypes
import errno
import os

_LIBC = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """Make a system call; raise `OSError` if it fails."""
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
