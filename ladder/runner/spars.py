"""The unrated matches that authors ask for, within a run.

While there are rated matches to play, spars get a quarter of the workers' time: neither queue
starves the other. Where nothing rated can begin, they get all of it. A spar waits for its remote
bots without holding anything up. A void attempt is made again as often as a rated match's; it is no
evidence against the machine, as rated matches give that.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.model.progress import Progress
from ladder.runner.pace import Pace
from ladder.runner.pool import MatchPool
from ladder.runner.report import Report
from ladder.runner.waiting import Waiting
from ladder.runner.worker import Failed
from ladder.storage.ladder import Ladder
from ladder.storage.tables import spars
from referee.core.verdicts import is_last

_SHARE = 0.25
"""Of the workers' time, while there are rated matches to play."""
_MOST_DEBT_S = 60.0
"""How much of a worker's time that spars have had too much is remembered."""
_LOOK_EVERY_S = 1.0
"""How often a run looks for spars that have been asked for meanwhile."""


class SparQueue:
    """Chooses the spars' matches that a run begins, and stores how they end."""

    def __init__(
        self,
        ladder: Ladder,
        progress: Progress,
        report: Report,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Play the spars of this ladder, and count them in `report`; the clock counts seconds."""
        self._ladder = ladder
        self._progress = progress
        self._report = report
        self._clock = clock
        self._is_contest = ladder.settings.contest is not None
        self._queue = Waiting([])
        self._newest = 0
        """The newest spar that was read."""
        self._look_at = clock()
        self._charged: set[str] = set()
        """The matches under way that a rated match might have preceded."""
        self._debt_s = 0.0
        """How much more of a worker's time spars have had than they may."""
        self._settled_at = clock()

    def seated(self) -> list[Version]:
        """Return the versions with a match to be played."""
        self._look()
        return [version for match in self._queue for version in match.seats if version]

    def next(self, pool: MatchPool, pace: Pace, *, idle: bool) -> PlannedMatch | None:
        """Remove and return the match to begin now; `idle`: nothing rated can begin."""
        self._look()
        self._settle(pool.workers)
        if not len(self._queue) or not (idle or self._is_due(pool.workers)):
            return None
        for match in self._queue:
            if pool.can_start(match) and (idle or pace.may_begin(match)):
                self._queue.remove(match)
                if not self._is_open(match):
                    return self.next(pool, pace, idle=idle)
                if not idle:
                    self._charged.add(match.match_id)
                return match
        return None

    def end(self, match: PlannedMatch, outcome: Played | Failed, *, cut_short: bool) -> None:
        """Store how a match ended, or put it back."""
        self._charged.discard(match.match_id)
        if isinstance(outcome, Played) and not cut_short:
            with self._ladder.database.write() as tx:
                self._report.spars += spars.finish(tx, outcome)
            return
        if not (isinstance(outcome, Played) or cut_short or outcome.unplayed):
            is_free = outcome.paused and not match.remote  # a remote bot has seen the deal
            if not is_free:
                self.fail(match, outcome.reason, again=not is_last(match.attempts))
                return
        self._queue.put_back(match)

    def fail(self, match: PlannedMatch, reason: str, *, again: bool) -> None:
        """Count a void attempt, and put the match back if it is to be played `again`."""
        self._charged.discard(match.match_id)
        with self._ladder.database.write() as tx:
            spars.fail(tx, match.match_id, reason, again=again)
        what = "is played again" if again else "is given up"
        self._progress.warn(f"match {match.match_id} of a spar was void and {what}: {reason}")
        if again:
            self._queue.put_back(replace(match, attempts=match.attempts + 1))

    def _look(self) -> None:
        """Read the spars that have been asked for since, now and then."""
        if self._is_contest or self._clock() < self._look_at:
            return
        self._look_at = self._clock() + _LOOK_EVERY_S
        with self._ladder.database.read() as tx:
            newest = spars.last(tx)
            found = spars.open_matches(tx, self._newest) if newest > self._newest else []
        self._newest = newest
        if found:
            in_turn = sorted([*self._queue, *found], key=lambda match: (match.index, match.round))
            self._queue = Waiting(in_turn)

    def _is_open(self, match: PlannedMatch) -> bool:
        """Return whether a match is still to be played: its author may have withdrawn it."""
        with self._ladder.database.read() as tx:
            return spars.is_open(tx, match.match_id)

    def _is_due(self, workers: int) -> bool:
        """Return whether a match may begin before rated ones."""
        return self._debt_s <= 0 and len(self._charged) < max(1, int(_SHARE * workers))

    def _settle(self, workers: int) -> None:
        """Bring the debt up to date."""
        now = self._clock()
        more = (now - self._settled_at) * (len(self._charged) - _SHARE * workers)
        self._debt_s = min(_MOST_DEBT_S, max(0.0, self._debt_s + more))
        self._settled_at = now
