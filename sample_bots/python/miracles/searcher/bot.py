"""Draws what it cannot see, and plays a round on, again and again.

How it thinks. A world is a state of the game that it cannot tell from the true one. In each world
every seat plays by a quick policy until this one's next turn. What stands then, in Renown, coins,
cards and rogues, says how many rivals each seat may expect to beat. A candidate for this decision
is as good as what it leads to, over many worlds. The worse half of the candidates goes, again and
again, so most playouts go to those that are hard to tell apart.

`--nodes N` bounds the decisions taken in the playouts of one decision: then it decides the same on
every machine that has the time.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import chain, islice
from math import exp
from typing import Any, ClassVar

from courtyard_kit.miracles import Action, PlotCard, Position, Rogue, run
from courtyard_kit.miracles_belief import WORTHS
from courtyard_kit.miracles_world import (
    ALL_SEATS,
    GRANDE_COUR,
    LE_CHATELET,
    LES_HALLES,
    PLACES,
    RUE,
    TAVERNE,
    World,
    spot_number,
    worlds,
)
from courtyard_kit.search import Budget, Playouts, best_of

from referee.games.miracles import action as actions
from referee.games.miracles.agenda import (
    ActStep,
    CourtesanStep,
    DrawStep,
    EffectStep,
    LoneStep,
    OrderStep,
    PlaceStep,
    SinkStep,
    SwordsmanStep,
    WrathStep,
)
from referee.games.miracles.data import Effect, EffectKind
from referee.games.miracles.pieces import LINES, RENOWN_TOKENS, SPOTS

CANDIDATES = 8
"""How many of the actions are tried: those that the policy thinks best."""
FIRST_WORLDS = 4
"""The number of worlds in which the policy looks at all actions."""
PRIOR_WORLDS = 2
"""The policy's opinion of an action counts as much as playouts in this number of worlds."""
A_COIN = 0.02
"""What a coin is worth as a share of the rivals to be beaten."""
ROUNDS = 1
"""How far it looks."""
SHUFFLES = 2
"""As redrawing takes long, each drawn world serves so often, each time with new piles."""
SHARE = 0.5
"""The part of the time of a decision that it uses."""
MARGIN_MS = 50
"""What it leaves of that for the last playout and the way of the answer."""
HURRY_MS = 150
"""With less time than this any legal action must do."""
DECISIONS = 30
"""How many more decisions the time of the bank should last for."""

# What the policy knows, in coins

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
HIDDEN = 1.2
"""The strength of a rogue that the seat cannot see."""
TIE = 0.2
"""The worth of being closer to the crown by a rank, as strength."""
LEAD = 0.3
"""How much a lead of one adds to the chance to win a standoff."""
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
"""The cost of letting a spot wait for a Plot card."""
FIRST = 5.0
"""Cards are mostly of more use after the rogue was placed."""
KEPT = 0.9
"""The worth of a Plot card for later turns."""

# By number: what playouts look up stands in lists.
CARDS = [0.0, 1.0, 0.2, 0.8, 2.0, 2.2, 2.1, 1.05, 1.1, 1.2, 0.1, 0.3, 1.3]
"""The worth of playing each Plot card, where nothing better is known."""
ROGUES = [0.0, *[WORTHS[rogue] for rogue in Rogue]]
"""How gladly one has each rogue."""
REVEALED = (Rogue.PICKPOCKET, Rogue.DEFROCKED_PRIEST, Rogue.COURTESAN)
"""Rogues that are revealed even where they win face down, for their ability."""
_CHOICES: Mapping[Any, Callable[[Any], Action]] = {
    WrathStep: actions.ChooseWrath,
    OrderStep: actions.SettleNext,
    CourtesanStep: actions.UseCourtesan,
}
_ANSWERS: Mapping[Any, Callable[[Any], Action]] = {
    LoneStep: actions.RevealLone,
    SwordsmanStep: actions.PaySwordsman,
}
_PLAIN = (
    PlotCard.STRENGTH,
    PlotCard.JUDGMENT,
    PlotCard.THE_SUN,
    PlotCard.WHEEL_OF_FORTUNE,
    PlotCard.THE_EMPEROR,
)

