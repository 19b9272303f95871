"""The settings of a ladder: game, containment of bots, scheduling and rating."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from textwrap import shorten
from typing import Any

from ladder.model.errors import SettingsError
from ladder.model.moments import in_words
from ladder.model.spars import MATCHES_A_DAY
from referee.core.clock import ClockConfig
from referee.core.plain import plain
from referee.sandbox.program import Level


class Scheduling(StrEnum):
    """The way in which the scheduler chooses opponents."""

    MIXED = "mixed"
    """Half of the tables balanced, half optimal."""
    OPTIMAL = "optimal"
    """Tables whose results settle the open ranks soonest."""
    BALANCED = "balanced"
    """Round robin."""
    RANDOM = "random"
    SWISS = "swiss"
    """Bots of similar strength meet."""


RETIRED_SCHEDULERS = ("halite",)
"""Values of older ladders: such a ladder opens, and plays once another is chosen."""

SURE = 0.95
"""An answer is settled from this probability on."""
TOP = 3
"""How many bots the aim `top` is about."""


class Aim(StrEnum):
    """The question that the matches should answer."""

    RANKING = "ranking"
    """The order of all bots."""
    TOP = "top"
    """Which three bots are the best."""


class Deals(StrEnum):
    """Which matches share a deal."""

    DUPLICATE = "duplicate"
    """The matches in which the same bots rotate through all seats."""
    INDEPENDENT = "independent"
    """None: each match has a deal of its own."""


class RatedBy(StrEnum):
    """Which results of a match the rating uses."""

    POINTS = "points"
    """Places, and point margins as far as they add information."""
    PLACES = "places"
    """Places alone."""


class SameAuthor(StrEnum):
    """Whether bots of one author may meet; those of the ladder's owner always may."""

    APART = "apart"
    TOGETHER = "together"


class BuildNetwork(StrEnum):
    """Which builds may use the network."""

    OWNER = "owner"
    """Builds of the ladder owner's bots."""
    EVERYONE = "everyone"
    """All builds, also of bots that remote authors submit."""
    NOBODY = "nobody"


AUTHOR_DISK_MIB = 1024
"""The default disk quota of each author, in MiB."""
LONGEST_STEP_MS = 60_000
"""The longest time between two moments at which requests leave."""
MOST_DISK_MIB = 1 << 30
"""The largest disk quota, in MiB: more than any disk has."""


_CHANGEABLE = {"changeable": True}
"""A setting that may change later."""
_WHILE_PLAYING = {"changeable": True, "while_playing": True}
"""A setting that may change even while matches are played."""

LONGEST_TITLE = 80
"""Characters."""
LONGEST_DESCRIPTION = 200
"""The longest description that an author may give a submitted bot, in characters."""
LONGEST_AUTHOR = 64
"""Characters."""


def title_of(text: str) -> str | None:
    """Return a title as it is stored; None for an empty one: the ladder then uses folder and game.

    Raise `SettingsError` if it does not fit on one line.
    """
    title = text.strip()
    if len(title) > LONGEST_TITLE or plain(title) != title:
        raise SettingsError(
            f"title: {shorten(plain(title), LONGEST_TITLE)!r}: a title is one line of at most "
            f"{LONGEST_TITLE} characters, all of them printable"
        )
    return title or None


def heading_of(title: str, game: str, seats: int) -> str:
    """Return the heading of a ladder's pages and tables; `game` is the game's title."""
    named = title if game in title else f"{title} · {game}"
    return f"{named}, {seats} seats"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a ladder; each has a column of its name in the database.

    With another clock or other rules the matches before and after would not compare, so these never
    change.
    """

    ladder_id: str
    """32 hex digits, derived from the secret, the game and the seats."""
    game: str
    seats: int
    config: Mapping[str, object]
    """The fields of the game's configuration that differ from the defaults."""
    clock: ClockConfig
    """Each of its fields has a column."""
    secret: str = field(repr=False)
    """All randomness of the ladder derives from it; who knows it knows every future deal."""
    sandbox: Level | None = field(default=None, metadata=_CHANGEABLE)
    """How bots are contained; None: as strictly as the machine that plays can."""
    build_network: BuildNetwork = field(default=BuildNetwork.OWNER, metadata=_CHANGEABLE)
    scheduler: Scheduling | None = field(default=Scheduling.MIXED, metadata=_CHANGEABLE)
    """None if the ladder is set to one that is retired."""
    aim: Aim = field(default=Aim.RANKING, metadata=_CHANGEABLE)
    deals: Deals = Deals.INDEPENDENT
    same_author: SameAuthor = field(default=SameAuthor.APART, metadata=_CHANGEABLE)
    rated_by: RatedBy = field(default=RatedBy.POINTS, metadata=_CHANGEABLE)
    contest: Mapping[str, Any] | None = None
    """The tournament or duel that the ladder plays, as JSON values; None for a standing ladder."""
    author_disk_mib: int = field(default=AUTHOR_DISK_MIB, metadata=_WHILE_PLAYING)
    """The disk quota of each author; the owner has none."""
    request_step_ms: int = field(default=0, metadata=_CHANGEABLE)
    """A match's requests leave at multiples of this time, so that the moment of an answer shows the
    next bot less; 0: at once."""
    title: str | None = field(default=None, metadata=_WHILE_PLAYING)
    """The title that the owner chose, if any; see `Ladder.title`."""
    opens_at: str | None = field(default=None, metadata=_WHILE_PLAYING)
    """From when on authors may submit, UTC in ISO 8601; None: from the beginning."""
    closes_at: str | None = field(default=None, metadata=_WHILE_PLAYING)
    """Until when authors may submit; None: without end."""
    spar_matches_a_day: int = field(default=MATCHES_A_DAY, metadata=_WHILE_PLAYING)
    """How many unrated matches each author may ask for in a day; the owner may for any number."""

    def may_use_network(self, author: str | None) -> bool:
        """Return whether builds of an author's bots may use the network; None is the owner."""
        if self.build_network is BuildNetwork.OWNER:
            return author is None
        return self.build_network is BuildNetwork.EVERYONE

    def closed(self, now: datetime) -> str:
        """Return why authors may not submit bots now; empty if they may. The owner always may."""
        if self.opens_at and now < (opens := datetime.fromisoformat(self.opens_at)):
            return f"submissions open on {in_words(opens)}"
        if self.closes_at and now >= (closes := datetime.fromisoformat(self.closes_at)):
            return f"submissions closed on {in_words(closes)}"
        return ""

    @property
    def matches_a_block(self) -> int:
        """How many matches of a standing ladder share a deal."""
        return self.seats if self.deals is Deals.DUPLICATE else 1


CHANGEABLE = frozenset(f.name for f in fields(Settings) if "changeable" in f.metadata)
CHANGEABLE_WHILE_PLAYING = frozenset(
    f.name for f in fields(Settings) if "while_playing" in f.metadata
)
