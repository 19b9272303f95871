"""The bots' files that a machine of a cluster keeps, each under its digest, and their builds.

The layout is that of a ladder's folder (`ladder.storage.files.folder`): bots/<digest>/ holds files
that never change, bots/<digest>.build/ their build. A batch of matches holds a lease on what it
needs.
What is missing is fetched, checked against its digest and built, once: other processes on this
machine wait for the one that does. It is there as a whole or not at all, whatever is killed when.

locks/<digest> is locked by everybody who uses the files (shared) or adds or removes them
(exclusive). It holds their size in bytes; its time is that of their last use. Nothing is removed
that is leased. Files that are fetched again get a new `BotSpec.made`, so that no worker goes on
with a warm bot whose files are gone.
"""

import errno
import fcntl
import logging
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ladder.model.errors import BundleError, LadderError
from ladder.storage.files import archive, builds
from ladder.storage.files.bundles import digest_of, store_bundle
from ladder.storage.files.folder import Home
from referee.core import folders
from referee.core.plain import plain
from referee.sandbox.contain.visible_paths import is_visible
from referee.sandbox.program import Level

_LOG = logging.getLogger("courtyard.worker")

MOST_BYTES = 20 << 30
"""How much disk space a store takes by default, besides the files in use."""

Fetch = Callable[[str], Iterator[bytes]]
"""Returns the stored archive of a digest (`pack`) in chunks; raises `LadderError`."""

CHUNK = 256 * 1024
"""The bytes of an archive that travel at once."""
_FASTEST = 1
_OF_THIS_MACHINE = {
    getattr(errno, name)
    for name in ("EACCES", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOSPC", "EROFS")
}
_DIGEST = re.compile(r"[0-9a-f]{64}")
_BLOCK_BYTES = 512
_STAGED = ".new-"
_REMOVED = ".old-"


@dataclass(frozen=True, slots=True)
class BotFiles:
    """The files of one version, as a worker needs them."""

    name: str
    """Names the version in messages, such as "ann version 1"."""
    digest: str
    build: tuple[tuple[str, ...], ...] = ()
    """The commands that build it; often none."""
    network: bool = False
    """Whether its build may use the network."""


def default_folder() -> Path:
    """Return where a worker keeps bots' files unless told otherwise."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "courtyard" / "bots"


def pack(home: Home, digest: str) -> Iterator[bytes]:
    """Yield the archive of a ladder's stored files in chunks of at most `CHUNK` bytes.

    Raise `BundleError` if the files are missing or damaged.
    """
    _check(digest)
    source = home.bundle(digest)
    if not source.is_dir():
        raise BundleError(f"{source}: these files are missing")
    if digest_of(source) != digest:
        raise BundleError(f"{source}: these files were changed; see `ladder verify`")
    with tempfile.TemporaryFile(dir=home.path) as file:
        archive.pack(source, file, stored=True, level=_FASTEST)
        file.seek(0)
        while chunk := file.read(CHUNK):
            yield chunk


class BotStore:
    """The files and builds of bots in a folder of this machine."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        """Open or make the store; raise `LadderError` if that cannot be done.

        When it holds more than `most_bytes`, what was not used for longest is removed.
        """
        self._home = Home(folder.absolute())
        self._locks = folder.absolute() / "locks"
        self._most_bytes = most_bytes
        self._has_grown = True
        """Whether it may be too large."""
        try:
            self._home.bots.mkdir(parents=True, exist_ok=True)
            self._locks.mkdir(exist_ok=True)
        except OSError as error:
            raise BundleError(f"{error.filename}: {error.strerror}") from error
        self._remove_half_made()

    @contextmanager
    def lease(self, fetch: Fetch, level: Level) -> Iterator["Lease"]:
        """Yield a lease, whose files stay until it ends; builds run at this level.

        Raise `BundleError` if bots at this level would see each other's files.
        """
        if level is not Level.TRUSTED and is_visible(self._home.path.resolve(), network=True):
            raise BundleError(
                f"{self._home.path}: bots can read this folder, as it is below the system's or "
                "Python's own: keep the bots' files elsewhere"
            )
        try:
            with ExitStack() as held:
                yield Lease(partial(self._hold, fetch, level, held))
        finally:
            with suppress(OSError):  # there is another time
                self._make_room()

    def _hold(self, fetch: Fetch, level: Level, held: ExitStack, files: BotFiles) -> Path:
        """Keep the files there until `held` ends; return the folder in which the version runs."""
        try:
            while True:
                lock = self._lock(files.digest, fcntl.LOCK_SH)
                if self._has(files):
                    held.callback(os.close, lock)
                    os.utime(lock)
                    return builds.directory(self._home, files.digest, files.build)
                os.close(lock)
                self._add(files, fetch, level)
        except (BundleError, OSError) as error:
            if (ours := _of_this_machine(error)) is not None:
                raise LadderError(f"{self._home.path}: {ours.strerror}") from error
            raise

    def _has(self, files: BotFiles) -> bool:
        return (
            self._home.bundle(files.digest).is_dir()
            and builds.directory(self._home, files.digest, files.build).is_dir()
        )

    def _add(self, files: BotFiles, fetch: Fetch, level: Level) -> None:
        """Fetch and build the files, unless another process was faster."""
        lock = self._lock(files.digest, fcntl.LOCK_EX)
        try:
            if self._has(files):
                return
            with self._home.files_stay():
                if not self._home.bundle(files.digest).is_dir():
                    self._fetch(files, fetch)
                self._build(files, level)
            size = sum(map(_bytes_in, self._folders(files.digest)))
            os.ftruncate(lock, 0)
            os.pwrite(lock, str(size).encode(), 0)
            self._has_grown = True
        except BaseException as error:
            self._discard(files.digest)
            if isinstance(error, BundleError):
                reason = f"the files of {files.name}: {error}"
                raise BundleError(reason) from error.__cause__
            raise
        finally:
            os.close(lock)

    def _fetch(self, files: BotFiles, fetch: Fetch) -> None:
        staging = self._home.bots / f"{_STAGED}{secrets.token_hex(8)}"
        staging.mkdir(mode=0o700)
        try:
            packed = staging / "packed"
            _receive(fetch(files.digest), packed)
            archive.unpack(packed, staging / "bot", stored=True)
            if (found := digest_of(staging / "bot")) != files.digest:
                raise BundleError(
                    f"other files arrived: their digest is {found[:12]}…, not {files.digest[:12]}…"
                )
            store_bundle(staging / "bot", self._home)
        finally:
            shutil.rmtree(staging)

    def _build(self, files: BotFiles, level: Level) -> None:
        if not files.build:
            return
        with self._home.submitting(_LOG.info), self._home.using(files.digest):
            built = builds.make(
                self._home,
                files.digest,
                files.build,
                level,
                network=files.network,
                say=lambda command: _LOG.info("building %s: %s", files.name, command),
            )
        if built.failure:
            why = builds.without_network(level, network=files.network)
            raise BundleError(f"they cannot be built here: {built.failure}{why}")

    def _make_room(self) -> None:
        """Remove what was not used for longest, while the store is too large."""
        if not self._has_grown:  # looking through thousands of bots takes a while
            return
        self._has_grown = False
        known = sorted(self._known())
        excess = sum(size for _, size, _ in known) - self._most_bytes
        for _, size, digest in known:
            if excess > 0 and self._remove(digest):
                excess -= size

    def _known(self) -> Iterator[tuple[int, int, str]]:
        """Yield the time of last use in ns, the size in bytes, and the digest of what is here."""
        for lock in self._locks.iterdir():
            with suppress(FileNotFoundError):  # another process removes it
                yield lock.stat().st_mtime_ns, int(lock.read_text() or "0"), lock.name

    def _remove(self, digest: str) -> bool:
        """Remove unused files; return whether it did."""
        try:
            lock = self._lock(digest, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            self._discard(digest)
        finally:
            os.close(lock)
        return True

    def _discard(self, digest: str) -> None:
        """Remove files whose lock is held exclusively, and the lock's file."""
        for folder in self._folders(digest):
            old = self._home.bots / f"{_REMOVED}{secrets.token_hex(8)}"
            with suppress(FileNotFoundError):
                folder.rename(old)
                folders.remove(old)
        (self._locks / digest).unlink()

    def _folders(self, digest: str) -> tuple[Path, Path]:
        return self._home.built(digest), self._home.bundle(digest)

    def _remove_half_made(self) -> None:
        """Remove what killed processes left, unless somebody is at work."""
        with self._home.removing() as allowed:
            for folder in self._home.bots.glob(".*") if allowed else ():
                with suppress(OSError):
                    folders.remove(folder)

    def _lock(self, digest: str, kind: int) -> int:
        """Return the locked file of a digest, as it may have been removed during the wait."""
        _check(digest)
        path = self._locks / digest
        while True:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, kind)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(lock), path.stat()):
                        return lock
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)


