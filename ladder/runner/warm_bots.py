"""Which bots a worker keeps running, and so which match costs it the fewest starts.

Starting a bot may cost as much as several matches. A worker's bots stay warm after a match, but no
process plays a deal twice, and only a few stay: it matters which worker plays what. The choice
changes no result, as results do not depend on the order in which the matches of a round are played.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.model.matches import PlannedMatch

WARM_BOTS = 16
"""The number of idle bots that a worker keeps running."""
MORE_WARM_BOTS = 16
"""The number of those that it keeps as well while the machine has much memory left."""
LOOKAHEAD = 32
"""How many of the next matches a worker may choose from, and may overtake one match."""
_DEALS_KNOWN = 4 * LOOKAHEAD
"""How many of its last deals are known of a process: matches of one deal are planned together."""


@dataclass(slots=True, eq=False)
class _Process:
    """An idle process of a bot."""

    version: int
    deals: dict[str, None] = field(default_factory=dict)
    """The last deals that it has played, the oldest first."""


class WarmBots:
    """The idle processes of one worker, as its `MatchRunner` keeps them if no bot fails."""

    def __init__(self) -> None:
        """Begin without any."""
        self._idle: dict[_Process, None] = {}
        """The longest idle first."""
        self._of: dict[int, list[_Process]] = {}
        """The same by version, each in this order."""
        self._deals: Counter[str] = Counter()
        """How many of them are known to have played a deal."""

    def missing(self, match: "PlannedMatch") -> int:
        """Return how many bots have to be started for a match."""
        versions = match.local_versions
        if len(versions) == len(match.local) and _deal(match) not in self._deals:
            return len(versions.difference(self._of))  # any process of a version will do
        return sum(not process.deals for process in self._seated(match))

    def play(self, match: "PlannedMatch") -> None:
        """Note that the worker plays a match."""
        for process in self._seated(match):
            own = self._of.setdefault(process.version, [])
            if process in self._idle:
                del self._idle[process]
                own.remove(process)
            self._idle[process] = None
            own.append(process)
            self._note(process, _deal(match))
        while len(self._idle) > WARM_BOTS + MORE_WARM_BOTS:
            self._stop(next(iter(self._idle)))

    def _note(self, process: _Process, deal: str) -> None:
        """Note that an idle process has played a deal."""
        process.deals[deal] = None
        self._deals[deal] += 1
        if len(process.deals) > _DEALS_KNOWN:
            self._forget(process, next(iter(process.deals)))

    def _stop(self, process: _Process) -> None:
        """Remove an idle process."""
        for deal in [*process.deals]:
            self._forget(process, deal)
        del self._idle[process]
        self._of[process.version].remove(process)
        if not self._of[process.version]:
            del self._of[process.version]

    def _forget(self, process: _Process, deal: str) -> None:
        """Forget that an idle process has played a deal."""
        del process.deals[deal]
        self._deals[deal] -= 1
        if not self._deals[deal]:
            del self._deals[deal]

    def _seated(self, match: "PlannedMatch") -> list[_Process]:
        """Return the process of each local bot of a match; a new one has played no deals."""
        deal, seated = _deal(match), list[_Process]()
        for version in match.local:
            for process in self._of.get(version, ()):
                if deal not in process.deals and process not in seated:
                    seated.append(process)
                    break
            else:
                seated.append(_Process(version))
        return seated


class MatchChooser:
    """Chooses the next match for the free workers."""

    def __init__(self) -> None:
        """Begin with nothing overtaken."""
        self._first = ""
        """The id of the match that should have been next."""
        self._overtaken = 0
        """How often it was overtaken."""

    def next(
        self, ready: "Iterable[PlannedMatch]", free: Sequence[WarmBots]
    ) -> "PlannedMatch | None":
        """Return the match that needs the fewest starts, the first of equals; None without any.

        At most `LOOKAHEAD` matches overtake the first one.
        """
        considered = islice(ready, LOOKAHEAD)
        first = best = next(considered, None)
        if first is None or best is None:
            return None
        if first.match_id != self._first:
            self._first, self._overtaken = first.match_id, 0
        fewest = _fewest(first, free)
        while fewest and self._overtaken < LOOKAHEAD and (match := next(considered, None)):
            if (needs := _fewest(match, free)) < fewest:
                best, fewest = match, needs
        self._overtaken += best is not first
        return best


def _fewest(match: "PlannedMatch", free: Sequence[WarmBots]) -> int:
    """Return how many bots a free worker has to start for a match."""
    return min([warm.missing(match) for warm in free], default=0)


def _deal(match: "PlannedMatch") -> str:
    return match.deal or match.match_id
