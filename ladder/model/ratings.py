"""Results as the ratings read them, and the ratings."""

from collections.abc import Mapping
from dataclasses import dataclass

from ladder.model.bots import Version


@dataclass(frozen=True, slots=True)
class Place:
    """How one version came out of a match, as far as its rating is concerned."""

    version: int
    rank: int
    """From 1; equal places are equal numbers."""
    crashed: bool = False
    """It forfeited: it is behind all who did not, and has no order with others who did."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """How one version came out of a match, as far as the rating of record is concerned."""

    version: int
    seat: int
    rank: int
    """From 1; equal places are equal numbers."""
    points: int
    """In the game."""
    crashed: bool
    """Whether it forfeited."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength: a normal distribution with this mean and standard deviation."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """The strength that the bot almost surely has: three deviations below the mean."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Tally:
    """What a version's finished matches add up to."""

    version: Version
    matches: int
    wins: float
    """Shared first places count 1/k among k winners."""
    points: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class Strength:
    """What the rating of record says of a version."""

    mu: float
    """The best estimate of its strength, on TrueSkill's scale; see `ladder.results.ranking`."""
    sigma: float
    """The standard deviation of its error: the truth is within two of them with 95 %."""
    ranks: tuple[int, int] | None
    """Between which its true rank is with 95 %, among those that are listed; None if it is not."""
    better_than_next: float | None
    """The probability that it is stronger than the next one in the list; None of the last, and of
    the last that is not provisional."""
    until_separated: int | None
    """About how many matches with both would make that sure; None if it is, if no block of one of
    them is rated yet, and where there is no next one."""
    blocks: int
    """In how many rated blocks it was."""
    provisional: bool
    """Whether these are too few for the intervals to be trusted."""


@dataclass(frozen=True, slots=True)
class RatingOfRecord:
    """What the rating of record says of a whole ladder."""

    strengths: Mapping[int, Strength]
    """Of every version that may play, by its id."""
    chance: float
    """The probability that the question of the ladder's aim is answered rightly by now."""
    provisional: int
    """Of how many listed versions too little is known to trust that."""
