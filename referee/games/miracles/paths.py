"""Draws a path through hidden states, given all that was seen of it, with its exact probability.

Forward, each step has the weights of the states that it can lead to. A step that contradicts what
was seen leads nowhere. Backward, a path is drawn from its end by these weights: forward filtering,
backward sampling (Carter and Kohn, 1994).
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from referee.games.randomness import Stream

T = TypeVar("T")
S = TypeVar("S", bound=Hashable)

_GRAIN = 1 << 53
"""Weights are floats, of 53 bits."""


class Move(NamedTuple, Generic[S]):
    """One way in which a step can go."""

    choice: Any
    state: S
    """The state that it leads to."""
    weight: float


def pick(weights: Mapping[T, float], stream: Stream) -> T:
    """Return a key, each with a probability proportional to its weight; one must be positive."""
    left = sum(weights.values()) * stream.below(_GRAIN) / _GRAIN
    chosen = None
    for key, weight in weights.items():
        if weight > 0:
            chosen = key
            left -= weight
            if left < 0:
                break
    if chosen is None:
        raise ValueError("no weight is positive")
    return chosen


class Paths(Generic[S]):
    """All paths from a state through these steps, with their weights."""

    def __init__(self, start: S, steps: Iterable[Callable[[S], Iterable[Move[S]]]]) -> None:
        self._into: list[dict[S, dict[tuple[Any, S], float]]] = []
        """For each step, by the state after it: the weights of the moves into it."""
        self.weight = 1.0
        """Of all paths together; 0 if there is none."""
        self.ends: dict[S, float] = {start: 1.0}
        """The probability of each last state; empty if there is no path."""
        for step in steps:
            self._go(step)

    def _go(self, step: Callable[[S], Iterable[Move[S]]]) -> None:
        into: dict[S, dict[tuple[Any, S], float]] = defaultdict(dict)
        for before, probability in self.ends.items():
            for choice, after, weight in step(before):
                into[after][choice, before] = probability * weight
        total = sum(sum(moves.values()) for moves in into.values())
        self._into.append(into)
        self.weight *= total
        self.ends = {after: sum(moves.values()) / total for after, moves in into.items()}

    def draw(self, end: S, stream: Stream) -> Sequence[Any]:
        """Draw the choices of a path to this end."""
        choices = []
        for into in reversed(self._into):
            choice, end = pick(into[end], stream)
            choices.append(choice)
        return choices[::-1]
