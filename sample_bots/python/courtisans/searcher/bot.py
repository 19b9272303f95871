"""Draws what it cannot see, and plays a round on, again and again.

How it thinks. A world is a state of the game that it cannot tell from the true one. In each world
every seat plays one turn by a simple policy, quick rather than clever: it places what is worth most
by how families and missions stand. The surplus with which a family will end is then taken as
normally distributed, and gives what each seat may expect to score. A candidate for this turn is as
good as the places to which it leads, over many worlds. The worse half of the candidates goes, again
and again, so most playouts go to those that are hard to tell apart.

`--nodes N` bounds the turns played in the playouts of a decision: then it decides the same on
every machine that has the time.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from heapq import nlargest
from itertools import chain, islice, permutations, product
from math import erf, exp, prod, sqrt
from operator import itemgetter, mul
from typing import TYPE_CHECKING, Any, NamedTuple

from courtyard_kit.courtisans import (
    Action,
    Card,
    Family,
    Mission,
    Placement,
    Position,
    Role,
    Side,
    run,
)
from courtyard_kit.search import Budget, Playouts, best_of

from referee.games.courtisans.cards import WEIGHTS
from referee.games.courtisans.facts import truth
from referee.games.courtisans.missions import (
    FALLEN,
    FEWER,
    MISSION_POINTS,
    ROLES,
    MissionCounts,
    is_fulfilled,
)

if TYPE_CHECKING:
    from referee.games.courtisans.state import CourtisansState

CANDIDATES = 8
"""How many of the turns are tried: those that the policy thinks best."""
FIRST_WORLDS = 8
"""In so many worlds the policy looks at all turns."""
TARGETS = 2
"""In each area the most promising targets of an assassin."""
PRIOR_WORLDS = 4
"""The policy's opinion of a turn counts as much as playouts in so many worlds."""
A_POINT = 0.08
"""What a point is worth as a share of the rivals to be beaten."""
ROUNDS = 1
"""How far it looks."""
CLOSE, SCATTER = 0.82, 2.3
"""A lead of so many points makes a better place likely; more, by the root of the turns left."""
END_DRIFT, END_SPREAD = -0.11, 0.78
"""What a turn to come adds to the surplus of a family, and to its variance, after a playout."""
LEAD_SPREAD = 1.2
"""What a turn of each seat adds to the variance of a lead over a neighbour."""
ENDEAVOUR = 1.75
"""How often the points of a mission count there: who may fulfil it works for it."""
DRIFT, SPREAD = -0.05, 0.8
"""The same as a drift and a spread for the policy, which looks at its own turn alone."""
FEWER_POINTS = 0.7
"""What a card brings to the mission to have fewer than the neighbour."""
RIVALRY_POINTS = 3.0
"""A rival who stands this number of points behind another counts 1/e as much."""
SHARE = 0.5
"""The part of the time of a decision that it uses."""
MARGIN_MS = 30
"""What it leaves of that for the last playout and the way of the answer."""
HURRY_MS = 100
"""With less time than this any legal action must do."""

FIVE = 5
"""The weight of one family below the mat that a mission asks for."""

_FAMILIES = tuple(Family)
_INDICES = range(1, 7)
_SIDES = (Side.ABOVE, Side.BELOW)
_OTHER = {Side.ABOVE: Side.BELOW, Side.BELOW: Side.ABOVE}
_ABOVE, _NOBLE, _ASSASSIN, _GUARD = Side.ABOVE, Role.NOBLE, Role.ASSASSIN, Role.GUARD
# Enums are slow to hash: what playouts look up stands in lists, by number.
_WEIGHT = [0, *WEIGHTS.values()]
_ORDERS = {
    equal: [
        order
        for order in permutations(range(3))
        if not any(same and order.index(at) > order.index(at + 1) for at, same in enumerate(equal))
    ]
    for equal in product((False, True), repeat=2)
}
"""The orders of three sorted cards, by whether the first two and the last two are equal."""
_IN_HAND = [0, 0, 0.6, 0.35, 0.35, 0.49]
"""How likely a hand has a card of each role."""
_NUMBERS: Any = range(max(Mission) + 1)
_FEWER = [FEWER.get(number) for number in _NUMBERS]
_GOALS = [ROLES.get(number) for number in _NUMBERS]
_FALLEN = [FALLEN.get(number) for number in _NUMBERS]


def normal(margin: float, variance: float) -> float:
    """Return the chance that what is expected to be so large is positive."""
    return (1 + erf(margin / sqrt(2 * variance + 1e-9))) / 2


