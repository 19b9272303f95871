"""Liar's dice: each seat hides its dice, and all bid on how many show a face.

A bid is a number and a face; the next one has a higher number, or the same number of a higher face.
Instead a seat may call the last bidder a liar: all dice are shown, ones count as any face, and the
seat that was wrong loses a die and begins the next round. A seat without dice is out. A seat's
points are the number of seats that were out before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from referee.games.plain import (
    Choice,
    ConfigError,
    Event,
    Option,
    PlainGame,
    PlainState,
    Seat,
    Stream,
    View,
    ask,
    first_choice,
)

_FACES = range(1, 7)
_MOST_DICE = 8
LIAR = 0
"""As a number: no bid, but a call."""

Bid = tuple[int, int]
"""A number and a face."""
_CALL: Bid = (LIAR, 0)


class Shown(NamedTuple):
    """The end of a round."""

    bid: Bid
    bidder: Seat
    caller: Seat
    dice: tuple[tuple[int, ...], ...]
    found: int
    loser: Seat


@dataclass(frozen=True)
class Round(PlainState):
    """One moment."""

    key: str = field(repr=False)
    """Opens the streams that the dice of later rounds are rolled from."""
    dice: tuple[tuple[int, ...], ...]
    """The dice of each seat in this round, sorted."""
    turn: Seat
    number: int = 1
    bids: tuple[tuple[Seat, int, int], ...] = ()
    """The bids of this round: seat, number, face."""
    out: tuple[Seat, ...] = ()
    """The seats that are out, in order."""
    last: Shown | None = None
    """How the round before ended."""

    @property
    def to_act(self) -> Seat | None:
        """The seat whose turn it is; None when one seat is left."""
        return self.turn if len(self.out) < len(self.dice) - 1 else None

    def options(self) -> Choice:
        """First the number, or a call, then the face."""
        number, face = self.bids[-1][1:] if self.bids else (0, 6)
        least = number + (face == _FACES[-1])
        numbers = {
            count: Option(f"at least {count}") for count in range(max(1, least), self._all() + 1)
        }
        if self.bids:
            numbers[LIAR] = Option(f"call @{self.bids[-1][0]} a liar")

        def faces(count: int) -> Any:
            if count == LIAR:
                return _CALL
            low = face + 1 if count == number else 1
            options = {one: Option(f"dice of {one}") for one in range(low, _FACES[-1] + 1)}
            return ask(f"At least {count} of which face?", options, _face, lambda one: (count, one))

        return first_choice("How many dice do you bid?", numbers, _number, faces)

    def _all(self) -> int:
        return sum(map(len, self.dice))

    def apply(self, action: Bid) -> tuple["Round", Sequence[Event]]:
        """Bid, or end the round with a call."""
        if action != _CALL:
            number, face = action
            now = replace(self, bids=(*self.bids, (self.turn, *action)), turn=self._next(self.turn))
            return now, [Event(f"@{self.turn} bids at least {number} dice of {face}")]
        return self._called()

    def _next(self, seat: Seat) -> Seat:
        seats = len(self.dice)
        around = ((seat + step) % seats for step in range(1, seats + 1))
        return next(one for one in around if self.dice[one])

    def _called(self) -> tuple["Round", Sequence[Event]]:
        bidder, number, face = self.bids[-1]
        count = sum(die in {1, face} for dice in self.dice for die in dice)
        loser = self.turn if count >= number else bidder
        shown = Shown((number, face), bidder, self.turn, self.dice, count, loser)
        left = [len(dice) - (seat == loser) for seat, dice in enumerate(self.dice)]
        dice = _rolled(self.key, self.number + 1, left)
        now = replace(self, dice=dice, bids=(), number=self.number + 1, last=shown)
        events = [Event(line) for line in _told(shown)]
        now = replace(now, turn=loser if left[loser] else now._next(loser))
        if not left[loser]:
            now = replace(now, out=(*self.out, loser))
            events.append(Event(f"@{loser} is out"))
        if now.to_act is not None:
            own = {seat: f"You roll {_listed(roll)}" for seat, roll in enumerate(dice) if roll}
            events.append(Event("All roll their dice", own))
        return now, events

    def view(self, seat: Seat) -> View:
        """The seat's own dice, the number of the others', the bids, and the last round's end."""
        counts = [len(dice) for dice in self.dice]
        lines = [*_told(self.last)] if self.last else []
        lines += [f"Your dice: {_listed(self.dice[seat]) or 'none'}"]
        lines += ["Dice: " + ", ".join(f"@{one} {count}" for one, count in enumerate(counts))]
        lines += [
            f"@{one} bids at least {number} dice of {face}" for one, number, face in self.bids
        ]
        facts = {
            "dice": self.dice[seat],
            "counts": counts,
            "bids": [{"seat": one, "number": n, "face": face} for one, n, face in self.bids],
            "out": self.out,
            "last": self.last and self.last._asdict(),
        }
        own = [float(self.dice[seat].count(face)) for face in _FACES]
        bid = self.bids[-1][1:] if self.bids else (0, 0)
        around = [counts[(seat + step) % len(counts)] for step in range(len(counts))]
        return View(lines, facts, [*own, *map(float, around), *map(float, bid)])

    def points(self) -> Sequence[int]:
        """The number of seats that were out before."""
        seats = len(self.dice)
        return [self.out.index(seat) if seat in self.out else seats - 1 for seat in range(seats)]

    def redraw(self, seat: Seat, stream: Stream) -> "Round":
        """Roll the others' dice, and all later ones."""
        dice = [
            own if one == seat else _roll(stream, len(own)) for one, own in enumerate(self.dice)
        ]
        return replace(self, dice=tuple(dice), key=stream.bytes(16).hex())


def _number(bid: Bid) -> int:
    return bid[0]


def _face(bid: Bid) -> int:
    return bid[1]


def _roll(stream: Stream, number: int) -> tuple[int, ...]:
    return tuple(sorted(stream.choice(_FACES) for _ in range(number)))


def _rolled(key: str, number: int, left: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    stream = Stream(key, f"round {number}")
    return tuple(_roll(stream, count) for count in left)


def _listed(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice))


def _told(shown: Shown) -> list[str]:
    number, face = shown.bid
    dice = "; ".join(f"@{one} {_listed(dice)}" for one, dice in enumerate(shown.dice) if dice)
    return [
        f"@{shown.caller} calls @{shown.bidder} a liar for at least {number} dice of {face}",
        f"The dice: {dice}",
        f"Matching dice: {shown.found}; @{shown.loser} loses one",
    ]


class LiarsDice(PlainGame):
    """Liar's dice, with ones as any face."""

    name = "liars-dice"
    title = "Liar's dice"
    rules = __doc__ or ""
    seats = range(2, 6)
    config: Mapping[str, Any] = {"dice": 5}

    def check_config(self, config: Mapping[str, Any]) -> None:
        """Limit the dice."""
        if not 1 <= config["dice"] <= _MOST_DICE:
            raise ConfigError(f"dice is {config['dice']}: it must be from 1 to {_MOST_DICE}")

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        """Draw the key to all rolls."""
        del config, seats
        return stream.bytes(16).hex()

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> Round:
        """Roll for the first round."""
        return Round(deal, _rolled(deal, 1, [config["dice"]] * seats), turn=0)

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """A round has a decision for each bid and one for the call; each takes a die away."""
        return sum(len(_FACES) * dice + 1 for dice in range(2, config["dice"] * seats + 1))
