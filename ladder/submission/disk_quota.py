"""The disk use of authors' bots, and its quota.

Disk use counts the blocks and files of all versions, stored and built, and in the database their
validation data and the records of the author's spars. A file is an inode of the file system, of
which ext4 by default has one for every 16 KiB; the limit of files follows from that.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ladder.model.bots import Version
from ladder.model.errors import QuotaError
from ladder.storage.db.database import Transaction
from ladder.storage.files.folder import Home
from ladder.storage.tables import bots, spars

MIB = 1024 * 1024
_BLOCK_BYTES = 512
_BYTES_A_FILE = 16 * 1024
_FOLDERS_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class DiskUse:
    """The disk use of some files."""

    size_bytes: int = 0
    """The size of their disk blocks."""
    files: int = 0
    """The number of files, folders and links."""

    def __add__(self, other: "DiskUse") -> "DiskUse":
        """Return the sum."""
        return DiskUse(self.size_bytes + other.size_bytes, self.files + other.files)

    def __str__(self) -> str:
        """Return the text for messages and tables."""
        return f"{self.size_bytes / MIB:,.1f} MiB in {self.files:,} files"


@dataclass(frozen=True, slots=True)
class Quota:
    """The disk quota of each author."""

    mib: int

    def allows(self, used: DiskUse) -> bool:
        """Return whether this disk use is within the quota."""
        most = self.mib * MIB
        return used.size_bytes <= most and used.files <= most // _BYTES_A_FILE

    def check(self, author: str | None, used: DiskUse, what: str) -> None:
        """Raise `QuotaError` if an author exceeds the quota; the owner (None) has none.

        `what` is the part of the message before the amount.
        """
        if author is not None and not self.allows(used):
            raise QuotaError(
                f"{author} may use {self} of the ladder's disk, and {what} {used}: make the bot or "
                "its build smaller, or ask the ladder's owner, who can retire bots of "
                "yours or allow more (`ladder settings --author-disk`)"
            )

    def __str__(self) -> str:
        """Return the text for messages and tables."""
        return f"{self.mib:,} MiB in {self.mib * MIB // _BYTES_A_FILE:,} files"


def of_author(tx: Transaction, home: Home, author: str) -> DiskUse:
    """Return the current disk use of an author's bots and spars."""
    return _of_versions(home, bots.versions_of_author(tx, author)) + _in_database(tx, author)


def with_another(tx: Transaction, home: Home, author: str, bot: str, digest: str) -> DiskUse:
    """Return an author's disk use after a bot's submission, whose files are already stored.

    The build of the bot's current version does not count: it is removed then, or after the matches
    that still need it.
    """
    versions = bots.versions_of_author(tx, author)
    digests = {digest, *(version.digest for version in versions)}
    leaving = {v.digest for v in versions if v.bot == bot and v.active} - {digest}
    stored = [home.bundle(each) for each in digests]
    built = [home.built(each) for each in digests - leaving]
    return _of_folders([*stored, *built]) + _in_database(tx, author)


def least_with_another(tx: Transaction, home: Home, author: str) -> DiskUse:
    """Return the least disk use of an author after any new submission."""
    versions = bots.versions_of_author(tx, author)
    leaving = [_of_folder(home.built(version.digest)) for version in versions if version.active]
    now = _of_versions(home, versions)
    return DiskUse(
        now.size_bytes - max((each.size_bytes for each in leaving), default=0),
        now.files - max((each.files for each in leaving), default=0),
    ) + _in_database(tx, author)


def of_ladder(home: Home) -> DiskUse:
    """Return the disk use of all versions, stored and built."""
    if not home.bots.is_dir():
        return DiskUse()
    return _of_folders(each for each in home.bots.iterdir() if not each.name.startswith("."))


def _in_database(tx: Transaction, author: str) -> DiskUse:
    return DiskUse(bots.trial_bytes(tx, author) + spars.stored_bytes(tx, author))


def _of_versions(home: Home, versions: Iterable[Version]) -> DiskUse:
    digests = {version.digest for version in versions}
    return _of_folders([*map(home.bundle, digests), *map(home.built, digests)])


def _of_folders(folders: Iterable[Path]) -> DiskUse:
    return sum(map(_of_folder, folders), DiskUse())


def _of_folder(folder: Path) -> DiskUse:
    """Return the disk use of a folder; none if it is missing.

    Folders do not change once they are in place, so each is measured once.
    """
    try:
        status = folder.stat()
    except OSError:
        return DiskUse()
    return _measured(folder, status.st_ino, status.st_ctime_ns)


@lru_cache(_FOLDERS_KNOWN)
def _measured(folder: Path, _inode: int, _changed_ns: int) -> DiskUse:
    blocks, seen = 0, set[int]()
    for path, inner, names in os.walk(folder, onerror=None):
        for name in ("", *names, *(each for each in inner if Path(path, each).is_symlink())):
            try:
                status = Path(path, name).lstat()
            except OSError:  # being removed
                continue
            if status.st_ino not in seen:  # count hard links once
                seen.add(status.st_ino)
                blocks += status.st_blocks
    return DiskUse(blocks * _BLOCK_BYTES, len(seen))
