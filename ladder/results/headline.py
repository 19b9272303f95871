"""A match in a line: its winner, the losers, and the points."""

from collections.abc import Iterable, Sequence

from ladder.model.matches import SeatLine, SeatResult

_MINUS = "\N{MINUS SIGN}"
_BETWEEN = "\N{EN DASH}"


def headline(seats: Iterable[SeatLine]) -> str:
    """Return the winner and the losers, as a title; empty without a result."""
    placed = sorted(
        ((seat.result, _name(seat)) for seat in seats if seat.result), key=lambda s: s[0].rank
    )
    if not placed:
        return ""
    first = [name for result, name in placed if result.rank == 1]
    others = [name for result, name in placed if result.rank > 1]
    ending = _points([result for result, _ in placed])
    if not others:
        return f"{_and(first)} {'draw' if len(first) > 1 else 'plays alone,'}{ending}"
    if len(first) > 1:
        return f"{_and(first)} share first place before {_and(others)}{ending}"
    return f"{first[0]} beats {_and(others)}{ending}"


def _points(results: Sequence[SeatResult]) -> str:
    if len(results) > 1 and all(result.crashed for result in results[1:]):
        return " by forfeit"
    points = [str(result.points).replace("-", _MINUS) for result in results]
    if all(result.points >= 0 for result in results):
        return f" {_BETWEEN.join(points)}"
    return f": {', '.join(points)}" if points[2:] else f" {' to '.join(points)}"


def _name(seat: SeatLine) -> str:
    return seat.version.bot if seat.version else "the stand-in"


def _and(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
