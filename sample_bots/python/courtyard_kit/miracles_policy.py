"""A quick policy for the seats of a `World`: what playouts play by."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

from courtyard_kit.miracles import Action, PlotCard, Rogue
from courtyard_kit.miracles_belief import WORTHS
from courtyard_kit.miracles_pieces import (
    GRANDE_COUR,
    LE_CHATELET,
    LES_HALLES,
    PLACES,
    RUE,
    TAVERNE,
    spot_number,
)
from courtyard_kit.miracles_world import World
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

OWN_TOKEN = [*[CONTROL + CLOSER * before for before in range(RENOWN_TOKENS - 1)], VICTORY]
"""The worth of a token by the number in play before it."""
RIVALS_TOKEN = [-SPITE * worth for worth in OWN_TOKEN]

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

_Lying = list[tuple[int, int, float]]
"""Rogues in a neighbourhood: spots in order, owners, and strengths as far as the seat can tell."""

_Facing = tuple[list[tuple[int, float]], tuple[int, float] | None, int]
"""Own rogues in a neighbourhood with spots and strengths, the strongest rival, and how many lie."""


class Policy:
    """What the actions of the seat to act are worth by a quick look at one world, in coins.

    Rogues that the seat cannot see count as strong as most are. So its chance to win a standoff
    follows from its lead over the strongest rival there.
    """

    def __init__(self, world: World) -> None:
        """Look at a world for the seat that is asked there."""
        self.world = world
        self.seat: int = world.asked[1]
        self._bonus = float(world.emperor) * world.print.amounts[PlotCard.THE_EMPEROR]
        self._tokens = [RIVALS_TOKEN[before] for before in world.renown]
        self._tokens[self.seat] = OWN_TOKEN[world.renown[self.seat]]
        """What one more token of each seat is worth."""
        # What follows is found once it is needed.
        self._there: list[_Lying | None] = [None] * len(PLACES)
        self._faced: list[_Facing | None] = [None] * len(PLACES)
        self._actions: list[float | None] = [None] * len(PLACES)
        self._stakes: list[list[float] | None] = [None] * len(PLACES)
        self._standings: list[float | None] = [None] * len(PLACES)
        self._arrivals: list[float | None] = [None] * len(SPOTS)
        """What the effect of each spot and the action there are worth."""
        self._entries: dict[tuple[int, float], float] = {}
        """The same with the standoff, by the spot and the strength of the rogue put there."""

    def best(self) -> Action:
        """Return the action that is worth most, of those that playouts consider."""
        if self.world.asked[0] is PlaceStep and (hand := self.world.hands[self.seat]):
            rogue, spot = max(product(dict.fromkeys(hand), self._free()), key=self._placed)
            return actions.PlaceRogue(rogue, SPOTS[spot])
        found = [*self._moves()]
        return found[0] if len(found) == 1 else max(found, key=self.worth)

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return self._WORTHS[type(action)](self, action)

    # What playouts consider

    def _moves(self) -> Iterator[Action]:
        return self._MOVES[self.world.asked[0]](self)

    def _free(self) -> list[int]:
        return [spot for spot, owner in enumerate(self.world.owners) if owner is None]

    def _moving(self) -> Iterator[Action]:
        free = [SPOTS[spot] for spot in self._free()]
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
                free = [SPOTS[spot] for spot in self._free()]
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
        PlaceStep: _moving,
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
        return self._placed((rogue, spot_number(at))) - WAITING * plot_first

    def _placed(self, placing: tuple[Rogue, int]) -> float:
        """Return what it is worth to put a rogue on a spot."""
        rogue, spot = placing
        strength = self._strength(self.seat, rogue)
        worth = self._entries.get((spot, strength))
        if worth is None:
            place = spot // 3
            own, rival, number = self._facing(place)
            own = sorted([*own, (spot, strength)])
            change = self._between(place, own, rival, number + 1) - self._standing(place)
            worth = self._entries[spot, strength] = self._arrive(spot) + change
        return worth - HOLD * ROGUES[rogue]

    def _move(self, action: actions.MoveRogue) -> float:
        waiting = WAITING * action.plot_first
        return self._arrive(spot_number(action.target)) + self._shifted(action) - waiting

    def _arrive(self, spot: int) -> float:
        known = self._arrivals[spot]
        if known is None:
            known = self._arrivals[spot] = self._visit(spot)
        return known

    def _visit(self, spot: int) -> float:
        place, effect = spot // 3, self.world.print.effects[spot]
        if effect.kind is EffectKind.COIN and place == LES_HALLES:
            there = self._action_at(place, self.world.coins[self.seat] + effect.amount)
        else:
            there = self._action(place)
        return FIRST + self._effect(effect) + max(0.0, there)

    def _action(self, place: int) -> float:
        """Return what the action of a neighbourhood is worth with the coins that are there."""
        known = self._actions[place]
        if known is None:
            coins = self.world.coins[self.seat]
            known = self._actions[place] = self._action_at(place, coins)
        return known

    def _perform(self, _: actions.PerformAction) -> float:
        return self._action(self.world.visited or 0)

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
            worth += sum([self._worth_of(place, self._rogues(place)) for place in full])
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
        place = spot // 3
        left = [one for one in self._rogues(place) if one[0] != spot]
        return self._worth_of(place, left) - self._standing(place) - KEPT

    def _chariot(self, action: actions.PlayChariot) -> float:
        return self._shifted(action) - KEPT

    def _tower(self, action: actions.PlayTower) -> float:
        world, one, other = self.world, spot_number(action.first), spot_number(action.second)
        change = -self._standing(one // 3) - self._standing(other // 3)
        world.swap(one, other)
        after = [self._worth_of(place, self._lying(place)) for place in (one // 3, other // 3)]
        world.swap(one, other)
        return change + sum(after) - KEPT

    def _keep(self, _: Action) -> float:
        return -KEPT

    # The board

    def _shifted(self, action: Any) -> float:
        """Return by how much moving a rogue improves the standoffs to come."""
        origin, target = spot_number(action.origin), spot_number(action.target)
        left, entered = origin // 3, target // 3
        rest, moved = [], []
        for one in self._rogues(left):
            if one[0] == origin:
                moved.append((target, *one[1:]))
            else:
                rest.append(one)
        change = -self._standing(left)
        if entered == left:
            return change + self._worth_of(left, sorted([*rest, *moved]))
        change -= self._standing(entered)
        change += self._worth_of(entered, sorted([*self._rogues(entered), *moved]))
        return change + self._worth_of(left, rest)

    def _standing(self, place: int) -> float:
        """Return what the standoff to come in a neighbourhood is worth as the rogues lie."""
        known = self._standings[place]
        if known is None:
            known = self._standings[place] = self._between(place, *self._facing(place))
        return known

    def _rogues(self, place: int) -> _Lying:
        """Return the rogues that lie in a neighbourhood."""
        known = self._there[place]
        if known is None:
            known = self._there[place] = self._lying(place)
        return known

    def _lying(self, place: int) -> _Lying:
        world, found = self.world, []
        owners, bit = world.owners, 1 << self.seat
        for spot in range(3 * place, 3 * place + 3):
            if (owner := owners[spot]) is not None:
                seen = world.seers[spot] & bit
                strength = self._strength(owner, world.faces[spot]) if seen else HIDDEN
                found.append((spot, owner, strength))
        return found

    def _strength(self, owner: int, rogue: Rogue) -> float:
        data = self.world.print.rogues[rogue]
        pays = data.price and self.world.coins[owner] >= data.price
        strength: float = data.paid_strength if pays else data.strength
        return strength

    def _facing(self, place: int) -> _Facing:
        """Return how a neighbourhood's rogues face each other as they lie."""
        known = self._faced[place]
        if known is None:
            known = self._faced[place] = self._sides(place, self._rogues(place))
        return known

    def _sides(self, place: int, lying: _Lying) -> _Facing:
        own, last = [], 3 * place + 2
        totals: dict[int, float] = {}
        for spot, owner, strength in lying:
            if owner == self.seat:
                own.append((spot, strength))
            elif owner in totals:
                totals[owner] += strength
            else:
                totals[owner] = strength + TIE * (last - spot)
        if not totals:
            return own, None, len(lying)
        if self.world.active in totals:
            totals[self.world.active] += self._bonus
        rival = max(totals, key=totals.__getitem__)
        return own, (rival, totals[rival]), len(lying)

    def _worth_of(self, place: int, lying: _Lying) -> float:
        """Return what the standoff to come is worth if these rogues lie in a neighbourhood."""
        return self._between(place, *self._sides(place, lying))

    def _between(
        self,
        place: int,
        own: Sequence[tuple[int, float]],
        rival: tuple[int, float] | None,
        number: int,
    ) -> float:
        """Return what a standoff is worth with these own rogues and this strongest rival."""
        if not number:
            return 0.0
        stakes, soon = self._stakes_at(place), SOON[number]
        if rival is None:
            return soon * stakes[self.seat]
        if not own:
            return soon * stakes[rival[0]]
        (first, total), *others = own
        total += TIE * (3 * place + 2 - first)
        for _, strength in others:
            total += strength
        if self.world.active == self.seat:
            total += self._bonus
        chance = 0.5 + LEAD * (total - rival[1])
        chance = 0.0 if chance < 0 else 1.0 if chance > 1 else chance
        return soon * (chance * stakes[self.seat] + (1 - chance) * stakes[rival[0]])

    def _stakes_at(self, place: int) -> list[float]:
        """Return what it is worth if each seat takes control of a neighbourhood."""
        known = self._stakes[place]
        if known is None:
            controller, known = self.world.controls[place], self._tokens
            if controller is not None:
                lost = self._token(controller, self.world.renown[controller] - 1)
                known = [token - lost for token in known]
                known[controller] = 0.0
            self._stakes[place] = known
        return known

    def _token(self, seat: int, before: int) -> float:
        return OWN_TOKEN[before] if seat == self.seat else RIVALS_TOKEN[before]

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
        stakes = self._stakes_at(place)
        return stakes[winner] - stakes[without] - price

    def _reveal(self, action: actions.RevealLone) -> float:
        lone = self.world.faces[self.world.asked[2]]
        return float(action.reveals == (lone in REVEALED))

    def _send(self, action: actions.UseCourtesan) -> float:
        return self._stakes_at(action.neighbourhood - 1)[self.seat]

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
