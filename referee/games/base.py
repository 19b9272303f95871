"""The contract between a game and the referee.

A game is rules only: frozen values in, new frozen values out, no clock, no bot, no message. The
referee asks a `State` which seat acts, checks and applies its action, and tells every seat what
that seat may know. Each seat's view is *built up* from facts that were public or its own when they
happened, never by removing secrets from the full state.

Each game has its own value types (configuration, deal, action, observation, legal form, event,
result). `referee.wire` has one codec per game to encode and decode them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from referee.games.randomness import Stream

if TYPE_CHECKING:
    from referee.games.choice import Choice
    from referee.games.stage import Names, Scene

Seat = int
"""A place in one match, from 0 clockwise; never a bot, a name or a player."""


def usual_seats(allowed: range) -> int:
    """Return how many seats a table has by default: 4, or the nearest that a game allows."""
    return min(allowed, key=lambda seats: abs(seats - 4))


def seats_in_words(allowed: range) -> str:
    """Return which numbers of seats a game allows, as in "2 to 5 seats"."""
    if len(allowed) == 1:
        return f"{allowed[0]} seat{'s' * (allowed[0] > 1)}"
    return f"{allowed[0]} to {allowed[-1]} seats"


def plain_names(seats: int) -> list[str]:
    """Return the seats' names in the plain dialect, which reveals no bot's name."""
    return [f"seat {seat}" for seat in range(seats)]


class IllegalAction(ValueError):  # noqa: N818 the protocol's name
    """The rules forbid this action; the message names the rule and the received value."""


class GameError(ValueError):
    """A game cannot be played."""


class RulesError(GameError):
    """The rules that others brought failed: the match is void, and no bot's fault."""

    part: str = ""
    """The part of their contract that failed."""


class ConfigError(GameError):
    """A game's configuration has an unknown field or a value out of its range."""

    path: tuple[str, ...] = ()
    """The keys, outermost first, that lead to the error inside a table field."""


class Actions(Protocol):
    """The distinct legal actions at one moment, indexed from 0; a list or tuple is one."""

    def __len__(self) -> int:
        """Return the action count."""

    def __getitem__(self, number: int, /) -> Any:
        """Return the action at this index."""

    def __iter__(self) -> Iterator[Any]:
        """Yield all actions in order."""


class Course(NamedTuple):
    """One course that a game may take: with the rules, these give every state in it."""

    deal: Any
    actions: Sequence[Any]
    """Of every decision so far, in order."""


class Redraw(Protocol):
    """Draws courses that a seat cannot tell from the true one."""

    def course(self, stream: Stream) -> Course:
        """Draw one."""

    def state(self, stream: Stream) -> "State":
        """Draw one, and return the state after it."""


class State(Protocol):
    """The full state of a game at one moment. Immutable: `apply` returns a new one."""

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next, or None when the game is over."""

    def check(self, action: Any) -> None:
        """Raise `IllegalAction` unless the seat to act may do this."""

    def apply(self, action: Any) -> "tuple[State, Sequence[Any]]":
        """Return the state after a checked action and the events it made, in order.

        Events are whole; `event_for` returns a seat's form of one.
        """

    def event_for(self, event: Any, seat: Seat) -> Any:
        """Return the event as the seat may see it; None if it may see nothing."""

    def observation(self, seat: Seat) -> Any:
        """Return all that the seat may know now."""

    def legal(self) -> Any:
        """Return the legal actions in the game's compact form."""

    def legal_actions(self) -> Actions:
        """Return the distinct legal actions of the seat to act; none when the game is over.

        There may be very many: `len` and indexing are cheap, iteration need not be.
        """

    def pieces(self) -> Mapping[Any, int]:
        """Count each kind of piece, wherever it lies: constant all game long."""

    def random_action(self, stream: Stream) -> Any:
        """Draw a legal action uniformly at random."""

    def scores(self) -> tuple[int, ...]:
        """Return the points of every seat, once the game is over."""

    def ranks(self) -> tuple[int, ...]:
        """Return every seat's rank from 1, ties sharing a rank, once the game is over."""

    def ending(self) -> str:
        """Return in a few words how the finished game ended, for statistics."""

    def rounds(self) -> int:
        """Return how many rounds the finished game had, counting a last one cut short; 0: none."""

    def result(self) -> Any:
        """Return the outcome with every score's breakdown; public by then."""


