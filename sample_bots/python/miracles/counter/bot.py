"""Remembers what was revealed, and races for Renown.

How it thinks. A `Belief` keeps what the others' rogues may be, from all that standoffs showed. So
in every neighbourhood each player has a chance to win, and a rogue goes where it changes these
chances most. At stake is a Renown token: an own one, worth more the closer the sixth is; or a
rival's, who may win or lose it, at a part of that. A standoff that is not due yet counts less, for
others may still come. All that is gained otherwise is counted in coins, and a coin for a bit more
than it costs to part with one: coins become Renown sooner or later.

Its belief goes on from decision to decision, so each match is played by a `Counter` of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from courtyard_kit.miracles import (
    Action,
    Neighbourhood,
    PlotCard,
    Position,
    Rogue,
    RogueInPlay,
    Spot,
    run_with_memory,
)
from courtyard_kit.miracles_belief import WORTHS, Belief

from referee.games.miracles import action as actions
from referee.games.miracles.data import Effect, EffectKind
from referee.games.miracles.pieces import LINES, RENOWN_TOKENS

HURRY_MS = 100
"""With less time than this any legal action must do. It needs about half a millisecond."""

VICTORY = 60.0
"""The worth of the last Renown token."""
LINE = 10.0
"""The worth of a token on the Renown Square, where no other player can take it."""
CONTROL = 7.0
"""The worth of the first token on a neighbourhood."""
CLOSER = 1.0
"""How much more it is worth for each token in play before it."""
SPITE = 0.15
"""The worth of a rival's token against an own one."""
SOON = (0.0, 0.3, 0.3, 1.0)
"""The worth of a standoff, by the number of rogues there."""
COIN = 1.4
PLOT = 1.5
RECRUIT = 1.2
"""The worth of a look into the bag."""
MOVE = 0.5
"""The expected gain of moving a rogue."""
KING = 0.2
"""The worth of a step of the King to the leader."""
HOLD = 0.3
"""The cost of putting a rogue out of hand, for each bit of its worth."""
WAITING = 0.01
"""The cost of letting a spot wait for a Plot card: no card is better before than after."""
FIRST = 5.0
"""Cards are mostly of more use after the rogue was placed."""
KEPT = 0.9
"""The worth of a Plot card for later turns."""

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
"""The worth of playing a Plot card, where nothing better is known."""

REVEALED = {Rogue.PICKPOCKET, Rogue.DEFROCKED_PRIEST, Rogue.COURTESAN}
"""Rogues that are revealed even where they win face down, for their ability."""


