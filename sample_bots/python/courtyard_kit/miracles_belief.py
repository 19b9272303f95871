"""A seat's knowledge of the others' rogues, from all that it was shown.

Each other seat has some hypotheses: what it has at hand and which rogue lies on which spot, with a
chance each. A placement splits a hypothesis, what is revealed rules others out. That is exact but
for what somebody keeps at the Taverne: they are taken to sink mostly their least rogue.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from referee.games.miracles.data import BoardData
from referee.games.miracles.event import (
    Event,
    RightHandTaken,
    RogueDrawn,
    RogueMoved,
    RoguePlaced,
    RogueReturned,
    RogueSeen,
    RoguesRevealed,
    RoguesSwapped,
    RogueSunk,
    StandoffEnded,
)
from referee.games.miracles.observation import RogueInPlay
from referee.games.miracles.pieces import STARTING_ROGUES, Rogue, Spot

WORTHS: Mapping[Rogue, float] = {
    Rogue.BEGGAR: 0.0,
    Rogue.HENCHMAN: 1.0,
    Rogue.SOOTHSAYER: 1.1,
    Rogue.COURTESAN: 1.2,
    Rogue.DEFROCKED_PRIEST: 1.6,
    Rogue.PICKPOCKET: 1.7,
    Rogue.SWORDSMAN: 1.8,
    Rogue.BRUTE: 2.0,
    Rogue.RIGHT_HAND: 2.1,
}
"""How gladly one has a rogue."""

_LEAST_SUNK = 0.85
"""The chance that somebody sinks the least of their rogues."""
_NEGLIGIBLE = 0.002
"""A hypothesis with less chance is forgotten."""


class Hypothesis(NamedTuple):
    """The rogues that one seat may have, by place."""

    hand: tuple[Rogue, ...]
    """Sorted."""
    board: tuple[tuple[Spot, Rogue], ...]
    """Sorted."""

    def owned(self) -> Iterator[Rogue]:
        """Yield all of them."""
        yield from self.hand
        for _, rogue in self.board:
            yield rogue


Chances = dict[Hypothesis, float]
Split = Iterable[tuple[Hypothesis, float]]


class Belief:
    """The possible rogues of the other seats. It must get every event, in order."""

    def __init__(self, seat: int, seats: int, data: BoardData) -> None:
        """Begin a match on this seat."""
        start = Hypothesis(tuple(sorted(STARTING_ROGUES)), ())
        self._others: dict[int, Chances] = {
            other: {start: 1.0} for other in range(seats) if other != seat
        }
        self._bag = Counter(data.bag())
        """The bag, without the rogues that this seat drew itself."""

    def rogue_at(self, rogue: RogueInPlay) -> Mapping[Rogue, float]:
        """Return the chances of what a rogue in play is."""
        if rogue.rogue is not None:
            return {rogue.rogue: 1.0}
        found: dict[Rogue, float] = {}
        for hypothesis, chance in self._others[rogue.owner].items():
            for spot, kind in hypothesis.board:
                if spot == rogue.spot:
                    found[kind] = found.get(kind, 0.0) + chance
        return found or {Rogue.HENCHMAN: 1.0}

    def at_hand(self, seat: int) -> Mapping[Rogue, float]:
        """Return how many of each kind another seat is expected to have at hand."""
        found: dict[Rogue, float] = {}
        for hypothesis, chance in self._others[seat].items():
            for kind in hypothesis.hand:
                found[kind] = found.get(kind, 0.0) + chance
        return found

    def in_bag(self) -> Mapping[Rogue, float]:
        """Return how many of each kind are expected to be in the bag or sunk by others."""
        left = {kind: float(copies) for kind, copies in self._bag.items()}
        for chances in self._others.values():
            for hypothesis, chance in chances.items():
                for kind in hypothesis.owned():
                    if kind in left:
                        left[kind] -= chance
        return {kind: max(copies, 0.1) for kind, copies in left.items()}

    def hear(self, event: Event) -> None:
        """Take in what happened."""
        match event:
            case RogueDrawn(_, rogue) if rogue is not None:
                self._bag[rogue] -= 1
            case RoguePlaced(seat, spot, None):
                self._update(seat, lambda one: _placed(one, spot))
            case RogueSunk(seat, None):
                bag = self.in_bag()
                self._update(seat, lambda one: _recruited(one, bag))
            case RightHandTaken(seat) if seat in self._others:
                self._update(seat, lambda one: [(_with(one, Rogue.RIGHT_HAND), 1.0)])
            case RogueMoved(_, _, origin, target):
                self._move({origin: target})
            case RoguesSwapped(_, first, second):
                self._move({first: second, second: first})
            case RogueSeen(_, spot, owner, rogue) if rogue is not None:
                self._shown(owner, {spot: rogue})
            case RoguesRevealed(rogues):
                self._turned_up(rogues)
            case _:
                self._take_away(event)

    def _take_away(self, event: Event) -> None:
        """Take in that rogues went from the board to their owners' hands."""
        match event:
            case RogueReturned(_, _, spot):
                self._return(lambda there: there == spot)
            case StandoffEnded(place):
                self._return(lambda there: there.neighbourhood == place)

    def _turned_up(self, rogues: Iterable[RogueInPlay]) -> None:
        rogues = list(rogues)
        for seat in {rogue.owner for rogue in rogues}:
            self._shown(
                seat, {one.spot: one.rogue for one in rogues if one.owner == seat and one.rogue}
            )

    def _update(self, seat: int, change: Callable[[Hypothesis], Split]) -> None:
        """Replace every hypothesis about a seat by what becomes of it."""
        if seat not in self._others:
            return
        found: Chances = {}
        for hypothesis, chance in self._others[seat].items():
            for changed, share in change(hypothesis):
                found[changed] = found.get(changed, 0.0) + chance * share
        kept = {one: chance for one, chance in found.items() if chance >= _NEGLIGIBLE} or found
        total = sum(kept.values())
        self._others[seat] = {one: chance / total for one, chance in kept.items()}

    def _move(self, moves: Mapping[Spot, Spot]) -> None:
        for seat, chances in self._others.items():
            if any(spot in moves for one in chances for spot, _ in one.board):
                self._update(seat, lambda one: [(_moved(one, moves), 1.0)])

    def _return(self, leaves: Callable[[Spot], bool]) -> None:
        for seat, chances in self._others.items():
            if any(leaves(spot) for one in chances for spot, _ in one.board):
                self._update(seat, lambda one: [(_returned(one, leaves), 1.0)])

    def _shown(self, seat: int, faces: Mapping[Spot, Rogue]) -> None:
        """Take in what rogues of a seat are."""
        if seat not in self._others:
            return
        chances = self._others[seat]
        true = {one: chance for one, chance in chances.items() if _agrees(one, faces)}
        if true:
            total = sum(true.values())
            self._others[seat] = {one: chance / total for one, chance in true.items()}
        else:  # forgotten as negligible: at least these rogues are known now
            self._update(seat, lambda one: [(_corrected(one, faces), 1.0)])


