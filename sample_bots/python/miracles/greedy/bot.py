"""Looks one decision ahead: adds up what an action brings at once, in coins.

Renown, control and cards have fixed worths. What an action does to the board counts by how well the
own rogues then stand in each neighbourhood, the more the fuller it is. A rogue whose face is hidden
is taken to be as strong as a Henchman.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from courtyard_kit.miracles import (
    Action,
    Neighbourhood,
    PlotCard,
    Position,
    Rogue,
    RogueInPlay,
    Spot,
    run,
)

from referee.games.miracles import action as actions
from referee.games.miracles.data import Effect, EffectKind
from referee.games.miracles.pieces import LINES

RENOWN = 10.0
"""The worth of a Renown token on a line."""
CONTROL = 7.0
"""The worth of one on a neighbourhood, which can be lost again."""
SOON = (0.0, 0.25, 0.4, 1.0)
"""The worth of a standoff to come, by the number of rogues there."""
HIDDEN_STRENGTH = 1.0
WAITING = 0.01
"""The cost of letting a spot wait for a Plot card: no card is better before than after."""
FIRST = 5.0
"""Cards are mostly of more use after the rogue was placed."""
KEPT = 0.9
"""The worth of a Plot card for later turns."""

EFFECTS = {
    EffectKind.KING: 0.3,
    EffectKind.COIN: 1.0,
    EffectKind.PLOT: 1.5,
    EffectKind.RIGHT_HAND: 2.0,
}
ACTIONS = {
    Neighbourhood.TAVERNE: 1.0,
    Neighbourhood.LE_CHATELET: 1.5,
    Neighbourhood.RUE_DE_L_EGYPTIENNE: 0.5,
    Neighbourhood.GRANDE_COUR: 2.0,
}
ROGUES = {
    Rogue.BEGGAR: 0.0,
    Rogue.HENCHMAN: 1.0,
    Rogue.SOOTHSAYER: 1.1,
    Rogue.COURTESAN: 1.2,
    Rogue.DEFROCKED_PRIEST: 1.6,
    Rogue.PICKPOCKET: 1.7,
    Rogue.SWORDSMAN: 1.8,
    Rogue.BRUTE: 2.0,
    Rogue.RIGHT_HAND: 2.0,
}
CARDS = {
    PlotCard.THE_HERMIT: 0.1,
    PlotCard.THE_EMPRESS: 0.2,
    PlotCard.THE_FOOL: 0.3,
    PlotCard.JUDGMENT: 0.8,
    PlotCard.STRENGTH: 1.0,
    PlotCard.THE_HANGED_MAN: 1.05,
    PlotCard.THE_CHARIOT: 1.1,
    PlotCard.THE_TOWER: 1.2,
    PlotCard.THE_EMPEROR: 1.3,
    PlotCard.THE_SUN: 2.0,
    PlotCard.THE_DEVIL: 2.1,
    PlotCard.WHEEL_OF_FORTUNE: 2.2,
}

REVEALED = {Rogue.PICKPOCKET, Rogue.DEFROCKED_PRIEST, Rogue.COURTESAN}
"""Rogues that are revealed even where they win face down, for their ability."""


class Forecast:
    """The worth of each action of one decision, in coins."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.data = position.data
        self.seat = position.seat
        self.me = position.players[position.seat]
        self.before = self.outlook(position.in_play)

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return _WORTHS[type(action)](self, action)

    # A turn

    def place(self, action: actions.PlaceRogue) -> float:
        """Return what placing a rogue is worth, with the spot's effect and the action there."""
        return self.arrive(action, action.spot)

    def move(self, action: actions.MoveRogue) -> float:
        """Return the same for moving a rogue instead."""
        return self.arrive(action, action.target)

    def arrive(self, action: actions.PlaceRogue | actions.MoveRogue, spot: Spot) -> float:
        """Return what the first step of a turn is worth."""
        place, effect = spot.neighbourhood, self.data.spot(spot)
        coins = self.me.coins + (effect.amount if effect.kind is EffectKind.COIN else 0)
        there = self.best_line(coins) if place is Neighbourhood.LES_HALLES else ACTIONS[place]
        possible = max(0.0, there + self.income(place))
        worth = FIRST + self.effect(effect) + possible + self.change(action)
        return worth - WAITING * action.plot_first

    def perform(self, _: actions.PerformAction) -> float:
        """Return what the action of the neighbourhood just visited is worth."""
        place = self.position.visited
        return ACTIONS.get(place, 0.0) + self.income(place) if place else 0.0

    def buy(self, action: actions.BuyRenown) -> float:
        """Return what Renown on a line is worth."""
        return self.line(action.line) + self.income(Neighbourhood.LES_HALLES)

    def move_other(self, action: actions.MoveOther) -> float:
        """Return what the action of the Rue de l'Égyptienne is worth."""
        return self.change(action) + self.income(Neighbourhood.RUE_DE_L_EGYPTIENNE)

    def effect(self, effect: Effect) -> float:
        """Return what the effect of a spot or a line is worth."""
        return EFFECTS[effect.kind] * effect.amount

    def income(self, place: Neighbourhood) -> float:
        """Return what its controller's coin is worth to this seat."""
        control = self.position.controls[place - 1]
        if control is None:
            return 0.0
        return 1.0 if control.seat == self.seat else -0.5

    def line(self, number: int) -> float:
        """Return what a Renown token on a line is worth, after its cost."""
        line = self.data.line(number)
        return RENOWN - line.cost + self.effect(line.bonus)

    def best_line(self, coins: int) -> float:
        """Return what the best line is worth that these coins can buy; -1 if there is none."""
        free = [line for line in LINES if line not in self.me.lines]
        return max([self.line(n) for n in free if self.data.line(n).cost <= coins], default=-1.0)

    def end(self, _: actions.EndTurn) -> float:
        """Return what doing no more is worth: everything else is measured by it."""
        return 0.0

    def sink(self, action: actions.SinkRogue) -> float:
        """Return what it is worth to sink a rogue."""
        drawn = self.position.drawn
        if drawn is None:
            return 0.0
        least = min(ROGUES[rogue] for rogue in (drawn, *self.position.rogues))
        return least - ROGUES[action.rogue or drawn]

    # Plot cards

    def discard(self, action: actions.DiscardPlot) -> float:
        """Return what it is worth to part with a card."""
        return -CARDS[action.card]

    def card(self, action: actions.PlayCard) -> float:
        """Return what playing a card without a choice is worth."""
        worth = CARDS[action.card]
        if action.card is PlotCard.JUDGMENT:
            players = self.position.players
            worth = sum([one.renown > self.me.renown and one.coins > 0 for one in players])
        elif action.card is PlotCard.THE_EMPEROR:
            worth = self.outlook(self.position.in_play, bonus=1) - self.before
        return worth - KEPT

    def devil(self, action: actions.PlayDevil) -> float:
        """Return what The Devil takes from an opponent."""
        most = self.data.plot_card(PlotCard.THE_DEVIL).amount
        return min(most, self.position.players[action.opponent].coins) - KEPT

    def board_card(self, action: Action) -> float:
        """Return what a card is worth that moves, swaps or returns rogues."""
        return self.change(action) - KEPT

    def idle_card(self, _: Action) -> float:
        """Return what a card is worth that gains nothing at once: it is kept."""
        return -KEPT

    # The board

    def change(self, action: Action) -> float:
        """Return by how much an action improves the outlook on the board."""
        return self.outlook(self.position.board_after(action)) - self.before

    def outlook(self, board: Sequence[RogueInPlay], bonus: int = 0) -> float:
        """Return what the standoffs to come are worth, with a bonus to the own strength."""
        return sum(
            [
                SOON[len(rogues)] * self.standing(rogues, place, bonus)
                for place in Neighbourhood
                if (rogues := there(board, place))
            ]
        )

    def standing(
        self, rogues: Sequence[RogueInPlay], place: Neighbourhood, bonus: int = 0
    ) -> float:
        """Return what a standoff between these rogues is worth."""
        strengths: dict[int, float] = {}
        for spot, owner, rogue, _ in rogues:
            tie = 0.0 if owner in strengths else 0.2 * (3 - spot.rank)
            strengths[owner] = strengths.get(owner, tie) + self.strength(rogue, owner)
        chance = 0.0
        if self.seat in strengths:
            lead = strengths.pop(self.seat) + bonus - max(strengths.values(), default=0.0)
            chance = min(1.0, max(0.0, 0.5 + lead / 2))
        control = self.position.controls[place - 1]
        return CONTROL * (chance - bool(control and control.seat == self.seat))

    def strength(self, rogue: Rogue | None, owner: int) -> float:
        """Return how strong a rogue is expected to be."""
        if rogue is None:
            return HIDDEN_STRENGTH
        data = self.data.rogue(rogue)
        can_pay = self.position.players[owner].coins >= data.price
        return data.paid_strength if rogue is Rogue.SWORDSMAN and can_pay else data.strength

    # Standoffs

    def standoff(self, action: actions.ChooseWrath | actions.SettleNext) -> float:
        """Return what a standoff that comes now is worth."""
        place = action.neighbourhood
        return self.standing(there(self.position.in_play, place), place)

    def pay(self, action: actions.PaySwordsman) -> float:
        """Return whether to pay a Swordsman: if the seat wins with him and not without."""
        needed = self.wins(paying=True) and not self.wins(paying=False)
        return float(action.pays == needed)

    def wins(self, *, paying: bool) -> bool:
        """Return whether the seat wins the standoff as the rogues lie."""
        standoff = self.position.standoff
        if standoff is None:
            return False
        paid = (*standoff.paid, standoff.asked_rank) if paying else standoff.paid
        totals: dict[int, int] = {}
        for spot, owner, rogue, _ in there(self.position.in_play, standoff.neighbourhood):
            if rogue is not None:
                data = self.data.rogue(rogue)
                strength = data.paid_strength if spot.rank in paid else data.strength
                totals[owner] = totals.get(owner, 0) + strength
        # Owners are in the order of ranks: of equals the first is closest to the crown.
        return max(totals, key=lambda seat: totals[seat]) == self.seat

    def reveal(self, action: actions.RevealLone) -> float:
        """Return whether to reveal a lone rogue: if its ability brings something."""
        standoff = self.position.standoff
        lone = there(self.position.in_play, standoff.neighbourhood)[0].rogue if standoff else None
        return float(action.reveals == (lone in REVEALED))

    def send(self, action: actions.UseCourtesan) -> float:
        """Return where a Courtesan's token is of most use: where a rival loses one by it."""
        control = self.position.controls[action.neighbourhood - 1]
        if control is None:
            return 1.0
        return 0.0 if control.seat == self.seat else 1.5


