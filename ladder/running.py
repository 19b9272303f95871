"""Plays rounds: plans them, keeps the workers busy, and stores every result once.

A round is planned when the matches of those before it do not keep all workers busy any more: nobody
waits for the last match of a round, and a bot that is submitted meanwhile plays from the next one
on. What was planned is stored before it is played. If the ladder is killed at any moment, whatever
was not stored as done is played when it is run again.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ladder import identity
from ladder.errors import LadderError, StalledError, StoreError
from ladder.execution.interrupts import Interrupts
from ladder.execution.pool import Pool
from ladder.execution.worker import Failed, MakePlayer
from ladder.ladder import Ladder
from ladder.models import MatchState, PlannedMatch, Played, Version
from ladder.scheduling.balanced import History, plan_round
from ladder.store import bots, matches, ratings
from referee.bot import Entrant
from referee.games.randomness import Stream
from referee.host import Host, MatchSpec

MOST_ATTEMPTS = 3
"""How often a match is tried before it is void for good."""
MOST_VOID_IN_A_ROW = 10
"""So many void attempts without one success are not the matches' fault: the ladder stops."""
WARM_BOTS = 16
"""How many idle bots a worker keeps running."""
_make_host = partial(Host, warm_bots=WARM_BOTS)


class Progress(Protocol):
    """Where a run reports to."""

    def expect(self, matches: int) -> None:
        """Take notice of how many matches the run will play in all, as far as is known."""

    def advance(self, decisions: int) -> None:
        """Take notice of a match that is over, with so many decisions."""

    def say(self, text: str) -> None:
        """Tell people one line."""

    def warn(self, text: str) -> None:
        """Tell people one line about something that went wrong."""


@dataclass(slots=True)
class Report:
    """What a run has done."""

    rounds_left: int
    """Rounds that were asked for and not planned yet."""
    matches: int = 0
    decisions: int = 0
    void: int = 0
    """Matches given up."""
    left_over: int = 0
    """Matches planned and not played."""
    seconds: float = 0.0
    interrupted: bool = False
    """Somebody asked to stop, and something is left."""


def run_rounds(
    ladder: Ladder,
    rounds: int,
    workers: int,
    progress: Progress,
    make_player: MakePlayer = _make_host,
) -> Report:
    """Play what is left over from earlier runs, then so many new rounds.

    Ctrl-C ends it after the matches under way; a second one at once, by `KeyboardInterrupt`. Raise
    `LockedError` if the ladder is being run already, `StalledError` if nothing can be played.
    """
    with ladder.home.locked():
        run = _Run(ladder, rounds, progress)
        with Interrupts() as interrupts, Pool(workers, make_player) as pool:
            return run.play(pool, interrupts)


