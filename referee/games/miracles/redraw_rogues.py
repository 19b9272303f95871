"""Other courses of the rogues that one seat cannot tell from the true one.

Each token at a seat's hand is equally likely to be placed or sunk. One seat's rogues depend on
another's only through the bag: given which rogues each drew from it, each seat's are independent.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.deal import Deal
from referee.games.miracles.paths import Move, Paths, pick
from referee.games.miracles.pieces import STARTING_ROGUES, Rogue
from referee.games.miracles.trace import RogueKind, RogueStep, Trace
from referee.games.randomness import Stream


class RogueCourse(NamedTuple):
    """The hidden part of a course that concerns rogues."""

    faces: Mapping[int, Rogue]
    """Of each stay on the board."""
    sunk: Mapping[int, Rogue | None]
    """By the number of the decision; None: the drawn one."""
    bag: tuple[Rogue, ...]


_Kinds = tuple[Rogue, ...]
"""Rogues, sorted."""


class _Held(NamedTuple):
    """One seat's hidden rogues at one moment."""

    hand: _Kinds
    lying: tuple[tuple[int, Rogue], ...]
    """Unseen stays on the board with their faces."""
    drawn: Rogue | None
    """Until one is sunk."""
    taken: _Kinds
    """All that the seat has drawn from the bag."""


def _with(rogues: _Kinds, rogue: Rogue) -> _Kinds:
    return tuple(sorted((*rogues, rogue)))


def _less(rogues: _Kinds, rogue: Rogue) -> _Kinds:
    at = rogues.index(rogue)
    return (*rogues[:at], *rogues[at + 1 :])


def redrawn_rogues(trace: Trace, deal: Deal, stream: Stream) -> RogueCourse:
    """Draw the rogues that the other seats placed, drew and sank."""
    return _Rogues(trace, deal).draw(stream)


class _Rogues:
    """The hidden rogues of all seats but one."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        self._trace = trace
        self._bag = deal.bag
        self._unseen = Counter(
            rogue for place, rogue in enumerate(deal.bag) if place not in trace.own_draws
        )
        """The bag's rogues that the seat has not drawn."""
        self._seats = [seat for seat in range(len(deal.hands)) if seat != trace.seat]

    def draw(self, stream: Stream) -> RogueCourse:
        """Draw one of the courses."""
        trace = self._trace
        steps = {seat: [s for s in trace.rogue_steps if s.seat == seat] for seat in self._seats}
        start = _Held(tuple(sorted(STARTING_ROGUES)), (), None, ())
        paths = {
            seat: Paths(start, [partial(self._moves, step) for step in steps[seat]])
            for seat in self._seats
        }
        faces, sunk, bag = dict(enumerate(trace.faces)), {**trace.sunk}, dict[int, Rogue]()
        for seat, taken in self._taken(paths, stream).items():
            ends = {held: w for held, w in paths[seat].ends.items() if held.taken == taken}
            choices = paths[seat].draw(pick(ends, stream), stream)
            for (kind, _, key), choice in zip(steps[seat], choices, strict=True):
                if kind is RogueKind.PLACE:
                    faces[key] = choice
                elif kind is RogueKind.SINK:
                    sunk[key] = choice
                elif kind is RogueKind.DRAW:
                    bag[key] = choice
        return RogueCourse(faces, sunk, self._filled(bag, stream))

    def _filled(self, bag: Mapping[int, Rogue], stream: Stream) -> tuple[Rogue, ...]:
        """Return the whole bag, given what the others drew by place."""
        rest = iter(stream.shuffled(sorted((self._unseen - Counter(bag.values())).elements())))
        return tuple(
            rogue if place in self._trace.own_draws else bag.get(place) or next(rest)
            for place, rogue in enumerate(self._bag)
        )

    def _taken(self, paths: Mapping[Seat, Paths[_Held]], stream: Stream) -> Mapping[Seat, _Kinds]:
        """Draw which rogues each seat took from the bag."""

        def moves(seat: Seat, before: _Kinds) -> Iterator[Move[_Kinds]]:
            for taken, weight in weights[seat].items():
                yield Move(taken, tuple(sorted((*before, *taken))), weight)

        weights = {seat: defaultdict[_Kinds, float](float) for seat in paths}
        for seat, one in paths.items():
            for held, weight in one.ends.items():
                weights[seat][held.taken] += weight
        together = Paths[_Kinds]((), [partial(moves, seat) for seat in paths])
        ends = {taken: weight * self._ways(taken) for taken, weight in together.ends.items()}
        return dict(zip(paths, together.draw(pick(ends, stream), stream), strict=True))

    def _ways(self, taken: _Kinds) -> int:
        """Return in how many ways tokens of these kinds can come from the bag, in given places."""
        ways = 1
        for rogue, number in Counter(taken).items():
            for one in range(number):
                ways *= max(0, self._unseen[rogue] - one)
        return ways

    def _moves(self, step: RogueStep, held: _Held) -> Iterator[Move[_Held]]:
        """Yield how a step of another seat can go: each token at hand is equally likely."""
        kind, _, key = step
        if kind is RogueKind.PLACE:
            yield from self._placings(key, held)
        elif kind is RogueKind.RETURN:
            yield self._returning(key, held)
        elif kind is RogueKind.RIGHT_HAND:
            yield Move(None, held._replace(hand=_with(held.hand, Rogue.RIGHT_HAND)), 1)
        elif kind is RogueKind.DRAW:
            for rogue, number in self._unseen.items():
                if held.taken.count(rogue) < number:
                    taken = _with(held.taken, rogue)
                    yield Move(rogue, held._replace(drawn=rogue, taken=taken), 1)
        else:
            yield from _sinkings(held)

    def _placings(self, stay: int, held: _Held) -> Iterator[Move[_Held]]:
        seen = stay in self._trace.shown
        for rogue, number in Counter(held.hand).items():
            if seen and rogue is not self._trace.faces[stay]:
                continue
            lying = held.lying if seen else (*held.lying, (stay, rogue))
            after = held._replace(hand=_less(held.hand, rogue), lying=lying)
            yield Move(rogue, after, number / len(held.hand))

    def _returning(self, stay: int, held: _Held) -> Move[_Held]:
        rogue = dict(held.lying).get(stay, self._trace.faces[stay])
        lying = tuple(one for one in held.lying if one[0] != stay)
        return Move(None, held._replace(hand=_with(held.hand, rogue), lying=lying), 1)


def _sinkings(held: _Held) -> Iterator[Move[_Held]]:
    if held.drawn is None:
        raise TypeError("a rogue was drawn before")
    each = 1 / (len(held.hand) + 1)
    yield Move(None, held._replace(drawn=None), each)
    for rogue, number in Counter(held.hand).items():
        hand = _with(_less(held.hand, rogue), held.drawn)
        yield Move(rogue, held._replace(hand=hand, drawn=None), number * each)
