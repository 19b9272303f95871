"""Counts the cards and plays for the ranking.

How it thinks. The cards that it has not seen give how much weight of each family a card still to
come brings, and how much that scatters. So for every way to place a card at the Queen's table, the
surplus with which a family will end is taken as normally distributed around

    what lies there  +  hidden spies, a part of a card in each family  +  cards to come

and gives the chances that the family ends esteemed or fallen. With these chances, what lies in a
domain has a worth. A point for the own seat counts 1. A point for a rival counts against it, the
more the better that rival stands, all rivals together 1. The own missions count by their chances;
those of the others are unknown and taken to be worth the same to everybody.

Once the table is settled, what the own domain gains and what an opponent's domain gains add up. So
the best placement in each is found by itself: the work is a sum, not a product, however many
targets three assassins have.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from math import erf, exp, prod, sqrt
from operator import itemgetter
from typing import NamedTuple

from courtyard_kit.courtisans import (
    Action,
    Card,
    CardInPlay,
    Family,
    Mission,
    Placement,
    Position,
    Role,
    Side,
    run,
)

from referee.games.courtisans.cards import HAND_SIZE, WEIGHTS
from referee.games.courtisans.missions import FALLEN, FEWER, MISSION_POINTS, ROLES

BELOW = 0.3
"""The share of the cards to come at the table that is expected below the mat."""
RIVALRY_POINTS = 3.0
"""A rival who stands this number of points behind another counts 1/e as much."""
HURRY_MS = 100
"""With less time than this any legal action must do. It needs about 1 ms, at worst 40."""


class Estimate(NamedTuple):
    """Cards or weight at the end of the game, taken as normally distributed."""

    mean: float
    variance: float

    def at_least(self, number: int) -> float:
        """Return the chance that it is so large."""
        margin = self.mean - number + 0.5
        if self.variance <= 0:
            return float(margin > 0)
        return (1 + erf(margin / sqrt(2 * self.variance))) / 2


class ToCome(NamedTuple):
    """The weight in one family of a card still to come."""

    mean: float
    square: float
    """The mean of the squared weight."""


class Outlook(NamedTuple):
    """How the families will end, given what lies at the Queen's table after this turn."""

    esteemed: Mapping[Family, float]
    """The chance of each family."""
    fallen: Mapping[Family, float]
    below: Mapping[Family, Estimate]
    """Weight below the mat, as missions count it."""

    def points(self, weights: Mapping[Family, float]) -> float:
        """Return what these weights may expect to score."""
        return sum([w * (self.esteemed[f] - self.fallen[f]) for f, w in weights.items()])


class Gain(NamedTuple):
    """The effect of a placement in a domain."""

    seat: int
    """Whose domain."""
    placement: Placement
    weights: Mapping[Family, float]
    """The change of the weights there, times the worth of a point there."""
    mission: float
    """The points to expect from the own white mission after it."""

    def points(self, outlook: Outlook) -> float:
        """Return what it is worth if the families end so."""
        return outlook.points(self.weights) + self.mission


