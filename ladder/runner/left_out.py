"""Leaves out the bots whose files are lost or damaged, so that all others play.

Their planned matches are given up, and no more are planned, until the files are whole again. A bot
that could not start because of damage does not forfeit.
"""

from collections.abc import Callable, Collection, Iterable

from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.matches import PlannedMatch, Played
from ladder.model.progress import Progress
from ladder.storage.files import builds
from ladder.storage.ladder import Ladder
from referee.core.verdicts import is_doubtful
from referee.sandbox.program import Level


class UnplayableVersions:
    """The versions that one run leaves out."""

    def __init__(self, ladder: Ladder, progress: Progress) -> None:
        """Warn once of each version through `progress`; read all files anew."""
        self._ladder = ladder
        self._progress = progress
        self._warned: set[int] = set()
        ladder.files.forget()

    def mend(
        self,
        playing: Collection[Version],
        level: Level,
        may_use_network: Callable[[Version], bool],
        say: Callable[[str], None],
    ) -> None:
        """Rebuild the lost builds of these versions; warn of those that cannot be played.

        Raise `StoreError` if several are active, and none has its files here: before any match is
        given up, as they are elsewhere then.
        """
        home, files = self._ladder.home, self._ladder.files
        damaged = {v: found for v in playing if (found := files.damage(v))}
        active = [version for version in playing if version.active]
        if len(active) > 1 and damaged.keys() >= {*active}:
            first = _problem(active[0], damaged[active[0]])
            raise StoreError(
                f"{home.path}: no bot's files are usable here ({first}): perhaps they are in "
                "another folder or on another machine; play there"
            )
        whole = [version for version in playing if version not in damaged]
        unbuilt = builds.mend(home, whole, level, may_use_network=may_use_network, say=say)
        for version, why in (*damaged.items(), *unbuilt):
            self._warn(version, why)

    def why(self, match: PlannedMatch) -> str:
        """Return why a match cannot be played, for the lack of a bot's files; else empty."""
        found = ((v, self._ladder.files.problem(v)) for v in match.seats if v is not None)
        return self._first(found)

    def why_void(self, match: PlannedMatch, played: Played) -> str:
        """Return why a match does not count, as damage may have ended a bot; else empty."""
        found = (
            (version, self._ladder.files.damage(version, doubted=True))
            for version, result in zip(match.seats, played.seats, strict=True)
            if version is not None and is_doubtful(result.forfeit)
        )
        return self._first(found)

    def _first(self, found: Iterable[tuple[Version, str]]) -> str:
        """Warn of the first version with a problem; return the warning."""
        for version, why in found:
            if why:
                self._warn(version, why)
                return _problem(version, why)
        return ""

    def _warn(self, version: Version, why: str) -> None:
        if version.id in self._warned:
            return
        self._warned.add(version.id)
        if self._ladder.settings.contest is not None:
            then = "Its matches stay open until its files are restored, as from a backup"
        elif version.active:
            then = f"It does not play: submit it again, or `ladder retire {version.bot}`"
        else:
            then = "Its planned matches are given up"
        self._progress.warn(f"{_problem(version, why)}. {then}.")


def _problem(version: Version, why: str) -> str:
    return f"the files of {version} {why}"
