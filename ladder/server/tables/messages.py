"""What the web process asks of the process of the tables, and what that answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus

from ladder.model.errors import LadderError
from ladder.server.tables.study import Study
from referee.games.base import Seat
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.sandbox.program import Level


@dataclass(frozen=True, slots=True)
class TableSettings:
    """How to keep tables."""

    most: int
    """How many are open at once."""
    json: bool
    """Whether to log in JSON lines."""
    study: Study | None = None
    """What people's decisions are kept for, if anything."""


class Kind(StrEnum):
    """Who has a seat."""

    PERSON = "person"
    BOT = "bot"
    STAND_IN = "stand-in"


@dataclass(frozen=True, slots=True)
class Order:
    """A table to open."""

    ladder: str
    """The id of the ladder whose page it is opened from; empty without one."""
    spec: MatchSpec
    level: Level | None
    """How the bots are contained; None: as strictly as this machine can."""
    people: Sequence[Seat]
    """The seats of people; the stand-in has the others without a bot."""
    own: Seat
    """The seat of the person who opens it."""
    visitor: str
    """Who opens it: a visitor may have few tables at once."""
    name: str = ""
    """What that person is called at the table."""
    condition: str = ""
    """The condition of a study; empty without one."""
    hints: BotSpec | None = None
    """The bot that says what it would do, to each person who asks; None: no hints."""

    @property
    def kinds(self) -> Sequence[Kind]:
        """Who has each seat."""
        return [
            Kind.PERSON if seat in self.people else Kind.BOT if bot else Kind.STAND_IN
            for seat, bot in enumerate(self.spec.seats)
        ]


@dataclass(frozen=True, slots=True)
class Opened:
    """A new table."""

    table: str
    """Its id, which nobody can guess."""
    secret: str
    """The secret of the seat of the person who opened it."""


@dataclass(frozen=True, slots=True)
class Look:
    """Asks what a seat or, without its secret, a spectator sees, once that is newer than a version.

    The answer is a `Seen`; if nothing new happens for a while, it is of the same version.
    """

    table: str
    secret: str = field(repr=False)
    after: int = -1


@dataclass(frozen=True, slots=True)
class Seen:
    """What one viewer sees of a table."""

    state: bytes
    """JSON, as docs/play.md describes it."""
    ladder: str
    game: str
    seat: Seat | None
    """The viewer's; None: a spectator."""
    condition: str = ""
    """The condition of a study; empty without one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answers a question with the index of an option; None: takes the last step back."""

    table: str
    secret: str = field(repr=False)
    question: int
    option: int | None


@dataclass(frozen=True, slots=True)
class AskHint:
    """Asks for a hint to the pending decision of an own seat, which is shown once there is one."""

    table: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Join:
    """Takes a free seat by its invitation, or an own seat again; the answer is its secret."""

    table: str
    invitation: str = field(repr=False)
    name: str
    """What the person is called at the table."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A seated person leaves; the stand-in plays on, and without people the table ends."""

    table: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Fetch:
    """Asks for the record of a match that is over, in protobuf's encoding."""

    table: str


@dataclass(frozen=True, slots=True)
class Compare:
    """Asks what a sample bot would have done in an own seat of a match that is over.

    The answer is a `Compared`, once the bot has decided; None, if it takes a while.
    """

    table: str
    secret: str = field(repr=False)
    bot: str


@dataclass(frozen=True, slots=True)
class ComparedDecision:
    """A decision of a person's, beside that of a bot in the same position."""

    own: str
    other: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """The decisions of a person's seat in order, beside a bot's."""

    decisions: Sequence[ComparedDecision]
    why: str
    """Why the bot did not decide them all, as a sentence; empty if it did."""


AtTable = Look | Answer | AskHint | Join | Leave | Fetch | Compare
"""A request to one table."""
Request = Order | AtTable


COUNT = 0
"""The number of an answer that nobody asked for: how many tables are open."""


class TableError(LadderError):
    """A table refuses a request."""

    def __init__(self, message: str, status: int) -> None:
        """Refuse with a sentence, and the status of an answer over HTTP."""
        super().__init__(message, status)
        self.status = HTTPStatus(status)

    def __str__(self) -> str:
        """Return the sentence."""
        return str(self.args[0])
