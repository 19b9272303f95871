"""How a game is shown to people step by step: what everybody sees, and what a seat sees besides.

A scene is a flat mapping of keys to plain values (numbers, strings, lists of them) from which a
page can draw the game; a step changes some of them. There are two layers whose keys never meet:
what everybody knows, and for each seat what it knows besides. So a seat's view is the first layer
and its own, an audience's is all layers, and nothing is ever taken out of the whole truth.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from referee.games.base import Seat

Changes = dict[str, Any]
"""New values by key; None where a key goes."""

Names = Sequence[str]
"""What the words call the seats; the index is the seat."""


class Step(NamedTuple):
    """One small thing that happened."""

    turn: int
    """In which turn of the game; 0 before the first, one past the last after the end."""
    seat: Seat | None
    """Whose doing it is; None: nobody's."""
    words: str
    """What everybody may hear of it, as a line of Rich markup."""
    changes: Changes
    """To what everybody knows."""
    own: Mapping[Seat, Changes] = {}
    """To what a seat knows besides."""
    own_words: Mapping[Seat, str] = {}
    """What a seat hears instead, where that is more."""


class Scene(Protocol):
    """Follows one game from its first moment to its end, and tells it in steps."""

    def board(self) -> Mapping[str, Any]:
        """Return what never changes in this game and everybody knows."""

    def opening(self, state: Any) -> Step:
        """Return the first scene, with all keys that have a value."""

    def steps(self, form_for: Callable[[Seat], Any]) -> Iterable[Step]:
        """Return what an event brings about; `form_for` gives a seat's form of it."""

    def settled(self, state: Any) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Return what else has changed with a decision that no event tells: public, then own."""

    def ending(self, state: Any) -> Iterator[Step]:
        """Yield what comes after the last decision."""

    def explained(self, state: Any) -> Mapping[str, Any]:
        """Return how the game ended, with what every score is made of; public by then."""
