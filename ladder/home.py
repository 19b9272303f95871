"""The folder of a ladder: where everything in it is, how it is found, who may work on it.

ladder.db          the database; its -wal and -shm files beside it while it is in use
bots/<digest>/     the files of each version, never changed
bots/<digest>.build/  what was built of them, if there is something to build; can be made again
uploads/           archives that come from elsewhere, while they come and are submitted
run.lock           held by the process that plays or rates matches
submit.lock        held by all processes that store or build bots' files
submit-N.lock      held by one of them
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import LockedError, NoLadderError
from ladder.machine import cores

MOST_AT_ONCE = 8
"""So many may store or build bots' files at once, however many cores there are."""
_LOOK_EVERY_S = 0.1


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
    def submitting(
        self,
        say: Callable[[str], None],
        alone: Callable[[], object] | None = None,
        places: int | None = None,
    ) -> Iterator[None]:
        """Be one of at most so many that store or build bots' files, by default one a core.

        Wait for a place, and say so. If nobody else has one, call `alone` before anybody else can.
        """
        with ExitStack() as stack:
            self._take_place(stack, places or min(cores(), MOST_AT_ONCE), say)
            shared = self._lock(stack, "submit.lock")
            if _taken(shared) and alone is not None:
                alone()
            fcntl.flock(shared, fcntl.LOCK_SH)
            yield

    @contextmanager
    def using(self, digest: str) -> Iterator[None]:
        """Keep others from building these files, which are stored, or from trying them."""
        descriptor = os.open(self.bundle(digest), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _take_place(self, stack: ExitStack, places: int, say: Callable[[str], None]) -> None:
        """Lock one of so many files, which are made when they are needed."""
        locks: list[int] = []
        while True:
            for number in range(places):
                if number == len(locks):
                    locks.append(self._lock(stack, f"submit-{number + 1}.lock"))
                if _taken(locks[number]):
                    return
            say("Waiting until another process has stored or built a bot.")
            say = _silently
            time.sleep(_LOOK_EVERY_S)

    def _lock(self, stack: ExitStack, name: str) -> int:
        descriptor = self._lock_file(name)
        stack.callback(os.close, descriptor)
        return descriptor

    def _lock_file(self, name: str) -> int:
        try:
            return os.open(self.path / name, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LockedError(f"{error.filename}: {error.strerror}") from error


def _silently(_: str) -> None:
    """Say nothing."""


def _taken(lock: int) -> bool:
    """Lock a file if nobody has; return whether that went."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
