"""Guards calls of rules that do not return, or end the process.

Python that loops is interrupted after the CPU time that its game declares, and the call raises.
Code in C that loops cannot be: after three times as long it ends the process. CPU time is the
process's own, so that neither a busy machine nor a pause is held against the rules. While a call
goes on, a file names it; one line reports it if the process ends.
"""

import ctypes
import faulthandler
import mmap
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, TypeVar

T = TypeVar("T")

_LAST = 3
"""How much more CPU time ends the process than interrupts Python."""
_LAST_SIGNAL = getattr(signal, "SIGVTALRM", None)
"""None where there is no such signal."""
STATUS = int(_LAST_SIGNAL or -1)
"""With which it ends the process."""
_SAY_IT = """cat
{
    read -r call
    read -r late
    while read -r place && [ "${place#File}" = "$place" ]; do :; done
} <&3
[ -z "$call" ] || echo "error: this process was ended in $call${place:+$late ($place)}" >&2
"""
"""A shell reports it once stdin, a pipe, has been closed: Python itself runs no more."""


class OverrunError(BaseException):
    """A call of rules has used up its time; no `except Exception` in them stops it."""


class _Guard:
    """Guards one call at a time, in the main thread of this process."""

    is_running = False
    _file: IO[bytes] | None = None
    """Its first lines are the call that goes on and the name of an overrun of it; what the last
    signal writes comes after the page."""

    def call(self, name: str, seconds: float, act: Callable[[], T]) -> T:
        """Call this, of that name; raise `OverrunError` if it takes more seconds of CPU time."""
        main = threading.current_thread() is threading.main_thread()
        if self.is_running or _LAST_SIGNAL is None or not main:
            return act()
        if self._file is None:
            self.open(_watched())
        self.is_running = True
        lines = f"{name}\n, which {_overrun(_LAST * seconds)}\n".encode()
        self._page[: len(lines)] = lines
        self._seconds = seconds
        others = signal.signal(signal.SIGPROF, self._interrupt)
        of_others, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, _LAST * seconds)
        try:
            return act()
        finally:
            self.is_running = False
            self._page[:1] = b"\n"
            left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGPROF, others)
            if of_others:  # a submission has a limit of its own, which this call used, too
                due = max(of_others - (seconds - left), 1e-6)
                signal.setitimer(signal.ITIMER_PROF, due)

    def _interrupt(self, *_: object) -> None:
        if self.is_running:  # else the call has just ended
            raise OverrunError(f"it {_overrun(self._seconds)}")

    def open(self, file: IO[bytes]) -> None:
        """Name calls in this file, empty and open to append; do in C what needs no Python."""
        self._file = file
        file.write(b"\n" * mmap.PAGESIZE)
        file.flush()
        self._page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        if _LAST_SIGNAL is not None:
            libc = ctypes.CDLL(None)
            libc.signal(STATUS, libc._exit)  # noqa: SLF001 C's own; the signal becomes the status
            faulthandler.register(_LAST_SIGNAL, file, all_threads=False, chain=True)


def _watched() -> IO[bytes]:
    """Return a file that a shell reads when this process ends during a call."""
    theirs, path = tempfile.mkstemp()
    file = Path(path).open("ab+")  # noqa: SIM115 open for as long as the process
    Path(path).unlink()
    end, _ours = os.pipe()  # the system closes ours
    handed = [(os.POSIX_SPAWN_DUP2, end, 0), (os.POSIX_SPAWN_DUP2, theirs, 3)]
    os.posix_spawn("/bin/sh", ["sh", "-c", _SAY_IT], os.environ, file_actions=handed, setsid=True)
    os.close(end)
    os.close(theirs)
    return file


def report_in(path: Path) -> None:
    """Have this process name its calls in a file, and no shell report how it ended."""
    _GUARD.open(path.open("ab+"))


def reported(path: Path) -> str:
    """Return in which call a process ended that named its calls here; empty if in none."""
    try:
        call, late, *lines = path.read_text(errors="replace").splitlines()
    except (OSError, ValueError):
        return ""
    if not call:
        return ""
    places = [line.strip() for line in lines if line.startswith("  File")]
    return f" in {call}" + (f"{late} ({places[0]})" if places else "")


def _overrun(seconds: float) -> str:
    return f"did not return within {seconds:.0f} s of CPU time"


_GUARD = _Guard()
guarded = _GUARD.call
