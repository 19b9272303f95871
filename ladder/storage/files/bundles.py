"""A bot's files, stored under a digest of their content.

The digest is SHA-256 over the files in the order of their paths, for each: the path relative to the
bot's folder, with "/", in UTF-8 behind its length in 4 bytes (big-endian); "x" if its owner may
execute it, "-" if not, "l" for a symbolic link; and the SHA-256 of its content, of a link that of
its target. Empty folders do not count and are not stored, nor does what does not belong to the bot
(see `referee.hosting.bot_files`). The bot.toml always counts, so a digest names a bot with its
build steps, and no two bots share one.

Storing copies the files to a folder of their own beside the others, hashes the copies, makes them
durable, and puts them in place by one rename: a digest has all of its files or none.
"""

import errno
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ladder.model.bots import Version
from ladder.model.errors import BundleError
from ladder.storage.files.folder import Home
from referee.core.folders import DEEPEST
from referee.hosting.bot_files import CACHES

REMOVED = ".old-"
"""How the name of a needless folder begins; `ladder.storage.sweep` removes it."""
LARGEST_BYTES = 64 * 1024 * 1024
MOST_FILES = 2000

_CHUNK = 1 << 20
_TOO_MUCH = "a bot may have no more; name what does not belong to it in its .gitignore"

Skip = Callable[[str], bool]


def nothing(_: str) -> bool:
    """Skip no path."""
    return False


@dataclass(frozen=True, slots=True)
class BundledFile:
    """A file or link of a bot."""

    path: Path
    name: str
    """Relative to the bot's folder."""
    kind: str
    """As in the digest."""


