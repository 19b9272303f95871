"""One decision in progress: the position as it changes, and the events so far.

Positions stay frozen; a `Play` holds the newest. It has the moves that several rules share.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

from referee.games.base import Seat
from referee.games.miracles.agenda import DrawStep, Step
from referee.games.miracles.config import Config
from referee.games.miracles.data import Effect, EffectKind
from referee.games.miracles.deal import Deal, reshuffled
from referee.games.miracles.event import (
    CoinsMoved,
    Event,
    GameEnded,
    KingMoved,
    PileReshuffled,
    PlotsDrawn,
    Reason,
    RenownPlaced,
    RenownReturned,
    RightHandTaken,
)
from referee.games.miracles.facts import Fact, ordered, rogue_of
from referee.games.miracles.observation import Control
from referee.games.miracles.pieces import (
    RENOWN_TOKENS,
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
)
from referee.games.miracles.position import Position, renown_of
from referee.games.miracles.scoring import Ending

T = TypeVar("T")

_new = tuple.__new__
_PLACE_OF = {name: place for place, name in enumerate(Position._fields)}


def with_at(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item changed."""
    return (*items[:index], item, *items[index + 1 :])


def without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Return the tuple without one such item."""
    at = items.index(item)
    return (*items[:at], *items[at + 1 :])


class Play:
    """The newest position of a decision in progress."""

    def __init__(self, config: Config, deal: Deal, position: Position) -> None:
        self.config = config
        self.data = config.data
        self.deal = deal
        self.now = position
        self.agenda = list(position.agenda)
        """The steps left, the next one first; `settled` copies them to `now`."""
        self.events: list[Event] = []

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.now.ending is not None

    def set(self, **changes: Any) -> None:
        """Change fields of the position."""
        values = list(self.now)  # a quarter of the time that _replace takes
        for name, value in changes.items():
            values[_PLACE_OF[name]] = value
        self.now = _new(Position, values)

    def settled(self) -> Position:
        """Return the position with the remaining agenda."""
        self.set(agenda=tuple(self.agenda))
        return self.now

    def record(self, event: Event) -> None:
        """Record an event."""
        self.events.append(event)

    def then(self, *steps: Step) -> None:
        """Put steps in front of the agenda, unless the game has ended."""
        if not self.over:
            self.agenda[:0] = steps

    def next_step(self) -> Step:
        """Take the first step from the agenda."""
        return self.agenda.pop(0)

    def end(self, ending: Ending) -> None:
        """End the game at once, and drop the agenda."""
        self.agenda.clear()
        self.set(ending=ending, standoff=None)  # a drawn rogue stays where it is
        self.record(GameEnded(self.now.turn))

    # Coins

    def gain(self, seat: Seat, amount: int, reason: Reason) -> None:
        """Give a seat coins from the reserve."""
        if amount:
            self._add(seat, amount)
            self.record(CoinsMoved(None, seat, amount, reason))

    def pay(self, seat: Seat, amount: int, reason: Reason) -> None:
        """Let a seat pay coins that it has to the reserve."""
        self._add(seat, -amount)
        self.record(CoinsMoved(seat, None, amount, reason))

    def give(self, payer: Seat, receiver: Seat, most: int, reason: Reason) -> int:
        """Let a seat give another its coins, `most` at most; return how many."""
        amount = min(most, self.now.coins[payer])
        self._add(payer, -amount)
        self._add(receiver, amount)
        if amount or reason is Reason.THE_DEVIL:
            self.record(CoinsMoved(payer, receiver, amount, reason))
        return amount

    def _add(self, seat: Seat, amount: int) -> None:
        self.set(coins=with_at(self.now.coins, seat, self.now.coins[seat] + amount))

    # Rogues

    def to_hand(self, seat: Seat, rogues: Iterable[Rogue]) -> None:
        """Put rogues into a seat's hand."""
        hand = tuple(sorted((*self.now.hands[seat], *rogues)))
        self.set(hands=with_at(self.now.hands, seat, hand))

    def from_hand(self, seat: Seat, rogue: Rogue) -> None:
        """Take a rogue out of a seat's hand."""
        self.set(hands=with_at(self.now.hands, seat, without(self.now.hands[seat], rogue)))

    def at(self, spot: Spot) -> Fact:
        """Return the rogue on a spot."""
        return next(fact for fact in self.now.board if fact.public.spot == spot)

    def change(self, *changes: tuple[Fact, Fact]) -> None:
        """Replace facts on the board; `placed` follows the rogue just placed."""
        old = {before.public.spot: after for before, after in changes}
        board = [old.get(fact.public.spot, fact) for fact in self.now.board]
        placed = self.now.placed
        if placed in old:
            placed = old[placed].public.spot
        self.set(board=ordered(board), placed=placed)

    def take_off(self, *facts: Fact) -> None:
        """Take rogues off the board into their owners' hands."""
        gone = {fact.public.spot for fact in facts}
        for fact in facts:
            self.to_hand(fact.public.owner, [rogue_of(fact)])
        placed = None if self.now.placed in gone else self.now.placed
        board = tuple([fact for fact in self.now.board if fact.public.spot not in gone])
        self.set(board=board, placed=placed)

    # Plot cards

    def draw_plots(self, seat: Seat, number: int) -> None:
        """Draw Plot cards, given room in the hand; shuffle the discards when the pile is empty."""
        if not number:
            return
        drawn: list[PlotCard] = []
        for _ in range(number):
            if not self.now.pile:
                self._reshuffle()
            drawn.append(self.now.pile[0])
            self.set(pile=self.now.pile[1:])
        hand = tuple(sorted((*self.now.plots[seat], *drawn)))
        self.set(plots=with_at(self.now.plots, seat, hand))
        self.record(PlotsDrawn(seat, number, tuple(drawn)))

    def _reshuffle(self) -> None:
        number = self.now.reshuffles + 1
        pile = reshuffled(self.deal, number, self.now.discards)
        self.set(pile=pile, discards=(), reshuffles=number)
        self.record(PileReshuffled(len(pile)))

    def discard(self, card: PlotCard) -> None:
        """Put a Plot card no longer at hand on the discards."""
        self.set(discards=tuple(sorted((*self.now.discards, card))))

    # The King and Renown

    def move_king(self, spaces: int) -> None:
        """Move the Penniless King; a Wrath stops him, the final space ends the game."""
        origin, final = self.now.king, self.data.king.final_space
        target, stopped = origin, self.now.king_stopped
        while target < min(origin + spaces, final) and not stopped:
            target += 1
            stopped = self.data.wrath_at(target) is not None
        self.set(king=target, king_stopped=stopped)
        self.record(KingMoved(origin, target, stopped))
        if target == final and self.config.king_ends_at_once:
            self.end(Ending.KING)

    def apply_effect(self, seat: Seat, effect: Effect, reason: Reason) -> None:
        """Apply the effect of a spot or of a line."""
        kind, amount = effect
        if kind is EffectKind.KING:
            self.move_king(amount)
        elif kind is EffectKind.COIN:
            self.gain(seat, amount, reason)
        elif kind is EffectKind.PLOT:
            self.then(DrawStep(seat, amount))
        elif not self.now.right_hands[seat]:
            self.set(right_hands=with_at(self.now.right_hands, seat, item=True))
            self.to_hand(seat, [Rogue.RIGHT_HAND])
            self.record(RightHandTaken(seat))

    def put_on_line(self, seat: Seat, line: int) -> None:
        """Put a Renown token on a line; the sixth in play ends the game."""
        lines = tuple(sorted((*self.now.lines[seat], line)))
        self.set(lines=with_at(self.now.lines, seat, lines))
        self._renown_placed(seat, RenownPlace(None, line))

    def take_control(self, seat: Seat, place: Neighbourhood) -> None:
        """Put a Renown token on a neighbourhood; the sixth in play ends the game."""
        control = self.now.controls[place - 1]
        again = control is not None and control.seat == seat
        if again and not self.config.controller_places_again:
            return
        if not again:
            self.lose_control(place)
        tokens = control.tokens + 1 if control and again else 1
        self.set(controls=with_at(self.now.controls, place - 1, Control(seat, tokens)))
        self._renown_placed(seat, RenownPlace(place, 0))

    def lose_control(self, place: Neighbourhood) -> None:
        """Let the neighbourhood's controller take the Renown tokens back."""
        control = self.now.controls[place - 1]
        if control:
            self.set(controls=with_at(self.now.controls, place - 1, None))
            self.record(RenownReturned(control.seat, place, control.tokens))

    def _renown_placed(self, seat: Seat, place: RenownPlace) -> None:
        renown = renown_of(self.now, seat)
        self.record(RenownPlaced(seat, place, renown))
        if renown == RENOWN_TOKENS:
            self.end(Ending.RENOWN)
