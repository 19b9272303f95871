"""The JSON of the author API: what it answers, and what it takes.

Only `ladder.server.api.encode` makes these values, as far as their reader may see them; a client
reads them back. Times are UTC in ISO 8601, durations are in microseconds. A field is never removed,
renamed or made required: `docs/openapi.json` and a test hold that.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ladder.model.bots import SubmissionOutcome
from ladder.model.incidents import IncidentKind
from ladder.model.matches import MatchState
from ladder.model.rules import RulesPlayed
from ladder.model.settings import LONGEST_DESCRIPTION
from ladder.model.spars import MOST_MATCHES
from ladder.results.standings import Standing

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class Problem(_Value):
    """Why a call is refused (RFC 9457)."""

    title: str
    """The words of its HTTP status."""
    status: int
    detail: str
    """A line for people."""
    reason: str
    """A name for programs, such as `RATE_LIMITED`; docs/operations.md lists them."""
    metadata: dict[str, str] = {}
    """More for programs, such as the limit that was reached."""


class Clock(_Value):
    """How time is counted, in milliseconds."""

    startup_ms: int
    decision_limit_ms: int
    bank_ms: int
    increment_ms: int


class Ladder(_Value):
    """What the ladder is, and as whom it knows the caller."""

    ladder_id: str
    title: str
    """What people call it, such as "Spring cup"."""
    game: str
    seats: int
    clock: Clock
    author: str
    """As whom the token is known."""
    takes_submissions: bool
    """Whether bots can be submitted, retired and described here."""
    largest_archive_bytes: int
    largest_bundle_bytes: int
    """The most bytes of a bot's files."""
    most_files: int
    spar_matches_a_day: int = 0
    """How many unrated matches an author may ask for in a day, in UTC."""
    spar_matches_left: int = 0
    """How many the caller may still ask for today."""


class Standings(_Value):
    """The standings of the versions that play, the best first."""

    standings: list[Standing]
    rules: RulesPlayed
    """Which versions of the game's rules count."""


class Version(_Value):
    """One immutable upload of a bot."""

    bot: str
    number: int
    """Counts the bot's versions from 1."""
    active: bool
    """Whether it plays; at most one version of a bot does."""
    submitted_at: Moment
    language: str
    """What it says that it is written in; may be empty."""
    description: str
    own: bool
    """Whether the bot is the caller's."""
    digest: str | None = None
    """Identifies its files. Only of the caller's own."""
    rejected: str | None = None
    """Why it may not play. Only of the caller's own; others' are not listed."""


class Bot(_Value):
    """A bot and its versions."""

    name: str
    own: bool
    active: bool
    """Whether a version of it plays; otherwise it is retired, or none was accepted."""
    description: str
    rank: int | None = None
    """Its place in the standings."""
    versions: list[Version]
    open_to_spars: bool = True
    """Whether its author lets others spar with it."""


class BotChange(BaseModel):
    """What to change of a bot; what is left out stays."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    active: bool | None = None
    """False retires the bot; true lets its last accepted version play again."""
    description: str | None = Field(default=None, max_length=LONGEST_DESCRIPTION)
    """One line. A new version replaces it by its own."""
    open_to_spars: bool | None = None
    """Whether other authors may spar with it."""


class Submission(_Value):
    """A submission: its progress, then its outcome."""

    sha256: str
    """Of what was sent; names the submission."""
    state: Literal["running", "over", "refused"]
    log: str
    """What was done and what the build printed, from `after` on."""
    next: int
    """The `after` with which to ask for what follows."""
    outcome: SubmissionOutcome | None = None
    """Once it is over."""
    version: Version | None = None
    """Once it is over."""
    replaced: int | None = None
    """The number of the version that played until now, if it no longer does."""
    was_retired: bool = False
    """Whether the bot existed, but none of its versions played."""
    problem: Problem | None = None
    """Once it is refused."""


class Upload(_Value):
    """How much of an archive is stored."""

    offset: int
    """Send what follows from here."""


class SeatOutcome(_Value):
    """How a seat came out."""

    rank: int
    """From 1; tied seats share the smaller number."""
    points: int
    forfeit: str | None = None
    """The kind of fault by which it forfeited, such as "TIMEOUT"."""


class Seat(_Value):
    """A seat of a match."""

    bot: str | None = None
    """Absent: a stand-in."""
    version: int | None = None
    own: bool = False
    outcome: SeatOutcome | None = None


class Match(_Value):
    """A match. Before it is public, only the outcomes of the caller's own seats are there."""

    match_id: str
    round: int
    index: int
    """Its place in the round, from 0."""
    state: MatchState
    public: bool
    """Whether all of it may be known: it is done, and nothing is to be played with its deal."""
    seats: list[Seat]
    decisions: int | None = None
    """How many were taken. Only of a public match."""
    finished_at: Moment | None = None
    """Only of a public match."""