class Lease:
    """Files that stay in a store while matches need them."""

    def __init__(self, hold: Callable[[BotFiles], Path]) -> None:
        """Hold what is asked for by this function, which returns its folder."""
        self._hold = hold
        self._folders: dict[str, tuple[Path, int]] = {}

    def ensure(self, files: BotFiles) -> tuple[Path, int]:
        """Return the folder in which such a version runs, once it is there, and its `made`.

        Raise `LadderError` in one line if the files cannot be had, are not those of the digest or
        cannot be built; then nothing of them is left.
        """
        if files.digest not in self._folders:
            folder = self._hold(files)
            self._folders[files.digest] = folder, folder.stat().st_ctime_ns
        return self._folders[files.digest]


def _of_this_machine(error: BaseException) -> OSError | None:
    """Return what is wrong with this machine, such as a full disk; None if the files are."""
    cause = error.__cause__ if isinstance(error, BundleError) else error
    if not isinstance(cause, OSError):
        return None
    return cause if cause is error or cause.errno in _OF_THIS_MACHINE else None


def _check(digest: str) -> None:
    """Raise `BundleError` unless it can be a digest, and so is the name of a file."""
    if not _DIGEST.fullmatch(digest):
        raise BundleError(f"{plain(digest[:80])!r}: not a digest")


def _receive(chunks: Iterator[bytes], target: Path) -> None:
    size = 0
    with target.open("xb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > archive.LARGEST_STORED_ARCHIVE_BYTES:
                most = archive.LARGEST_STORED_ARCHIVE_BYTES >> 20
                raise BundleError(f"more than {most} MiB arrived; no bot's files are as large")
            file.write(chunk)


def _bytes_in(folder: Path) -> int:
    """Return the disk space of a folder with all in it, 0 if there is none."""
    paths = [Path(path, name) for path, inner, files in os.walk(folder) for name in inner + files]
    return sum(path.lstat().st_blocks for path in paths) * _BLOCK_BYTES
