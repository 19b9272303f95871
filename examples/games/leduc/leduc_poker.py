"""Leduc poker: a deck of six cards, one card in the hand, one on the board, two rounds of bets.

Each seat pays one chip. Seat 0 bets first in both rounds; a raise is two chips in the first round
and four in the second, and a round has at most two. The board card is turned between the rounds.
A pair with the board wins, otherwise the higher card; equal ranks share the pot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.games.plain import Event, PlainGame, PlainState, Seat, Stream, View

FOLD, CALL, RAISE = "fold", "call", "raise"
_RANKS = "jack", "queen", "king"
_DECK = tuple(range(2 * len(_RANKS)))
_ANTE = 1
_MOST_RAISES = 2


def _rank(card: int) -> int:
    return card // 2


def _name(card: int) -> str:
    return f"{_RANKS[_rank(card)]} of {('hearts', 'spades')[card % 2]}"


@dataclass(frozen=True)
class Leduc(PlainState):
    """One moment. Cards are 0 to 5, in pairs of one rank."""

    hands: tuple[int, ...]
    key: str
    """Opens the stream that the board card is drawn from."""
    board: int | None = None
    rounds: tuple[tuple[str, ...], ...] = ((),)
    """What was done in each round."""
    paid: tuple[int, ...] = (_ANTE, _ANTE)
    """In chips, by seat."""
    folded: Seat | None = None

    @property
    def to_act(self) -> Seat | None:
        """The seats take turns in each round; None after the last one or a fold."""
        over = self.folded is not None or (len(self.rounds) == 2 and _is_over(self.rounds[-1]))
        return None if over else len(self.rounds[-1]) % 2

    def prompt(self) -> str:
        """Ask."""
        return "Do you fold, call or raise?"

    def options(self) -> Mapping[str, str]:
        """A seat folds only if it would have to pay."""
        seat = len(self.rounds[-1]) % 2
        owed = max(self.paid) - self.paid[seat]
        actions = {FOLD: "fold"} if owed else {}
        actions[CALL] = f"call, and pay {owed}" if owed else "check"
        if self.rounds[-1].count(RAISE) < _MOST_RAISES:
            actions[RAISE] = f"raise, and pay {owed + self._raise()}"
        return actions

    def _raise(self) -> int:
        return 2 * len(self.rounds)

    def apply(self, action: str) -> tuple["Leduc", Sequence[Event]]:
        """Bet; turn the board card after the first round."""
        seat = len(self.rounds[-1]) % 2
        events = [Event(f"@{seat}: {self.options()[action]}")]
        now = replace(self, rounds=(*self.rounds[:-1], (*self.rounds[-1], action)))
        if action == FOLD:
            return replace(now, folded=seat), events
        paid = list(self.paid)
        paid[seat] = max(paid) + (self._raise() if action == RAISE else 0)
        now = replace(now, paid=tuple(paid))
        if len(now.rounds) == 1 and _is_over(now.rounds[0]):
            rest = [card for card in _DECK if card not in self.hands]
            board = Stream(self.key, "board").choice(rest)
            now = replace(now, board=board, rounds=(*now.rounds, ()))
            events.append(Event(f"The board card is the {_name(board)}"))
        return now, events

    def view(self, seat: Seat) -> View:
        """The seat's own card and all bets; the other card only if it was shown at the end."""
        other = 1 - seat
        lines = [f"Your card: {_name(self.hands[seat])}"]
        if self.board is not None:
            lines.append(f"The board card: {_name(self.board)}")
        for number, actions in enumerate(self.rounds, 1):
            bets = [f"@{index % 2} {action}" for index, action in enumerate(actions)]
            lines.append(f"Round {number}: {', '.join(bets) or 'no bets'}")
        lines.append(f"You paid {self.paid[seat]}, @{other} paid {self.paid[other]}")
        shown = self.to_act is None and self.folded is None
        facts = {
            "card": self.hands[seat],
            "board": self.board,
            "rounds": self.rounds,
            "paid": self.paid,
            "other_card": self.hands[other] if shown else None,
        }
        return View(lines, facts, self._features(seat))

    def _features(self, seat: Seat) -> list[float]:
        own = [float(card == self.hands[seat]) for card in _DECK]
        board = [float(card == self.board) for card in _DECK]
        return [float(seat), *own, *board, *map(float, self.paid)]

    def points(self) -> Sequence[int]:
        """The chips won or lost."""
        strength = [
            (self.board is not None and _rank(h) == _rank(self.board), _rank(h)) for h in self.hands
        ]
        if self.folded is None and strength[0] == strength[1]:
            return [0, 0]
        winner = strength.index(max(strength)) if self.folded is None else 1 - self.folded
        return [self.paid[1 - winner] * (1 if seat == winner else -1) for seat in range(2)]

    def explained(self) -> Sequence[str]:
        """Tell the cards of a showdown."""
        if self.folded is not None:
            return [f"@{self.folded} folded"]
        return [f"@{seat} had the {_name(card)}" for seat, card in enumerate(self.hands)]

    def redraw(self, seat: Seat, stream: Stream) -> "Leduc":
        """Draw the other card, until it is shown, and what the board card will be."""
        key = stream.bytes(16).hex()
        if self.to_act is None and self.folded is None:
            return replace(self, key=key)
        rest = [card for card in _DECK if card not in {self.hands[seat], self.board}]
        hands = list(self.hands)
        hands[1 - seat] = stream.choice(rest)
        return replace(self, hands=tuple(hands), key=key)


def _is_over(actions: Sequence[str]) -> bool:
    """Whether a round has ended without a fold: both had a turn, and the last one called."""
    return len(actions) > 1 and actions[-1] == CALL


class LeducPoker(PlainGame):
    """Leduc poker, with the rules of Southey and others, 2005."""

    name = "leduc"
    title = "Leduc poker"
    rules = __doc__ or ""
    seats = range(2, 3)

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        """Draw the hands, and the key to the board card."""
        del config
        return {"hands": stream.shuffled(_DECK)[:seats], "key": stream.bytes(16).hex()}

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> Leduc:
        """Deal."""
        del config, seats
        return Leduc(deal["hands"], deal["key"])

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """A round is at most: check, raise, raise, call."""
        del config, seats
        return 8