class Incident(_Value):
    """Something that happened to a match out of the ordinary."""

    kind: IncidentKind
    why: str
    happened_at: Moment


class Decision(_Value):
    """The time of one decision, in microseconds."""

    number: int
    """Of the request, from 1."""
    charged_us: int
    """What was paid from the bank."""
    wall_us: int
    cpu_us: int
    """CPU time that was used, as far as it was seen."""
    delay_us: int
    """The wait for a core, as far as it was seen."""
    bank_left_us: int


class Fault(_Value):
    """What a bot forfeited by."""

    kind: str
    reason: str
    overrun_ms: int = 0
    exit_code: int | None = None
    signal: int | None = None
    received: str = ""
    """The first bytes of the message at fault, in base64."""
    rule: str = ""
    """The rule of docs/protocol.md that it broke, as far as is known."""
    demand: str = ""
    """What that rule demands, in a sentence."""


class Log(_Value):
    """One match as the caller's bot played it."""

    match: Match
    seat: int | None = None
    """The bot's seat; absent while the match has no result."""
    decisions: list[Decision] = []
    fault: Fault | None = None
    """Absent if the bot did not forfeit."""
    has_printed: bool = False
    """Whether anything is kept of what the bot printed."""
    printed: str | None = None
    """The end of what the bot printed; only where one log is asked for."""
    incidents: list[Incident] = []
    """What happened to the match, the first first."""


class SparRequest(BaseModel):
    """Unrated matches to be played."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    bot: Annotated[str, Field(max_length=64)]
    """The caller's bot."""
    opponents: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=1000)]
    """Bots that take turns on the other seats."""
    matches: Annotated[int, Field(ge=1, le=MOST_MATCHES)]


class SparChange(BaseModel):
    """What to change of a spar; what is left out stays."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    shared: bool | None = None
    """True makes a link by which anyone may see the results; false makes it invalid."""
    withdrawn: Literal[True] | None = None
    """Gives up the matches that are still to be played."""


class SparPair(_Value):
    """A spar's bot against one opponent."""

    opponent: str
    version: int
    matches: int
    """How many matches compare the two."""
    ahead: int
    """In how many of them the bot scored more than half."""
    even: int
    behind: int
    score: float | None = None
    """The mean score, from 0 to 1; absent without matches."""
    low: float
    """The ends of the interval of the score, at 95 %, however often one looks."""
    high: float


class Spar(_Value):
    """Unrated matches that the caller has asked for, and their results so far."""

    id: int
    bot: str
    version: int
    asked_at: Moment
    matches: int
    """How many the caller has asked for."""
    played: int
    waiting: int
    """How many are still to be played."""
    void: int
    """How many were given up or withdrawn."""
    forfeits: int
    """How many the bot forfeited."""
    place: float | None = None
    """The bot's mean place; absent without results."""
    points: float | None = None
    """The bot's mean points."""
    pairs: list[SparPair]
    shared_at: str | None = None
    """The path, below the site, of the page by which anyone may see the results, if shared."""


class Validation(_Value):
    """The outcome of building and validating a version of the caller's bot."""

    version: Version
    tried_at: Moment | None = None
    """Absent: it was not tried."""
    build_log: str | None = None
    """The end of what its build printed; absent: there was nothing to build."""
    printed: str = ""
    """The end of what it printed in its validation match."""
    has_record: bool = False
    """Whether a validation match was played; it has a record."""