def _with(one: Hypothesis, rogue: Rogue) -> Hypothesis:
    return one._replace(hand=tuple(sorted((*one.hand, rogue))))


def _without(hand: tuple[Rogue, ...], rogue: Rogue) -> tuple[Rogue, ...]:
    at = hand.index(rogue)
    return hand[:at] + hand[at + 1 :]


def _placed(one: Hypothesis, spot: Spot) -> Split:
    """Any rogue at hand may be the one that was put there."""
    for rogue, copies in Counter(one.hand).items():
        board = tuple(sorted((*one.board, (spot, rogue))))
        yield Hypothesis(_without(one.hand, rogue), board), copies / len(one.hand)


def _recruited(one: Hypothesis, bag: Mapping[Rogue, float]) -> Split:
    """Any rogue may have come from the bag, and mostly the least one was sunk."""
    total = sum(bag.values())
    for drawn, weight in bag.items():
        hand = tuple(sorted((*one.hand, drawn)))
        kinds = sorted(set(hand), key=lambda kind: WORTHS[kind])
        for number, sunk in enumerate(kinds):
            share = _LEAST_SUNK if number == 0 else (1 - _LEAST_SUNK) / (len(kinds) - 1)
            if len(kinds) == 1:
                share = 1.0
            yield one._replace(hand=_without(hand, sunk)), share * weight / total


def _moved(one: Hypothesis, moves: Mapping[Spot, Spot]) -> Hypothesis:
    board = sorted([(moves.get(spot, spot), rogue) for spot, rogue in one.board])
    return one._replace(board=tuple(board))


def _returned(one: Hypothesis, leaves: Callable[[Spot], bool]) -> Hypothesis:
    back = [rogue for spot, rogue in one.board if leaves(spot)]
    board = tuple([item for item in one.board if not leaves(item[0])])
    return Hypothesis(tuple(sorted((*one.hand, *back))), board)


def _agrees(one: Hypothesis, faces: Mapping[Spot, Rogue]) -> bool:
    return all(faces.get(spot, rogue) == rogue for spot, rogue in one.board)


def _corrected(one: Hypothesis, faces: Mapping[Spot, Rogue]) -> Hypothesis:
    return one._replace(board=tuple([(s, faces.get(s, rogue)) for s, rogue in one.board]))
