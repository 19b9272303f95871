"""What becomes of a match that was void: it is played again, or given up.

A match is tried a few times in one run. What is given up for the machine's sake, or the ladder's
own, is not lost: it is played when the ladder is run again. It has one attempt then, and that one
says nothing about the machine, so matches that never go well keep no others from being played. In
a tournament or duel, where what is played next follows from the results before, such a match stays
open, and the run ends without it. A match whose remote bot never came is void for good.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.model.errors import StalledError
from ladder.model.matches import PlannedMatch
from ladder.runner.worker import Failed
from ladder.storage import bots, matches, ratings
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder

if TYPE_CHECKING:
    from ladder.model.progress import Progress
    from ladder.runner.run import Report

MOST_ATTEMPTS = 3
"""How often a match is tried in one run before it is given up."""
MOST_PAUSES = 10
"""How often a match is tried anew because the referee was paused before the ladder stops."""
MOST_VOID_IN_A_ROW = 10
"""So many void attempts without one success are not the matches' fault: the ladder stops."""


class Attempts:
    """Counts the void attempts of one run."""

    def __init__(self, ladder: Ladder, progress: "Progress", report: "Report") -> None:
        """Store what becomes of matches in this ladder, tell `progress`, and count in `report`."""
        self._ladder = ladder
        self._progress = progress
        self._report = report
        self._is_contest = ladder.settings.contest is not None
        self._void_in_a_row = 0
        self._resumed: set[str] = set()
        """The matches that earlier runs have given up."""
        self._pauses: Counter[str] = Counter()
        """How many attempts at each match a pause of the referee has ended: these do not count."""

    def open_matches(self) -> list[PlannedMatch]:
        """Return what earlier runs have planned, begun or postponed, in order."""
        with self._ladder.database.write() as tx:
            matches.reopen(tx)
            self._resumed.update(matches.resume(tx))
            if self._resumed:  # what was rated after them was rated without them
                ratings.rebuild(tx, self._ladder.rater)
            found = matches.open_matches(tx, bots.all_versions(tx))
        self._resumed |= {match.match_id for match in found if match.attempts >= MOST_ATTEMPTS}
        return found

    def succeeded(self) -> None:
        """Take notice of a match that was played."""
        self._void_in_a_row = 0

    def failed(self, match: PlannedMatch, failed: Failed) -> PlannedMatch | None:
        """Store that an attempt was void; return the match if it is to be played again at once.

        Raise `StalledError` if match after match was void.
        """
        again = None
        if self.may_fail(match) and match.match_id not in self._resumed:
            with self._ladder.database.write() as tx:
                matches.fail(tx, match.match_id, failed.reason, most_attempts=None)
            again = replace(match, attempts=match.attempts + 1)
            self._progress.warn(
                f"match {match.match_id} was void and is played again: {failed.reason}"
            )
        else:
            attempts = f"was void and is given up after {match.attempts + 1} attempts"
            self._postpone(match, attempts, failed.reason)
        if failed.alone and not failed.absent:
            self._count_void(match, failed.reason)
        return again

    def may_fail(self, match: PlannedMatch) -> bool:
        """Tell whether a match is tried again if this attempt is void, too."""
        uncounted = self._pauses[match.match_id] if match.remote else 0
        return match.attempts + 1 - uncounted < MOST_ATTEMPTS

    def paused(self, match: PlannedMatch, reason: str) -> PlannedMatch:
        """Return a match to play again, by which a bot might be blamed for a pause of the referee.

        Where a remote bot has seen the deal there is another one, which is numbered as an attempt.
        Raise `StalledError` if that happens again and again.
        """
        with self._ladder.database.write() as tx:
            if match.remote:
                matches.fail(tx, match.match_id, reason, most_attempts=None)
            else:
                matches.put_back(tx, match.match_id)
        self._pauses[match.match_id] += 1
        self._progress.warn(f"match {match.match_id} was void and is played again: {reason}")
        if self._pauses[match.match_id] >= MOST_PAUSES:
            raise StalledError(
                f"match {match.match_id} was void {MOST_PAUSES} times: {reason}. Nothing is lost: "
                "find out what stops this machine or its processes, and run the ladder again"
            )
        return replace(match, attempts=match.attempts + 1) if match.remote else match

    def set_aside(self, match: PlannedMatch, reason: str) -> None:
        """Give up a match that cannot even begin; raise `StalledError` as `failed` does."""
        self._postpone(match, "is given up", reason)
        self._count_void(match, reason)

    def abandon(self, match: PlannedMatch, reason: str) -> None:
        """Let a match be void for good whose bots never came."""
        with self._given_up() as tx:
            matches.fail(tx, match.match_id, reason, most_attempts=1)
        self._progress.warn(f"match {match.match_id} is given up: {reason}")

    def _postpone(self, match: PlannedMatch, what: str, reason: str) -> None:
        """Give a match up until the next run."""
        most_attempts = None if self._is_contest else 1
        with self._given_up() as tx:
            matches.fail(tx, match.match_id, reason, most_attempts, postponed=True)
        self._report.postponed += 1
        self._progress.warn(
            f"match {match.match_id} {what}, until the ladder is run again: {reason}"
        )

    @contextmanager
    def _given_up(self) -> Iterator[Transaction]:
        """Store that a match is given up, and rate what waited for it."""
        with self._ladder.database.write() as tx:
            yield tx
            ratings.fold(tx, self._ladder.rater)
        self._report.void += 1
        self._progress.advance(0)

    def _count_void(self, match: PlannedMatch, reason: str) -> None:
        if match.match_id in self._resumed:
            return
        self._void_in_a_row += 1
        if self._void_in_a_row >= MOST_VOID_IN_A_ROW:
            raise StalledError(
                f"{self._void_in_a_row} attempts in a row were void, the last because: {reason}. "
                "Nothing is lost: mend the cause and run the ladder again"
            )
