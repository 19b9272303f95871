"""The values that the parts of the ladder hand to each other. All of them are frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from referee.clock import ClockConfig


class MatchState(StrEnum):
    """Where a match is on its way; stored as it is written here."""

    PLANNED = "planned"
    """Its round was scheduled; nobody plays it now."""
    RUNNING = "running"
    """A worker plays it, or did when the ladder was killed."""
    DONE = "done"
    """Its result is stored. Final."""
    VOID = "void"
    """Given up after several attempts; it has no result. Final."""


class Outlook(StrEnum):
    """What became of a submission."""

    NEW = "new"
    """A version that the ladder had not seen."""
    UNCHANGED = "unchanged"
    """The version that plays already."""
    RETURNED = "returned"
    """An earlier version, which plays again."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a ladder was made with; never changes."""

    ladder_id: str
    """32 hex digits that follow from the secret, the game and the seats."""
    game: str
    seats: int
    config: Mapping[str, object]
    """The fields of the game's configuration that differ from its defaults."""
    clock: ClockConfig
    secret: str = field(repr=False)
    """All randomness of the ladder follows from it; whoever knows it knows every deal to come."""


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable upload of a bot."""

    id: int
    bot: str
    number: int
    """Counts the bot's versions from 1."""
    digest: str
    """Names its files; 64 hex digits."""
    command: tuple[str, ...]
    active: bool
    """Whether it is scheduled; at most one version of a bot is."""
    submitted_at: str
    """UTC, ISO 8601."""

    def __str__(self) -> str:
        """Return how the version is called in sentences."""
        return f"{self.bot} version {self.number}"


@dataclass(frozen=True, slots=True)
class Submission:
    """What a submission did."""

    version: Version
    outlook: Outlook
    replaced: Version | None
    """The version that played until now, if it no longer does."""
    was_retired: bool
    """The bot existed, but none of its versions played."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """Versions on seats, not yet played; a seat without a version is the stand-in's."""

    match_id: str
    round: int
    index: int
    """Its place within the round, from 0."""
    seats: tuple[Version | None, ...]


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat came out of a match."""

    rank: int
    """From 1; equal places share the smaller number."""
    points: int
    forfeit: str | None
    """The kind of fault that it forfeited by, such as "TIMEOUT"; None if it did not forfeit."""
    printed: str | None = None
    """The end of what a bot that forfeited had printed; not in the record, kept for its author."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that came to its end, as its worker hands it in."""

    match_id: str
    seats: tuple[SeatResult, ...]
    decisions: int
    record: bytes
    """The whole record, packed by `ladder.records`."""


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
class Place:
    """How one version came out of a match, as far as its rating is concerned."""

    version: int
    rank: int
    """From 1; equal places are equal numbers."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What a version's finished matches add up to, and its rating."""

    version: Version
    rating: Rating
    matches: int
    wins: float
    """Shared first places count 1/k among k winners."""
    points: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One seat of a match that is shown."""

    version: Version | None
    result: SeatResult | None


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match that is shown."""

    match_id: str
    round: int
    index: int
    state: MatchState
    attempts: int
    """How often it was void."""
    reason: str | None
    """Why it was last void."""
    decisions: int | None
    finished_at: str | None
    seats: tuple[SeatLine, ...]
