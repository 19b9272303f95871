"""How a ladder is set up: the game, how bots are contained, and how it is chosen what is played."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import shorten
from typing import Any

from ladder.model.errors import SettingsError
from referee.core.clock import ClockConfig
from referee.core.plain import plain
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


RETIRED_SCHEDULERS = ("halite",)
"""What older ladders may still be set to: such a ladder opens, and plays once another is chosen."""

SURE = 0.95
"""So probable must be what is called settled."""
TOP = 3
"""How many are the best."""


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


class RatedBy(StrEnum):
    """By what of a match bots are rated."""

    POINTS = "points"
    """Who came before whom, and beyond that by how many points, as far as these tell more."""
    PLACES = "places"
    """Who came before whom, and nothing else."""


class SameAuthor(StrEnum):
    """Whether bots of one author may sit at one table; those of the ladder's owner always may."""

    APART = "apart"
    TOGETHER = "together"


class BuildNetwork(StrEnum):
    """Whose builds may use the network."""

    OWNER = "owner"
    """Those of the bots that the ladder's owner submits."""
    EVERYONE = "everyone"
    """Those of all bots, also of bots that their authors submit from elsewhere."""
    NOBODY = "nobody"


AUTHOR_DISK_MIB = 1024
"""How much of the disk one author's bots may take unless the ladder's owner says otherwise."""
MOST_DISK_MIB = 1 << 30
"""More than any disk has."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What match-by-match rating takes a game to be; as long as nobody has measured, the usual."""

    beta: float = 25 / 3
    """Standard deviation of how well a bot of given strength plays in a match, on the scale on
    which strengths begin at 25 with the deviation 25 / 3."""
    draw_probability: float = 0.10
    """How often neighbours in a ranking share their place."""


LONGEST_TITLE = 80
"""Characters."""


def title_of(text: str) -> str | None:
    """Return a title as it is stored, None for an empty one, which is that of folder and game.

    Raise `SettingsError` if it is none that fits into a line.
    """
    title = text.strip()
    if len(title) > LONGEST_TITLE or plain(title) != title:
        raise SettingsError(
            f"title: {shorten(plain(title), LONGEST_TITLE)!r}: a title is one line of at most "
            f"{LONGEST_TITLE} characters, all of them printable"
        )
    return title or None


def heading_of(title: str, game: str, seats: int) -> str:
    """Return how a ladder is announced above what is shown of it; `game` is the game's title."""
    named = title if game in title else f"{title} · {game}"
    return f"{named}, {seats} seats"


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
    scheduler: Scheduling | None = Scheduling.OPTIMAL
    """None if the ladder is set to one that is retired."""
    aim: Aim = Aim.RANKING
    deals: Deals = Deals.INDEPENDENT
    same_author: SameAuthor = SameAuthor.APART
    rated_by: RatedBy = RatedBy.POINTS
    contest: Mapping[str, Any] | None = None
    """What is played instead of rounds without end, such as a tournament, in terms of JSON."""
    tuning: Tuning = field(default_factory=Tuning)
    """Of the rating match by match, which is kept and not shown."""
    author_disk_mib: int = AUTHOR_DISK_MIB
    """How much of the disk each author's bots may take; those of the owner, whatever is free."""
    title: str | None = None
    """What people call the ladder, if its owner has said; see `Ladder.title`."""

    def may_use_network(self, author: str | None) -> bool:
        """Return whether builds of an author's bots may use the network; None: the owner's."""
        if self.build_network is BuildNetwork.OWNER:
            return author is None
        return self.build_network is BuildNetwork.EVERYONE

    @property
    def matches_a_block(self) -> int:
        """How many matches of a standing ladder share a deal."""
        return self.seats if self.deals is Deals.DUPLICATE else 1
