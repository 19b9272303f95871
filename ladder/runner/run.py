"""Plays rounds: plans them, keeps the workers busy, and stores every result once.

A planner says what to play, when the matches that it planned before do not keep all workers busy.
What was planned is stored before it is played. If the ladder is killed at any moment, whatever was
not stored as done is played when it is run again.
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
"""How often a run shows that it goes on while no match ends."""
SECONDS_TO_COME_BACK = 30.0
"""How long a match waits for a remote bot before it is void."""
_LEAST_PATIENCE_S = 0.1


@dataclass(slots=True)
class Report:
    """What a run has done."""

    matches: int = 0
    decisions: int = 0
    void: int = 0
    """Matches given up."""
    postponed: int = 0
    """Of these, those that are played when the ladder is run again."""
    left_over: int = 0
    """Matches planned and not played."""
    seconds: float = 0.0
    stopped: bool = False
    """Somebody asked to stop."""
    limited: bool = False
    """A limit was reached before the planner said that all is played."""
    paused: bool = False
    """The director of the tournament has paused it."""
    interrupted: bool = False
    """That was before the planner said that all is played."""


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
    pulse: Watchdog | None = None,
) -> Report:
    """Play what is left over from earlier runs, then what the planner says, round after round.

    Remote bots play while they are connected; a match of one that is not is put off for a while,
    and then void: it keeps nobody waiting. An `enduring` run sets aside what it cannot play because
    of a bug or of missing files, and plays on; another one ends by that error.

    Ctrl-C ends it after the matches under way; a second one at once, by `KeyboardInterrupt`. Who
    listens for it already gives its `interrupts`. Raise `LockedError` if the ladder is being run
    already, `StalledError` if nothing can be played, `UsageError` if this machine cannot contain
    bots as the ladder wants it.
    """
    with ladder.home.locked():
        this = _Run(ladder, planner, progress, gateway, limits, enduring=enduring, pulse=pulse)
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
        pulse: Watchdog | None = None,
    ) -> None:
        self._ladder = ladder
        self._settings = ladder.settings
        self._planner = planner
        self._progress = progress
        self._gateway = gateway
        self._enduring = enduring
        self._pulse = pulse or Watchdog()
        self._limits = limits
        self._began = time.monotonic()
        self._begun: set[str] = set()
        """The matches that were begun, if their number is limited: one tried again counts once."""
        self._report = Report()
        self._under_way: dict[str, PlannedMatch] = {}
        self._attempts = Attempts(ladder, progress, self._report)
        self._stopping = False
        self._paused = False
        self._all_planned = False
        self._nobody: NoPlayersError | None = None
        """Set when nobody was there for whom more could be planned."""
        self._queue = deque(self._attempts.open_matches())

    def mend(self, level: Level) -> None:
        """Build again what is lost of those that will play."""
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
        self._pulse.beat(LONG_WORK_S)
        self._progress.say(text)

    def _may_use_network(self, version: Version) -> bool:
        with self._ladder.database.read() as tx:
            return self._settings.may_use_network(bots.author(tx, version.bot))

    def play(self, pool: Pool, interrupts: Interrupts) -> Report:
        """Play until everything is played, or somebody asks to stop."""
        self._began = time.monotonic()
        self._expect()
        self._fill(pool)
        while pool.busy or self._patience() is not None:
            self._pulse.beat()
            patience = self._patience()
            seconds = _LOOK_EVERY_S if patience is None else min(patience, _LOOK_EVERY_S)
            ended = pool.wait(interrupts.wake, seconds)
            if interrupts.asked and not self._stopping:
                self._stop(interrupts)
            self._fill(pool)  # before storing what ended: nobody waits for the disk
            for outcome in ended:
                self._take(outcome, spoilt=interrupts.terminated)
            self._give_up_absent()
            self._fill(pool)  # what was void is tried again
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
        """Begin whatever can begin."""
        while (match := self._next(pool)) is not None:
            if self._limits.matches is not None:  # else it would only grow, for months
                self._begun.add(match.match_id)
            with self._surviving(match):
                self._begin(pool, match)

    def _begin(self, pool: Pool, match: PlannedMatch) -> None:
        with self._ladder.database.write() as tx:
            if self._is_paused(tx):
                self._queue.appendleft(match)
                return
            matches.start(tx, match.match_id)
        # Who can slow the machine down could void a match that goes badly, but not for ever.
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
        """In a run that endures, set a match aside that brings a bug of ours out, and log that."""
        try:
            yield
        except Exception as error:
            if isinstance(error, CourtyardError) or not self._enduring:
                raise
            _LOG.exception("match %s is set aside: a bug of Courtyard", match.match_id)
            self._attempts.set_aside(match, f"a bug of Courtyard: {error!r}")

    def _next(self, pool: Pool) -> PlannedMatch | None:
        """Take the first match of the queue that can begin now; plan more if there is none."""
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
        """Say whether as many matches were begun as the limits allow."""
        most = self._limits.matches
        return most is not None and len(self._begun) >= most

    def _seconds_left(self) -> float | None:
        """Return for how long matches may begin; None if there is no such limit."""
        if self._limits.seconds is None:
            return None
        return max(0.0, self._began + self._limits.seconds - time.monotonic())

    def _is_ending(self) -> bool:
        """Say whether no match is begun any more, not even one that was tried before."""
        return self._stopping or self._paused or self._seconds_left() == 0

    def _is_paused(self, tx: Transaction) -> bool:
        """Say whether the director of the tournament lets no match begin."""
        self._paused = directives.pause(tx) is not None
        return self._paused

    def _absent(self) -> list[tuple[float, PlannedMatch, Version]]:
        """Return the matches of the queue of which a bot is not there, and for how long that is."""
        if not any(match.remote for match in self._queue):
            return []
        gone = (
            (math.inf if self._gateway is None else self._gateway.presence.seconds_away(v), m, v)
            for m in self._queue
            for v in m.remote
        )
        return [absent for absent in gone if absent[0]]

    def _patience(self) -> float | None:
        """Return how many seconds from now the next match is given up; None if none is."""
        if self._is_ending() or self._is_full() or not (absent := self._absent()):
            return None
        patience = SECONDS_TO_COME_BACK - max(seconds for seconds, *_ in absent)
        # Not too often: that time stands still while the gateway is paused.
        patience = max(_LEAST_PATIENCE_S if patience > 0 else 0.0, patience)
        return min(patience, self._seconds_left() or patience)

    def _give_up_absent(self) -> None:
        """Let the matches be void of which a bot has not been there for too long."""
        for seconds, match, version in [] if self._is_ending() else self._absent():
            if seconds >= SECONDS_TO_COME_BACK and match in self._queue:
                self._queue.remove(match)
                self._attempts.abandon(match, f"{version} is not connected")

    def _plan(self) -> bool:
        """Plan and store the next round; return whether there is one now."""
        if self._all_planned:
            return False
        self._pulse.beat(LONG_WORK_S)
        with self._ladder.home.files_stay():  # also of whoever plays no more when it is planned
            with self._ladder.database.read() as tx:  # it may take long: nobody is kept waiting
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
        """Store how a match ended; `spoilt`: its bots may have been told to end, as the run was."""
        match = self._under_way.pop(outcome.match_id, None)
        if match is None:  # a run that broke off had begun it
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
