"""The contract of an author's game: a `PlainGame` and its `PlainState`.

Texts name seat k "@k"; readers see the name of its bot, or "seat k". "Plain data" is what JSON can
hold: None, booleans, numbers, texts, lists or tuples, and mappings of texts to these.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.games.base import Seat
from referee.games.randomness import Stream

if TYPE_CHECKING:
    from referee.games.choice import Choice

MOST_SEATS = 10
"""The largest table."""


@dataclass(frozen=True, slots=True)
class View:
    """All that one seat may know, built up from what is public or its own."""

    text: Sequence[str]
    """In lines, for people and language models."""
    facts: Any
    """As plain data, for programs."""
    features: Sequence[float] = ()
    """As a vector, for learners; always of one length for one number of seats."""


@dataclass(frozen=True, slots=True)
class Event:
    """A happening, sent when it happens. A seat's view right after it shows all that it revealed.

    So a reader of views alone misses nothing, and `referee check-game` can prove events.
    """

    public: str
    """The line that every seat gets; "" hides from the others even that it happened."""
    own: Mapping[Seat, str] = field(default_factory=dict)
    """The lines that single seats get instead, as they may know more."""

    def form_for(self, seat: Seat) -> "Event | None":
        """Return the event as the seat may see it; None if it may see nothing."""
        if not self.own:
            return self
        line = self.own.get(seat, self.public)
        return Event(line) if line else None


class PlainState(ABC):
    """One moment of a game. Immutable: `apply` returns a new state."""

    @property
    @abstractmethod
    def to_act(self) -> Seat | None:
        """The seat that decides next; None when the game is over."""

    @abstractmethod
    def options(self) -> "Mapping[Any, str] | Choice":
        """Return the actions of the seat to act with a label each, distinct, at most some 250.

        A decision with more actions returns a `Choice`, which asks for one part after the other.
        Nothing in it may depend on what the seat does not know.
        """

    @abstractmethod
    def apply(self, action: Any) -> "tuple[PlainState, Sequence[Event]]":
        """Return the state after one of the actions, and what happened, in order."""

    @abstractmethod
    def view(self, seat: Seat) -> View:
        """Return what the seat may know now."""

    @abstractmethod
    def points(self) -> Sequence[int]:
        """Return the points of each seat, once the game is over."""

    def ranks(self) -> Sequence[int]:
        """Return the rank of each seat from 1, ties sharing one; by default more points win."""
        points = self.points()
        return [1 + sum(other > own for other in points) for own in points]

    def prompt(self) -> str:
        """Return the question to the seat to act."""
        return "What do you do?"

    def explained(self) -> Sequence[str]:
        """Return lines that explain the points of a finished game; public by then."""
        return ()

    def redraw(self, seat: Seat, stream: Stream) -> "PlainState | None":
        """Draw a state that agrees with all that the seat has seen, each with its probability.

        Draw the rest anew: what others hold or have chosen in secret, as if they chose at random,
        and what chance will bring. Return None if the game offers none: then search bots and
        reviews cannot use it, and its secrecy is not checked.
        """
        del seat, stream
        return None

    def worths(self, stream: Stream) -> Sequence[Sequence[float]]:
        """Return by seat what it is worth that chance gave this, and then what others would be.

        So luck is measured: what chance gave, less the mean of others that were as likely given all
        that a seat may have acted on before. Draw the others from the stream. Return nothing where
        chance gave nothing, or if the game measures no luck; a measure names its `luck_version`.
        """
        del stream
        return ()


class PlainGame(ABC):
    """Describes a game. Stateless."""

    name: str
    """In files and commands: lower-case letters, digits, "-" and "_", as its entry point."""
    title: str
    """Display name."""
    rules_version: str = "1"
    """Changes whenever the same actions could lead to another result."""
    rules: str = ""
    """The rules for people, as Markdown: a ladder's pages show them."""
    seats: range
    """Supported numbers of seats, within 1 to 10."""
    config: Mapping[str, Any] = {}
    """The fields of a configuration with their defaults: plain data."""
    call_seconds: float = 10.0
    """The CPU time of one call, in seconds, after which it is interrupted; a call in C ends its
    process after three times as long."""

    luck_version: str = ""
    """Changes whenever `worths` of its states changes; empty: the game measures no luck."""

    def check_config(self, config: Mapping[str, Any]) -> None:
        """Raise `ConfigError` on a value out of range; types are checked before."""
        del config

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        """Draw all that chance decides, as plain data; lists come back as tuples.

        Chance during play comes from here, too: from a drawn order, or from a drawn key that opens
        a stream. So the commitment to the deal holds, and nothing is chosen later.
        """
        del config, seats, stream

    @abstractmethod
    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> PlainState:
        """Return the state before the first decision."""

    def leaks(self, seats: int) -> Sequence[str]:
        """Return a sentence for each secret that the game's own audit finds leaked.

        `referee check-game` fails with the first; views in worlds that `redraw` draws it compares
        itself.
        """
        del seats
        return ()

    @abstractmethod
    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """Return an upper bound on the decisions of one match."""
