"""How people see a game step by step: the public part, and each seat's own.

A scene is a flat mapping of keys to plain values (numbers, strings, lists of them) from which a
page can draw the game; a step changes some of them. One layer is public, and each seat has its
own; public and own keys never overlap. So a seat sees the public layer and its own, an audience
sees all layers, and nothing is ever removed from the full state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from referee.games.base import Seat

Changes = dict[str, Any]
"""New values by key; None removes the key."""

Names = Sequence[str]
"""The seats' names, indexed by seat."""


class Step(NamedTuple):
    """One small change."""

    turn: int
    """The turn of the game; 0 before the first, one past the last after the end."""
    seat: Seat | None
    """The acting seat; None: no seat."""
    words: str
    """The public text, as a line of Rich markup."""
    changes: Changes
    """To the public layer."""
    own: Mapping[Seat, Changes] = {}
    """To each seat's own layer."""
    own_words: Mapping[Seat, str] = {}
    """A seat's own text, where it holds more."""


class Scene(Protocol):
    """Follows one game from start to end, and splits it into steps."""

    def board(self) -> Mapping[str, Any]:
        """Return the game's constant public values."""

    def opening(self, state: Any) -> Step:
        """Return the first step, with all keys that have a value."""

    def steps(self, form_for: Callable[[Seat], Any]) -> Iterable[Step]:
        """Return the steps of an event; `form_for` returns a seat's form of it."""

    def settled(self, state: Any) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Return a decision's changes that no event shows: public, then own."""

    def ending(self, state: Any) -> Iterator[Step]:
        """Yield the steps after the last decision."""

    def explained(self, state: Any) -> Mapping[str, Any]:
        """Return the outcome with every score's breakdown; public by then."""
