"""My game: each seat holds a secret card, and pays for the pot.

In each round every seat secretly pays 0 to 2 coins; when all have paid, the coins are shown. After
the last round the seat that paid most takes the pot; among equals, the higher card takes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.games.plain import ConfigError, Event, PlainGame, PlainState, Seat, Stream, View

_MOST_COINS = 2


@dataclass(frozen=True)
class MyState(PlainState):
    """One moment of the game."""

    deck: int
    """The cards are 1 to this."""
    cards: tuple[int, ...]
    """The card of each seat."""
    rounds_left: int
    paid: tuple[tuple[int, ...], ...] = ()
    """The coins of each seat in each finished round."""
    chosen: tuple[int, ...] = ()
    """The coins of the seats that have paid in this round: hidden until all have."""

    @property
    def to_act(self) -> Seat | None:
        """One seat after the other; None when the game is over."""
        return len(self.chosen) if self.rounds_left else None

    def prompt(self) -> str:
        """Ask the seat to act."""
        return "How many coins do you pay?"

    def options(self) -> Mapping[int, str]:
        """Return the actions with their labels."""
        return {coins: f"pay {coins}" for coins in range(_MOST_COINS + 1)}

    def apply(self, action: int) -> tuple["MyState", Sequence[Event]]:
        """Pay, and show all coins when the round is complete."""
        seat, chosen = len(self.chosen), (*self.chosen, action)
        event = Event(f"@{seat} has paid", {seat: f"You pay {action}"})
        if len(chosen) < len(self.cards):
            return replace(self, chosen=chosen), [event]
        paid = (*self.paid, chosen)
        after = replace(self, rounds_left=self.rounds_left - 1, paid=paid, chosen=())
        return after, [event, Event(f"All show their coins: {_coins(chosen)}")]

    def view(self, seat: Seat) -> View:
        """Build up what the seat may know: its card, what was shown, and its own payment."""
        own = self.chosen[seat] if seat < len(self.chosen) else None
        text = [
            f"Your card: {self.cards[seat]}",
            *[f"Round {number}: {_coins(coins)}" for number, coins in enumerate(self.paid, 1)],
            f"{len(self.chosen)} have paid" + ("" if own is None else f", you {own}"),
        ]
        facts = {
            "card": self.cards[seat],
            "paid": self.paid,
            "have_paid": len(self.chosen),
            "own_payment": own,
            "rounds_left": self.rounds_left,
        }
        totals = [float(coins) for coins in self._totals()]
        return View(text, facts, [float(self.cards[seat]), float(self.rounds_left), *totals])

    def _totals(self) -> list[int]:
        return [sum(coins[seat] for coins in self.paid) for seat in range(len(self.cards))]

    def points(self) -> Sequence[int]:
        """Return what each seat won or lost."""
        totals = self._totals()
        winner = max(range(len(totals)), key=lambda seat: (totals[seat], self.cards[seat]))
        pot = sum(totals)
        return [(pot if seat == winner else 0) - total for seat, total in enumerate(totals)]

    def explained(self) -> Sequence[str]:
        """Tell all cards at the end."""
        return [f"@{seat} had the card {card}" for seat, card in enumerate(self.cards)]

    def redraw(self, seat: Seat, stream: Stream) -> "MyState":
        """Draw all that the seat does not know: the others' cards and hidden coins."""
        rest = [card for card in range(1, self.deck + 1) if card != self.cards[seat]]
        cards = stream.shuffled(rest)[: len(self.cards)]
        cards[seat:seat] = [self.cards[seat]]
        chosen = tuple(
            coins if other == seat else stream.below(_MOST_COINS + 1)
            for other, coins in enumerate(self.chosen)
        )
        return replace(self, cards=tuple(cards[: len(self.cards)]), chosen=chosen)


def _coins(coins: Sequence[int]) -> str:
    return ", ".join(f"@{seat} {number}" for seat, number in enumerate(coins))


class MyGame(PlainGame):
    """Describes the game."""

    name = "my-game"
    title = "My game"
    rules_version = "1"
    rules = __doc__ or ""
    seats = range(2, 6)
    config: Mapping[str, Any] = {"deck": 9, "rounds": 2}

    def check_config(self, config: Mapping[str, Any]) -> None:
        """Refuse what cannot be played."""
        if not self.seats[-1] <= config["deck"] <= 1000:
            raise ConfigError(f"deck is {config['deck']}: it must be from {self.seats[-1]} to 1000")
        if not 1 <= config["rounds"] <= 100:
            raise ConfigError(f"rounds is {config['rounds']}: it must be from 1 to 100")

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        """Draw all that chance decides."""
        return stream.shuffled(range(1, config["deck"] + 1))[:seats]

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> MyState:
        """Return the state before the first decision."""
        del seats
        return MyState(config["deck"], deal, config["rounds"])

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """Return an upper bound on the decisions."""
        rounds: int = config["rounds"]
        return seats * rounds
