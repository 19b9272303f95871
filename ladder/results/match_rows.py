"""Listed matches as plain rows: one of a match, and one of each of its seats."""

from collections.abc import Sequence

from ladder.model.matches import MatchLine
from referee.match.rows import Row


def match_row(line: MatchLine) -> Row:
    """Return what all seats of a match share."""
    return {
        "match_id": line.match_id,
        "round": line.round,
        "deal": line.deal,
        "rules_version": line.rules_version,
        "decisions": line.decisions,
        "finished_at": line.finished_at,
        "counts": line.state == "done",
    }


def seat_rows(line: MatchLine) -> Sequence[Row]:
    """Return a row for each seat of a match that has a result."""
    return [
        {
            "match_id": line.match_id,
            "seat": number,
            "bot": seat.version.bot if seat.version else None,
            "version": seat.version.number if seat.version else None,
            "place": seat.result.rank,
            "points": seat.result.points,
            "forfeit": seat.result.forfeit,
        }
        for number, seat in enumerate(line.seats)
        if seat.result is not None
    ]
