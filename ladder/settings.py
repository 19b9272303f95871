"""How a ladder is set up: the game, how bots are contained, and how it is chosen what is played."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from referee.clock import ClockConfig
from referee.sandbox.program import Level


class Scheduling(StrEnum):
    """How it is chosen who meets whom."""

    OPTIMAL = "optimal"
    """Who tells most about what is still open in the ranking."""
    BALANCED = "balanced"
    """Everybody everybody, equally often."""
    RANDOM = "random"
    SWISS = "swiss"
    """Neighbours in the ranking."""
    HALITE = "halite"
    """Whoever is due, and somebody near, as Halite III did it."""


class Aim(StrEnum):
    """What the matches are to show."""

    RANKING = "ranking"
    """The order of all."""
    TOP = "top"
    """Who the best three are."""


class Deals(StrEnum):
    """Which matches share a deal."""

    DUPLICATE = "duplicate"
    """Those in which the same bots sit on every seat in turn."""
    INDEPENDENT = "independent"
    """None."""


class BuildNetwork(StrEnum):
    """Whose builds may use the network."""

    OWNER = "owner"
    """Those of the bots that the ladder's owner submits."""
    EVERYONE = "everyone"
    """Those of all bots, also of bots that their authors submit from elsewhere."""
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the live rating takes a game to be; as long as nobody has measured, what is usual."""

    beta: float = 25 / 3
    """Standard deviation of how well a bot of given strength plays in a match, on the scale on
    which strengths begin at 25 with the deviation 25 / 3."""
    draw_probability: float = 0.10
    """How often neighbours in a ranking share their place."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a ladder is set up. Identity, game, seats, clock, secret and deals never change."""

    ladder_id: str
    """32 hex digits that follow from the secret, the game and the seats."""
    game: str
    seats: int
    config: Mapping[str, object]
    """The fields of the game's configuration that differ from its defaults."""
    clock: ClockConfig
    secret: str = field(repr=False)
    """All randomness of the ladder follows from it; whoever knows it knows every deal to come."""
    sandbox: Level | None = None
    """How bots are contained; None: as well as the machine can that plays."""
    build_network: BuildNetwork = BuildNetwork.OWNER
    scheduler: Scheduling = Scheduling.OPTIMAL
    aim: Aim = Aim.RANKING
    deals: Deals = Deals.INDEPENDENT
    contest: Mapping[str, Any] | None = None
    """What is played instead of rounds without end, such as a tournament, in terms of JSON."""
    tuning: Tuning = field(default_factory=Tuning)
    """Of the live rating."""

    def may_use_network(self, author: str | None) -> bool:
        """Return whether builds of an author's bots may use the network; None: the owner's."""
        if self.build_network is BuildNetwork.OWNER:
            return author is None
        return self.build_network is BuildNetwork.EVERYONE

    @property
    def matches_a_block(self) -> int:
        """How many matches of a standing ladder share a deal."""
        return self.seats if self.deals is Deals.DUPLICATE else 1
