"""Ratings, and the results from which they follow."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from ladder.model.bots import Version

MU, SIGMA = 25.0, 25.0 / 3
"""TrueSkill's rating of a version without results. The scale never moves: `ladder.results.ranking`
defines what is at `MU`."""
SAME_WITHIN = 1e-5
"""Ratings that differ by less are the same: what is kept may come from another processor, which
rounds otherwise. One result more or less changes a rating by 1e-3 or more, and people are shown
tenths."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength: a normal distribution with this mean and standard deviation."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """A strength that the bot almost surely exceeds: mu - 3 sigma."""
        return self.mu - 3 * self.sigma

    def __str__(self) -> str:
        """Return both numbers, as messages have them."""
        return f"mu {self.mu}, sigma {self.sigma}"


def agree(one: Rating, other: Rating) -> bool:
    """Return whether two ratings are the same, up to rounding."""
    return max(abs(one.mu - other.mu), abs(one.sigma - other.sigma)) <= SAME_WITHIN


class Count(NamedTuple):
    """Whole numbers that add up to a version's tally."""

    matches: int = 0
    points: int = 0
    forfeits: int = 0
    firsts: tuple[int, ...] = ()
    """How often it came first alone, shared with one other, and so on."""

    def with_more(self, more: "Count") -> "Count":
        """Return the count of these matches and more."""
        firsts = zip_longest(self.firsts, more.firsts, fillvalue=0)
        return Count(
            self.matches + more.matches,
            self.points + more.points,
            self.forfeits + more.forfeits,
            tuple(one + other for one, other in firsts),
        )

    def without(self, some: "Count") -> "Count":
        """Return the count of these matches without some of them."""
        less = (-times for times in some.firsts)
        return self.with_more(Count(-some.matches, -some.points, -some.forfeits, tuple(less)))

    def tally(self, version: Version) -> "Tally":
        """Return the tally of a version."""
        wins = math.fsum(times / by for by, times in enumerate(self.firsts, start=1))
        return Tally(version, self.matches, wins, self.points, self.forfeits)


@dataclass(frozen=True, slots=True)
class Tally:
    """The totals of a version's finished matches."""

    version: Version
    matches: int
    wins: float
    """A first place that k share counts 1/k."""
    points: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class Strength:
    """A version's strength by the rating of record."""

    mu: float
    """The estimate of its strength, on TrueSkill's scale; see `ladder.results.ranking`."""
    sigma: float
    """The standard error of mu: the true strength is within two of them with 95 %."""
    ranks: tuple[int, int] | None
    """The 95 % interval of its rank among the listed versions; None if it is not listed."""
    better_than_next: float | None
    """The probability that it is stronger than the next version listed; None for the last one, and
    the last that is not provisional."""
    until_separated: int | None
    """About how many matches with both would settle that; None if it is settled, if one of them has
    them is rated yet, and where there is no next one."""
    group: int | None
    """The number, from 1, of its group among the distinguishable ones of listed versions; None
    if it is in none."""
    blocks: int
    """The number of its rated blocks."""
    provisional: bool
    """Whether it has too few blocks for its intervals to be trusted."""
    attempt: int = 1
    """Numbers the versions of its author's bots that passed from 1; of the owner's bots, those of
    each bot."""
    tries: int = 1
    """The number of these versions."""

    @property
    def rating(self) -> Rating:
        """Its rating alone."""
        return Rating(self.mu, self.sigma)


@dataclass(frozen=True, slots=True)
class RatingOfRecord:
    """The rating of record of a whole ladder."""

    strengths: Mapping[int, Strength]
    """The strength of every version that may play, by version id."""
    chance: float
    """The probability that the current answer to the ladder's aim is right."""
    provisional: int
    """How many listed versions have too few blocks for that to be trusted."""
