"""Words for what is remarkable about a match: an upset, or a close end."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from ladder.model.matches import MatchLine, SeatLine
from ladder.model.ratings import SIGMA, Strength

_RARELY = 1 / 3
"""It is an upset if the winner finishes ahead of one that it beat this seldom or less."""
_CLOSE = 0.06
"""The end was close if the first two share their points in parts that differ by at most this."""
_PERFORMANCES = NormalDist(0, math.sqrt(2) * SIGMA)
"""How far two performances differ; the ladder's beta is TrueSkill's first sigma."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A match that a bot won against one that is rated far higher."""

    line: MatchLine
    winner: str
    beaten: str
    """The highest rated bot behind it."""
    chance: float
    """The probability, by today's ratings, that it finishes ahead of that."""


def upset(line: MatchLine, strengths: Mapping[int, Strength]) -> Upset | None:
    """Return what makes a match an upset by today's ratings; None if it is none."""
    winner = _winner(line)
    rated = [
        (strength.mu, seat)
        for seat in line.seats
        if seat.version
        and (strength := strengths.get(seat.version.id))
        and not strength.provisional
        and not (seat.result and seat.result.crashed)
    ]
    own = next((mu for mu, seat in rated if seat is winner), None)
    if own is None or winner is None or winner.version is None:
        return None
    mu, beaten = max(rated, key=lambda each: each[0])
    chance = _PERFORMANCES.cdf(own - mu)
    if chance > _RARELY or beaten.version is None:
        return None
    return Upset(line, winner.version.bot, beaten.version.bot, chance)


def is_close(line: MatchLine) -> bool:
    """Return whether the first two of a match had nearly the same points."""
    if _winner(line) is None:
        return False
    first, second = sorted(s.result.points for s in line.seats if s.result)[: -2 - 1 : -1]
    crashed = [s for s in line.seats if s.result and s.result.crashed]
    return not crashed and first + second > 0 and first - second <= _CLOSE * (first + second)


def _winner(line: MatchLine) -> SeatLine | None:
    """Return the seat that came first alone, among at least two; None if there is none."""
    first = [seat for seat in line.seats if seat.result and seat.result.rank == 1]
    return first[0] if len(first) == 1 and len(line.seats) > 1 else None