class Forecast:
    """The worth of each action of one decision."""

    def __init__(self, position: Position, belief: Belief) -> None:
        self.position = position
        self.belief = belief
        self.data = position.data
        self.seat = position.seat
        self.me = position.players[position.seat]
        # Most actions leave most neighbourhoods as they are: each is looked at once.
        self.standing = cache(self._standing)
        self.strengths = cache(self._strengths)
        amount = self.data.plot_card(PlotCard.THE_EMPEROR).amount
        self.bonus = amount if position.emperor else 0
        self.before = self.outlook(position.in_play, self.bonus)

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return _WORTHS[type(action)](self, action)

    # A turn

    def place(self, action: actions.PlaceRogue) -> float:
        """Return what placing a rogue is worth, with the spot's effect and the action there."""
        return self.arrive(action, action.spot) - HOLD * WORTHS[action.rogue]

    def move(self, action: actions.MoveRogue) -> float:
        """Return the same for moving a rogue instead."""
        return self.arrive(action, action.target)

    def arrive(self, action: actions.PlaceRogue | actions.MoveRogue, spot: Spot) -> float:
        """Return what the first step of a turn is worth."""
        effect = self.data.spot(spot)
        coins = self.me.coins + (effect.amount if effect.kind is EffectKind.COIN else 0)
        there = max(0.0, self.action_at(spot.neighbourhood, coins))
        worth = FIRST + self.effect(effect) + there + self.change(action)
        return worth - WAITING * action.plot_first

    def perform(self, _: actions.PerformAction) -> float:
        """Return what the action of the neighbourhood just visited is worth."""
        place = self.position.visited
        return self.action_at(place, self.me.coins) if place else 0.0

    def buy(self, action: actions.BuyRenown) -> float:
        """Return what Renown on a line is worth."""
        return self.line(action.line) + self.income(Neighbourhood.LES_HALLES)

    def move_other(self, action: actions.MoveOther) -> float:
        """Return what the action of the Rue de l'Égyptienne is worth."""
        return self.change(action) + self.income(Neighbourhood.RUE_DE_L_EGYPTIENNE)

    def end(self, _: actions.EndTurn) -> float:
        """Return what doing no more is worth: everything else is measured by it."""
        return 0.0

    def sink(self, action: actions.SinkRogue) -> float:
        """Return what it is worth to sink a rogue."""
        drawn = self.position.drawn
        if drawn is None:
            return 0.0
        least = min(WORTHS[rogue] for rogue in (drawn, *self.position.rogues))
        return least - WORTHS[action.rogue or drawn]

    def effect(self, effect: Effect) -> float:
        """Return what the effect of a spot or a line is worth."""
        match effect.kind:
            case EffectKind.COIN:
                return COIN * effect.amount
            case EffectKind.PLOT:
                return PLOT * effect.amount
            case EffectKind.KING:
                others = [player for player in self.position.players if player is not self.me]
                lead = self.me.renown - max(player.renown for player in others)
                return KING * effect.amount * max(-1, min(1, lead))
        return 2.0

    def income(self, place: Neighbourhood) -> float:
        """Return what its controller's coin is worth to this seat."""
        control = self.position.controls[place - 1]
        if control is None:
            return 0.0
        return 1.0 if control.seat == self.seat else -0.5

    def action_at(self, place: Neighbourhood, coins: int) -> float:
        """Return what the action of a neighbourhood is worth to this seat with these coins."""
        match place:
            case Neighbourhood.TAVERNE:
                worth = RECRUIT
            case Neighbourhood.LES_HALLES:
                lines = [line for line in LINES if line not in self.me.lines]
                payable = [line for line in lines if self.data.line(line).cost <= coins]
                worth = max(map(self.line, payable), default=-1.0)
            case Neighbourhood.LE_CHATELET:
                worth = PLOT
            case Neighbourhood.RUE_DE_L_EGYPTIENNE:
                worth = MOVE
            case _:
                worth = 2 * COIN
        return worth + self.income(place)

    def line(self, number: int) -> float:
        """Return what a Renown token on a line is worth, after its cost."""
        line = self.data.line(number)
        worth = VICTORY if self.me.renown == RENOWN_TOKENS - 1 else LINE
        return worth - COIN * line.cost + self.effect(line.bonus)

    # Plot cards

    def discard(self, action: actions.DiscardPlot) -> float:
        """Return what it is worth to part with a card."""
        return -CARDS[action.card]

    def card(self, action: actions.PlayCard) -> float:
        """Return what playing a card without a choice is worth."""
        worth = CARDS[action.card]
        if action.card is PlotCard.JUDGMENT:
            players = self.position.players
            worth = COIN * sum([one.renown > self.me.renown and one.coins > 0 for one in players])
        elif action.card is PlotCard.THE_EMPEROR:
            bonus = self.data.plot_card(PlotCard.THE_EMPEROR).amount
            worth = self.outlook(self.position.in_play, bonus) - self.before
        return worth - KEPT

    def devil(self, action: actions.PlayDevil) -> float:
        """Return what The Devil takes from an opponent: best from one who will soon win."""
        victim = self.position.players[action.opponent]
        most = self.data.plot_card(PlotCard.THE_DEVIL).amount
        return min(most, victim.coins) * (COIN + 0.1 * victim.renown) - KEPT

    def empress(self, action: actions.PlayEmpress) -> float:
        """Return what The Empress is worth: something if the line she leaves can be paid again."""
        line = action.token.line
        again = line and self.me.coins >= self.data.line(line).cost
        return CARDS[PlotCard.THE_SUN] - KEPT if again else -KEPT

    def board_card(self, action: Action) -> float:
        """Return what a card is worth that moves, swaps or returns rogues."""
        return self.change(action) - KEPT

    def idle_card(self, _: Action) -> float:
        """Return what a card is worth that gains nothing at once: it is kept."""
        return -KEPT

    # The board

    def change(self, action: Action) -> float:
        """Return by how much an action improves the outlook on the board."""
        return self.outlook(self.position.board_after(action), self.bonus) - self.before

    def outlook(self, board: Sequence[RogueInPlay], bonus: int) -> float:
        """Return what the standoffs to come are worth, with a bonus to the active seat."""
        worth = 0.0
        for place in Neighbourhood:
            if rogues := self.there(board, place):
                worth += SOON[len(rogues)] * self.standing(rogues, place, bonus)
        return worth

    def there(self, board: Sequence[RogueInPlay], place: Neighbourhood) -> tuple[RogueInPlay, ...]:
        """Return the rogues in a neighbourhood, by rank."""
        return tuple([rogue for rogue in board if rogue.spot.neighbourhood is place])

    def _standing(self, rogues: tuple[RogueInPlay, ...], place: Neighbourhood, bonus: int) -> float:
        """Return what a standoff between these rogues is expected to be worth."""
        chances = self.chances(rogues, bonus)
        return sum([chance * self.stake(seat, place) for seat, chance in chances.items()])

    def stake(self, winner: int, place: Neighbourhood) -> float:
        """Return what it is worth if a seat takes control of a neighbourhood."""
        control = self.position.controls[place - 1]
        if control is None:
            return self.token(winner, self.position.players[winner].renown)
        if control.seat == winner:
            return 0.0
        gained = self.token(winner, self.position.players[winner].renown)
        return gained - self.token(control.seat, self.position.players[control.seat].renown - 1)

    def token(self, seat: int, before: int) -> float:
        """Return what a Renown token is worth to a seat with `before` in play before it."""
        worth = VICTORY if before == RENOWN_TOKENS - 1 else CONTROL + CLOSER * before
        return worth if seat == self.seat else -SPITE * worth

    def chances(self, rogues: Sequence[RogueInPlay], bonus: int) -> Mapping[int, float]:
        """Return each seat's chance to win a standoff between these rogues."""
        found: dict[int, float] = {}
        for combination in product(*[self.strengths(rogue) for rogue in rogues]):
            chance = 1.0
            totals: dict[int, float] = {}
            for (_, owner, _, _), (strength, share) in zip(rogues, combination, strict=True):
                chance *= share
                totals[owner] = totals.get(owner, 0.0) + strength
            if self.position.active in totals:
                totals[self.position.active] += bonus
            # Owners are in the order of ranks: of equals the first is closest to the crown.
            winner = max(totals, key=lambda seat: totals[seat])
            found[winner] = found.get(winner, 0.0) + chance
        return found

    def _strengths(self, rogue: RogueInPlay) -> list[tuple[int, float]]:
        """Return how strong a rogue may be, each with its chance."""
        found: dict[int, float] = {}
        for kind, chance in self.belief.rogue_at(rogue).items():
            data = self.data.rogue(kind)
            coins = self.position.players[rogue.owner].coins
            pays = kind is Rogue.SWORDSMAN and coins >= data.price
            strength = data.paid_strength if pays else data.strength
            found[strength] = found.get(strength, 0.0) + chance
        return list(found.items())

    # Standoffs

    def wrath(self, action: actions.ChooseWrath) -> float:
        """Return what a standoff is worth that comes now, but would have counted less."""
        place = action.neighbourhood
        rogues = self.there(self.position.in_play, place)
        return self.standing(rogues, place, self.bonus) * (1 - SOON[len(rogues)])

    def settle(self, action: actions.SettleNext) -> float:
        """Return what the standoff is worth that comes first: the game may end with it."""
        place = action.neighbourhood
        return self.standing(self.there(self.position.in_play, place), place, self.bonus)

    def contested(self) -> Neighbourhood:
        """Return the neighbourhood whose standoff is being settled."""
        standoff = self.position.standoff
        if standoff is None:
            raise TypeError("no standoff is being settled")
        return standoff.neighbourhood

    def reveal(self, action: actions.RevealLone) -> float:
        """Return whether to reveal a lone rogue: if its ability brings something."""
        (lone,) = self.there(self.position.in_play, self.contested())
        return float(action.reveals == (lone.rogue in REVEALED))

    def send(self, action: actions.UseCourtesan) -> float:
        """Return what a Courtesan's token is worth in a neighbourhood."""
        return self.stake(self.seat, action.neighbourhood)

    def pay(self, action: actions.PaySwordsman) -> float:
        """Return what paying the Swordsman brings, after his price."""
        if not action.pays:
            return 0.0
        place = self.contested()
        gained = self.stake(self.winner(pays=True), place)
        price = COIN * self.data.rogue(Rogue.SWORDSMAN).price
        return gained - self.stake(self.winner(pays=False), place) - price

    def winner(self, *, pays: bool) -> int:
        """Return who wins the standoff if this Swordsman is paid or not, as it looks now."""
        standoff = self.position.standoff
        paid = standoff.paid if standoff else ()
        if standoff and pays:
            paid = (*paid, standoff.asked_rank)
        totals: dict[int, int] = {}
        for spot, owner, rogue, _ in self.there(self.position.in_play, self.contested()):
            if rogue is not None:
                data = self.data.rogue(rogue)
                strength = data.paid_strength if spot.rank in paid else data.strength
                totals[owner] = totals.get(owner, 0) + strength
        if self.position.active in totals:
            totals[self.position.active] += self.bonus
        return max(totals, key=lambda seat: totals[seat])


