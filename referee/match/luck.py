"""The luck of each seat of a recorded match, by its game's own measure.

Each decision that reveals chance is compared with others that were as likely, which are drawn from
a stream of the match. So anybody with the record computes the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from courtyard.v1 import record_pb2

from referee.games.base import Luck, Seat
from referee.games.randomness import Stream
from referee.match.replay import PlayedGame, game_of, retrace

NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """The luck of the seats, in points relative to the table's mean."""

    points: Sequence[float]
    """(seats,), of sum 0; 0 in the mean of many matches, for every bot."""
    covariance: Sequence[Sequence[float]]
    """(seats, seats) of the errors, as only some of the other chances are drawn."""

    def error(self, seat: Seat) -> float:
        """Return half the 95 % interval of a seat's luck."""
        return NORMAL_95 * sqrt(self.covariance[seat][seat])

    def ahead(self, seat: Seat, other: Seat) -> tuple[float, float]:
        """Return how much more one seat got than another, and half the 95 % interval."""
        own, theirs = self.covariance[seat], self.covariance[other]
        variance = max(0.0, own[seat] - 2 * own[other] + theirs[other])
        return self.points[seat] - self.points[other], NORMAL_95 * sqrt(variance)


def measure_of(record: record_pb2.Record) -> Luck | None:
    """Return the measure of a record's game; None if it has none.

    Raise `UsageError` if the game is not installed.
    """
    return game_of(record).luck


def match_luck(record: record_pb2.Record) -> MatchLuck | None:
    """Return what chance gave the seats; None if the game has no measure of it.

    Trust the record as `retrace` does. Raise `UsageError` if it cannot be played.
    """
    measure = measure_of(record)
    if measure is None:
        return None
    return luck_in(measure, retrace(record), Stream(record.master_seed, "luck"))


def luck_in(measure: Luck, game: PlayedGame, stream: Stream) -> MatchLuck:
    """Return what chance gave the seats of a game, by a measure; it reads the game's decisions."""
    points = _relative(measure.known(game.first))
    covariance = [[0.0 for _ in points] for _ in points]
    state = game.first
    for number, taken in enumerate(game.taken):
        worths = measure.worths(state, stream.sub(str(number)))
        if len(worths) > 1:
            drawn, *others = map(_relative, worths)
            means = [fmean(column) for column in zip(*others, strict=True)]
            points = [p + own - mean for p, own, mean in zip(points, drawn, means, strict=True)]
            apart = [[one - mean for one, mean in zip(row, means, strict=True)] for row in others]
            _add_error(covariance, apart)
        state = taken.state
    return MatchLuck(points, covariance)


def _relative(points: Sequence[float]) -> list[float]:
    """Return points relative to their mean."""
    mean = fmean(points)
    return [one - mean for one in points]


def _add_error(covariance: list[list[float]], apart: Sequence[Sequence[float]]) -> None:
    """Add the covariance of the mean of these (M, seats) deviations."""
    m = len(apart)
    if m > 1:
        for i, row in enumerate(covariance):
            for j in range(len(row)):
                row[j] += sum(one[i] * one[j] for one in apart) / (m * (m - 1))
