"""Runs a ladder: plans rounds, keeps the workers busy, and stores every result once.

The run asks its planner for more matches when those already planned do not keep all workers busy.
Planned matches are stored before they are played. If the run is killed at any moment, the next run
plays all matches that are not stored as done.
"""

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.errors import NoPlayersError, StoreError
from ladder.model.matches import PlannedMatch, Played
from ladder.model.pairing import Block
from ladder.model.progress import Progress
from ladder.runner.attempts import Attempts
from ladder.runner.host import host_at
from ladder.runner.interrupts import Interrupts
from ladder.runner.match_spec import match_spec
from ladder.runner.pool import Pool
from ladder.runner.remote.gateway import Gateway
from ladder.runner.watchdog import LONG_WORK_S, Watchdog
from ladder.runner.worker import Failed, MakePlayer, was_cut_short
from ladder.scheduling.planner import Planner, RunLimits, planned_matches
from ladder.storage import bots, builds, directives, matches, ratings
from ladder.storage.containment import level_of
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from referee.core.errors import CourtyardError
from referee.sandbox.program import Level

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 20.0
"""How often a run gives a sign of life while no match ends."""
SECONDS_TO_COME_BACK = 30.0
"""How long a match waits for a disconnected remote bot before it is void."""
_LEAST_PATIENCE_S = 0.1


@dataclass(slots=True)
class Report:
    """The report of a run."""

    matches: int = 0
    decisions: int = 0
    void: int = 0
    """Matches given up."""
    postponed: int = 0
    """Of these, matches that the next run plays."""
    left_over: int = 0
    """Planned matches that were not played."""
    seconds: float = 0.0
    stopped: bool = False
    """The run was asked to stop."""
    limited: bool = False
    """A limit was reached before the planner was finished."""
    paused: bool = False
    """The director has paused the tournament."""
    interrupted: bool = False
    """The run was stopped before the planner was finished."""


def run(
    ladder: Ladder,
    planner: Planner,
    workers: int,
    progress: Progress,
    make: Callable[[Level], MakePlayer] = host_at,
    interrupts: Interrupts | None = None,
    gateway: Gateway | None = None,
    limits: RunLimits = RunLimits(),  # noqa: B008 -- it is frozen
    *,
    enduring: bool = False,
    watchdog: Watchdog | None = None,
) -> Report:
    """Play the matches left over from earlier runs, then the planner's rounds.

    Remote bots play while they are connected; a match of a disconnected bot is put off for a while,
    then void, so that it holds up no others. An `enduring` run sets aside matches that it cannot
    play because of a bug or missing files, and plays on; any other run ends by that error.

    Ctrl-C stops the run after the matches under way; a second one at once, by `KeyboardInterrupt`.
    A caller that already handles it passes its `interrupts`. Raise `LockedError` if another process
    runs the ladder, `StalledError` if nothing can be played, `UsageError` if this machine cannot
    contain bots at the ladder's level.
    """
    with ladder.home.locked():
        this = _Run(
            ladder, planner, progress, gateway, limits, enduring=enduring, watchdog=watchdog
        )
        level = level_of(ladder)
        this.mend(level)
        with (
            nullcontext(interrupts) if interrupts else Interrupts() as heard,
            Pool(workers, make(level), gateway) as pool,
        ):
            report = this.play(pool, heard)
        sweep(ladder)
        return report


