"""A spar for its author: the results, and of each match the own seat's view.

No other author sees any of it; the link of a shared spar shows its results alone.
"""

from ladder.model.errors import UnknownMatchError, UnknownSparError
from ladder.model.matches import MatchLine, SeatLog
from ladder.model.spars import Spar
from ladder.storage.ladder import Ladder
from ladder.storage.tables import spars
from ladder.storage.tables.records import decision_times_of, fault_of, unpack
from referee.match.record import Record

LATEST = 20
"""How many of an author's spars are listed."""


def latest(ladder: Ladder, author: str | None) -> list[Spar]:
    """Return the last spars of an author, the newest first; None is the ladder's owner."""
    with ladder.database.read() as tx:
        return spars.of_author(tx, author, LATEST)


def spar(ladder: Ladder, author: str | None, number: int) -> Spar:
    """Return an author's spar; the ladder's owner may see all. Raise `UnknownSparError`."""
    with ladder.database.read() as tx:
        found = spars.numbered(tx, number)
    if found is None or author not in (None, found.author):
        raise UnknownSparError(f"you have no spar {number}")
    return found


def shared(ladder: Ladder, token: str) -> Spar | None:
    """Return the spar whose link has this token; None if there is none."""
    with ladder.database.read() as tx:
        return spars.shared_as(tx, token)


def match(of: Spar, match_id: str) -> MatchLine:
    """Return the match of a spar with this id, or the only one that begins so."""
    found = [line for line in of.matches if line.match_id.startswith(match_id)]
    if len(found) != 1:
        raise UnknownMatchError(f"spar {of.id} has no match {match_id!r}, or several")
    return found[0]


def seat_log(ladder: Ladder, of: Spar, line: MatchLine) -> SeatLog | None:
    """Return a match as the spar's bot played it; None without a result."""
    seat = of.seat(line)
    result = line.seats[seat].result
    if result is None:
        return None
    found = record(ladder, line)
    with ladder.database.read() as tx:
        printed = spars.printed(tx, line.match_id)
    return SeatLog(
        match=line,
        seat=seat,
        version=of.challenger,
        result=result,
        decisions=decision_times_of(found, seat),
        fault=fault_of(found, seat),
        printed=printed,
    )


def record(ladder: Ladder, line: MatchLine) -> Record:
    """Return the record of a match, of which its author may see the own seat's view alone."""
    with ladder.database.read() as tx:
        packed = spars.record(tx, line.match_id)
    if packed is None:
        raise UnknownMatchError(f"match {line.match_id} has no result: it is {line.state}")
    return unpack(packed)
