"""A folder for what a process needs on the disk for a while, which does not outlive it for long.

All temporary files of the process are made below it. The folder itself is locked as long as the
process lives; the system lets go of the lock however that ends. So one that nobody holds was left
by a process that was killed, and the next one that wants such a folder removes it.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "courtyard-run-"
_SHORT = Path("/tmp")  # noqa: S108 -- what is made there is private
_MOST_TRIES = 20
"""So often a folder is made; where none can be had by then, none can be had."""


@contextlib.contextmanager
def scratch() -> Iterator[None]:
    """Have this process make its temporary files in a folder of its own while the block runs.

    First remove what others have left that were killed. Where no such folder can be had, temporary
    files are made where they are made otherwise, and whoever needs one says what is wrong.
    """
    before = tempfile.tempdir
    with contextlib.ExitStack() as kept:
        with contextlib.suppress(OSError):
            above = Path(tempfile.gettempdir())
            for place in {above, _SHORT}:
                _sweep(place)
            folder, held = _made(above)
            kept.callback(os.close, held)
            kept.callback(_remove, folder)
            tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextlib.contextmanager
def short_folder(longest: int) -> Iterator[Path]:
    """Make a private folder whose path has at most so many characters, while the block runs.

    It is among this process's temporary files if their folder is short enough. Else it is in /tmp,
    and locked as that is, so that it does not outlive a process for long that is killed.
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


def _made(above: Path) -> tuple[Path, int]:
    """Make a folder and lock it; return it with what holds the lock until it is closed.

    Raise `OSError` where that cannot be done, as where root's files become somebody else's.
    """
    for _ in range(_MOST_TRIES):  # another process may take it for a left one, and remove it
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
    """Remove folders that nobody holds any more."""
    for folder in above.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            held = _locked(folder)
            if held is not None:
                _remove(folder)
                os.close(held)


def _locked(folder: Path) -> int | None:
    """Lock a folder of this user's own; return what holds the lock, None if somebody else does.

    Raise `OSError` if it is gone or no folder; no link is followed.
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
