"""The contract between a game and the referee.

A game is rules only: frozen values in, new frozen values out, no clock, no bot, no message. The
referee asks a `State` who is to act, checks the action that came, applies it, and tells every seat
what that seat may know. What a seat may know is *built up* from what was public or its own when it
happened; nothing is ever taken out of the whole truth on the way to a seat.

The value types (configuration, deal, action, observation, legal form, event, result) are each
game's own. `referee.wire` has a module a game that turns them into messages and back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from referee.games.randomness import Stream

Seat = int
"""A place in one match, from 0 clockwise; never a bot, a name or a player."""


class IllegalAction(ValueError):  # noqa: N818 what the protocol calls it too
    """The rules do not allow this action; the message names the rule and what was received."""


class ConfigError(ValueError):
    """A game's configuration has an unknown field or a value out of its range."""

    path: tuple[str, ...] = ()
    """The keys, from the outside in, to what is wrong inside a field that is a table."""


class Actions(Protocol):
    """The distinct legal actions of one moment, numbered from 0; a list or tuple is one."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __getitem__(self, number: int, /) -> Any:
        """Return the action of this number."""

    def __iter__(self) -> Iterator[Any]:
        """Return all of them in order."""


class State(Protocol):
    """The whole truth of one game at one moment. Immutable: `apply` gives a new one."""

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next, or None when the game is over."""

    def check(self, action: Any) -> None:
        """Raise `IllegalAction` unless the seat to act may do this."""

    def apply(self, action: Any) -> "tuple[State, Sequence[Any]]":
        """Return the state after a checked action and the events it made, in order.

        Each event hides nothing; `event_for` gives a seat's form of it.
        """

    def event_for(self, event: Any, seat: Seat) -> Any:
        """Return the form of one of this game's events that the seat may see."""

    def observation(self, seat: Seat) -> Any:
        """Return all that the seat may know now."""

    def legal(self) -> Any:
        """Return what the seat to act may do, in the game's compact form."""

    def legal_actions(self) -> Actions:
        """Return the distinct legal actions of the seat to act; none when the game is over.

        There may be very many: length and indexing are cheap, listing them all need not be.
        """

    def pieces(self) -> Mapping[Any, int]:
        """Return how many there are of each piece, wherever it lies: the same all game long."""

    def random_action(self, stream: Stream) -> Any:
        """Draw one of the legal actions, each equally likely."""

    def scores(self) -> tuple[int, ...]:
        """Return the points of every seat, once the game is over."""

    def ranks(self) -> tuple[int, ...]:
        """Return every seat's place from 1, equal places for equals, once the game is over."""

    def ending(self) -> str:
        """Return in a few words how a game that is over came to its end, for statistics."""

    def rounds(self) -> int:
        """Return how many rounds a game that is over had, the last one counted though cut short."""

    def result(self) -> Any:
        """Return how the game ended with the parts of every score; public by then."""


class Game(Protocol):
    """Describes one game. Stateless; the registry in `referee.games` holds one of each."""

    name: str
    """What files and commands call it, in small letters."""
    title: str
    """What people read."""
    rules_version: str
    """Changes whenever the same actions could lead to another result."""
    seats: range
    """The numbers of seats it can be played with."""
    ties: Mapping[int, float]
    """How often neighbours in a ranking share their place, by the number of seats: what a rating
    may assume before a match is played. A number of seats that nobody has measured is left out."""

    def config(self, fields: Mapping[str, Any]) -> Any:
        """Return the configuration with these fields set; raise `ConfigError` on a bad one."""

    def most_decisions(self, config: Any, seats: int) -> int:
        """Return how many decisions no game exceeds."""

    def deal(self, config: Any, seats: int, stream: Stream) -> Any:
        """Decide everything that chance decides before the first decision."""

    def initial_state(self, config: Any, seats: int, deal: Any) -> State:
        """Return the state before the first decision; raise `ConfigError` on an impossible deal."""


class Text(Protocol):
    """Shows the values of one game to people, as lines of Rich markup. A module can be one.

    Values may be in the form that hides nothing or in the form of one seat. `names` is what people
    call the seats; the index is the seat. Lines are for a Rich console with a theme of STYLES,
    without highlighting and without emoji codes.
    """

    FIGURES: Mapping[int, str]
    """What others found over many games, by the number of seats; shown beside a survey."""
    STYLES: Mapping[str, str]
    """Every style that the lines use, as Rich style strings."""

    def deal_lines(self, deal: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield what chance decided before the first decision."""

    def event_lines(self, event: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield what happened."""

    def action_line(self, action: Any, names: Sequence[str]) -> str:
        """Return what a seat chose, whether or not the rules allow it."""

    def observation_lines(self, observation: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield what one seat knows."""

    def result_lines(self, result: Any, names: Sequence[str]) -> Iterator[str]:
        """Yield how the game ended, with the parts of every score."""