class _Run:
    """One call of `run_rounds`."""

    def __init__(self, ladder: Ladder, rounds: int, progress: Progress) -> None:
        self._ladder = ladder
        self._settings = ladder.settings
        self._progress = progress
        self._report = Report(rounds_left=rounds)
        self._under_way: dict[str, PlannedMatch] = {}
        self._void_in_a_row = 0
        self._stopping = False
        with ladder.database.write() as tx:
            matches.reopen(tx)
            self._queue = deque(matches.open_matches(tx, bots.all_versions(tx)))
            self._history = History(matches.tables(tx))
            self._expect(_somebody(bots.active(tx)) if rounds else [])

    def play(self, pool: Pool, interrupts: Interrupts) -> Report:
        """Play until everything is played, or somebody asks to stop."""
        began = time.monotonic()
        self._fill(pool)
        while pool.busy:
            ended = pool.wait(interrupts.wake)
            if interrupts.asked and not self._stopping:
                self._stop(interrupts)
            self._fill(pool)  # before storing what ended: nobody waits for the disk
            for outcome in ended:
                self._take(outcome)
            self._fill(pool)  # what was void is tried again
        self._report.left_over = len(self._queue)
        left = self._report.left_over + self._report.rounds_left
        self._report.interrupted = self._stopping and left > 0
        self._report.seconds = time.monotonic() - began
        return self._report

    def _stop(self, interrupts: Interrupts) -> None:
        self._stopping = True
        interrupts.take()
        self._progress.say("Stopping after the matches under way; Ctrl-C again stops at once.")

    def _fill(self, pool: Pool) -> None:
        """Give every idle worker a match."""
        while not self._stopping and pool.busy < pool.size:
            if not self._queue:
                if not self._report.rounds_left:
                    return
                self._plan()
            match = self._queue.popleft()
            with self._ladder.database.write() as tx:
                matches.start(tx, match.match_id)
            self._under_way[match.match_id] = match
            pool.submit(self._spec(match))

    def _plan(self) -> None:
        """Plan and store the next round."""
        settings = self._settings
        with self._ladder.database.write() as tx:
            active = {version.id: version for version in _somebody(bots.active(tx))}
            number = matches.last_round(tx) + 1
            stream = Stream(settings.secret, "scheduling", str(number))
            tables = plan_round(list(active), settings.seats, self._history, stream)
            planned = [
                self._planned(number, index, tuple(None if v is None else active[v] for v in table))
                for index, table in enumerate(tables)
            ]
            matches.add(tx, planned)
        for table in tables:
            self._history.add(table)
        self._queue.extend(planned)
        self._report.rounds_left -= 1
        self._expect(list(active.values()))

    def _planned(self, number: int, index: int, seats: tuple[Version | None, ...]) -> PlannedMatch:
        digests = [version.digest if version else "" for version in seats]
        match_id = identity.match_id(self._settings.ladder_id, number, index, digests)
        return PlannedMatch(match_id, number, index, seats)

    def _spec(self, match: PlannedMatch) -> MatchSpec:
        return MatchSpec(
            match_id=match.match_id,
            game=self._settings.game,
            seats=tuple(None if v is None else self._entrant(v) for v in match.seats),
            master_seed=identity.master_seed(self._settings.secret, match.match_id),
            config=self._settings.config,
            clock=self._settings.clock,
        )

    def _entrant(self, version: Version) -> Entrant:
        folder = self._ladder.home.bundle(version.digest).resolve()
        if not folder.is_dir():
            raise StoreError(f"{folder}: the files of {version} are missing")
        return Entrant(
            name=version.bot,
            directory=folder,
            command=version.command,
            version=str(version.number),
            digest=version.digest,
        )

    def _take(self, outcome: Played | Failed) -> None:
        """Store how a match ended."""
        match = self._under_way.pop(outcome.match_id)
        if isinstance(outcome, Played):
            self._store(outcome)
        else:
            self._retry(match, outcome.reason)

    def _store(self, played: Played) -> None:
        with self._ladder.database.write() as tx:
            if matches.finish(tx, played):
                ratings.fold(tx, self._ladder.rater)
        self._void_in_a_row = 0
        self._report.matches += 1
        self._report.decisions += played.decisions
        self._progress.advance(played.decisions)

    def _retry(self, match: PlannedMatch, reason: str) -> None:
        with self._ladder.database.write() as tx:
            state = matches.fail(tx, match.match_id, reason, MOST_ATTEMPTS)
            if state is MatchState.VOID:
                ratings.fold(tx, self._ladder.rater)
        if state is MatchState.VOID:
            self._report.void += 1
            self._progress.advance(0)
            what = f"is given up after {MOST_ATTEMPTS} attempts"
        else:
            self._queue.appendleft(match)
            what = "is played again"
        self._progress.warn(f"match {match.match_id} was void and {what}: {reason}")
        self._void_in_a_row += 1
        if self._void_in_a_row >= MOST_VOID_IN_A_ROW:
            raise StalledError(
                f"{self._void_in_a_row} attempts in a row were void, the last because: {reason}. "
                "Nothing is lost: mend the cause and run the ladder again"
            )

    def _expect(self, active: Sequence[Version]) -> None:
        known = self._report.matches + self._report.void + len(self._under_way) + len(self._queue)
        a_round = -(-len(active) // self._settings.seats)
        self._progress.expect(known + self._report.rounds_left * a_round)


def _somebody(active: Sequence[Version]) -> Sequence[Version]:
    """Return the versions that play; raise `LadderError` if there is none."""
    if not active:
        raise LadderError("no bot plays in this ladder; submit one with `ladder submit PATH`")
    return active