# What a standing is worth, by a logistic regression over games that the policy played with itself

STANDING = (0.0, 0.47, 0.98, 1.52, 2.21, 3.45, 5.0)
"""What tokens in play are worth, by their number."""
COINS = 0.12, -0.11
"""What a coin is worth, and how that changes on the King's way."""
PLOTS = 0.07, -0.1
"""The same of a Plot card."""
FACES = 0.19, -0.2
"""The same of a bit of a rogue's worth."""
WAITS = -0.5, -0.5
"""The same of coming last and not first in the round."""
LEADS = 0.0, 0.2, 0.25, 0.5
"""What leading in a neighbourhood is worth that another controls or none, by its rogues."""
RISKS = 0.0, -0.15, -0.7, -1.0
"""What it is worth to control one where another leads."""


class Policy:
    """What the actions of the seat to act are worth by a quick look at one world, in coins.

    Rogues that the seat cannot see count as strong as most are. So its chance to win a standoff
    follows from its lead over the strongest rival there.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.seat: int = world.asked[1]
        price = world.print.rogues[Rogue.SWORDSMAN].price
        self._paid = [coins >= price for coins in world.coins]
        self._tokens = [self._token(seat, renown) for seat, renown in enumerate(world.renown)]
        self._bonus = float(world.emperor) * world.print.amounts[PlotCard.THE_EMPEROR]
        self._standings: list[float | None] = [None] * len(PLACES)
        self._arrivals: list[float | None] = [None] * len(SPOTS)
        """What the effect of each spot and the action there are worth, once they were needed."""

    def best(self) -> Action:
        """Return the action that is worth most, of those that playouts consider."""
        found = [*self._moves()]
        return found[0] if len(found) == 1 else max(found, key=self.worth)

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return self._WORTHS[type(action)](self, action)

    # What playouts consider

    def _moves(self) -> Iterator[Action]:
        return self._MOVES[self.world.asked[0]](self)

    def _placings(self) -> Iterator[Action]:
        world, seat = self.world, self.seat
        free = [SPOTS[spot] for spot, owner in enumerate(world.owners) if owner is None]
        if kinds := set(map(int, world.hands[seat])):
            for rogue in world.hands[seat]:
                if rogue in kinds:
                    kinds.discard(int(rogue))
                    for spot in free:
                        yield actions.PlaceRogue(rogue, spot)
        else:
            for origin in self._own_spots():
                for spot in free:
                    yield actions.MoveRogue(origin, spot)

    def _own_spots(self) -> Iterator[Any]:
        for spot, owner in enumerate(self.world.owners):
            if owner == self.seat:
                yield SPOTS[spot]

    def _acts(self) -> Iterator[Action]:
        world = self.world
        if world.can_act():
            place = world.visited
            if place == LES_HALLES:
                yield from map(actions.BuyRenown, world.affordable(self.seat))
            elif place != RUE:
                yield actions.PerformAction()
            else:
                free = [SPOTS[spot] for spot, owner in enumerate(world.owners) if owner is None]
                for origin in self._own_spots():
                    if spot_number(origin) != world.placed:
                        for spot in free:
                            yield actions.MoveOther(origin, spot)
        if world.may_play():
            yield from self._plays()
        yield actions.EndTurn()

    def _plays(self) -> Iterator[Action]:
        for card in self.world.plots[self.seat]:
            if card in _PLAIN:
                yield actions.PlayCard(card)
            elif card is PlotCard.THE_DEVIL:
                rivals = [seat for seat in range(self.world.seats) if seat != self.seat]
                yield from map(actions.PlayDevil, rivals)
            elif card is PlotCard.THE_HANGED_MAN:
                for spot, owner in enumerate(self.world.owners):
                    if owner is not None and owner != self.seat:
                        yield actions.PlayHangedMan(SPOTS[spot])

    def _effects(self) -> Iterator[Action]:
        yield from self._plays()
        yield actions.TakeEffect()

    def _sinkings(self) -> Iterator[Action]:
        yield actions.SinkRogue(None)
        yield from map(actions.SinkRogue, self.world.hands[self.seat])

    def _discards(self) -> Iterator[Action]:
        yield from map(actions.DiscardPlot, self.world.plots[self.seat])

    def _choices(self) -> Iterator[Action]:
        kind, _, choices, *_ = self.world.asked
        for place in choices:
            yield _CHOICES[kind](PLACES[place])

    def _answers(self) -> Iterator[Action]:
        return map(_ANSWERS[self.world.asked[0]], (False, True))

    _MOVES: ClassVar[Mapping[type[Any], Callable[..., Iterator[Action]]]] = {
        PlaceStep: _placings,
        EffectStep: _effects,
        ActStep: _acts,
        SinkStep: _sinkings,
        DrawStep: _discards,
        WrathStep: _choices,
        OrderStep: _choices,
        LoneStep: _answers,
        SwordsmanStep: _answers,
        CourtesanStep: _choices,
    }

    # A turn

    def _place(self, action: actions.PlaceRogue) -> float:
        rogue, at, plot_first = action
        world, spot, seat = self.world, spot_number(at), self.seat
        place = spot // 3
        before = self._standing(place)
        world.owners[spot], world.faces[spot], world.seers[spot] = seat, rogue, ALL_SEATS
        change = self._stands(place) - before
        world.owners[spot] = None
        return self._arrive(spot) + change - HOLD * ROGUES[rogue] - WAITING * plot_first

    def _move(self, action: actions.MoveRogue) -> float:
        waiting = WAITING * action.plot_first
        return self._arrive(spot_number(action.target)) + self._shifted(action) - waiting

    def _arrive(self, spot: int) -> float:
        known = self._arrivals[spot]
        if known is None:
            known = self._arrivals[spot] = self._visit(spot)
        return known

    def _visit(self, spot: int) -> float:
        effect = self.world.print.effects[spot]
        coins = self.world.coins[self.seat]
        if effect.kind is EffectKind.COIN:
            coins += effect.amount
        return FIRST + self._effect(effect) + max(0.0, self._action_at(spot // 3, coins))

    def _perform(self, _: actions.PerformAction) -> float:
        return self._action_at(self.world.visited or 0, self.world.coins[self.seat])

    def _buy(self, action: actions.BuyRenown) -> float:
        return self._line(action.line) + self._income(LES_HALLES)

    def _move_other(self, action: actions.MoveOther) -> float:
        return self._shifted(action) + self._income(RUE)

    def _end(self, _: Action) -> float:
        return 0.0

    def _sink(self, action: actions.SinkRogue) -> float:
        drawn = self.world.drawn
        hand = self.world.hands[self.seat]
        least = min([ROGUES[rogue] for rogue in (drawn, *hand)])
        worth: float = least - ROGUES[action.rogue or drawn]
        return worth

    def _effect(self, effect: Effect) -> float:
        kind, amount = effect
        if kind is EffectKind.COIN:
            return COIN * amount
        if kind is EffectKind.PLOT:
            return PLOT * amount
        if kind is EffectKind.RIGHT_HAND:
            return 2.0
        renown = self.world.renown
        rivals = [tokens for seat, tokens in enumerate(renown) if seat != self.seat]
        return KING * amount * max(-1, min(1, renown[self.seat] - max(rivals)))

    def _income(self, place: int) -> float:
        controller = self.world.controls[place]
        if controller is None:
            return 0.0
        return 1.0 if controller == self.seat else -0.5

    def _action_at(self, place: int, coins: int) -> float:
        worth = 0.0
        if place == TAVERNE:
            worth = RECRUIT
        elif place == LE_CHATELET:
            worth = PLOT
        elif place == RUE:
            worth = MOVE
        elif place == GRANDE_COUR:
            worth = 2 * COIN
        else:
            lines, held = self.world.print.lines, self.world.lines[self.seat]
            payable = [n for n in LINES if n not in held and lines[n].cost <= coins]
            worth = max(map(self._line, payable), default=-1.0)
        return worth + self._income(place)

    def _line(self, number: int) -> float:
        line = self.world.print.lines[number]
        victory = self.world.renown[self.seat] == RENOWN_TOKENS - 1
        worth: float = (VICTORY if victory else LINE) - COIN * line.cost
        return worth + self._effect(line.bonus)

    # Plot cards

    def _discard(self, action: actions.DiscardPlot) -> float:
        return -CARDS[action.card]

    def _card(self, action: actions.PlayCard) -> float:
        card, world = action.card, self.world
        worth = CARDS[card]
        if card is PlotCard.JUDGMENT:
            own = world.renown[self.seat]
            richer = zip(world.renown, world.coins, strict=True)
            worth = COIN * sum([renown > own and coins > 0 for renown, coins in richer])
        elif card is PlotCard.THE_EMPEROR:
            full = [place for place in range(5) if len(world.there(place)) == len(SOON) - 1]
            worth = -sum([self._standing(place) for place in full])
            self._bonus = world.print.amounts[card]
            worth += sum([self._stands(place) for place in full])
            self._bonus = 0.0
        return worth - KEPT

    def _devil(self, action: actions.PlayDevil) -> float:
        victim, world = action.opponent, self.world
        most = min(world.print.amounts[PlotCard.THE_DEVIL], world.coins[victim])
        return most * (COIN + 0.1 * world.renown[victim]) - KEPT

    def _empress(self, action: actions.PlayEmpress) -> float:
        line = action.token.line
        again = line and self.world.coins[self.seat] >= self.world.print.lines[line].cost
        return CARDS[PlotCard.THE_SUN] - KEPT if again else -KEPT

    def _hanged_man(self, action: actions.PlayHangedMan) -> float:
        spot = spot_number(action.spot)
        before = self._standing(spot // 3)
        owner, self.world.owners[spot] = self.world.owners[spot], None
        change = self._stands(spot // 3) - before
        self.world.owners[spot] = owner
        return change - KEPT

    def _chariot(self, action: actions.PlayChariot) -> float:
        return self._shifted(action) - KEPT

    def _tower(self, action: actions.PlayTower) -> float:
        world, one, other = self.world, spot_number(action.first), spot_number(action.second)
        change = -self._standing(one // 3) - self._standing(other // 3)
        world.swap(one, other)
        change += self._stands(one // 3) + self._stands(other // 3)
        world.swap(one, other)
        return change - KEPT

    def _keep(self, _: Action) -> float:
        return -KEPT

    # The board

    def _shifted(self, action: Any) -> float:
        """Return by how much moving a rogue improves the standoffs to come."""
        world, origin, target = self.world, spot_number(action.origin), spot_number(action.target)
        left, entered = origin // 3, target // 3
        owner, face, seers = world.owners[origin], world.faces[origin], world.seers[origin]
        change = -self._standing(left)
        if entered != left:
            change -= self._standing(entered)
        world.owners[origin] = None
        world.owners[target], world.faces[target], world.seers[target] = owner, face, seers
        change += self._stands(entered)
        if entered != left:
            change += self._stands(left)
        world.owners[target] = None
        world.owners[origin], world.faces[origin], world.seers[origin] = owner, face, seers
        return change

    def _standing(self, place: int) -> float:
        """Return what the standoff to come in a neighbourhood is worth as the rogues lie."""
        known = self._standings[place]
        if known is None:
            known = self._standings[place] = self._stands(place)
        return known

    def _stands(self, place: int) -> float:
        world, seat = self.world, self.seat
        owners, faces, seers = world.owners, world.faces, world.seers
        totals: dict[int, float] = {}
        first, number = 3 * place, 0
        for spot in (first, first + 1, first + 2):
            owner = owners[spot]
            if owner is None:
                continue
            number += 1
            if seers[spot] >> seat & 1:
                data = world.print.rogues[faces[spot]]
                strength = data.paid_strength if data.price and self._paid[owner] else data.strength
            else:
                strength = HIDDEN
            if owner in totals:
                totals[owner] += strength
            else:
                totals[owner] = strength + TIE * (first + 2 - spot)
        if not number:
            return 0.0
        if world.active in totals:
            totals[world.active] += self._bonus
        return SOON[number] * self._at_stake(totals, place)

    def _at_stake(self, totals: dict[int, float], place: int) -> float:
        """Return what a standoff is worth between seats of these strengths."""
        own = totals.pop(self.seat, None)
        if not totals:
            return self._stake(self.seat, place)
        rival = max(totals, key=totals.__getitem__)
        if own is None:
            return self._stake(rival, place)
        chance = min(max(0.5 + LEAD * (own - totals[rival]), 0.0), 1.0)
        return chance * self._stake(self.seat, place) + (1 - chance) * self._stake(rival, place)

    def _stake(self, winner: int, place: int) -> float:
        """Return what it is worth if a seat takes control of a neighbourhood."""
        controller = self.world.controls[place]
        if controller is None:
            return self._tokens[winner]
        if controller == winner:
            return 0.0
        return self._tokens[winner] - self._token(controller, self.world.renown[controller] - 1)

    def _token(self, seat: int, before: int) -> float:
        worth = VICTORY if before == RENOWN_TOKENS - 1 else CONTROL + CLOSER * before
        return worth if seat == self.seat else -SPITE * worth

    # Standoffs

    def _wrath(self, action: actions.ChooseWrath) -> float:
        place = action.neighbourhood - 1
        soon = SOON[len(self.world.there(place))]
        return self._standing(place) * (1 / soon - 1) if soon else 0.0

    def _settle(self, action: actions.SettleNext) -> float:
        place = action.neighbourhood - 1
        soon = SOON[len(self.world.there(place))]
        return self._standing(place) / soon if soon else 0.0

    def _pay(self, action: actions.PaySwordsman) -> float:
        if not action.pays:
            return 0.0
        world, place = self.world, self.world.contested or 0
        there, spot = world.there(place), world.asked[2]
        paying = world.totals(there, [*world.paid, spot])
        winner = max(paying, key=paying.__getitem__)
        saving = world.totals(there, world.paid)
        without = max(saving, key=saving.__getitem__)
        price: float = COIN * world.print.rogues[Rogue.SWORDSMAN].price
        return self._stake(winner, place) - self._stake(without, place) - price

    def _reveal(self, action: actions.RevealLone) -> float:
        lone = self.world.faces[self.world.asked[2]]
        return float(action.reveals == (lone in REVEALED))

    def _send(self, action: actions.UseCourtesan) -> float:
        return self._stake(self.seat, action.neighbourhood - 1)

    _WORTHS: ClassVar[Mapping[type[Any], Callable[..., float]]] = {
        actions.PlaceRogue: _place,
        actions.MoveRogue: _move,
        actions.PerformAction: _perform,
        actions.BuyRenown: _buy,
        actions.MoveOther: _move_other,
        actions.EndTurn: _end,
        actions.TakeEffect: _end,
        actions.PlayCard: _card,
        actions.PlayEmpress: _empress,
        actions.PlayDevil: _devil,
        actions.PlayHangedMan: _hanged_man,
        actions.PlayChariot: _chariot,
        actions.PlayTower: _tower,
        actions.PlayHermit: _keep,
        actions.PlayFool: _keep,
        actions.SinkRogue: _sink,
        actions.DiscardPlot: _discard,
        actions.ChooseWrath: _wrath,
        actions.SettleNext: _settle,
        actions.PaySwordsman: _pay,
        actions.RevealLone: _reveal,
        actions.UseCourtesan: _send,
    }


def success(world: World, seat: int) -> float:
    """Return how many rivals a seat may expect to beat, as a share."""
    rivals = [other for other in range(world.seats) if other != seat]
    if world.over:
        standings = [(world.renown[one], world.controlled(one)) for one in range(world.seats)]
        own = standings[seat]
        beaten = [(own > standings[one]) + 0.5 * (own == standings[one]) for one in rivals]
    else:
        worths = expected(world)
        beaten = [1 / (1 + exp(worths[one] - worths[seat])) for one in rivals]
    return sum(beaten) / len(rivals)


def expected(world: World) -> list[float]:
    """Return what each seat's standing is worth."""
    seats, way = world.seats, world.king / world.print.final
    coin, plot, face, wait = [now + change * way for now, change in (COINS, PLOTS, FACES, WAITS)]
    worths = [
        STANDING[world.renown[seat]]
        + coin * world.coins[seat]
        + plot * len(world.plots[seat])
        + face * sum([ROGUES[rogue] for rogue in world.hands[seat]])
        + wait * ((seat - world.active) % seats) / seats
        for seat in range(seats)
    ]
    price = world.print.rogues[Rogue.SWORDSMAN].price
    for place in range(len(PLACES)):
        if there := world.there(place):
            paid = []
            for spot in there:
                owner, rogue = world.owners[spot] or 0, world.faces[spot]
                worths[owner] += face * ROGUES[rogue]
                if rogue is Rogue.SWORDSMAN and world.coins[owner] >= price:
                    paid.append(spot)
            totals = world.totals(there, paid)
            leader, controller = max(totals, key=totals.__getitem__), world.controls[place]
            if controller != leader:
                worths[leader] += LEADS[len(there)]
                if controller is not None:
                    worths[controller] += RISKS[len(there)]
    return worths


