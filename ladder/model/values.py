"""The values that the parts of the ladder hand to each other. All of them are frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from referee.hosting.manifest import REMOTE


class MatchState(StrEnum):
    """Where a match is on its way; stored as it is written here."""

    PLANNED = "planned"
    """Its round was scheduled; nobody plays it now."""
    RUNNING = "running"
    """A worker plays it, or did when the ladder was killed."""
    DONE = "done"
    """Its result is stored. Final."""
    VOID = "void"
    """Given up after several attempts; it has no result. Final, unless it is postponed."""


class DirectiveKind(StrEnum):
    """What the director of a tournament may decide; stored as it is written here."""

    WITHDRAW = "withdraw"
    """A bot plays no more; its results stand by the rules of the format."""
    DISQUALIFY = "disqualify"
    """The same for a reason, and the bot is placed last."""
    ENTER = "enter"
    """A bot enters late."""
    PAUSE = "pause"
    """No match begins from now on."""
    RESUME = "resume"
    """Matches begin again."""
    ANNUL = "annul"
    """A match does not count."""
    RETRACT = "retract"
    """What was decided last about a bot or match is as if it had not been."""


class Outlook(StrEnum):
    """What became of a submission."""

    NEW = "new"
    """A version that the ladder had not seen."""
    UNCHANGED = "unchanged"
    """The version that plays already."""
    RETURNED = "returned"
    """An earlier version, which plays again."""
    REJECTED = "rejected"
    """A version that may not play; whatever played before plays on."""


class TokenState(StrEnum):
    """Whether a token opens anything."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


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
    transport: str = "grpc"
    """How its messages travel."""
    build: tuple[tuple[str, ...], ...] = ()
    """The commands that make it ready to start; often none."""
    rejected: str | None = None
    """Why it may not play, in one line; None if it may."""

    @property
    def is_remote(self) -> bool:
        """Whether it stays on its author's machine and joins from there."""
        return self.transport == REMOTE

    @property
    def at_gate(self) -> str:
        """Return what a remote one is called where it joins, such as "ada@2"."""
        return f"{self.bot}@{self.number}"

    def __str__(self) -> str:
        """Return how the version is called in sentences."""
        return f"{self.bot} version {self.number}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's files as they were submitted, before they are a version."""

    bot: str
    digest: str
    command: tuple[str, ...]
    transport: str
    build: tuple[tuple[str, ...], ...]
    author: str | None = None
    """Who submits it; None: the ladder's owner."""

    def __str__(self) -> str:
        """Return how it is called in sentences."""
        return f"{self.bot}'s entry"


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of building an entry and of letting it play a validation match."""

    rejected: str | None
    """Why it may not play, in one line; None if it may."""
    build_log: str | None = None
    """What the build printed, the end of it; None if there is nothing to build."""
    record: bytes | None = None
    """Of the validation match, packed by `ladder.storage.records`; None if there was none."""
    printed: str = ""
    """What the bot printed in the validation match, the end of it."""
    tried_at: str = ""
    """UTC, ISO 8601; set when it is stored."""


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
class Token:
    """What an author shows to be let in, as far as the ladder knows it."""

    number: int
    author: str
    digest: bytes = field(repr=False)
    """SHA-256 of the token."""
    created_at: str
    """UTC, ISO 8601; so are the others."""
    expires_at: str | None
    """None: never."""
    revoked_at: str | None
    """None: it is not."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """Versions on seats, not yet played; a seat without a version is the stand-in's."""

    match_id: str
    round: int
    index: int
    """Its place within the round, from 0."""
    seats: tuple[Version | None, ...]
    attempts: int = 0
    """How often it was void."""
    deal: str = ""
    """Names its deal; matches of one deal are a block. Empty: one of its own, named as it is."""

    @property
    def remote(self) -> tuple[Version, ...]:
        """Those on its seats that play from elsewhere."""
        return tuple(version for version in self.seats if version and version.is_remote)

    @property
    def needs_a_worker(self) -> bool:
        """Whether bots of this machine play in it, or none at all."""
        return not self.remote or any(v and not v.is_remote for v in self.seats)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat came out of a match."""

    rank: int
    """From 1; equal places share the smaller number."""
    points: int
    forfeit: str | None
    """The kind of fault that it forfeited by, such as "TIMEOUT"; None if it did not forfeit."""

    @property
    def crashed(self) -> bool:
        """Whether it forfeited: it is behind all who did not, in no order with others who did."""
        return self.forfeit is not None


@dataclass(frozen=True, slots=True)
class Directive:
    """A decision of a tournament's director."""

    kind: DirectiveKind
    after_round: int
    """The last round of the ladder that was planned by then: it holds for those after it."""
    why: str | None = None
    version: int | None = None
    """The id of the version that it is about; None of pauses and matches."""
    match_id: str | None = None
    """The match that it is about."""
    given_at: str = ""
    """UTC, ISO 8601; set when it is stored."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that came to its end, as its worker hands it in."""

    match_id: str
    seats: tuple[SeatResult, ...]
    decisions: int
    record: bytes
    """The whole record, packed by `ladder.storage.records`."""
    printed: Mapping[int, str] = field(default_factory=dict)
    """What the bots printed in it, the end of it, by seat; kept for their authors."""
    paused_s: float = 0.0
    """For how many seconds the referee was paused meanwhile."""


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
class RatedSeat:
    """How one version came out of a match, for the raters."""

    version: int
    """Its id."""
    seat: int
    result: SeatResult


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
    deal: str = ""
    """Names its deal; matches of one deal are a block."""
    postponed: bool = False
    """Whether it is void only until the ladder is run again."""
