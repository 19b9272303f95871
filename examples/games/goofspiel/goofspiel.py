"""Goofspiel: all bid at once, with one card each, for the prize that has just been turned.

Each seat has the cards 1 to n; the prizes 1 to n are turned in random order. The highest bid takes
the prize if it is the only one so high; otherwise it goes to none. The last cards play themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from referee.games.plain import ConfigError, Event, PlainGame, PlainState, Seat, Stream, View

_MOST_CARDS = 50


@dataclass(frozen=True)
class Bids(PlainState):
    """One moment. Bids are made one seat after the other, hidden until all are in."""

    seats: int
    prizes: tuple[int, ...]
    """All of them, in the order in which they are turned."""
    tricks: tuple[tuple[int, ...], ...] = ()
    """The bids of each finished trick, by seat."""
    pending: tuple[int, ...] = field(default=(), repr=False)
    """The bids of the seats before the one to act."""

    @property
    def to_act(self) -> Seat | None:
        """The next seat to bid; None when one card is left."""
        return len(self.pending) if len(self.prizes) - len(self.tricks) > 1 else None

    def prompt(self) -> str:
        """Ask."""
        return f"Which card do you bid for the prize {self.prizes[len(self.tricks)]}?"

    def options(self) -> Mapping[int, str]:
        """Any card of the hand."""
        return {card: f"bid {card}" for card in self._hand(len(self.pending))}

    def _hand(self, seat: Seat) -> list[int]:
        played = {bids[seat] for bids in self.tricks}
        return [card for card in range(1, len(self.prizes) + 1) if card not in played]

    def apply(self, action: int) -> tuple["Bids", Sequence[Event]]:
        """Keep the bid; with the last one, show all and give the prize."""
        seat = len(self.pending)
        made = (*self.pending, action)
        bid = Event(f"@{seat} has chosen a card", {seat: f"@{seat} bids {action}"})
        if len(made) < self.seats:
            return replace(self, pending=made), [bid]
        now = replace(self, tricks=(*self.tricks, made), pending=())
        return now, [bid, *now._shown(len(self.tricks)), *now._turned()]

    def _shown(self, trick: int) -> Iterator[Event]:
        bids, winner = self._bids(trick), self._winner(trick)
        told = ", ".join(f"@{seat} {bid}" for seat, bid in enumerate(bids))
        taken = "none takes" if winner is None else f"@{winner} takes"
        yield Event(f"The bids: {told}; {taken} the prize {self.prizes[trick]}")

    def _turned(self) -> Iterator[Event]:
        """Tell the next prize; if it is the last one, the last cards, too."""
        yield Event(f"The next prize is {self.prizes[len(self.tricks)]}")
        if self.to_act is None:
            yield from self._shown(len(self.tricks))

    def _bids(self, trick: int) -> tuple[int, ...]:
        if trick < len(self.tricks):
            return self.tricks[trick]
        return tuple(self._hand(seat)[0] for seat in range(self.seats))

    def _winner(self, trick: int) -> Seat | None:
        bids = self._bids(trick)
        return bids.index(max(bids)) if bids.count(max(bids)) == 1 else None

    def _played(self) -> range:
        """The tricks that are shown: with the last decision, the last one as well."""
        return range(len(self.tricks) + (self.to_act is None))

    def points(self) -> Sequence[int]:
        """The prizes taken."""
        points = [0] * self.seats
        for trick in self._played():
            if (winner := self._winner(trick)) is not None:
                points[winner] += self.prizes[trick]
        return points

    def view(self, seat: Seat) -> View:
        """All finished tricks, the prize, who has chosen, and what the seat itself chose."""
        turned = self.prizes[: len(self.tricks) + 1]
        own = self.pending[seat] if seat < len(self.pending) else None
        hands = [self._hand(other) for other in range(self.seats)]
        tricks = [
            {"prize": self.prizes[trick], "bids": self._bids(trick), "winner": self._winner(trick)}
            for trick in self._played()
        ]
        points = self.points()
        facts = {
            "prize": turned[-1],
            "tricks": tricks,
            "points": points,
            "chosen": len(self.pending),
            "own_choice": own,
        }
        return View(
            [
                *self._lines(tricks, points),
                f"Your cards: {_listed(hands[seat])}",
                f"The prize: {turned[-1]}",
                f"{len(self.pending)} have chosen" + (f", you {own}" if own else ""),
            ],
            facts,
            self._features(seat, hands, turned),
        )

    def _lines(self, tricks: Sequence[Mapping[str, Any]], points: Sequence[int]) -> Iterator[str]:
        for trick in tricks:
            winner = "none" if trick["winner"] is None else f"@{trick['winner']}"
            yield f"Prize {trick['prize']}: bids {_listed(trick['bids'])}, taken by {winner}"
        yield "Points: " + ", ".join(f"@{seat} {own}" for seat, own in enumerate(points))

    def _features(
        self, seat: Seat, hands: Sequence[Sequence[int]], turned: Sequence[int]
    ) -> list[float]:
        """Each hand from the seat's own on, the prizes turned, and the prize."""
        cards = range(1, len(self.prizes) + 1)
        order = [(seat + step) % self.seats for step in range(self.seats)]
        held = [float(card in hands[other]) for other in order for card in cards]
        return [*held, *(float(card in turned) for card in cards), float(turned[-1])]

    def redraw(self, seat: Seat, stream: Stream) -> "Bids":
        """Draw what the others have chosen in this trick, and the prizes to come."""
        turned = len(self.tricks) + 1
        prizes = (*self.prizes[:turned], *stream.shuffled(self.prizes[turned:]))
        pending = tuple(
            bid if other == seat else stream.choice(self._hand(other))
            for other, bid in enumerate(self.pending)
        )
        return replace(self, prizes=prizes, pending=pending)


def _listed(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


class Goofspiel(PlainGame):
    """Goofspiel, or the Game of Pure Strategy."""

    name = "goofspiel"
    title = "Goofspiel"
    rules = __doc__ or ""
    seats = range(2, 6)
    config: Mapping[str, Any] = {"cards": 13}

    def check_config(self, config: Mapping[str, Any]) -> None:
        """Limit the cards."""
        if not 2 <= config["cards"] <= _MOST_CARDS:
            raise ConfigError(f"cards is {config['cards']}: it must be from 2 to {_MOST_CARDS}")

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        """Draw the order of the prizes."""
        del seats
        return stream.shuffled(range(1, config["cards"] + 1))

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> Bids:
        """Begin with the first prize turned."""
        del config
        return Bids(seats, deal)

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """The last cards play themselves."""
        cards: int = config["cards"]
        return seats * (cards - 1)
