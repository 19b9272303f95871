"""A bot's matches for its author: its own times, faults and output.

Nothing here goes beyond the view of the bot's own seat, nor shows anything of the others' time.
"""

from ladder.model.errors import UnknownMatchError
from ladder.model.matches import MatchLine, SeatLog
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import decision_times_of, fault_of


def latest(ladder: Ladder, name: str, limit: int) -> list[SeatLog]:
    """Return the last finished matches of a bot, newest first; raise `UnknownBotError`."""
    lines = queries.latest(ladder, limit, name)
    return [found for line in lines if (found := seat_log(ladder, line, name))]


def seat_log(ladder: Ladder, match: MatchLine, name: str) -> SeatLog | None:
    """Return a match as a bot played it; None if it has no result.

    Raise `UnknownMatchError` if the bot is not in it.
    """
    for seat, taken in enumerate(match.seats):
        if taken.version and taken.version.bot == name:
            if taken.result is None:
                return None
            record = queries.record(ladder, match)
            return SeatLog(
                match=match,
                seat=seat,
                version=taken.version,
                result=taken.result,
                decisions=decision_times_of(record, seat),
                fault=fault_of(record, seat),
                printed=queries.printed(ladder, match, seat),
            )
    there = ", ".join(taken.version.bot for taken in match.seats if taken.version)
    raise UnknownMatchError(f"{name} is not in match {match.match_id}; in it are: {there}")