class _Run:
    """One call of `run`."""

    def __init__(
        self,
        ladder: Ladder,
        planner: Planner,
        progress: Progress,
        gateway: Gateway | None,
        limits: RunLimits,
        *,
        enduring: bool,
        watchdog: Watchdog | None = None,
    ) -> None:
        self._ladder = ladder
        self._settings = ladder.settings
        self._planner = planner
        self._progress = progress
        self._gateway = gateway
        self._enduring = enduring
        self._watchdog = watchdog or Watchdog()
        self._limits = limits
        self._began = time.monotonic()
        self._begun: set[str] = set()
        """The matches begun, if their number is limited: retries count once."""
        self._report = Report()
        self._under_way: dict[str, PlannedMatch] = {}
        self._attempts = Attempts(ladder, progress, self._report)
        self._stopping = False
        self._paused = False
        self._all_planned = False
        self._nobody: NoPlayersError | None = None
        """Set when no bot was available for further rounds."""
        self._queue = deque(self._attempts.open_matches())

    def mend(self, level: Level) -> None:
        """Rebuild the missing builds of the versions that will play."""
        with self._ladder.database.read() as tx:
            active = bots.active(tx)
        waiting = [version for match in self._queue for version in match.seats if version]
        playing = {version.id: version for version in (*active, *waiting)}
        builds.mend(
            self._ladder.home,
            playing.values(),
            level,
            may_use_network=self._may_use_network,
            say=self._say_what_is_built,
        )

    def _say_what_is_built(self, text: str) -> None:
        self._watchdog.beat(LONG_WORK_S)
        self._progress.say(text)

    def _may_use_network(self, version: Version) -> bool:
        with self._ladder.database.read() as tx:
            return self._settings.may_use_network(bots.author(tx, version.bot))

    def play(self, pool: Pool, interrupts: Interrupts) -> Report:
        """Play until the planner is finished, a limit is reached, or the run is asked to stop."""
        self._began = time.monotonic()
        self._expect()
        self._fill(pool)
        while pool.busy or self._patience() is not None:
            self._watchdog.beat()
            patience = self._patience()
            seconds = _LOOK_EVERY_S if patience is None else min(patience, _LOOK_EVERY_S)
            ended = pool.wait(interrupts.wake, seconds)
            if interrupts.asked and not self._stopping:
                self._stop(interrupts)
            self._fill(pool)  # before storing results, so that no worker waits for the disk
            for outcome in ended:
                self._take(outcome, spoilt=interrupts.terminated)
            self._give_up_absent()
            self._fill(pool)  # retries void matches
        self._report.left_over = len(self._queue)
        self._report.stopped = self._stopping
        more = bool(self._queue) or (not self._all_planned and self._planner.ahead() != 0)
        self._report.interrupted = self._stopping and more
        asked_to = self._stopping or self._paused
        self._report.limited = more and not asked_to and self._limits != RunLimits()
        self._report.paused = more and self._paused
        self._report.seconds = time.monotonic() - self._began
        if self._nobody is not None:
            raise self._nobody
        return self._report

    def _stop(self, interrupts: Interrupts) -> None:
        self._stopping = True
        interrupts.take()
        self._progress.say("Stopping after the matches under way; Ctrl-C again stops at once.")

    def _fill(self, pool: Pool) -> None:
        """Begin all matches that can begin."""
        while (match := self._next(pool)) is not None:
            if self._limits.matches is not None:  # otherwise the set would only grow, for months
                self._begun.add(match.match_id)
            with self._surviving(match):
                self._begin(pool, match)

    def _begin(self, pool: Pool, match: PlannedMatch) -> None:
        with self._ladder.database.write() as tx:
            if self._is_paused(tx):
                self._queue.appendleft(match)
                return
            matches.start(tx, match.match_id)
        # A bot that slows the machine down could void a match that it is losing, but not for ever.
        patient = self._attempts.may_fail(match)
        try:
            spec = match_spec(self._ladder.home, self._settings, match, patient=patient)
        except StoreError as error:
            if not self._enduring:
                raise
            self._attempts.set_aside(match, str(error))
            return
        pool.submit(match, spec)
        self._under_way[match.match_id] = match

    @contextmanager
    def _surviving(self, match: PlannedMatch) -> Iterator[None]:
        """In an enduring run, log a bug of ours and set aside the match that triggers it."""
        try:
            yield
        except Exception as error:
            if isinstance(error, CourtyardError) or not self._enduring:
                raise
            _LOG.exception("match %s is set aside: a bug of Courtyard", match.match_id)
            self._attempts.set_aside(match, f"a bug of Courtyard: {error!r}")

    def _next(self, pool: Pool) -> PlannedMatch | None:
        """Remove and return the first match that can begin now; plan more if there is none."""
        while pool.has_room and not self._is_ending():
            full = self._is_full()
            for match in self._queue:
                if pool.can_start(match) and (not full or match.match_id in self._begun):
                    self._queue.remove(match)
                    return match
            if full or not self._plan():
                break
        return None

    def _is_full(self) -> bool:
        """Return whether the limit of matches is reached."""
        most = self._limits.matches
        return most is not None and len(self._begun) >= most

    def _seconds_left(self) -> float | None:
        """Return for how many seconds matches may still begin; None without a limit."""
        if self._limits.seconds is None:
            return None
        return max(0.0, self._began + self._limits.seconds - time.monotonic())

    def _is_ending(self) -> bool:
        """Return whether no match may begin any more, not even a retry."""
        return self._stopping or self._paused or self._seconds_left() == 0

    def _is_paused(self, tx: Transaction) -> bool:
        """Return whether the director has paused the tournament."""
        self._paused = directives.pause(tx) is not None
        return self._paused

    def _absent(self) -> list[tuple[float, PlannedMatch, Version]]:
        """Return the queued matches that miss a remote bot: seconds absent, match, version."""
        if not any(match.remote for match in self._queue):
            return []
        gone = (
            (math.inf if self._gateway is None else self._gateway.presence.seconds_away(v), m, v)
            for m in self._queue
            for v in m.remote
        )
        return [absent for absent in gone if absent[0]]

    def _patience(self) -> float | None:
        """Return in how many seconds the next match is to be given up; None if none is."""
        if self._is_ending() or self._is_full() or not (absent := self._absent()):
            return None
        patience = SECONDS_TO_COME_BACK - max(seconds for seconds, *_ in absent)
        # Do not poll too often: the absence stands still while the gateway is paused.
        patience = max(_LEAST_PATIENCE_S if patience > 0 else 0.0, patience)
        return min(patience, self._seconds_left() or patience)

    def _give_up_absent(self) -> None:
        """Void the matches whose remote bot has been absent for too long."""
        for seconds, match, version in [] if self._is_ending() else self._absent():
            if seconds >= SECONDS_TO_COME_BACK and match in self._queue:
                self._queue.remove(match)
                self._attempts.abandon(match, f"{version} is not connected")

    def _plan(self) -> bool:
        """Plan and store the next round; return whether there is one."""
        if self._all_planned:
            return False
        self._watchdog.beat(LONG_WORK_S)
        with self._ladder.home.files_stay():  # also those of bots retired meanwhile
            with self._ladder.database.read() as tx:  # it may take long, so it blocks no writers
                if self._is_paused(tx):
                    return False
                blocks = self._blocks(tx)
            self._all_planned = blocks is None
            if not blocks:
                return False
            with self._ladder.database.write() as tx:
                number, known = matches.last_round(tx) + 1, bots.all_versions(tx)
                planned = planned_matches(self._settings, number, blocks, known)
                matches.add(tx, planned)
        sweep(self._ladder)
        self._queue.extend(planned)
        self._expect()
        if status := self._planner.settled():
            self._progress.tell(status)
        return True

    def _blocks(self, tx: Transaction) -> Sequence[Block] | None:
        """Return what the planner says; nobody there means that nothing more is planned."""
        try:
            return self._planner.plan(tx)
        except NoPlayersError as error:
            self._nobody = error
            return None

    def _take(self, outcome: Played | Failed, *, spoilt: bool) -> None:
        """Store how a match ended; `spoilt`: its bots may have got the run's stop signal, too."""
        match = self._under_way.pop(outcome.match_id, None)
        if match is None:  # an aborted run began it
            return
        with self._surviving(match):
            if spoilt and was_cut_short(match, outcome):
                with self._ladder.database.write() as tx:
                    matches.put_back(tx, match.match_id)
                self._queue.appendleft(match)
            elif isinstance(outcome, Played):
                self._store(outcome)
            elif outcome.paused:
                self._queue.appendleft(self._attempts.paused(match, outcome.reason))
            elif again := self._attempts.failed(match, outcome):
                self._queue.appendleft(again)

    def _store(self, played: Played) -> None:
        with self._ladder.database.write() as tx:
            if matches.finish(tx, played):
                ratings.fold(tx, self._ladder.rater)
        self._attempts.succeeded()
        self._report.matches += 1
        self._report.decisions += played.decisions
        self._progress.advance(played.decisions)
        if played.paused_s:
            told = f"match {played.match_id}: the referee was paused for {played.paused_s:.1f} s"
            self._progress.warn(f"{told} while it was played; no bot was charged for that")

    def _expect(self) -> None:
        ahead, most = self._planner.ahead(), self._limits.matches
        known = self._report.matches + self._report.void + len(self._under_way) + len(self._queue)
        whole = None if ahead is None else known + ahead
        bounds = [bound for bound in (most, whole) if bound is not None]
        self._progress.expect(min(bounds, default=None), self._seconds_left())
