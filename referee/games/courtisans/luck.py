"""The luck of each seat in one game, in points relative to the table's mean.

The others cannot act on a hand before it is played. So just before each turn, the hand of the seat
to act is three random cards of all that are not yet played, the other hands' included. Each turn is
one draw of chance: what it is worth that a fixed player plays this hand, less the mean over other
hands. The mean of that is 0 for any measure of worth and whatever the bots do; a good measure only
makes it resemble the points that chance decided. Start and missions count by their known means.

The measure is a sum of products: features of the table after the turn, times coefficients that were
fitted once to other bots' matches (`tests/benchmarks/ranking/luck.py`), by how far the game is and
by who plays the turn.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain, permutations
from operator import mul
from typing import NamedTuple

from referee.games.courtisans.cards import HAND_SIZE, WEIGHTS, Card, Role, Side
from referee.games.courtisans.deal import TURNS
from referee.games.courtisans.facts import Area, seen_by, truth
from referee.games.courtisans.missions import BLUE, FALLEN, FEWER, MISSION_POINTS, WHITE, Mission
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream

HANDS = 8
"""Other hands that a turn is compared with, if there are enough cards."""
STAGES = 4
"""Parts of the game with coefficients of their own."""
FEATURES = 6
"""Of a seat: the points of its domain by three scales of standing, how near the white and the blue
mission are, the weight of the domain."""

_AGAINST = 0.5
"""The weight of the others' points to the fixed player."""
_MISSION = 0.5
"""The weight of a mission to it."""
_FAMILIES = 7
"""Families are numbered from 1."""
_ROLES = {
    Mission.THREE_NOBLES: (Role.NOBLE, 3),
    Mission.TWO_ASSASSINS: (Role.ASSASSIN, 2),
    Mission.FOUR_GUARDS: (Role.GUARD, 4),
    Mission.THREE_SPIES: (Role.SPY, 3),
}

Table = tuple[tuple[float, ...], ...]
"""(seats, features)"""


class CourtisansLuck:
    """Measures luck; offered as `Game.luck`."""

    @cached_property
    def version(self) -> str:
        """The SHA-256 of the coefficients."""
        return hashlib.sha256(_file()).hexdigest()

    def known(self, first: CourtisansState) -> Sequence[float]:
        """Return what start and missions are worth to each seat, less their mean."""
        weights = _coefficients(len(first.hands)).known
        return [sum(weights[i] for i in held) for held in held_at_first(first)]

    def worths(self, state: CourtisansState, stream: Stream) -> Sequence[Sequence[float]]:
        """Return what this turn is worth to each seat with its hand, then with others at random."""
        return [self.worth(state, table) for table in tables(state, stream)]

    def worth(self, state: CourtisansState, table: Table) -> Sequence[float]:
        """Return what it is worth to each seat that a turn leads to this table."""
        own, other = _coefficients(len(state.hands)).turns[stage(state)]
        return [
            sum(map(mul, own if seat == state.to_act else other, row))
            for seat, row in enumerate(table)
        ]


class _Coefficients(NamedTuple):
    """Of games with one number of seats."""

    known: Sequence[float]
    """By place in the first round, white and blue mission, less their mean."""
    turns: Sequence[tuple[Sequence[float], Sequence[float]]]
    """(stages, own turn and another's, features)"""


@cache
def _file() -> bytes:
    return files(__package__).joinpath("luck.json").read_bytes()


@cache
def _coefficients(seats: int) -> _Coefficients:
    found = json.loads(_file())[str(seats)]
    return _Coefficients(found["known"], found["turns"])


def stage(state: CourtisansState) -> int:
    """Return in which part of the game a turn is."""
    all_turns = TURNS[len(state.hands)] * len(state.hands)
    return (state.turn - 1) * STAGES // all_turns


def held_at_first(first: CourtisansState) -> Iterator[tuple[int, int, int]]:
    """Yield for each seat the indices of its place in the first round and its missions."""
    seats = len(first.hands)
    for seat, (white, blue) in enumerate(first.deal.missions):
        place = (seat - first.deal.starting_seat) % seats
        yield place, seats + WHITE.index(white), seats + len(WHITE) + BLUE.index(blue)


def tables(state: CourtisansState, stream: Stream) -> Iterator[Table]:
    """Yield the features once the fixed player has played the hand, and others as likely."""
    position = Position(state)
    yield position.after(state.hands[position.seat])
    for hand in other_hands(state, stream):
        yield position.after(hand)


