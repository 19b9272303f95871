"""The results of a spar: its bot against each opponent.

The score of a match against an opponent is the mean, over the opponent's seats, of 1, 1/2 or 0; two
that both forfeited are not compared. The interval is the one of a duel
(`ladder.scheduling.duel.sequential`), so it holds however often its reader looks, and stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, SeatResult
from ladder.model.spars import Spar
from ladder.scheduling.duel.sequential import SequentialTest, interval

_TEST = SequentialTest(effect=0.15, alpha=0.025, beta=0.025)
"""Of an interval at 95 %, which is narrow after some twenty to four hundred matches."""
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class SparPair:
    """A spar's bot against one opponent."""

    opponent: Version
    matches: int
    """How many matches compare the two."""
    ahead: int
    """In how many of them the bot scored more than half."""
    even: int
    behind: int
    score: float | None
    """The mean score, from 0 to 1; None without matches."""
    low: float
    """The ends of the interval of the score, at 95 %."""
    high: float


@dataclass(frozen=True, slots=True)
class SparSummary:
    """The results of a spar so far."""

    played: int
    waiting: int
    """How many matches are still to be played."""
    void: int
    """How many were given up or withdrawn."""
    forfeits: int
    """How many matches the bot forfeited."""
    place: float | None
    """The bot's mean place; None without results."""
    points: float | None
    """The bot's mean points."""
    pairs: Sequence[SparPair]
    """One of each opponent, in the order in which they sat down first."""


def summarize(spar: Spar) -> SparSummary:
    """Return the results of a spar so far."""
    done = [match for match in spar.matches if match.state.has_result]
    own = [result for match in done if (result := match.seats[spar.seat(match)].result)]
    return SparSummary(
        played=len(done),
        waiting=spar.waiting,
        void=len(spar.matches) - len(done) - spar.waiting,
        forfeits=sum(result.crashed for result in own),
        place=fmean(result.rank for result in own) if own else None,
        points=fmean(result.points for result in own) if own else None,
        pairs=[_pair(spar, done, opponent) for opponent in spar.opponents],
    )


def _pair(spar: Spar, done: Sequence[MatchLine], opponent: Version) -> SparPair:
    found = (_score(spar, match, opponent) for match in done)
    scores = [score for score in found if score is not None]
    ahead, behind = sum(s > _EVEN for s in scores), sum(s < _EVEN for s in scores)
    low, high = interval(scores, _TEST) if scores else (0.0, 1.0)
    return SparPair(
        opponent=opponent,
        matches=len(scores),
        ahead=ahead,
        even=len(scores) - ahead - behind,
        behind=behind,
        score=fmean(scores) if scores else None,
        low=low,
        high=high,
    )


def _score(spar: Spar, match: MatchLine, opponent: Version) -> float | None:
    """Return the score of a match against an opponent; None if it compares the two nowhere."""
    own = match.seats[spar.seat(match)].result
    if own is None:
        return None
    scores = [
        _compared(own, seat.result)
        for seat in match.seats
        if seat.version and seat.version.id == opponent.id and seat.result
        if not (own.crashed and seat.result.crashed)
    ]
    return fmean(scores) if scores else None


def _compared(own: SeatResult, other: SeatResult) -> float:
    if own.rank == other.rank:
        return _EVEN
    return float(own.rank < other.rank)