_WORTHS: Mapping[type[Any], Callable[[Forecast, Any], float]] = {
    actions.PlaceRogue: Forecast.place,
    actions.MoveRogue: Forecast.move,
    actions.PerformAction: Forecast.perform,
    actions.BuyRenown: Forecast.buy,
    actions.MoveOther: Forecast.move_other,
    actions.EndTurn: Forecast.end,
    actions.PlayCard: Forecast.card,
    actions.PlayEmpress: Forecast.empress,
    actions.PlayDevil: Forecast.devil,
    actions.PlayHangedMan: Forecast.board_card,
    actions.PlayChariot: Forecast.board_card,
    actions.PlayTower: Forecast.board_card,
    actions.PlayHermit: Forecast.idle_card,
    actions.PlayFool: Forecast.idle_card,
    actions.SinkRogue: Forecast.sink,
    actions.DiscardPlot: Forecast.discard,
    actions.ChooseWrath: Forecast.wrath,
    actions.SettleNext: Forecast.settle,
    actions.PaySwordsman: Forecast.pay,
    actions.RevealLone: Forecast.reveal,
    actions.UseCourtesan: Forecast.send,
    actions.TakeEffect: Forecast.end,
}


class Counter:
    """Plays one match."""

    def __init__(self) -> None:
        self._belief: Belief | None = None

    def choose(self, position: Position) -> Action:
        """Return the action that is worth most, one of them at random if there are several."""
        belief = self._belief or Belief(position.seat, position.seats, position.data)
        self._belief = belief
        for event in position.events:
            belief.hear(event)
        if position.time_ms < HURRY_MS:
            return position.random_action()
        actions = position.rng.sample(position.actions, len(position.actions))
        return max(actions, key=Forecast(position, belief).worth)


if __name__ == "__main__":
    run_with_memory(Counter, name="counter")