def store_bundle(source: Path, home: Home, skip: Skip = nothing) -> str:
    """Copy a bot's folder into the ladder and return its digest; raise `BundleError`.

    `skip` decides which relative paths to leave out. Files already stored stay as they are, unless
    they were damaged: then these replace them.
    """
    staging = home.bots / f".new-{secrets.token_hex(8)}"
    try:
        digest = _copy(list(entries(source, skip)), staging)
        if damage(home.bundle(digest), digest):
            if os.path.lexists(home.bundle(digest)):
                home.bundle(digest).rename(home.bots / f"{REMOVED}{secrets.token_hex(8)}")
            staging.rename(home.bundle(digest))
            sync_folder(home.bots)
    except OSError as error:
        raise BundleError(f"{error.filename or source}: {error.strerror}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return digest


def digest_of(folder: Path, skip: Skip = nothing) -> str:
    """Return the current digest of a folder's files; raise `BundleError`."""
    try:
        return _digest((entry, _content_hash(entry)) for entry in entries(folder, skip))
    except OSError as error:
        raise BundleError(f"{error.filename or folder}: {error.strerror}") from error


def damage(folder: Path, digest: str) -> str:
    """Return what is wrong with the stored files of a digest, as words that follow "the files".

    Nothing is while they are all there as they were, though bots at `trusted` may add others.
    """
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return f"are in no folder of their own: {folder}"
        changed = digest_of(folder) != digest and not _has_among_others(folder, digest)
    except FileNotFoundError:
        return f"are missing: {folder}"
    except OSError as error:
        return f"cannot be read: {folder}: {error.strerror}"
    except BundleError as error:
        return f"cannot be used: {error}"
    return f"were changed: {folder}" if changed else ""


def _has_among_others(folder: Path, digest: str) -> bool:
    """Return whether the files of a digest are in a folder, and all others came later."""
    hashed = [
        (entry.path.lstat().st_ctime_ns, entry, _content_hash(entry)) for entry in entries(folder)
    ]
    return any(
        _digest((entry, content) for came, entry, content in hashed if came <= last) == digest
        for last in sorted({came for came, *_ in hashed}, reverse=True)[1:]
    )


def is_folder(path: Path) -> bool:
    """Return whether this is a folder itself, not a link to one."""
    return path.is_dir() and not path.is_symlink()


def _digest(hashed: Iterator[tuple[BundledFile, bytes]]) -> str:
    whole = hashlib.sha256()
    for entry, content_hash in hashed:
        name = os.fsencode(entry.name)
        whole.update(len(name).to_bytes(4, "big") + name + entry.kind.encode() + content_hash)
    return whole.hexdigest()


def entries(root: Path, skip: Skip = nothing) -> Iterator[BundledFile]:
    """Yield a bot's files and links, in the order of the digest.

    Raise `BundleError` on invalid entries, `OSError` on unreadable ones.
    """
    names = sorted(islice(_walk(root, "", skip), MOST_FILES + 1), key=os.fsencode)
    if len(names) > MOST_FILES:
        raise BundleError(f"{root}: more than {MOST_FILES} files{_mostly(names)}; {_TOO_MUCH}")
    total = 0
    for name in names:
        entry, size = _entry(root, name)
        total += size
        if total > LARGEST_BYTES:
            raise BundleError(f"{root}: more than {LARGEST_BYTES >> 20} MiB; {_TOO_MUCH}")
        yield entry


def _mostly(names: Sequence[str]) -> str:
    """Return in which folder most of these files are, as words; empty if there is none."""
    [(folder, count)] = Counter(name.partition("/")[0] for name in names).most_common(1)
    return f", most of them in {folder}" if count > len(names) // 2 else ""


def _walk(root: Path, folder: str, skip: Skip) -> Iterator[str]:
    """Yield the relative names of all files and links below a folder that are not skipped."""
    with os.scandir(root / folder) as found:
        for item in found:
            name = f"{folder}/{item.name}" if folder else item.name
            if item.name in CACHES or skip(name):
                continue
            if item.is_dir(follow_symlinks=False):
                if name.count("/") >= DEEPEST:
                    raise BundleError(f"{root}: folders that are more than {DEEPEST} deep")
                yield from _walk(root, name, skip)
            else:
                yield name


def _entry(root: Path, name: str) -> tuple[BundledFile, int]:
    """Return the entry of this name, and its size in bytes."""
    path = root / name
    status = path.lstat()
    if stat.S_ISREG(status.st_mode):
        kind = "x" if status.st_mode & stat.S_IXUSR else "-"
        return BundledFile(path, name, kind), status.st_size
    if not stat.S_ISLNK(status.st_mode):
        raise BundleError(f"{path}: neither a file, a folder nor a link; take it out of the folder")
    if path.readlink().is_absolute() or not _stays_within(path, root):
        raise BundleError(
            f"{path}: this link leaves the bot's folder; put the file itself there, or name the "
            "link in .gitignore"
        )
    return BundledFile(path, name, "l"), 0


def _stays_within(path: Path, root: Path) -> bool:
    try:
        path.stat()
    except OSError as error:  # a link may lead to nothing, but not in a circle
        if error.errno == errno.ELOOP:
            return False
    return path.resolve().is_relative_to(root.resolve())


def _copy(bundled: list[BundledFile], staging: Path) -> str:
    """Copy the entries and return the digest of what was copied."""
    staging.mkdir(parents=True)

    def copied() -> Iterator[tuple[BundledFile, bytes]]:
        for entry in bundled:
            target = staging / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if entry.kind == "l":
                target.symlink_to(entry.path.readlink())
            else:
                _copy_file(entry, target)
            yield entry, _content_hash(BundledFile(target, entry.name, entry.kind))

    digest = _digest(copied())
    for folder in [staging, *(path for path in staging.rglob("*") if is_folder(path))]:
        folder.chmod(0o755)  # a sandbox may run the bot as somebody else
        sync_folder(folder)
    return digest


def _copy_file(entry: BundledFile, target: Path) -> None:
    with naming(target), target.open("xb") as copy:
        for chunk in _chunks(entry.path):
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    target.chmod(0o555 if entry.kind == "x" else 0o444)


def _chunks(path: Path) -> Iterator[bytes]:
    with naming(path), path.open("rb") as file:
        yield from iter(lambda: file.read(_CHUNK), b"")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the system that names no file, as of a read or write, name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def _content_hash(entry: BundledFile) -> bytes:
    if entry.kind == "l":
        return hashlib.sha256(os.fsencode(entry.path.readlink())).digest()
    with naming(entry.path), entry.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with naming(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


_SECONDS_BETWEEN_LOOKS = 10.0
"""How often the same files are read again, at most."""


class StoredFiles:
    """Looks at the files of versions. It reads them once, as long as their folder is the same."""

    def __init__(self, home: Home, clock: Callable[[], float] = time.monotonic) -> None:
        """Look in this folder; the clock counts seconds."""
        self._home = home
        self._clock = clock
        self._seen: dict[str, tuple[tuple[int, int], str, float]] = {}
        """By digest: which folder it was, what was wrong with it, and when that was found."""

    def problem(self, version: Version) -> str:
        """Return why a version cannot be played here, as words that follow "its files"; else empty.

        Remote bots have no files here.
        """
        if found := self.damage(version):
            return found
        if version.build and not is_folder(self._home.built(version.digest)):
            return f"are not built: {self._home.built(version.digest)}"
        return ""

    def playable(self, versions: Iterable[Version]) -> list[Version]:
        """Return the versions without a problem."""
        return [version for version in versions if not self.problem(version)]

    def damage(self, version: Version, *, doubted: bool = False) -> str:
        """Return what is wrong with a version's stored files, built or not; else empty.

        Files that were whole are read again when `doubted`, as those that were not.
        """
        if version.is_remote:
            return ""
        folder, digest = self._home.bundle(version.digest), version.digest
        try:
            status = folder.lstat()
        except OSError:
            return damage(folder, digest)
        place, now = (status.st_ino, status.st_ctime_ns), self._clock()
        before, found, at = self._seen.get(digest, (None, "", now))
        is_old = (found or doubted) and now - at >= _SECONDS_BETWEEN_LOOKS
        if before != place or is_old:
            found = damage(folder, digest)
            self._seen[digest] = (place, found, now)
        return found

    def forget(self) -> None:
        """Read all files again when they are asked for next."""
        self._seen.clear()