def other_hands(state: CourtisansState, stream: Stream) -> Iterator[Sequence[Card]]:
    """Yield hands that the seat to act was as likely to have.

    They are disjoint: each is three random cards, and together they resemble the mean more than
    independent ones would.
    """
    rest = [*state.deal.removed, *state.deck, *chain.from_iterable(state.hands)]
    for _ in range(min(HANDS, len(rest) // HAND_SIZE)):
        yield [rest.pop(stream.below(len(rest))) for _ in range(HAND_SIZE)]


_MOST = 25
"""More than any family's weight."""


def _scale(settled: int) -> Sequence[float]:
    """Return the standing by a surplus, -1 to 1; this many settle it. Negative ones count back."""
    return [max(-1.0, min(1.0, s / settled)) for s in (*range(_MOST), *range(-_MOST, 0))]


_SCALES = [_scale(settled) for settled in (1, 3, 8)]
_SEEN = _scale(2)
"""The fixed player's scale."""
_ORDERS = tuple(permutations(range(HAND_SIZE)))
_Weights = Sequence[float]
"""By number of the family."""


class _Prey(NamedTuple):
    """The effect of an assassin in a domain."""

    gain: float
    """To the fixed player."""
    family: int
    """The true one; 0: no card."""
    weight: int


class _Turn(NamedTuple):
    """How the fixed player plays a hand."""

    moved: int
    """The weight at the table; negative below the mat."""
    table: Card
    own_domain: Card
    opponent_domain: Card


class Position:
    """The table before a turn, as it is and as the seat to act sees it."""

    def __init__(self, state: CourtisansState) -> None:
        """Take the table apart."""
        seat = self.seat = state.to_act or 0
        self.rivals = [s for s in range(len(state.hands)) if s != seat]
        self.share = _AGAINST / len(self.rivals)
        self.missions = state.deal.missions
        self.held: list[_Weights] = [_weights(truth(domain)) for domain in state.domains]
        self.roles = [[fact.public.role for fact in domain] for domain in state.domains]
        self.surplus, self.below = _at_table(truth(state.table))
        self.seen, _ = _at_table(seen_by(seat, state.table))
        self.standing = [_SEEN[surplus] for surplus in self.seen]
        self.stake = self._stakes([_weights(seen_by(seat, domain)) for domain in state.domains])
        white, _ = self.missions[seat]
        self.fewer, self.role = FEWER.get(white), _ROLES.get(white, (None, 0))[0]
        self.prey = self._prey(state.domains[seat], -1.0)
        preys = [(self._prey(state.domains[s], self.share), s) for s in self.rivals]
        self.rival_prey, self.victim = max(preys)

    def _stakes(self, held: Sequence[_Weights]) -> list[float]:
        """Return what it is worth to the seat that a family rises from neutral to esteemed."""
        own, others = held[self.seat], [held[seat] for seat in self.rivals]
        stakes = [own[f] - self.share * sum([one[f] for one in others]) for f in range(_FAMILIES)]
        fallen = FALLEN.get(self.missions[self.seat][1])
        if fallen is not None:
            stakes[fallen] -= _MISSION * MISSION_POINTS
        return stakes

    def _prey(self, domain: Area, worth: float) -> _Prey:
        """Return the card that it is best to eliminate, if a point there is worth that."""
        best = _Prey(0.0, 0, 0)
        for seen, (_, _, whole) in zip(seen_by(self.seat, domain), domain, strict=True):
            if seen.family is not None and seen.role is not Role.GUARD:
                gain = worth * self.standing[seen.family] * WEIGHTS[seen.role]
                if gain > best.gain:
                    best = _Prey(gain, int(whole.family or 0), WEIGHTS[seen.role])
        return best

    def after(self, hand: Sequence[Card]) -> Table:
        """Return the features once the fixed player has played this hand."""
        turn, seat = self._best(hand), self.seat
        surplus, below, held, roles = [*self.surplus], [*self.below], [*self.held], [*self.roles]
        surplus[_of(turn.table)] += turn.moved
        below[_of(turn.table)] -= min(0, turn.moved)
        held[seat] = _with(held[seat], turn.own_domain)
        roles[seat] = [*roles[seat], turn.own_domain.role]
        if turn.own_domain.role is Role.ASSASSIN:
            held[seat] = _without(held[seat], self.prey)
        if turn.opponent_domain.role is Role.ASSASSIN and self.rival_prey.family:
            victim = self.victim
            held[victim] = _without(_with(held[victim], turn.opponent_domain), self.rival_prey)
        else:  # as likely with one rival as with another
            for rival in self.rivals:
                held[rival] = _with(held[rival], turn.opponent_domain, 1 / len(self.rivals))
        return self._features(held, roles, surplus, below)

    def now(self) -> Table:
        """Return the features as the table is."""
        return self._features(self.held, self.roles, self.surplus, self.below)

    def _best(self, hand: Sequence[Card]) -> _Turn:
        """Return the turn that is worth most to the seat, as far as it sees."""
        families = [_of(card) for card in hand]
        weights = [WEIGHTS[card.role] for card in hand]
        at_home, abroad, tables = [], [], []
        for (_, role), family, weight in zip(hand, families, weights, strict=True):
            standing, seen = self.standing[family], self.seen[family]
            is_assassin = role is Role.ASSASSIN
            home = weight * standing - _MISSION * (
                weight * (family == self.fewer) - (role is self.role)
            )
            at_home.append(home + is_assassin * self.prey.gain)
            abroad.append(is_assassin * self.rival_prey.gain - self.share * weight * standing)
            rise, fall = _SEEN[seen + weight] - standing, _SEEN[seen - weight] - standing
            tables.append((self.stake[family], rise, fall))
        most, found = -1e9, _ORDERS[0]
        for order in _ORDERS:
            one, two, three = order
            stake, rise, fall = tables[one]
            if families[two] == families[one]:
                stake += weights[two]
            if families[three] == families[one]:
                stake -= self.share * weights[three]
            worth = at_home[two] + abroad[three] + stake * (rise if stake > 0 else fall)
            if worth > most:
                most, found, above = worth, order, stake > 0
        one, two, three = found
        return _Turn(weights[one] if above else -weights[one], hand[one], hand[two], hand[three])

    def _features(
        self,
        held: Sequence[_Weights],
        roles: Sequence[Sequence[Role]],
        surplus: Sequence[int],
        below: Sequence[int],
    ) -> Table:
        hard, soft, wide = ([scale[s] for s in surplus] for scale in _SCALES)
        found = []
        for seat, (white, blue) in enumerate(self.missions):
            own = held[seat]
            if (family := FEWER.get(white)) is not None:
                left = held[(seat + 1) % len(held)]
                near = max(-1.0, min(1.0, (left[family] - own[family]) / 4))
            else:
                role, wanted = _ROLES[white]
                near = min(roles[seat].count(role), wanted) / wanted
            points = (sum(map(mul, own, hard)), sum(map(mul, own, soft)), sum(map(mul, own, wide)))
            found.append((*points, near, _near(blue, below, soft), sum(own)))
        return tuple(found)


def _near(blue: Mission, below: Sequence[int], standing: _Weights) -> float:
    """Return how near a blue mission is."""
    if (family := FALLEN.get(blue)) is not None:
        return -standing[family]
    if blue is Mission.ALL_BELOW:
        return sum([weight > 0 for weight in below]) / (_FAMILIES - 1)
    if blue is Mission.FIVE_BELOW:
        return min(max(below), 5) / 5
    return -sum(standing) / 3


def _of(card: Card) -> int:
    """Return the number of a dealt card's family."""
    return int(card.family or 0)


def _with(held: _Weights, card: Card, share: float = 1.0) -> _Weights:
    """Return the weights with a card, or with a share of it."""
    found = list(held)
    found[_of(card)] += share * WEIGHTS[card.role]
    return found


def _without(held: _Weights, prey: _Prey) -> _Weights:
    found = list(held)
    found[prey.family] -= prey.weight
    return found


def _at_table(cards: Sequence[CardInPlay]) -> tuple[list[int], list[int]]:
    """Return each family's surplus above the mat, and its weight below."""
    above = _weights([card for card in cards if card.side is Side.ABOVE])
    below = _weights([card for card in cards if card.side is Side.BELOW])
    return [up - down for up, down in zip(above, below, strict=True)], below


def _weights(cards: Sequence[CardInPlay]) -> list[int]:
    """Return the families' weights; a hidden spy is of none."""
    found = [0] * _FAMILIES
    for card in cards:
        if card.family is not None:
            found[card.family] += WEIGHTS[card.role]
    return found
