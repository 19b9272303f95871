"""The bots' files that a machine of a cluster keeps, each under its digest, and their builds.

The layout is that of a ladder's folder (`ladder.storage.files.folder`): bots/<digest>/ holds files
that never change, bots/<digest>.build/ their build. A batch of matches holds a lease on what it
needs. Files are checked against their digest as they arrive and built once: other processes on this
machine wait for the one that does. They are there as a whole or not at all, whatever is killed.

locks/<digest> is locked by all that use the files (shared) or add, build or remove them
(exclusive). It holds their size in bytes; its time is that of their last use. Nothing is removed
that is leased, or has just arrived for a batch. Files that arrive again get a new `BotSpec.made`,
so that no worker goes on with a warm bot whose files are gone.
"""

import errno
import fcntl
import io
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
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
_NEW_S = 60.0
"""For so long unused files are kept in any case."""
_FASTEST = 1
_OF_THIS_MACHINE = {
    getattr(errno, name)
    for name in ("EACCES", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOSPC", "EROFS")
}
_DIGEST = re.compile(r"[0-9a-f]{64}")
_BLOCK_BYTES = 512

Folders = Mapping[str, tuple[Path, int] | BundleError]
"""By digest, the folder in which a version runs and its `made`, or why it cannot be built."""


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
    """Return where a worker keeps bots' files by default."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "courtyard" / "bots"


def pack(home: Home, digest: str) -> bytes:
    """Return the archive of a ladder's stored files.

    Raise `BundleError` if the files are missing or damaged.
    """
    source = home.bundle(digest)
    if not source.is_dir():
        raise BundleError(f"{source}: these files are missing")
    if digest_of(source) != digest:
        raise BundleError(f"{source}: these files were changed; see `ladder verify`")
    packed = io.BytesIO()
    archive.pack(source, packed, stored=True, level=_FASTEST)
    return packed.getvalue()


class BotStore:
    """The files and builds of bots in a folder of this machine."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        """Open or make the store; raise `LadderError` if that cannot be done.

        When it holds more than `most_bytes`, what was not used for longest is removed.
        """
        self._home = Home(folder.absolute())
        self._locks = folder.absolute() / "locks"
        self._most_bytes = most_bytes
        try:
            self._home.bots.mkdir(parents=True, exist_ok=True)
            self._locks.mkdir(exist_ok=True)
        except OSError as error:
            raise BundleError(f"{error.filename}: {error.strerror}") from error
        with self._home.removing() as allowed:  # no other process is at work
            for left in self._home.bots.glob(".*") if allowed else ():
                with suppress(OSError):
                    folders.remove(left)

    def lacking(self, digests: Collection[str]) -> tuple[str, ...]:
        """Return of which of these files there are none."""
        return tuple(digest for digest in digests if not self._home.bundle(digest).is_dir())

    def add(self, files: BotFiles, packed: bytes) -> None:
        """Keep files that arrived in an archive, unless they are there.

        Raise `BundleError` in one line, and keep nothing, if they are not those of their digest;
        `LadderError` if this machine cannot keep them.
        """
        with self._errors_named(files), self._locked(files.digest, fcntl.LOCK_EX) as lock:
            if self.lacking([files.digest]):
                with self._home.files_stay():
                    self._unpack(files.digest, packed)
                self._note_size(files.digest, lock)
            os.utime(lock)
        self._make_room()

    @contextmanager
    def lease(
        self, bots: Collection[BotFiles], level: Level
    ) -> Iterator[tuple[Folders, tuple[str, ...]]]:
        """Yield the folders of bots, built at this level, which stay; and the digests of no files.

        Raise `BundleError` if bots at this level would see each other's files.
        """
        if level is not Level.TRUSTED and is_visible(self._home.path.resolve(), network=True):
            raise BundleError(
                f"{self._home.path}: bots can read this folder, as it is below the system's or "
                "Python's own: keep the bots' files elsewhere"
            )
        found = dict[str, tuple[Path, int] | BundleError]()
        lacking = list(self.lacking([files.digest for files in bots]))
        with ExitStack() as held:
            for files in () if lacking else bots:
                try:
                    with self._errors_named(files):
                        if not (folder := self._hold(files, level, held)):
                            lacking.append(files.digest)
                            break
                        found[files.digest] = folder, folder.stat().st_ctime_ns
                except BundleError as error:
                    found[files.digest] = error
            yield found, tuple(lacking)

    def _hold(self, files: BotFiles, level: Level, held: ExitStack) -> Path | None:
        """Keep the folder of a version until `held` ends, and return it; None without its files."""
        folder = builds.directory(self._home, files.digest, files.build)
        while not self.lacking([files.digest]):
            with ExitStack() as tried:
                lock = tried.enter_context(self._locked(files.digest, fcntl.LOCK_SH))
                if folder.is_dir():
                    os.utime(lock)
                    held.push(tried.pop_all())
                    return folder
            with self._locked(files.digest, fcntl.LOCK_EX) as alone:
                self._build(files, level)
                self._note_size(files.digest, alone)
        return None

    def _unpack(self, digest: str, packed: bytes) -> None:
        staging = self._home.bots / f".new-{secrets.token_hex(8)}"
        staging.mkdir(mode=0o700)
        try:
            (staging / "packed").write_bytes(packed)
            archive.unpack(staging / "packed", staging / "bot", stored=True)
            if (found := digest_of(staging / "bot")) != digest:
                raise BundleError(
                    f"other files arrived: their digest is {found[:12]}…, not {digest[:12]}…"
                )
            store_bundle(staging / "bot", self._home)
        finally:
            shutil.rmtree(staging)

    def _build(self, files: BotFiles, level: Level) -> None:
        """Build files whose lock is held exclusively, unless another process was faster."""
        if self._home.built(files.digest).is_dir() or self.lacking([files.digest]):
            return
        with (
            self._home.files_stay(),
            self._home.submitting(_LOG.info),
            self._home.using(files.digest),
        ):
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

    @contextmanager
    def _errors_named(self, files: BotFiles) -> Iterator[None]:
        """Name the version in errors; part faults of this machine from faults of the files."""
        try:
            yield
        except (BundleError, OSError) as error:
            cause = error.__cause__ if isinstance(error, BundleError) else error
            if isinstance(cause, OSError) and (cause is error or cause.errno in _OF_THIS_MACHINE):
                raise LadderError(f"{self._home.path}: {cause.strerror}") from error
            raise BundleError(f"the files of {files.name}: {error}") from None

    def _note_size(self, digest: str, lock: int) -> None:
        size = sum(map(_bytes_in, self._folders(digest)))
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(size).encode(), 0)

    def _make_room(self) -> None:
        """Remove what was not used for longest, while the store is too large."""
        known = sorted(self._known())
        excess = sum(size for _, size, _ in known) - self._most_bytes
        for used, size, digest in known:
            if excess > 0 and used < time.time() - _NEW_S and self._remove(digest):
                excess -= size

    def _known(self) -> Iterator[tuple[float, int, str]]:
        """Yield the time of last use, the size in bytes, and the digest of what is here."""
        for lock in self._locks.iterdir():
            with suppress(FileNotFoundError):  # another process removes it
                yield lock.stat().st_mtime, int(lock.read_text() or "0"), lock.name

    def _remove(self, digest: str) -> bool:
        """Remove unused files and their lock's file; return whether it did."""
        with suppress(OSError), self._locked(digest, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for folder in self._folders(digest):
                old = self._home.bots / f".old-{secrets.token_hex(8)}"
                with suppress(FileNotFoundError):
                    folder.rename(old)
                    folders.remove(old)
            (self._locks / digest).unlink()
            return True
        return False

    def _folders(self, digest: str) -> tuple[Path, Path]:
        return self._home.built(digest), self._home.bundle(digest)

    @contextmanager
    def _locked(self, digest: str, kind: int) -> Iterator[int]:
        """Yield the locked file of a digest, which may have been removed during the wait."""
        if not _DIGEST.fullmatch(digest):
            raise BundleError(f"{plain(digest[:80])!r}: not a digest")
        path = self._locks / digest
        while True:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, kind)
                if path.exists() and os.path.samestat(os.fstat(lock), path.stat()):
                    yield lock
                    return
            finally:
                os.close(lock)


def _bytes_in(folder: Path) -> int:
    """Return the disk space of a folder with all in it, 0 if there is none."""
    paths = [Path(path, name) for path, inner, files in os.walk(folder) for name in inner + files]
    return sum(path.lstat().st_blocks for path in paths) * _BLOCK_BYTES
