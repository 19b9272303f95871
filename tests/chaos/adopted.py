"""What the runs have left: processes whose parents are gone become children of this one.

On other machines that is the work of process number 1. Those that have ended have to be taken leave
of as it does it: until then the system lists them as if they still were.
"""

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.support.processes import children, family

_SET_CHILD_SUBREAPER = 36
_SECONDS_TO_VANISH = 20.0
"""What a run has started is gone so long after it has ended."""
_LOOK_EVERY_S = 0.05


_OWN = set[int]()
"""This process's own children, which no run has started."""


def adopt() -> None:
    """Have whatever loses its parent below this process become its child.

    The signals that `nohup` or a shell's `&` has it ignore, it alone goes on ignoring.
    """
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is signal.SIG_IGN:
            # A handler, as programs that are started inherit what is ignored, and no handlers.
            signal.signal(number, lambda *_: None)


def begin() -> None:
    """Take the children that are there for this process's own: those that hold its groups."""
    _OWN.update(children(os.getpid()))


def reap(*, but: int | None) -> None:
    """Take leave of all children that have ended, except for one that somebody else waits for."""
    for pid in children(os.getpid()):
        if pid != but:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def left() -> list[str]:
    """Return the processes that are left some seconds after the last run has ended, a line each.

    They are ended then.
    """
    deadline = time.monotonic() + _SECONDS_TO_VANISH
    while found := list(_told()):
        if time.monotonic() > deadline:
            break
        time.sleep(_LOOK_EVERY_S)
    _end_all()
    return found


def _end_all() -> None:
    while found := [pid for own in {*children(os.getpid())} - _OWN for pid in family(own)]:
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap(but=None)


def _told() -> Iterator[str]:
    reap(but=None)
    for child in {*children(os.getpid())} - _OWN:
        for pid in family(child):
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                yield f"left behind: process {pid}: {words.decode(errors='replace').strip()}"
