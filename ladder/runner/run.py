"""Runs a ladder: plans rounds, keeps the workers busy, and stores every result once.

The run asks its planner for more matches when those already planned do not keep all workers busy.
Planned matches are stored before they are played. If the run is killed at any moment, the next run
plays all matches that are not stored as done.
"""

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from shlex import quote
from typing import TYPE_CHECKING

from ladder.model import moments
from ladder.model.bots import Version
from ladder.model.errors import SettingsError
from ladder.model.heartbeat import LONG_WORK_S, Heartbeat
from ladder.model.incidents import IncidentKind
from ladder.model.matches import PlannedMatch, Played
from ladder.model.progress import Progress
from ladder.runner.attempts import Attempts
from ladder.runner.group_commit import GroupCommit, PlayedMatch, store
from ladder.runner.interrupts import Interrupts
from ladder.runner.left_out import UnplayableVersions
from ladder.runner.line_progress import time_left
from ladder.runner.match_spec import match_spec
from ladder.runner.pace import Pace
from ladder.runner.planning import Planning
from ladder.runner.pool import MatchPool, opened_pool
from ladder.runner.remote.gateway import Gateway
from ladder.runner.report import Report
from ladder.runner.spars import SparQueue
from ladder.runner.waiting import Absence, Waiting
from ladder.runner.worker import Failed, MatchNews, ThinkingTime, was_cut_short
from ladder.scheduling.planner import Awaited, Planner, PlansAhead, RunLimits
from ladder.storage.containment import level_of
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, incidents, matches, rules
from referee.core.errors import CourtyardError
from referee.games import game_named
from referee.games.registry import origin_of
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.runner.pool import Workers

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 20.0
"""How often a run gives a sign of life while no match ends."""
SECONDS_TO_COME_BACK = 30.0
"""How long a match waits for a disconnected remote bot before it is void."""
_LEAST_PATIENCE_S = 0.1
_LOOK_AT_START_S = 1.0
"""How often a run looks whether the director has moved the start of a round that it waits for."""
_LOOK_AT_PACE_S = 0.1
"""How often a run looks whether a match that it keeps back may begin."""
_SLOW = (
    "{} thinks far longer than the others: it takes its share of the workers' time, and the others "
    "do not wait for it."
)
_INTERMITTENT = "{} was away while a match waited for it: no bot waits for it until it stays."
_CUT_SHORT = "the run was stopped while it was played"
_QUICK = "{} no longer holds up the others."