class Forecast:
    """The expectation before this turn, and the effect of each placement."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.white, self.blue = position.missions
        self.noble = position.config.noble_weight_in_missions
        self.cards_to_come = sum(position.turns_left) - 1
        """How many cards will be placed at the table after this turn."""
        self.card_to_come = residual_weights(position.unseen)
        self.outlook = cache(self._outlook)  # many actions have placements in common
        self.gains = cache(self._gains)
        self.weights = [position.expected_weights(domain) for domain in position.domains]
        self.stakes = self._stakes()
        """The worth of a point for this seat, by the seat that scores it."""

    def _stakes(self) -> Mapping[int, float]:
        now = self.outlook(self.position.table)
        points = {rival: now.points(self.weights[rival]) for rival in self.position.legal.opponents}
        best = max(points.values())
        shares = {rival: exp((own - best) / RIVALRY_POINTS) for rival, own in points.items()}
        total = sum(shares.values())
        return {self.position.seat: 1} | {rival: -share / total for rival, share in shares.items()}

    def best_action(self) -> Action:
        """Return the action that is worth most."""
        return max(self._candidates(), key=itemgetter(0))[1]

    def _candidates(self) -> Iterator[tuple[float, Action]]:
        """Yield the best action for each placement at the table, after what it is worth."""
        position = self.position
        at_stake = {
            family: sum([stake * self.weights[seat][family] for seat, stake in self.stakes.items()])
            for family in Family
        }
        for first, second, third in dict.fromkeys(permutations(position.hand)):
            own = self.gains((position.seat,), second)
            others = self.gains(position.legal.opponents, third)
            for placement, side in product(position.table_placements(first), Side):
                outlook = self.outlook(position.table_after(placement, side))
                gained, mine = best(own, outlook)
                given, theirs = best(others, outlook)
                worth = outlook.points(at_stake) + gained + given + self.blue_points(outlook)
                action = Action(placement, side, mine.placement, theirs.placement, theirs.seat)
                yield worth, action

    def _outlook(self, table: tuple[CardInPlay, ...]) -> Outlook:
        above = [card for card in table if card.side is Side.ABOVE]
        below = [card for card in table if card.side is Side.BELOW]
        up, down = self.position.expected_weights(above), self.position.expected_weights(below)
        low = self.position.expected_weights(below, self.noble)
        to_come = self.cards_to_come
        esteemed, fallen, estimates = {}, {}, {}
        for family, (mean, square) in self.card_to_come.items():
            surplus = up[family] - down[family] + to_come * (1 - 2 * BELOW) * mean
            variance = to_come * square + self._doubt(family, table)
            esteemed[family] = Estimate(surplus, variance).at_least(1)
            fallen[family] = Estimate(-surplus, variance).at_least(1)
            estimates[family] = Estimate(
                low[family] + to_come * BELOW * mean,
                to_come * BELOW * square + self._doubt(family, below),
            )
        return Outlook(esteemed, fallen, estimates)

    def _doubt(self, family: Family, cards: Iterable[CardInPlay]) -> float:
        """Return the variance that hidden spies among the cards bring to a family."""
        chance = self.position.spy_chances[family]
        return chance * (1 - chance) * sum([card.family is None for card in cards])

    def _gains(self, seats: tuple[int, ...], card: Card) -> Sequence[Gain]:
        """Return what each way to put a card into one of these seats' domains changes."""
        return [
            self._gain(seat, placement)
            for seat in seats
            for placement in self.position.domain_placements(seat, card)
        ]

    def _gain(self, seat: int, placement: Placement) -> Gain:
        cards = self.position.domain_after(seat, placement)
        stake, before = self.stakes[seat], self.weights[seat]
        changes = {
            family: stake * (weight - before[family])
            for family, weight in self.position.expected_weights(cards).items()
            if weight != before[family]
        }
        domains = [*self.position.domains]
        domains[seat] = cards
        return Gain(seat, placement, changes, self.white_points(domains))

    def white_points(self, domains: Sequence[Sequence[CardInPlay]]) -> float:
        """Return the points to expect from the white mission if these are the domains."""
        seat, seats = self.position.seat, self.position.seats
        own, neighbour = domains[seat], domains[(seat + 1) % seats]
        if self.white in FEWER:
            return MISSION_POINTS * self._lead(FEWER[self.white], own, neighbour).at_least(1)
        number, role = ROLES[self.white]
        held = sum([card.role is role for card in own])
        return MISSION_POINTS * self._more_of(role, held).at_least(number)

    def _lead(
        self, family: Family, own: Sequence[CardInPlay], neighbour: Sequence[CardInPlay]
    ) -> Estimate:
        """Return how much more weight of a family the neighbour will have."""
        lead = self.position.expected_weights(neighbour, self.noble)[family]
        lead -= self.position.expected_weights(own, self.noble)[family]
        # For each card at the table two go to a domain, of which these are two.
        to_come = 4 * self.cards_to_come / self.position.seats
        doubt = self._doubt(family, own) + self._doubt(family, neighbour)
        return Estimate(lead, to_come * self.card_to_come[family].square + doubt)

    def _more_of(self, role: Role, held: int) -> Estimate:
        """Return how many cards of a role the own domain can have, given how many it holds."""
        unseen = self.position.unseen
        share = sum([unseen[card] for card in unseen if card.role is role]) / (unseen.total() or 1)
        in_a_hand = 1 - (1 - share) ** HAND_SIZE
        more = successes([in_a_hand] * (self.position.turns_left[self.position.seat] - 1))
        return Estimate(held + more.mean, more.variance)

    def blue_points(self, outlook: Outlook) -> float:
        """Return the points to expect from the blue mission."""
        match self.blue:
            case Mission.ALL_BELOW:
                chance = prod([low.at_least(1) for low in outlook.below.values()])
            case Mission.FIVE_BELOW:
                chance = 1 - prod([1 - low.at_least(5) for low in outlook.below.values()])
            case Mission.FEW_ESTEEMED:
                chance = 1 - successes(outlook.esteemed.values()).at_least(4)
            case Mission.TWO_FALLEN:
                chance = successes(outlook.fallen.values()).at_least(2)
            case _:
                chance = outlook.fallen[FALLEN[self.blue]]
        return MISSION_POINTS * chance


def residual_weights(unseen: Counter[Card]) -> Mapping[Family, ToCome]:
    """Return what the next unseen card weighs in each family."""
    total = unseen.total() or 1
    of_family = {
        family: [(WEIGHTS[card.role], n) for card, n in unseen.items() if card.family is family]
        for family in Family
    }
    return {
        family: ToCome(
            sum([weight * n for weight, n in cards]) / total,
            sum([weight**2 * n for weight, n in cards]) / total,
        )
        for family, cards in of_family.items()
    }


def successes(chances: Iterable[float]) -> Estimate:
    """Return how many of some events will happen, given the chance of each."""
    chances = list(chances)
    return Estimate(sum(chances), sum([chance * (1 - chance) for chance in chances]))


def best(gains: Iterable[Gain], outlook: Outlook) -> tuple[float, Gain]:
    """Return the gain that is worth most if the families end so, after what it is worth."""
    return max([(gain.points(outlook), gain) for gain in gains], key=itemgetter(0))


def choose(position: Position) -> Action:
    """Return the action that does most for the seat's place in the ranking."""
    if position.time_ms < HURRY_MS:
        return position.random_action()
    return Forecast(position).best_action()


if __name__ == "__main__":
    run(choose, name="counter")