def shuffled(drawn: Iterator[World], rng: random.Random) -> Iterator[World]:
    """Yield some worlds of each, with other orders of the cards and rogues to be drawn."""
    for first in drawn:
        yield first
        for _ in range(SHUFFLES - 1):
            world = first.copy()
            rng.shuffle(world.pile)
            rng.shuffle(world.bag)
            yield world


def candidates(actions: Sequence[Action], first: Sequence[World]) -> dict[int, float]:
    """Return which actions the policy thinks best over some worlds, with prior successes.

    They go by their numbers: as tuples, actions of different kinds can be equal.
    """
    totals = [0.0] * len(actions)
    for world in first:
        policy = Policy(world)
        for number, action in enumerate(actions):
            totals[number] += policy.worth(action)
    best = nlargest(CANDIDATES, range(len(actions)), key=totals.__getitem__)
    return {number: PRIOR_WORLDS * A_COIN * totals[number] / len(first) for number in best}


def play_out(budget: Budget, world: World, action: Action) -> float:
    """Return how well the seat to act fares by this action in a world."""
    seat, game = world.asked[1], world.copy()
    game.apply(action)
    nodes = 1
    last = world.turn + (seat - world.active - 1) % world.seats + 1 + (ROUNDS - 1) * world.seats
    while not game.over and game.turn < last:
        game.apply(Policy(game).best())
        nodes += 1
    budget.spend(nodes)
    return success(game, seat)


def choose(position: Position, nodes: int = 0) -> Action:
    """Return the action that leads to the best places over many worlds."""
    if position.time_ms < HURRY_MS:
        return position.random_action()
    if len(position.actions) == 1:
        return position.actions[0]
    fair = min(position.time_ms * SHARE, position.bank_ms / DECISIONS)
    budget = Budget((fair - MARGIN_MS) / 1000, nodes)
    drawn = shuffled(worlds(position), position.rng)
    first = [*islice(drawn, FIRST_WORLDS)]
    actions, priors = position.actions, candidates(position.actions, first)

    def outcome(world: World, number: int) -> float:
        return play_out(budget, world, actions[number])

    return actions[best_of(priors, chain(first, drawn), outcome, budget)]


PLAYOUTS = Playouts(World, Policy, play_out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=0)
    options, _ = parser.parse_known_args()
    run(partial(choose, nodes=options.nodes), name="searcher")
