"""Handles void matches: they are retried or given up.

A match is tried a few times in one run. A match given up because of the machine or the ladder is
not lost: the next run plays it. It then has one attempt, which does not count as evidence against
the machine, so matches that always fail do not block others. In a tournament or duel, where later
matches depend on earlier results, such a match stays open, and the run ends without it. A match
whose remote bot never connected is void for good, and so is one whose bot has lost its files.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.model.errors import StalledError
from ladder.model.incidents import IncidentKind
from ladder.model.matches import PlannedMatch
from ladder.runner.log_limit import RateLimit, and_others
from ladder.runner.worker import Failed
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, incidents, matches
from referee.core.verdicts import MOST_ATTEMPTS, MOST_PAUSES, MOST_VOID_IN_A_ROW, is_last

if TYPE_CHECKING:
    from ladder.model.progress import Progress
    from ladder.runner.report import Report


class Attempts:
    """Counts the void attempts of one run."""

    def __init__(self, ladder: Ladder, progress: "Progress", report: "Report") -> None:
        """Store the outcome of matches in this ladder, report to `progress`, count in `report`."""
        self._ladder = ladder
        self._progress = progress
        self._report = report
        self._is_contest = ladder.settings.contest is not None
        self._void_in_a_row = 0
        self._rate_limit = RateLimit()
        self._resumed: set[str] = set()
        """The matches that earlier runs gave up."""
        self._pauses: Counter[str] = Counter()
        """The attempts at each match that a pause of the referee ended, which do not count."""

    def open_matches(self) -> list[PlannedMatch]:
        """Return the matches that earlier runs planned, began or postponed, in order."""
        with self._ladder.database.write() as tx:
            matches.reopen(tx)
            self._resumed.update(matches.resume(tx))
            found = matches.open_matches(tx, bots.all_versions(tx))
        self._resumed |= {match.match_id for match in found if match.attempts >= MOST_ATTEMPTS}
        return found

    def succeeded(self) -> None:
        """Note that a match was played."""
        self._void_in_a_row = 0

    def failed(self, match: PlannedMatch, failed: Failed) -> PlannedMatch | None:
        """Store a void attempt; return the match if it is to be retried at once.

        Raise `StalledError` if too many attempts in a row were void.
        """
        again = None
        if self.may_fail(match) and match.match_id not in self._resumed:
            with self._ladder.database.write() as tx:
                matches.fail(tx, match.match_id, failed.reason, most_attempts=None)
            again = replace(match, attempts=match.attempts + 1)
            self._warn(
                f"match {match.match_id} was void and is played again: {failed.reason}", failed
            )
        else:
            attempts = f"was void and is given up after {match.attempts + 1} attempts"
            self._postpone(match, attempts, failed.reason)
        if failed.alone and not failed.absent:
            self._count_void(match, failed.reason)
        return again

    def may_fail(self, match: PlannedMatch) -> bool:
        """Return whether the match would be retried if this attempt were void, too."""
        uncounted = self._pauses[match.match_id] if match.remote else 0
        return not is_last(match.attempts - uncounted)

    def paused(self, match: PlannedMatch, reason: str) -> PlannedMatch:
        """Return a match to retry because the referee was paused, so that no bot is blamed.

        A remote bot may have seen the deal, so its matches get a new deal, numbered as an attempt.
        Raise `StalledError` if pauses keep happening.
        """
        with self._ladder.database.write() as tx:
            if match.remote:
                matches.fail(tx, match.match_id, reason, most_attempts=None)
            else:
                matches.put_back(tx, match.match_id)
                incidents.add(tx, IncidentKind.PAUSED, reason, [match.match_id])
        self._pauses[match.match_id] += 1
        self._progress.warn(f"match {match.match_id} was void and is played again: {reason}")
        if self._pauses[match.match_id] >= MOST_PAUSES:
            raise StalledError(
                f"match {match.match_id} was void {MOST_PAUSES} times: {reason}. Nothing is lost: "
                "find out what pauses this machine or its processes, and run the ladder again"
            )
        return replace(match, attempts=match.attempts + 1) if match.remote else match

    def _warn(self, text: str, failed: Failed) -> None:
        """Warn of a void attempt; remote bots that come and go void as many as they like."""
        held = self._rate_limit.passes(failed.reason) if failed.absent else 0
        if held is not None:
            self._progress.warn(and_others(text, held))

    def set_aside(self, match: PlannedMatch, reason: str) -> None:
        """Give up a match that cannot even begin; raise `StalledError` like `failed`."""
        self._postpone(match, "is given up", reason)
        self._count_void(match, reason)

    def abandon(self, match: PlannedMatch, reason: str) -> None:
        """Void a match for good, as its bots never connected."""
        with self._given_up() as tx:
            matches.fail(tx, match.match_id, reason, most_attempts=1)
        self._progress.warn(f"match {match.match_id} is given up: {reason}")

    def leave_out(self, match: PlannedMatch, reason: str) -> None:
        """Give up a match for the lack of a bot's files, which a line has already reported.

        For good, but in a contest, where it stays open.
        """
        with self._given_up() as tx:
            matches.fail(tx, match.match_id, reason, most_attempts=None if self._is_contest else 1)
        self._report.postponed += self._is_contest

    def _postpone(self, match: PlannedMatch, what: str, reason: str) -> None:
        """Give up a match until the next run."""
        most_attempts = None if self._is_contest else 1
        with self._given_up() as tx:
            matches.fail(tx, match.match_id, reason, most_attempts, postponed=True)
        self._report.postponed += 1
        self._progress.warn(
            f"match {match.match_id} {what}, until the ladder is run again: {reason}"
        )

    @contextmanager
    def _given_up(self) -> Iterator[Transaction]:
        """Store that a match is given up, and report it."""
        with self._ladder.database.write() as tx:
            yield tx
        self._report.void += 1
        self._progress.advance(0)

    def _count_void(self, match: PlannedMatch, reason: str) -> None:
        if match.match_id in self._resumed:
            return
        self._void_in_a_row += 1
        if self._void_in_a_row >= MOST_VOID_IN_A_ROW:
            raise StalledError(
                f"{self._void_in_a_row} attempts in a row were void, the last because: {reason}. "
                "Nothing is lost: fix the cause and run the ladder again"
            )
