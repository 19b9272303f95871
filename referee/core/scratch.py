"""One temporary folder per process, removed even if the process is killed.

All temporary files of the process live below it. The process holds a lock on the folder; the kernel
releases the lock however the process ends. An unlocked folder was left by a killed process, and the
next process removes it.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from referee.core.system import IS_UNIX

with contextlib.suppress(ImportError):  # on Windows
    import fcntl

_PREFIX = "courtyard-run-"
_SHORT = Path("/tmp")  # noqa: S108 -- what is made there is private
_LONGEST = 80
"""A socket's path has at most 103 bytes, which include a random name and `seat.sock`."""
_OF_MULTIPROCESSING = "pymp-"
_AFTER_ITS_OWN = -101
_MOST_TRIES = 20
"""Attempts to make and lock a folder before giving up."""


@contextlib.contextmanager
def scratch() -> Iterator[None]:
    """Make this process put its temporary files into a folder of its own, within the block.

    First remove folders that killed processes left. If no such folder can be made, temporary files
    go to the default place, and the code that needs one reports what is wrong. On Windows they go
    there too: the commands that run on it leave none behind.
    """
    if not IS_UNIX:
        yield
        return
    before = tempfile.tempdir
    with contextlib.ExitStack() as kept:
        with contextlib.suppress(OSError):
            above = Path(tempfile.gettempdir())
            for place in {above, _SHORT}:
                _sweep(place)
            folder, held = _made(above)
            kept.callback(_leave, folder, held)
            tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextlib.contextmanager
def short_folder(longest: int = _LONGEST) -> Iterator[Path]:
    """Make a private folder with a path short enough for sockets, within the block.

    It is among this process's temporary files if their path is short enough, else in /tmp, locked
    like `scratch` so that a later process removes it if this one is killed.
    """
    with contextlib.ExitStack() as kept:
        folder = Path(tempfile.mkdtemp(prefix="courtyard-"))
        if len(str(folder)) > longest:
            folder.rmdir()
            _sweep(_SHORT)
            folder, held = _made(_SHORT)
            kept.callback(os.close, held)
        kept.callback(_remove, folder)
        yield folder


def _leave(folder: Path, held: int) -> None:
    """Remove the folder and its lock, after multiprocessing if that keeps files in the folder."""

    def remove(*_: object) -> None:
        _remove(folder)
        os.close(held)

    if any(folder.glob(f"{_OF_MULTIPROCESSING}*")):
        # Where there is no /dev/shm. It removes them as this process exits, and fails if it cannot.
        from multiprocessing.util import Finalize  # noqa: PLC0415 -- imported already

        Finalize(None, remove, exitpriority=_AFTER_ITS_OWN)
    else:
        remove()


def _made(above: Path) -> tuple[Path, int]:
    """Make a folder and lock it; return it with the file descriptor that holds the lock.

    Raise `OSError` if that is impossible, for example where root's files get another owner.
    """
    for _ in range(_MOST_TRIES):  # another process may remove it before it is locked
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=above))
        try:
            held = _locked(folder)
        except FileNotFoundError:
            continue
        except OSError:
            folder.rmdir()
            raise
        if held is None:
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()
            continue
        if folder.exists():
            return folder, held
        os.close(held)
    raise PermissionError(f"no folder of this user's own can be made in {above}")


def _sweep(above: Path) -> None:
    """Remove folders that no process locks any more."""
    for folder in above.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            held = _locked(folder)
            if held is not None:
                _remove(folder)
                os.close(held)


def _locked(folder: Path) -> int | None:
    """Lock a folder of this user; return the file descriptor, None if another process locks it.

    Raise `OSError` if it is gone or not a folder; follow no links.
    """
    with contextlib.ExitStack() as opened:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        opened.callback(os.close, held)
        if os.fstat(held).st_uid != os.geteuid():
            return None
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        opened.pop_all()
        return held


def _remove(folder: Path) -> None:
    with contextlib.suppress(RecursionError):  # a bot that is trusted has nested folders too deep
        shutil.rmtree(folder, ignore_errors=True)
