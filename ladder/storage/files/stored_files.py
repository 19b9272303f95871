"""Which versions cannot be played because of their files: lost, changed, closed, or not built."""

import time
from collections.abc import Callable, Iterable

from ladder.model.bots import Version
from ladder.storage.files.bundles import damage, is_folder
from ladder.storage.files.folder import Home

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
