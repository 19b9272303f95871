"""Plans a tournament whose rounds may have to wait for their times."""

from datetime import datetime
from typing import TYPE_CHECKING

from ladder.scheduling.planner import Awaited
from ladder.scheduling.tournament.planner import TournamentPlanner, directives_of
from ladder.scheduling.tournament.start_times import start_of
from ladder.scheduling.tournament.summary import stored_summary

if TYPE_CHECKING:
    from ladder.storage.db.database import Transaction


class TimedPlanner(TournamentPlanner):
    """Plans each round of a tournament when the previous one is over, and its time has come."""

    def awaited(self, tx: "Transaction", now: datetime) -> Awaited | None:
        """Return the round that was planned last if it may not begin yet."""
        from ladder.storage.tables import directives  # noqa: PLC0415 - SQLAlchemy is slow to import

        number, given = self._progress.number, directives_of(tx)
        starts_at = start_of(self._plan, number, given, directives.rounds_begun(tx))
        if self._progress.plays_on or starts_at is None or starts_at <= now:
            return None
        shown = stored_summary(tx, self._plan, self._seats)
        pairings = shown.pairings()
        lines = () if pairings is None else tuple(shown.pairings_in_lines(pairings))
        return Awaited(number, starts_at, lines)

    def begin(self, tx: "Transaction", now: datetime) -> None:
        """Store that the round that was planned last begins, if the next one waits for that."""
        from ladder.storage.tables import directives  # noqa: PLC0415 - SQLAlchemy is slow to import

        if self._plan.every_s is not None and not self._progress.plays_on:
            directives.begin_round(tx, self._progress.number, now)