def run(
    ladder: Ladder,
    planner: Planner,
    workers: "Workers",
    progress: Progress,
    interrupts: Interrupts | None = None,
    gateway: Gateway | None = None,
    limits: RunLimits = RunLimits(),  # noqa: B008 -- it is frozen
    *,
    enduring: bool = False,
    heartbeat: Heartbeat | None = None,
) -> Report:
    """Play the matches left over from earlier runs, then the planner's rounds.

    `workers` are those that have been started for this run, the number of those to start, or a
    cluster.
    Remote bots play while they are connected; a match of a disconnected bot is put off for a while,
    then void, so that it holds up no others. A bot whose files are lost is left out. An `enduring`
    run sets aside matches that it cannot play because of a bug, and plays on; any other run ends by
    that error.

    Ctrl-C stops the run after the matches under way; a second one at once, by `KeyboardInterrupt`.
    A caller that already handles it passes its `interrupts`. Raise `LockedError` if another process
    runs the ladder, `StalledError` if nothing can be played, `UsageError` if this machine cannot
    contain bots at the ladder's level.
    """
    with ladder.locked():
        this = _Run(
            ladder, planner, progress, gateway, limits, enduring=enduring, heartbeat=heartbeat
        )
        this.report_rules()
        level = level_of(ladder)
        this.mend(level)
        with (
            nullcontext(interrupts) if interrupts else Interrupts() as requests,
            opened_pool(
                workers, level, gateway, progress, this.may_use_network, ladder.home
            ) as pool,
            this.planning,
        ):
            report = this.play(pool, requests)
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
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self._ladder = ladder
        self._settings = ladder.settings
        self._planner = planner
        self.planning = Planning(ladder, planner)
        self._progress = progress
        self._gateway = gateway
        self._enduring = enduring
        self._heartbeat = heartbeat or Heartbeat()
        self._limits = limits
        self._began = time.monotonic()
        self._begun: set[str] = set()
        """The matches begun, if their number is limited: retries count once."""
        self._report = Report()
        self._under_way: dict[str, PlannedMatch] = {}
        self._gathered = GroupCommit()
        self._attempts = Attempts(ladder, progress, self._report)
        self._spars = SparQueue(ladder, progress, self._report)
        self._left_out = UnplayableVersions(ladder, progress)
        self._is_contest = ladder.settings.contest is not None
        """Whether it plays a tournament or duel, in which matches wait for each other."""
        self._stopping = False
        self._queue = Waiting(self._attempts.open_matches())
        self._absence = Absence(gateway.presence if gateway else None, self._queue, self._under_way)
        self._slow = _slow(ladder)
        """The versions that are noted as slow: plans do not wait for them."""
        self._pace = Pace(self._slow)
        self._announced: Awaited | None = None
        """The round whose start was announced."""
        self._keeps_back = False
        """Whether a match could begin and is kept back, as slow bots have had their share."""

    def report_rules(self) -> None:
        """Report matches of other rules that count; raise `SettingsError` if these are dropped."""
        game = self._settings.game
        version, origin = game_named(game).rules_version, origin_of(game).origin
        with self._ladder.database.read() as tx:
            played = rules.played(tx, in_full=True)
        if version in played.dropped:
            raise SettingsError(
                f"rules {version} of {origin} are installed here, and their matches are dropped: "
                f"install other rules, or `ladder void --rules {version} --keep`"
            )
        if others := played.others(version):
            advice = f"; `ladder void --rules {quote(next(iter(played.counted)))}` drops them"
            if self._is_contest:
                advice = ", as what is played follows from them"
            self._progress.say(
                f"Rules {version} of {origin} are enforced now. Still counted: {others}{advice}."
            )

    def mend(self, level: Level) -> None:
        """Rebuild the missing builds of the versions that will play; none do during a pause."""
        self.planning.look_for_pause()
        if self.planning.paused:
            return
        with self._ladder.database.read() as tx:
            active = bots.active(tx)
        waiting = [version for match in self._queue for version in match.seats if version]
        seated = (*active, *waiting, *self._spars.seated())
        playing = {version.id: version for version in seated}
        self._left_out.mend(playing.values(), level, self.may_use_network, self._say_what_is_built)

    def _say_what_is_built(self, text: str) -> None:
        self._heartbeat.promise(LONG_WORK_S)
        self._progress.say(text)

    def may_use_network(self, version: Version) -> bool:
        """Return whether the build of a version may use the network."""
        with self._ladder.database.read() as tx:
            return self._settings.may_use_network(bots.author(tx, version.bot))

    def play(self, pool: MatchPool, interrupts: Interrupts) -> Report:
        """Play until the planner is finished, a limit is reached, or the run is asked to stop."""
        self._began = time.monotonic()
        self._pace.workers = pool.workers
        self._progress.begin()
        self._expect()
        self._fill(pool)
        while pool.busy or self._patience() is not None or self._seconds_to_start() is not None:
            self._heartbeat.promise()
            pace = _LOOK_AT_PACE_S if self._keeps_back else None
            bounds = (_LOOK_EVERY_S, self._patience(), self._gathered.seconds_left, pace)
            to_start = self._seconds_to_start()
            seconds = min(bound for bound in (*bounds, to_start) if bound is not None)
            news = pool.wait(interrupts.wake, seconds)
            self._look_at_pace(pool, news)
            if interrupts.asked and not self._stopping:
                self._stop(pool, interrupts)
            self._fill(pool)  # before storing results, so that no worker waits for the disk
            for outcome in news:
                if not isinstance(outcome, ThinkingTime):
                    self._take(outcome, spoilt=interrupts.terminated)
            if self._gathered.seconds_left == 0:
                self._commit()
                self.planning.prepare()
            self._give_up_absent()
            self._fill(pool)  # retries void matches
        self._commit()
        self._report.left_over = len(self._queue)
        self._report.stopped = self._stopping
        more = bool(self._queue) or (not self.planning.is_over and self._planner.ahead() != 0)
        self._report.interrupted = self._stopping and more
        asked_to = self._stopping or self.planning.paused
        self._report.limited = more and not asked_to and self._limits != RunLimits()
        self._report.paused = more and self.planning.paused
        self._report.seconds = time.monotonic() - self._began
        if self.planning.no_players is not None:
            raise self.planning.no_players
        return self._report

    def _stop(self, pool: MatchPool, interrupts: Interrupts) -> None:
        self._stopping = True
        interrupts.take()
        pool.withdraw()
        self._commit()
        self._progress.say("Stopping after the matches under way; Ctrl-C again stops at once.")

    def _look_at_pace(self, pool: MatchPool, news: Iterable[MatchNews]) -> None:
        """Note the bots for which plans no longer wait, or wait again."""
        self._pace.workers = pool.workers
        for one in news:
            if isinstance(one, ThinkingTime) and (match := self._under_way.get(one.match_id)):
                self._pace.think(match, one)
        intermittent = self._absence.intermittent
        self._pace.look(intermittent)
        slow = self._pace.slow | intermittent
        if self._is_contest or slow == self._slow:
            return
        changed = {version: version in slow for version in slow ^ self._slow}
        with self._ladder.database.write() as tx:
            bots.mark_slow(tx, changed)
            known = bots.all_versions(tx)
        self._slow = frozenset(slow)
        self.planning.ask_again()
        for version, is_slow in changed.items():
            why = _INTERMITTENT if version in intermittent else _SLOW
            self._progress.say((why if is_slow else _QUICK).format(known[version]))

    def _fill(self, pool: MatchPool) -> None:
        """Begin all matches that can begin."""
        if pool.has_room and not self._is_ending():
            self.planning.look_for_pause()
        while (match := self._next(pool)) is not None:
            if (
                self._limits.matches is not None and not match.is_spar
            ):  # otherwise the set would only grow, for months
                self._begun.add(match.match_id)
            with self._surviving(match):
                self._begin(pool, match)

    def _begin(self, pool: MatchPool, match: PlannedMatch) -> None:
        if why := self._left_out.why(match):
            self._leave_out(match, why)
            return
        # A bot that slows the machine down could void a match that it is losing, but not for ever.
        patient = self._attempts.may_fail(match)
        spec = match_spec(self._ladder.home, self._settings, match, patient=patient)
        pool.submit(match, spec, alone=not (self._is_contest or self._pace.is_quick(match)))
        self._pace.begin(match)
        self._under_way[match.match_id] = match
        if not match.is_spar:
            self._gathered.begin(match)
            self.planning.begin()

    def _leave_out(self, match: PlannedMatch, why: str) -> None:
        """Give up a match for the lack of a bot's files."""
        if match.is_spar:
            self._spars.fail(match, why, again=False)
        else:
            self._attempts.leave_out(match, why)

    @contextmanager
    def _surviving(self, match: PlannedMatch) -> Iterator[None]:
        """In an enduring run, log a bug of ours and set aside the match that triggers it."""
        try:
            yield
        except Exception as error:
            if isinstance(error, CourtyardError) or not self._enduring:
                raise
            _LOG.exception("match %s is set aside: a bug of Courtyard", match.match_id)
            reason = f"a bug of Courtyard: {error!r}"
            if match.is_spar:
                self._spars.fail(match, reason, again=False)
            else:
                self._attempts.set_aside(match, reason)

    def _next(self, pool: MatchPool) -> PlannedMatch | None:
        """Remove and return a match that can begin now; plan more if there is none."""
        while pool.has_room and not self._is_ending():
            if not self._is_full() and (spar := self._spars.next(pool, self._pace, idle=False)):
                return spar
            match = pool.choose(self._ready(pool))
            if match is None and (self._is_full() or not self._plan()):
                match = pool.choose(self._ready(pool, at_any_pace=self._pace.lets_all_begin))
                if match is None:
                    return self._next_spar(pool)
            if match is not None:
                self._queue.remove(match)
                return match
        return None

    def _next_spar(self, pool: MatchPool) -> PlannedMatch | None:
        """Remove and return the spar to begin where nothing rated can."""
        return None if self._is_full() else self._spars.next(pool, self._pace, idle=True)

    def _ready(self, pool: MatchPool, *, at_any_pace: bool = False) -> Iterator[PlannedMatch]:
        """Yield the matches that can begin now, those kept back only `at_any_pace`."""
        keep_back = not at_any_pace and not self._is_contest
        full, local, self._keeps_back = self._is_full(), None, False
        for match in self._queue:
            if match.remote:
                can_start = pool.can_start(match)
            else:  # all alike
                local = can_start = pool.can_start(match) if local is None else local
            if can_start and (not full or match.match_id in self._begun):
                if keep_back and not self._pace.may_begin(match):
                    self._keeps_back = True
                    continue
                yield match

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
        return self._stopping or self.planning.paused or self._seconds_left() == 0

    def _patience(self) -> float | None:
        """Return in how many seconds a remote bot is to be given up; None if none is missed."""
        if self._is_ending() or self._is_full():
            return None
        patience = self._absence.patience(SECONDS_TO_COME_BACK)
        if patience is None:
            return None
        # Do not poll too often: the absence stands still while the gateway is paused.
        patience = max(_LEAST_PATIENCE_S if patience > 0 else 0.0, patience)
        return min(patience, self._seconds_left() or patience)

    def _seconds_to_start(self) -> float | None:
        """Return when to look again at an awaited round; None if there is none to play."""
        awaited = self.planning.awaited
        if awaited is None or self._is_ending() or self._is_full():
            return None
        # The clock may jump, and the director may decide otherwise.
        left = (awaited.starts_at - moments.now()).total_seconds()
        return min(_LOOK_AT_START_S, max(_LEAST_PATIENCE_S, left))

    def _announce_start(self, awaited: Awaited) -> None:
        """Announce a round's start and its pairings, once; show the time left."""
        at = f"{awaited.number} starts at {moments.local(awaited.starts_at)}"
        if awaited != self._announced:
            self._announced = awaited
            self._progress.say(f"Round {at}, with these pairings unless the director changes them:")
            for line in awaited.pairings:
                self._progress.say(f"  {line}")
        left = (awaited.starts_at - moments.now()).total_seconds()
        self._progress.tell(f"round {at}, {time_left(max(0.0, left), None)}")

    def _give_up_absent(self) -> None:
        """Void the matches whose remote bot has been absent for too long."""
        for one in [] if self._is_ending() else self._absence.missing():
            if one.seconds >= SECONDS_TO_COME_BACK and one.match in self._queue:
                self._queue.remove(one.match)
                self._attempts.abandon(one.match, f"{one.version} is not connected")

    def _plan(self) -> bool:
        """Plan and store the next rounds; return whether there are any."""
        if self._plan_by_the_stored():
            return True
        if not len(self._gathered):
            return False
        self._commit()  # this may be what the planner waits for
        return self._plan_by_the_stored()

    def _plan_by_the_stored(self) -> bool:
        """Plan by the stored results, as the planner knows no others."""
        self._heartbeat.promise(LONG_WORK_S)
        planned = self.planning.next(self._report.matches + self._report.void, self._room())
        if not planned:
            if self.planning.awaited and not self.planning.paused:
                self._announce_start(self.planning.awaited)
            return False
        self._queue.add(planned)
        self._expect()
        if status := self._planner.settled():
            self._progress.tell(status)
        return True

    def _room(self) -> int | None:
        """Return how many more matches may be planned within the limit; None without one."""
        if self._limits.matches is None:
            return None
        fresh = sum(match.match_id not in self._begun for match in self._queue)
        return self._limits.matches - len(self._begun) - fresh

    def _take(self, outcome: Played | Failed, *, spoilt: bool) -> None:
        """Store how a match ended; `spoilt`: its bots may have got the run's stop signal, too."""
        match = self._under_way.pop(outcome.match_id, None)
        if match is None:  # an aborted run began it
            return
        self._pace.end(match, outcome.thinking_s if isinstance(outcome, Played) else ())
        cut_short = spoilt and was_cut_short(match, outcome)
        if match.is_spar:
            self._take_spar(match, outcome, cut_short=cut_short)
            return
        if isinstance(outcome, Played) and not cut_short:
            if why := self._left_out.why_void(match, outcome):
                self._commit()
                self._attempts.leave_out(match, why)
            else:
                self._gathered.end(PlayedMatch(match, outcome))
            return
        self._commit()
        with self._surviving(match):
            if isinstance(outcome, Played) or cut_short or outcome.unplayed:
                with self._ladder.database.write() as tx:
                    matches.put_back(tx, match.match_id)
                    if cut_short:
                        incidents.add(tx, IncidentKind.INTERRUPTED, _CUT_SHORT, [match.match_id])
                self._queue.put_back(match)
            elif outcome.paused:
                self._queue.put_back(self._attempts.paused(match, outcome.reason))
            elif again := self._attempts.failed(match, outcome):
                self._queue.put_back(again)

    def _take_spar(self, match: PlannedMatch, outcome: Played | Failed, *, cut_short: bool) -> None:
        """Store how a spar's match ended."""
        with self._surviving(match):
            played = outcome if isinstance(outcome, Played) and not cut_short else None
            if played and (why := self._left_out.why_void(match, played)):
                self._leave_out(match, why)
            else:
                self._spars.end(match, outcome, cut_short=cut_short)

    def _commit(self) -> None:
        """Store what is gathered, then report it."""
        begun, results = self._gathered.take()
        if not begun and not results:
            return
        try:
            store(self._ladder, begun, results)
        except Exception as error:
            if isinstance(error, CourtyardError) or not self._enduring or not results:
                raise
            _LOG.warning("results are stored one by one: %r", error)
            for result in results:  # whichever is to blame, the others count
                with self._surviving(result.match):
                    store(self._ladder, [], [result])
                    self._acknowledge(result.played)
        else:
            for result in results:
                self._acknowledge(result.played)

    def _acknowledge(self, played: Played) -> None:
        """Count and report a stored result."""
        self._attempts.succeeded()
        self._report.matches += 1
        self._report.decisions += played.decisions
        self._progress.advance(played.decisions)
        if played.paused_s:
            pause = f"match {played.match_id}: the referee was paused for {played.paused_s:.1f} s"
            self._progress.warn(f"{pause} while it was played; no bot was charged for that")

    def _expect(self) -> None:
        ahead, most = self._planner.ahead(), self._limits.matches
        under_way = sum(not match.is_spar for match in self._under_way.values())
        waiting = under_way + len(self._gathered) + len(self._queue)
        known = self._report.matches + self._report.void + waiting
        goes_on = isinstance(self._planner, PlansAhead)  # a contest plans one round at a time
        whole = None if ahead is None and goes_on else known + (ahead or 0)
        bounds = [bound for bound in (most, whole) if bound is not None]
        self._progress.expect(min(bounds, default=None), self._seconds_left())


def _slow(ladder: Ladder) -> frozenset[int]:
    """Return the versions that are noted as slow."""
    with ladder.database.read() as tx:
        return bots.slow(tx)