def there(board: Sequence[RogueInPlay], place: Neighbourhood) -> list[RogueInPlay]:
    """Return the rogues in a neighbourhood, by rank."""
    return [rogue for rogue in board if rogue.spot.neighbourhood is place]


_WORTHS: Mapping[type[Any], Callable[[Forecast, Any], float]] = {
    actions.PlaceRogue: Forecast.place,
    actions.MoveRogue: Forecast.move,
    actions.PerformAction: Forecast.perform,
    actions.BuyRenown: Forecast.buy,
    actions.MoveOther: Forecast.move_other,
    actions.EndTurn: Forecast.end,
    actions.PlayCard: Forecast.card,
    actions.PlayEmpress: Forecast.idle_card,
    actions.PlayDevil: Forecast.devil,
    actions.PlayHangedMan: Forecast.board_card,
    actions.PlayChariot: Forecast.board_card,
    actions.PlayTower: Forecast.board_card,
    actions.PlayHermit: Forecast.idle_card,
    actions.PlayFool: Forecast.idle_card,
    actions.SinkRogue: Forecast.sink,
    actions.DiscardPlot: Forecast.discard,
    actions.ChooseWrath: Forecast.standoff,
    actions.SettleNext: Forecast.standoff,
    actions.PaySwordsman: Forecast.pay,
    actions.RevealLone: Forecast.reveal,
    actions.UseCourtesan: Forecast.send,
    actions.TakeEffect: Forecast.end,
}


def choose(position: Position) -> Action:
    """Return the action that is worth most, one of them at random if there are several."""
    shuffled = position.rng.sample(position.actions, len(position.actions))
    return max(shuffled, key=Forecast(position).worth)


if __name__ == "__main__":
    run(choose, name="greedy")
