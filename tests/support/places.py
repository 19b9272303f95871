"""Match results in which only the order matters."""

from ladder.model.matches import SeatResult
from ladder.model.ratings import RatedSeat


def place(version: int, rank: int, *, crashed: bool = False) -> RatedSeat:
    """Return a version's place, on any seat and with any points."""
    return RatedSeat(version, 0, SeatResult(rank, 0, "TIMEOUT" if crashed else None))
