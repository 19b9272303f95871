"""The folder of a ladder: where everything in it is, how it is found, who may work on it.

ladder.db          the database; its -wal and -shm files beside it while it is in use
bots/<digest>/     the files of each version, never changed
bots/<digest>.build/  what was built of them, if there is something to build; can be made again
uploads/           archives that come from elsewhere, while they come and are submitted
run.lock           held by the process that plays or rates matches
submit.lock        held by the process that stores or builds a bot's files
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import LockedError, NoLadderError


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one ladder."""

    path: Path

    @property
    def database(self) -> Path:
        """The database file."""
        return self.path / "ladder.db"

    @property
    def bots(self) -> Path:
        """The folder of all versions' files."""
        return self.path / "bots"

    @property
    def uploads(self) -> Path:
        """The folder of archives that come from elsewhere; made when there is a door."""
        return self.path / "uploads"

    def bundle(self, digest: str) -> Path:
        """Return the folder that holds, or will hold, the files of this digest."""
        return self.bots / digest

    def built(self, digest: str) -> Path:
        """Return the folder that holds, or will hold, what was built of these files."""
        return self.bots / f"{digest}.build"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from playing or rating; raise `LockedError` if one does already.

        The system gives the lock back when this process ends, however it ends.
        """
        descriptor = self._lock_file("run.lock")
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = os.read(descriptor, 32).decode(errors="replace").strip()
                raise LockedError(
                    f"process {owner or 'unknown'} is at work on the ladder in {self.path}; "
                    "wait for it or stop it"
                ) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def submitting(self, say: Callable[[str], None]) -> Iterator[None]:
        """Keep other processes from storing or building bots' files.

        Wait for one that does, and say so.
        """
        descriptor = self._lock_file("submit.lock")
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Waiting until another process has stored or built a bot.")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _lock_file(self, name: str) -> int:
        try:
            return os.open(self.path / name, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LockedError(f"{error.filename}: {error.strerror}") from error


def find_home(given: Path | None, start: Path) -> Home:
    """Return the ladder in the given folder, or else in `start` or the nearest folder above it."""
    candidates = [start, *start.parents] if given is None else [given]
    try:
        for candidate in candidates:
            if Home(candidate).database.is_file():
                return Home(candidate)
    except OSError as error:
        raise NoLadderError(f"{error.filename}: {error.strerror}") from error
    if given is not None:
        raise NoLadderError(f"{given}: there is no ladder in this folder")
    raise NoLadderError(
        f"there is no ladder in {start} or above it; "
        "name one with --ladder DIR, or make one with `ladder init DIR`"
    )
