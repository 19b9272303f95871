"""The folder of a ladder: its layout, how to find it, and its locks.

ladder.db          the database; its -wal and -shm files beside it while it is in use
database.url       instead of ladder.db: the URL of a PostgreSQL database
bots/<digest>/     the files of each version, never changed
bots/<digest>.build/  their build, if they have build steps; can be made again
uploads/           archives being uploaded and submitted
run.lock           held by the process that plays or rates matches
submit.lock        shared by processes that need files; exclusive for removing some
submit-N.lock      held by a process that stores or builds bots' files
next.lock          held by the process to get one of these
author-X-N.lock    held by a process that stores or builds files of an author, X, until then
"""

import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from ladder.model.cores import cores
from ladder.model.errors import LadderError, LockedError, NoLadderError, SettingsError
from ladder.storage.db.server import Place, Server
from ladder.storage.files.known import is_known, made
from referee.core.text_files import decoded

with suppress(ImportError):  # on Windows, where only remote ladders are reached
    import fcntl
    import pwd

MOST_AT_ONCE = 8
"""The most processes that store or build bots' files at once, whatever the cores."""
_LOOK_EVERY_S = 0.1
_LONGEST_URL = 4096
_OURS = ("ladder.db", "database.url", "run.lock", "submit", "next.lock", "author-")
"""The beginnings of the names of a ladder's own files."""


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one ladder."""

    path: Path

    @property
    def database(self) -> Path:
        """The database file, unless the database is on a server."""
        return self.path / "ladder.db"

    @property
    def url_file(self) -> Path:
        """The file with the URL of the database, if that is on a server."""
        return self.path / "database.url"

    @property
    def place(self) -> Place:
        """The database, wherever it is; raise `NoLadderError` if a URL cannot be read.

        A server must be known here: it would get a password from this user's environment.
        """
        server = self.server
        if server is None:
            return self.database
        if not is_known(self.path, server.url):
            raise NoLadderError(
                f"{self.path}: its database is at {server}, and you have neither made nor "
                "confirmed this ladder here: if you trust it, "
                f"`ladder trust {quote(str(self.path))}`"
            )
        return server

    @property
    def server(self) -> Server | None:
        """The server that the folder names, if any; raise `NoLadderError` if it cannot be read."""
        if self.database.is_file() or not self.url_file.is_file():
            return None
        try:
            with self.url_file.open("rb") as file:
                return Server(decoded(file.read(_LONGEST_URL)).strip())
        except (OSError, UnicodeDecodeError, SettingsError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise NoLadderError(f"{self.url_file}: {why}") from None

    @property
    def holds_ladder(self) -> bool:
        """Whether there is a ladder in the folder; raise `OSError` if the folder is closed."""
        return _is_there(self.database) or _is_there(self.url_file)

    def write_url(self, server: Server) -> None:
        """Put a URL, which may hold a password, in its file, for the owner only.

        The ladder is known here from now on: its user has named the server.
        """
        draft = self.url_file.with_name("database.url.new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"{server.url}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(self.url_file)
        made(self.path, server.url)

    def ladders_below(self) -> "dict[str, Home]":
        """Return the ladders in folders directly below this one, by name in addresses.

        That is where tournaments of a ladder lie: `ladder tournament` makes folders like this one.
        """
        found: dict[str, Home] = {}
        for folder in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            with suppress(OSError):  # closed, or gone meanwhile
                if Home(folder).holds_ladder:
                    name = re.sub(r"[^A-Za-z0-9_]+", "-", folder.name).strip("-") or "-"
                    same = sum(name == each.rstrip("~") for each in found)
                    found[name + "~" * same] = Home(folder)
        return found

    @property
    def bots(self) -> Path:
        """The folder of all versions' files."""
        return self.path / "bots"

    @property
    def uploads(self) -> Path:
        """The folder of uploaded archives; created by the author API."""
        return self.path / "uploads"

    def bundle(self, digest: str) -> Path:
        """Return the folder that holds, or will hold, the files of this digest."""
        return self.bots / digest

    def built(self, digest: str) -> Path:
        """Return the folder that holds, or will hold, the build of these files."""
        return self.bots / f"{digest}.build"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from playing or rating; raise `LockedError` if one does already.

        The system releases the lock when this process ends, however it ends.
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
        self, say: Callable[[str], None], author: str | None = None, places: int | None = None
    ) -> Iterator[None]:
        """Take one of the `places`, by default one a core, to store or build bots' files.

        Wait for a place, and say so; the first to wait, in any process, is next. If there are
        several places, only the ladder's owner (None) may take all.
        """
        most = places or min(cores(), MOST_AT_ONCE)
        with ExitStack() as stack:
            if author is not None:
                say = _take(lambda: self._takes_place(stack, author, max(1, most - 1)), say)
            locks = [self._lock(stack, f"submit-{number + 1}.lock") for number in range(most)]
            with ExitStack() as turn:
                next_lock = self._lock(turn, "next.lock")
                if not _taken(next_lock):
                    say = _waits(say)
                    fcntl.flock(next_lock, fcntl.LOCK_EX)  # the system keeps the order
                _take(lambda: any(_taken(lock) for lock in locks), say)
            yield

    @contextmanager
    def using(self, digest: str) -> Iterator[None]:
        """Keep others from building, trying and removing these stored files."""
        with ExitStack() as stack:
            with self.files_stay():
                descriptor = os.open(self.bundle(digest), os.O_RDONLY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield

    def is_used(self, digest: str) -> bool:
        """Return whether anybody builds or tries these files now."""
        try:
            descriptor = os.open(self.bundle(digest), os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError:  # the process that closed them may need them
            return True
        try:
            return not _taken(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def files_stay(self) -> Iterator[None]:
        """Keep others from removing any version's files; wait while somebody does."""
        with ExitStack() as stack:
            fcntl.flock(self._lock(stack, "submit.lock"), fcntl.LOCK_SH)
            yield

    @contextmanager
    def unplanned(self) -> Iterator[None]:
        """Keep runs from planning, which needs `files_stay`; wait while one plans."""
        with ExitStack() as stack:
            fcntl.flock(self._lock(stack, "submit.lock"), fcntl.LOCK_EX)
            yield

    @contextmanager
    def removing(self) -> Iterator[bool]:
        """Try to keep others from relying on files to remove; yield whether it worked."""
        with ExitStack() as stack:
            yield _taken(self._lock(stack, "submit.lock"))

    def _lock(self, stack: ExitStack, name: str) -> int:
        descriptor = self._lock_file(name)
        stack.callback(os.close, descriptor)
        return descriptor

    def _takes_place(self, stack: ExitStack, author: str, places: int) -> bool:
        """Lock the file of one of an author's places, and remove it in the end."""
        whose = hashlib.sha256(author.encode()).hexdigest()[:16]
        for name in (f"author-{whose}-{number + 1}.lock" for number in range(places)):
            with ExitStack() as tried:
                lock = self._lock(tried, name)
                if _taken(lock) and _is_file(lock, self.path / name):
                    tried.callback((self.path / name).unlink)
                    stack.enter_context(tried.pop_all())
                    return True
        return False

    def check_links(self) -> None:
        """Raise `NoLadderError` if a file of the ladder is elsewhere."""
        if link := _link(path for path in _items(self.path) if path.name.startswith(_OURS)):
            raise NoLadderError(f"{link}: a link; a ladder's files lie in its own folder")

    @property
    def linked(self) -> Path | None:
        """A folder of bots or uploads that lies elsewhere, as on another disk; usually none."""
        return _link((self.bots, self.uploads)) or _link(_items(self.bots))

    def check_owner(self) -> None:
        """Raise `LadderError` if root would leave files here that the folder's owner cannot use."""
        owner = self.path.stat().st_uid
        if os.geteuid() == 0 != owner:
            name = _user(owner)
            raise LadderError(
                f"{self.path} is {name}'s, who could not use what root leaves in it: run this as "
                f"{name}, with `runuser -u {name} -- COMMAND` for example"
            )

    def _lock_file(self, name: str) -> int:
        try:
            self.check_owner()
            return os.open(self.path / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise LockedError(f"{error.filename}: {error.strerror}") from error


def _items(folder: Path) -> list[Path]:
    """Return what a folder holds, if it is one; raise `NoLadderError` if it is closed."""
    try:
        return sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise NoLadderError(f"{error.filename}: {error.strerror}") from error


def _link(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if path.is_symlink()), None)


def _is_there(path: Path) -> bool:
    """Return whether this is a file; raise `OSError` if that is unknown.

    `Path.is_file` returns False then, since Python 3.14.
    """
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _user(number: int) -> str:
    """Return a user's name, or the user's number if there is none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"#{number}"


def _take(taken: Callable[[], bool], say: Callable[[str], None]) -> Callable[[str], None]:
    """Try until it is taken; return `say`, silenced once it has reported the wait."""
    while not taken():
        say = _waits(say)
        time.sleep(_LOOK_EVERY_S)
    return say


def _waits(say: Callable[[str], None]) -> Callable[[str], None]:
    """Report that this process waits; return a silent `say`."""
    say("Waiting until another process has stored or built a bot.")
    return _silently


def _silently(_: str) -> None:
    """Say nothing."""


def _is_file(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at this path."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _taken(lock: int) -> bool:
    """Lock a file if no other process has; return whether it did."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def find_home(given: Path | None, start: Path | None = None) -> Home:
    """Return the ladder in the given folder, or else in `start` or the nearest folder above it.

    `start` is the current folder by default.
    """
    if given is None:
        start = start or Path.cwd()
        candidates = [start, *start.parents]
    else:
        candidates = [given]
    try:
        for candidate in candidates:
            if Home(candidate).holds_ladder:
                return Home(candidate)
    except OSError as error:
        raise NoLadderError(f"{error.filename}: {error.strerror}") from error
    if given is not None:
        raise NoLadderError(f"{given}: there is no ladder in this folder")
    raise NoLadderError(
        f"there is no ladder in {candidates[0]} or above it; "
        "name one with --ladder DIR, or make one with `ladder init DIR`"
    )
