"""Words for what is remarkable about a match: an upset, or a close end."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

from ladder.model.matches import MatchLine, MatchState, SeatLine
from ladder.model.ratings import SIGMA, Strength

_RARELY = 1 / 3
"""It is an upset if the winner finishes ahead of one that it beat this seldom or less."""
_CLOSE = 0.06
"""The end was close if the first two share their points in parts that differ by at most this."""
_MOVES = 0.4 * 1.2 / SIGMA
"""The move for each more than foretold in a match, by the variance of the rating. Leaving matches
out of simulated ladders moved ratings by this, with a correlation of 0.95 to 0.99; the factor 0.4
was 0.24 to 0.52, as points and the spread of the field count, too."""
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


def marks(lines: Iterable[MatchLine], strengths: Mapping[int, Strength]) -> dict[str, str]:
    """Return "upset" or "close" by the id of the matches that are."""
    found = {}
    for line in lines:
        word = "upset" if upset(line, strengths) else "close" if is_close(line) else ""
        if word:
            found[line.match_id] = word
    return found


def moved(line: MatchLine, bot: str, strengths: Mapping[int, Strength]) -> float | None:
    """Return by about how much a match has moved a bot's rating; None if unknown.

    It compares how many the bot finished ahead of with how many its rating foretells.
    """
    rated = [
        (seat.version, seat.result, strengths[seat.version.id])
        for seat in line.seats
        if seat.version and seat.result and seat.version.id in strengths
    ]
    own = next((each for each in rated if each[0].bot == bot), None)
    if own is None or line.state is MatchState.DROPPED:
        return None
    _, result, strength = own
    more = math.fsum(
        (1.0 if result.rank < other.rank else 0.5 if result.rank == other.rank else 0.0)
        - _PERFORMANCES.cdf(strength.mu - its.mu)
        for version, other, its in rated
        if version.bot != bot
    )
    return _MOVES * strength.sigma**2 * more


def _winner(line: MatchLine) -> SeatLine | None:
    """Return the seat that came first alone, among at least two; None if there is none."""
    first = [seat for seat in line.seats if seat.result and seat.result.rank == 1]
    return first[0] if len(first) == 1 and len(line.seats) > 1 else None