class Game(Protocol):
    """Describes one game. Stateless; `referee.games.registry` finds it by name."""

    name: str
    """The name in files and commands, in lower case."""
    title: str
    """Display name."""
    rules_version: str
    """Changes whenever the same actions could lead to another result."""
    seats: range
    """Supported numbers of seats."""
    codec: str
    """Its codec as "module:name", as rules import no protobuf; see `referee.wire`."""
    text: "Text"
    """Shows its values to people."""
    scene: "Callable[[Any, Names], Scene]"
    """Makes the scene that follows a game, from the first state and the seats' names."""
    guide: Mapping[str, Any]
    """The rules for people who watch the game, in the form that its drawing reads."""
    rules: str
    """Its rules for people, as Markdown; empty where `docs/rules` has a page of its name."""

    def config(self, fields: Mapping[str, Any]) -> Any:
        """Return the configuration with these fields set; raise `ConfigError` on a bad one."""

    def most_decisions(self, config: Any, seats: int) -> int:
        """Return an upper bound on the decisions."""

    def deal(self, config: Any, seats: int, stream: Stream) -> Any:
        """Draw everything that chance decides before the first decision."""

    def initial_state(self, config: Any, seats: int, deal: Any) -> State:
        """Return the state before the first decision; raise `ConfigError` on an impossible deal."""

    def choice(self, observation: Any, legal: Any, names: Sequence[str]) -> "Choice":
        """Return the first step of a decision, from what the seat to act is sent.

        `names` holds the seats' names, indexed by seat.
        """

    def facts(self, observation: Any) -> str:
        """Return an observation as JSON in the form of `referee.games.plain_data`."""

    def features(self, observation: Any) -> Sequence[float]:
        """Return an observation as a vector of constant length; empty if the game has none."""

    @property
    def redraw(self) -> Callable[[Any, Course, Seat], Redraw] | None:
        """Draws other courses that the seat cannot tell from this one; None if not offered.

        It is called with a configuration, the course and the seat. What the seat has seen by now
        stays as it is; the rest is drawn with the probability that it has given that.
        Chance has its known probabilities. Other seats' open choices tell nothing beyond what they
        show; of hidden ones, each of the pieces at hand is equally likely. What the seat has seen
        follows from the rules here, not from observations or events, so that this can test them.
        """

    @property
    def luck(self) -> "Luck | None":
        """Measures what chance gave each seat of a finished game; None if not offered."""


class Luck(Protocol):
    """The luck of each seat of a game, in points: 0 in the mean, however the bots play.

    That holds for any measure of worth, if chance is compared with what was as likely then, given
    all that any seat may have acted on before. A better measure makes it explain more.
    """

    @property
    def version(self) -> str:
        """Names the measure: the SHA-256 of its coefficients, or a version."""

    def known(self, first: Any) -> Sequence[float]:
        """Return by seat what the deal is worth as far as it is counted at once, less the mean."""

    def worths(self, state: Any, stream: Stream) -> Sequence[Sequence[float]]:
        """Return by seat what a decision is worth with what chance gave, then with other chances.

        It is called before every decision. The others are drawn from the stream, each with its
        probability. Without any, nothing of chance shows here.
        """


class Text(Protocol):
    """Shows the values of one game to people, as lines of Rich markup. A module can be one.

    Values may be whole or in one seat's form. `names` holds the seats' names, indexed by seat.
    Lines are for a Rich console with STYLES as its theme, without highlighting and emoji codes.
    """

    FIGURES: Mapping[int, str]
    """Another program's figures over many games, by number of seats; shown beside a survey."""
    STYLES: Mapping[str, str]
    """Every style that the lines use, as Rich style strings."""

    def deal_lines(self, deal: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a deal."""

    def event_lines(self, event: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield an event."""

    def action_line(self, action: Any, names: Sequence[str]) -> str:
        """Return an action, legal or not."""

    def observation_lines(self, observation: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield one seat's view."""

    def result_lines(self, result: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield the outcome with every score's breakdown."""