@cache
def at_least(missing: int, turns: int, chance: float) -> float:
    """Return the chance of so many successes in so many turns."""
    if missing <= 0 or not turns:
        return float(missing <= 0)
    more = at_least(missing - 1, turns - 1, chance)
    return chance * more + (1 - chance) * at_least(missing, turns - 1, chance)


@cache
def chances(to_come: int, drift: float, spread: float) -> tuple[Sequence[float], Sequence[float]]:
    """Return by surplus, also a negative one, how likely a family ends esteemed and fallen."""
    span = [*range(61), *range(-60, 0)]
    mean, variance = drift * to_come, spread * to_come
    return (
        [normal(surplus + mean - 0.5, variance) for surplus in span],
        [normal(-surplus - mean - 0.5, variance) for surplus in span],
    )


@cache
def outlook(to_come: int) -> Sequence[float]:
    """Return by surplus what weight of such a family in a domain may expect to score, -1 to 1."""
    return [up - down for up, down in zip(*chances(to_come, DRIFT, SPREAD), strict=True)]


class World:
    """A game as far as it matters to playouts; families and roles index its lists."""

    def __init__(self, state: "CourtisansState") -> None:
        self.noble = state.config.noble_weight_in_missions
        self.missions = state.deal.missions
        self.seats = len(self.missions)
        self.turn = state.turn
        self.seat = state.to_act or 0
        self.left = sum(state.turns_left)
        """Turns to be played, by all seats."""
        self.deck = state.deck
        self.hands = [*state.hands]
        self.surplus = [0] * 7
        """Weight above the mat minus weight below."""
        self.below: Any = [0] * 7
        """Weight below the mat, as missions count it."""
        self.weights = [[0] * 7 for _ in range(self.seats)]
        """In each seat's domain."""
        self.held: Any = [[0] * 7 for _ in range(self.seats)]
        """The same as missions count it."""
        self.roles: Any = [[0] * 6 for _ in range(self.seats)]
        self.table: dict[int, tuple[Card, Side]] = {}
        """What an assassin may eliminate there, by turn."""
        self.domains: list[dict[int, Card]] = [{} for _ in range(self.seats)]
        """The same in each seat's domain."""
        for card in truth(state.table):
            self._lay(Card(card.family, card.role), card.side or _ABOVE, card.turn)
        for seat, domain in enumerate(state.domains):
            for card in truth(domain):
                self._give(seat, Card(card.family, card.role), card.turn)

    def copy(self) -> "World":
        """Return the same game, to be played on apart."""
        other = World.__new__(World)
        other.__dict__.update(self.__dict__)
        other.hands = [*self.hands]
        other.surplus, other.below = [*self.surplus], [*self.below]
        other.weights = [[*row] for row in self.weights]
        other.held = [[*row] for row in self.held]
        other.roles = [[*row] for row in self.roles]
        other.table = {**self.table}
        other.domains = [{**domain} for domain in self.domains]
        return other

    def _lay(self, card: Card, side: Side, turn: int, sign: int = 1) -> None:
        family, role = card.family or 0, card.role
        if side is _ABOVE:
            self.surplus[family] += sign * _WEIGHT[role]
        else:
            self.surplus[family] -= sign * _WEIGHT[role]
            self.below[family] += sign * (self.noble if role is _NOBLE else 1)
        if sign > 0 and role is not _GUARD:
            self.table[turn] = card, side

    def _give(self, seat: int, card: Card, turn: int, sign: int = 1) -> None:
        family, role = card.family or 0, card.role
        self.weights[seat][family] += sign * _WEIGHT[role]
        self.held[seat][family] += sign * (self.noble if role is _NOBLE else 1)
        self.roles[seat][role] += sign
        if sign > 0 and role is not _GUARD:
            self.domains[seat][turn] = card

    def apply(self, action: Action) -> None:
        """Play a turn."""
        (table, slain), side, (own, own_slain), (gift, gift_slain), opponent = action
        seat, turn = self.seat, self.turn
        if slain:
            self._lay(*self.table.pop(slain), slain, -1)
        if own_slain:
            self._give(seat, self.domains[seat].pop(own_slain), own_slain, -1)
        if gift_slain:
            self._give(opponent, self.domains[opponent].pop(gift_slain), gift_slain, -1)
        self._lay(table, side or _ABOVE, turn)
        self._give(seat, own, turn)
        self._give(opponent, gift, turn)
        self.hands[seat], self.deck = tuple(sorted(self.deck[:3])), self.deck[3:]
        self.seat = (seat + 1) % self.seats
        self.turn += 1
        self.left -= 1

    def points(self) -> list[int]:
        """Return what each seat scores if the game ends now."""
        sign = [(surplus > 0) - (surplus < 0) for surplus in self.surplus]
        esteemed = [family for family in _FAMILIES if sign[family] > 0]
        fallen = [family for family in _FAMILIES if sign[family] < 0]
        points = []
        for seat in range(self.seats):
            counts = MissionCounts(
                own=self.held[seat],
                neighbour=self.held[(seat + 1) % self.seats],
                roles=self.roles[seat],
                below=self.below,
                esteemed=esteemed,
                fallen=fallen,
            )
            fulfilled = sum([is_fulfilled(mission, counts) for mission in self.missions[seat]])
            families = sum([w * s for w, s in zip(self.weights[seat], sign, strict=True)])
            points.append(families + MISSION_POINTS * fulfilled)
        return points

    def success(self, seat: int) -> float:
        """Return how many rivals a seat may expect to beat, as a share."""
        points = self.expected_points() if self.left else self.points()
        close = CLOSE + SCATTER * sqrt(self.left)
        own = points[seat]
        others = [other for rival, other in enumerate(points) if rival != seat]
        return sum([1 / (1 + exp((other - own) / close)) for other in others]) / len(others)

    def expected_points(self) -> list[float]:
        """Return what each seat may expect to score."""
        up, down = chances(self.left, END_DRIFT, END_SPREAD)
        esteemed = [up[surplus] for surplus in self.surplus]
        fallen = [down[surplus] for surplus in self.surplus]
        value = [a - b for a, b in zip(esteemed, fallen, strict=True)]
        return [
            sum(map(mul, self.weights[seat], value))
            + ENDEAVOUR * MISSION_POINTS * (self._white(seat) + self._blue(seat, esteemed, fallen))
            for seat in range(self.seats)
        ]

    def _white(self, seat: int) -> float:
        white = self.missions[seat][0]
        if family := _FEWER[white]:
            lead = self.held[(seat + 1) % self.seats][family] - self.held[seat][family]
            return normal(lead - 0.5, LEAD_SPREAD * self.left / self.seats)
        number, role = _GOALS[white] or (0, Role.PLAIN)
        return at_least(number - self.roles[seat][role], self.left // self.seats, _IN_HAND[role])

    def _blue(self, seat: int, esteemed: Sequence[float], fallen: Sequence[float]) -> float:
        blue = self.missions[seat][1]
        if family := _FALLEN[blue]:
            return fallen[family]
        if blue is Mission.ALL_BELOW:
            return prod([1 if low else 1 - exp(-0.05 * self.left) for low in self.below[1:]])
        if blue is Mission.FIVE_BELOW:
            mean, variance = 0.06 * self.left, 0.1 * self.left
            return 1 - prod(
                [1 - normal(low + mean - FIVE + 0.5, variance) for low in self.below[1:]]
            )
        if blue is Mission.FEW_ESTEEMED:
            variance = sum([p * (1 - p) for p in esteemed[1:]])
            return normal(3.5 - sum(esteemed[1:]), variance)
        return normal(sum(fallen[1:]) - 1.5, sum([p * (1 - p) for p in fallen[1:]]))


Targets = Mapping[int | None, Sequence[int]]
"""What assassins may eliminate by domain, None for the table: the turns of cards there."""


class Look(NamedTuple):
    """What each use of a card is worth, before it."""

    at_table: Sequence[tuple[float, Placement]]
    sides: Sequence[tuple[Side, float, float]]
    """With the change of its family's value, and the worth of that."""
    own: Sequence[tuple[float, Placement]]
    gifts: Sequence[tuple[float, Placement, int]]
    """With the rival who gets it."""


class Policy:
    """What the turns of the seat to act are worth by a quick look at one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        seat = world.seat
        self.row = row = outlook(world.left - 1)
        self.value = value = [row[surplus] for surplus in world.surplus]
        """What weight of a family in a domain will score."""
        points = [sum(map(mul, weights, value)) for weights in world.weights]
        self.rivals = [other for other in range(world.seats) if other != seat]
        best = max([points[other] for other in self.rivals])
        shares = [exp((points[other] - best) / RIVALRY_POINTS) for other in self.rivals]
        total = sum(shares)
        self.stakes = [0.0] * world.seats
        for other, share in zip(self.rivals, shares, strict=True):
            self.stakes[other] = share / total
        """What a rival's point costs."""
        self.at_stake = at_stake = [*map(float, world.weights[seat])]
        """What it brings if a family's value rises by one."""
        for other in self.rivals:
            stake, weights = self.stakes[other], world.weights[other]
            for family in _INDICES:
                at_stake[family] -= stake * weights[family]
        white, blue = world.missions[seat]
        self.fewer = _FEWER[white]
        self.needed_role, self.role_worth = None, 0.0
        if goal := _GOALS[white]:
            number, role = goal
            missing = number - world.roles[seat][role]
            if 0 < missing <= 1 + (world.left - 1) // world.seats:
                self.needed_role, self.role_worth = role, MISSION_POINTS / missing
        self.blue = blue
        if fallen := _FALLEN[blue]:
            at_stake[fallen] -= MISSION_POINTS / 2
        elif blue is Mission.FEW_ESTEEMED or blue is Mission.TWO_FALLEN:
            for family in _INDICES:
                at_stake[family] -= 0.4

    def options(self, targets: Targets) -> Iterator[tuple[float, Action]]:
        """Yield turns after their worth, with these targets of assassins."""
        hand = self.world.hands[self.world.seat]
        looks = [self._look(card, targets) for card in hand]
        for first, second, third in _ORDERS[hand[0] == hand[1], hand[1] == hand[2]]:
            at_table, sides = looks[first].at_table, looks[first].sides
            own, gifts = looks[second].own, looks[third].gifts
            family = hand[first].family
            kept_weight = _WEIGHT[hand[second].role] if hand[second].family is family else 0
            given_weight = _WEIGHT[hand[third].role] if hand[third].family is family else 0
            for side, change, settled in sides:
                for worth, table in at_table:
                    at_once = settled + worth + change * kept_weight
                    for worth_2, kept in own:
                        for worth_3, given, other in gifts:
                            total = at_once + worth_2 + worth_3
                            if given_weight:
                                total -= change * given_weight * self.stakes[other]
                            yield total, Action(table, side, kept, given, other)

    def _look(self, card: Card, targets: Targets) -> "Look":
        return Look(
            self._placements(None, card, targets),
            self._sides(card),
            self._placements(self.world.seat, card, targets),
            [
                (worth, placement, other)
                for other in self.rivals
                for worth, placement in self._placements(other, card, targets)
            ],
        )

    def _sides(self, card: Card) -> list[tuple[Side, float, float]]:
        changes = [(side, self._change(card, side)) for side in _SIDES]
        stake = self.at_stake[card.family or 0]
        return [(side, change, stake * change + self._blue(card, side)) for side, change in changes]

    def best(self) -> Action:
        """Return the turn that is worth most: a playout is little else."""
        world = self.world
        hand = world.hands[world.seat]
        sides = [self._sides(card) for card in hand]
        tables = [self._best_at(None, card) for card in hand]
        owns = [self._best_at(world.seat, card) for card in hand]
        gifts = [[(*self._best_at(rival, card), rival) for rival in self.rivals] for card in hand]
        gift = [max(each) for each in gifts]
        turns = []
        for first, second, third in _ORDERS[hand[0] == hand[1], hand[1] == hand[2]]:
            family = hand[first].family
            settled = tables[first][0] + owns[second][0]
            kept = _WEIGHT[hand[second].role] if hand[second].family is family else 0
            given = _WEIGHT[hand[third].role] if hand[third].family is family else 0
            for side, change, worth in sides[first]:
                to = gift[third]
                if given:  # what it is worth there depends on the table
                    to = max(
                        [(g - change * given * self.stakes[r], t, r) for g, t, r in gifts[third]]
                    )
                total = settled + worth + change * kept + to[0]
                turns.append((total, first, second, third, side, to))
        _, first, second, third, side, (_, slain, rival) = max(turns, key=itemgetter(0))
        return Action(
            Placement(hand[first], tables[first][1]),
            side,
            Placement(hand[second], owns[second][1]),
            Placement(hand[third], slain),
            rival,
        )

    def _best_at(self, domain: int | None, card: Card) -> tuple[float, int]:
        """Return what a card is worth in an area, with the turn of the card that it eliminates."""
        worth = 0.0 if domain is None else self._worth(domain, card)
        if card.role is not _ASSASSIN:
            return worth, 0
        kill, turn = max([(0.0, 0), *self.kills(domain)])
        return worth + kill, turn

    def _change(self, card: Card, side: Side) -> float:
        weight = _WEIGHT[card.role] if side is _ABOVE else -_WEIGHT[card.role]
        return (
            self.row[self.world.surplus[card.family or 0] + weight] - self.value[card.family or 0]
        )

    def _blue(self, card: Card, side: Side) -> float:
        """Return what a card below the mat brings to a mission that counts them."""
        if side is _ABOVE:
            return 0
        below: list[int] = self.world.below
        weight = below[card.family or 0]
        if self.blue is Mission.ALL_BELOW and not weight:
            return MISSION_POINTS / below[1:].count(0)
        if self.blue is Mission.FIVE_BELOW and weight < FIVE:
            return MISSION_POINTS * (2 * weight + 1) / FIVE**2
        return 0

    def _placements(
        self, domain: int | None, card: Card, targets: Targets
    ) -> list[tuple[float, Placement]]:
        """Return the ways to place a card in an area, each after its worth."""
        worth = 0 if domain is None else self._worth(domain, card)
        placements = [(worth, Placement(card, 0))]
        if card.role is not _ASSASSIN:
            return placements
        kills = {turn: kill for kill, turn in self.kills(domain)}
        return placements + [
            (worth + kills[turn], Placement(card, turn)) for turn in targets[domain]
        ]

    def kills(self, domain: int | None) -> list[tuple[float, int]]:
        """Return the worth of each target in an area, before its turn."""
        if domain is None:
            return [
                (self.at_stake[card.family or 0] * self._change(card, _OTHER[side]), turn)
                for turn, (card, side) in self.world.table.items()
            ]
        lying = self.world.domains[domain].items()
        return [(-self._worth(domain, card), turn) for turn, card in lying]

    def _worth(self, domain: int, card: Card) -> float:
        """Return what a card in a domain is worth to the seat to act."""
        family, role = card.family or 0, card.role
        worth = _WEIGHT[role] * self.value[family]
        if domain == self.world.seat:
            if card.family is self.fewer:
                worth -= FEWER_POINTS
            return worth + self.role_worth if role is self.needed_role else worth
        worth *= -self.stakes[domain]
        if card.family is self.fewer and domain == (self.world.seat + 1) % self.world.seats:
            worth += FEWER_POINTS
        return worth


def play_out(budget: Budget, world: World, action: Action) -> float:
    """Return how well the seat to act fares by this turn in a world."""
    budget.spend(min(world.left, ROUNDS * world.seats))
    seat, game = world.seat, world.copy()
    game.apply(action)
    last = max(0, world.left - ROUNDS * world.seats)
    while game.left > last:
        game.apply(Policy(game).best())
    return game.success(seat)


def candidates(position: Position, worlds: Sequence[World]) -> dict[Action, float]:
    """Return the turns that the policy thinks best over some worlds, with their prior successes."""
    policies = [Policy(world) for world in worlds]
    targets: dict[int | None, list[int]] = {}
    if any(card.role is _ASSASSIN for card in position.hand):
        assassin = next(card for card in position.hand if card.role is _ASSASSIN)
        areas: dict[int | None, Sequence[Placement]] = {
            seat: position.domain_placements(seat, assassin) for seat in range(position.seats)
        }
        areas[None] = position.table_placements(assassin)
        for area, placements in areas.items():
            worths: defaultdict[int, float] = defaultdict(float)
            for policy in policies:
                for worth, turn in policy.kills(area):
                    worths[turn] += worth
            distinct = [placement.eliminates for placement in placements if placement.eliminates]
            targets[area] = nlargest(TARGETS, distinct, key=worths.__getitem__)
    totals: defaultdict[Action, float] = defaultdict(float)
    for policy in policies:
        for worth, action in policy.options(targets):
            totals[action] += worth
    best = nlargest(CANDIDATES, totals.items(), key=itemgetter(1))
    return {action: PRIOR_WORLDS * A_POINT * worth / len(worlds) for action, worth in best}


def choose(position: Position, nodes: int = 0) -> Action:
    """Return the turn that leads to the best places over many worlds."""
    if position.time_ms < HURRY_MS:
        return position.random_action()
    fair = min(position.time_ms * SHARE, position.bank_ms / position.turns_left[position.seat])
    budget = Budget((fair - MARGIN_MS) / 1000, nodes)
    worlds = map(World, position.redraws())
    first = [*islice(worlds, FIRST_WORLDS)]
    priors = candidates(position, first)
    return best_of(priors, chain(first, worlds), partial(play_out, budget), budget)


PLAYOUTS = Playouts(World, Policy, lambda world, turn, _: play_out(Budget(0), world, turn))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=0)
    options, _ = parser.parse_known_args()
    run(partial(choose, nodes=options.nodes), name="searcher")
