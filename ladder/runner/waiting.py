"""The planned matches that wait to begin, and the remote bots that they miss."""

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.model.presence import Presence

_HOLDS_UP_S = 1.0
"""A bot that is away for so long while a match waits for it is intermittent,"""
_STEADY_S = 300.0
"""until it has been connected for so long without a break."""


class Waiting:
    """Matches in the order in which they were planned; those put back come first."""

    def __init__(self, planned: Iterable[PlannedMatch]) -> None:
        """Begin with these."""
        self._matches: OrderedDict[str, PlannedMatch] = OrderedDict()
        self._remote: dict[str, PlannedMatch] = {}
        """Those with a remote bot."""
        self.add(planned)

    def add(self, planned: Iterable[PlannedMatch]) -> None:
        """Add matches at the end."""
        for match in planned:
            self._matches[match.match_id] = match
            if match.remote:
                self._remote[match.match_id] = match

    def put_back(self, match: PlannedMatch) -> None:
        """Add a match that is to be played again, as the first one."""
        self.add([match])
        self._matches.move_to_end(match.match_id, last=False)

    def remove(self, match: PlannedMatch) -> None:
        """Remove a match that waits."""
        del self._matches[match.match_id]
        self._remote.pop(match.match_id, None)

    @property
    def remote(self) -> list[PlannedMatch]:
        """The waiting matches with a remote bot."""
        return [*self._remote.values()]

    def __iter__(self) -> Iterator[PlannedMatch]:
        """Yield the matches, the next one first."""
        return iter(self._matches.values())

    def __contains__(self, match: PlannedMatch) -> bool:
        """Return whether a match waits."""
        return match.match_id in self._matches

    def __len__(self) -> int:
        """Return how many matches wait."""
        return len(self._matches)


@dataclass(frozen=True, slots=True)
class Missing:
    """A remote bot that a waiting match misses."""

    match: PlannedMatch
    version: Version
    seconds: float
    """For how long in all, since the match has been waiting; infinite if no bot can connect."""


class Absence:
    """Watches the remote bots of the matches that wait.

    Absence adds up over a match's wait: a bot that joins for a moment gains no time. A bot that has
    kept a match waiting is *intermittent* until it has stayed for a while: the planner no longer
    waits for it, as for one that is slow (`ladder.scheduling.ladder.planner`).
    """

    def __init__(
        self, presence: Presence | None, queue: Waiting, under_way: Mapping[str, PlannedMatch]
    ) -> None:
        """Watch a run's queue, given its matches under way; no presence: no bot can connect."""
        self._presence = presence
        self._queue = queue
        self._under_way = under_way
        self._before: dict[str, dict[int, float]] = {}
        """How long each match's bots had been away when it began to wait."""
        self._intermittent: dict[int, Version] = {}

    def missing(self) -> list[Missing]:
        """Return the bots that are away and missed now, by match that waits."""
        return [one for one in self._missed() if one.match in self._queue]

    def _missed(self) -> list[Missing]:
        """Return them also for the matches under way, which end only when the bot's time is up."""
        waiting = self._queue.remote
        if self._presence is None:
            return [Missing(match, v, math.inf) for match in waiting for v in match.remote]
        watched = [*waiting, *(match for match in self._under_way.values() if match.remote)]
        self._before = {
            match.match_id: self._before.get(match.match_id)
            or {version.id: self._presence.seconds_away(version) for version in match.remote}
            for match in watched
        }
        found = [
            Missing(match, v, self._presence.seconds_away(v) - self._before[match.match_id][v.id])
            for match in watched
            for v in match.remote
            if not self._presence.capacity(v)
        ]
        for one in found:
            if one.seconds >= _HOLDS_UP_S:
                self._intermittent[one.version.id] = one.version
        return found

    @property
    def intermittent(self) -> frozenset[int]:
        """The ids of the bots that have kept matches waiting, and have not stayed since."""
        if self._presence is not None:
            for version in [*self._intermittent.values()]:
                if self._presence.seconds_here(version) >= _STEADY_S:
                    del self._intermittent[version.id]
        return frozenset(self._intermittent)

    def patience(self, most_s: float) -> float | None:
        """Return in how many seconds a bot is to be given up, after `most_s`, or is intermittent.

        None if none is missing.
        """
        bounds = [
            most_s - one.seconds
            if one.version.id in self._intermittent
            else min(_HOLDS_UP_S, most_s) - one.seconds
            for one in self._missed()
            if one.version.id not in self._intermittent or one.match in self._queue
        ]
        return min(bounds, default=None)
