"""Scores every turn with a small neural network, which train.py has trained.

How it thinks. Each turn that it may play is described by what it leads to: fifteen numbers for each
family, some for the whole. One small network reads each family, the same for all six; its sums and
the numbers for the whole go through a second one, which gives the turn's score. The network knows
no card by its index and no seat by its number, so what it learned of one holds for all.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from math import prod
from pathlib import Path
from random import Random
from typing import NamedTuple

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError:
    sys.exit("this bot needs the package numpy: pip install numpy")

from courtyard_kit.courtisans import (
    Action,
    Card,
    CardInPlay,
    Family,
    Mission,
    Observation,
    Placement,
    Position,
    Role,
    Side,
    run,
)

from referee.games.courtisans.cards import CARDS, WEIGHTS
from referee.games.courtisans.missions import FALLEN, FEWER, ROLES

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
"""The network: for each of its four layers a matrix (inputs, outputs), "w0", and a bias, "b0"."""

MOST_TURNS = 2000
"""The most turns scored. With assassins there can be far more; then these are drawn at random."""
HURRY_MS = 200
"""With less time than this any legal turn must do. It needs about 2 ms, at worst 80."""
FAMILY_NUMBERS = 15
"""How many numbers describe one family after a turn."""
TURN_NUMBERS = 31
"""How many numbers describe the whole after a turn."""

_FAMILIES = tuple(Family)
_COUNTED_ROLES = (Role.NOBLE, Role.ASSASSIN, Role.GUARD, Role.SPY)
_BROAD_MISSIONS = (
    Mission.ALL_BELOW,
    Mission.FIVE_BELOW,
    Mission.FEW_ESTEEMED,
    Mission.TWO_FALLEN,
)


class Turns(NamedTuple):
    """Turns that a seat may play, and what each leads to."""

    actions: Sequence[Action]
    families: Floats
    """(turns, 6, FAMILY_NUMBERS)."""
    whole: Floats
    """(turns, TURN_NUMBERS)."""


class _Table(NamedTuple):
    """The ways to put a card of the hand to the Queen's table."""

    ways: Sequence[tuple[Placement, Side]]
    surplus: Floats
    """(ways, 6): what each adds to the weight above the mat less that below."""
    below: Floats
    """(ways, 6): what each adds to the weight below."""


class _Domain(NamedTuple):
    """The ways to put a card of the hand into some domains."""

    ways: Sequence[tuple[Placement, int]]
    """Each with the seat."""
    weight: Floats
    """(ways, 6): what each adds to the weights there."""
    roles: Floats
    """(ways, 4): what each adds to the number of nobles, assassins, guards, spies there."""


class _Before:
    """What a seat sees before its turn, in numbers."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.seats = len(seen.domains)
        self.to_come = sum(seen.turns_left) - 1
        """How many cards will be placed at the table after this turn."""
        gone = [card for card, _ in seen.eliminated]
        placed = [card for area in (seen.table, *seen.domains, gone) for card in area]
        unseen = _COPIES.copy()
        for family, role in [*seen.hand, *[(card.family, card.role) for card in placed]]:
            if family is not None:
                unseen[family - 1, role - 1] -= 1
        unseen = np.maximum(unseen, 0)
        spies = unseen[:, Role.SPY - 1]
        self.of_a_spy = spies / max(1.0, spies.sum())
        """(6,): how likely a face-down spy is to be of each family."""
        total = max(1.0, unseen.sum())
        self.mean = unseen @ _WEIGHTS / total
        """(6,): what the next unseen card weighs in each family."""
        self.scatter = np.sqrt(0.25 + self.to_come * (unseen @ _WEIGHTS**2 / total))
        """(6,): how far the cards to come may move each family's surplus."""
        above = self.weight([card for card in seen.table if card.side is Side.ABOVE])
        self.below = self.weight([card for card in seen.table if card.side is Side.BELOW])
        self.surplus = above - self.below
        self.domains = np.stack([self.weight(domain) for domain in seen.domains])
        self.roles = sum((_ROLES[card.role] for card in seen.domains[seen.seat]), _NO_ROLES)
        self.neighbour = (seen.seat + 1) % self.seats
        self.rivals = [seat for seat in range(self.seats) if seat != seen.seat]
        points = self.domains @ np.tanh(self.surplus / self.scatter)
        self.leader = max(self.rivals, key=points.__getitem__)

    def weight(self, cards: Sequence[CardInPlay]) -> Floats:
        """Return the weight of each family (6,), a hidden spy as a part of a card in each."""
        total = np.zeros(6, np.float32)
        for card in cards:
            total += self._weight_of(card)
        return total

    def _weight_of(self, card: CardInPlay | Card) -> Floats:
        return self.of_a_spy if card.family is None else _weight_of(card.family, card.role)

    def at_table(self) -> _Table:
        """Return the ways to put a card to the Queen's table."""
        ways, surplus, below = [], [], []
        for card, gone in self._placements(self.seen.table):
            own = self._weight_of(card)
            lost = self._weight_of(gone) if gone else _NOTHING
            was_below = gone is not None and gone.side is Side.BELOW
            for side in (Side.ABOVE, Side.BELOW):
                ways.append((Placement(card, gone.turn if gone else 0), side))
                lower = (own if side is Side.BELOW else _NOTHING) - (
                    lost if was_below else _NOTHING
                )
                upper = (own if side is Side.ABOVE else _NOTHING) - (
                    _NOTHING if was_below else lost
                )
                surplus.append(upper - lower)
                below.append(lower)
        return _Table(ways, np.array(surplus), np.array(below))

    def in_domains(self, seats: Sequence[int]) -> _Domain:
        """Return the ways to put a card into one of these seats' domains."""
        ways, weight, roles = [], [], []
        for seat in seats:
            for card, gone in self._placements(self.seen.domains[seat]):
                ways.append((Placement(card, gone.turn if gone else 0), seat))
                weight.append(self._weight_of(card) - (self._weight_of(gone) if gone else _NOTHING))
                roles.append(_ROLES[card.role] - (_ROLES[gone.role] if gone else 0))
        return _Domain(ways, np.array(weight), np.array(roles))

    def _placements(self, area: Sequence[CardInPlay]) -> Iterator[tuple[Card, CardInPlay | None]]:
        """Yield each card of the hand with whom it may eliminate; None: no card."""
        faces = {(one.family, one.role, one.side): one for one in area}  # of equal cards the last
        targets = [one for one in faces.values() if one.role is not Role.GUARD]
        for card in dict.fromkeys(self.seen.hand):
            yield card, None
            if card.role is Role.ASSASSIN:
                yield from ((card, one) for one in targets)


def turns(seen: Observation, rng: Random, most: int = MOST_TURNS) -> Turns:
    """Return the turns that the seat to act may play, drawn at random if there are more."""
    before = _Before(seen)
    table, own, other = (
        before.at_table(),
        before.in_domains([seen.seat]),
        before.in_domains(before.rivals),
    )
    of_card = [_by_card(ways) for ways in (table.ways, own.ways, other.ways)]
    blocks = [
        [of_card[area][card] for area, card in enumerate(cards)]
        for cards in dict.fromkeys(permutations(seen.hand))
    ]
    first, second, third = _drawn(blocks, rng, most)
    actions = []
    for one, two, three in zip(first.tolist(), second.tolist(), third.tolist(), strict=True):
        placement, side = table.ways[one]
        actions.append(Action(placement, side, own.ways[two][0], *other.ways[three]))
    receivers = np.array([seat for _, seat in other.ways])[third]
    return Turns(
        actions,
        *_described(
            before,
            before.surplus + table.surplus[first],
            before.below + table.below[first],
            before.domains[seen.seat] + own.weight[second],
            before.roles + own.roles[second],
            other.weight[third],
            receivers,
        ),
    )


def _by_card(ways: Sequence[tuple[Placement, int]]) -> Mapping[Card, Sequence[int]]:
    """Return the indices of the ways to place each card."""
    by_card: dict[Card, list[int]] = {}
    for at, (placement, _) in enumerate(ways):
        by_card.setdefault(placement.card, []).append(at)
    return by_card


def _drawn(
    blocks: Sequence[Sequence[Sequence[int]]], rng: Random, most: int
) -> Sequence[NDArray[np.intp]]:
    """Return the ways of each turn for its first, its second and its third card.

    A block has the ways of three cards, any of which go together.
    """
    shapes = [tuple(map(len, block)) for block in blocks]
    sizes = [prod(shape) for shape in shapes]
    total = sum(sizes)
    numbers = np.arange(total)
    if total > most:
        numbers = np.array(sorted(rng.sample(range(total), most)))
    ways: list[list[NDArray[np.intp]]] = []
    for block, shape, size in zip(blocks, shapes, sizes, strict=True):
        here = np.unravel_index(numbers[(numbers >= 0) & (numbers < size)], shape)
        ways.append([np.array(of_card)[at] for of_card, at in zip(block, here, strict=True)])
        numbers = numbers - size
    return [np.concatenate(of_area) for of_area in zip(*ways, strict=True)]


def _described(
    before: _Before,
    surplus: Floats,
    below: Floats,
    mine: Floats,
    roles: Floats,
    given: Floats,
    receivers: NDArray[np.intp],
) -> tuple[Floats, Floats]:
    """Return what describes each family, and what describes the whole, after each turn."""
    number, me = len(mine), before.seen.seat
    beside = before.domains[before.neighbour] + given * (receivers == before.neighbour)[:, None]
    leading = before.domains[before.leader] + given * (receivers == before.leader)[:, None]
    rest = (before.domains.sum(0) - before.domains[me] + given) / len(before.rivals)
    status = np.tanh(surplus / before.scatter)
    white, blue = _MISSIONS[before.seen.white], _MISSIONS[before.seen.blue]
    points = [part * status for part in (mine, rest, leading)]
    by_family = np.empty((FAMILY_NUMBERS, number, 6), np.float32)
    for at, part in enumerate(
        [
            surplus / 5,
            surplus / before.scatter / 3,
            status,
            mine / 5,
            beside / 5,
            rest / 5,
            leading / 5,
            *[part / 5 for part in points],
            below / 5,
            before.mean * 3,
            white.family,
            blue.family,
            before.to_come / 30,
        ]
    ):
        by_family[at] = part
    missing = ((roles - white.needed) * white.role).sum(1)
    esteemed, fallen = (surplus > 0).sum(1), (surplus < 0).sum(1)
    judged = np.stack(
        [
            (below >= 1).all(1),
            below.max(1) >= 5,  # noqa: PLR2004 -- as the mission has it
            esteemed <= 3,  # noqa: PLR2004 -- as above
            fallen >= 2,  # noqa: PLR2004 -- as above
        ]
    )
    lead = ((beside - mine) * white.family).sum(1)
    whole = np.empty((TURN_NUMBERS, number), np.float32)
    for at, part in enumerate(
        [
            before.to_come / 30,
            before.seen.turns_left[me] / 10,
            before.seen.turns_left[me] == 1,
            before.seats / 5,
            *roles.T / 4,
            *white.role,
            *blue.broad,
            *[part.sum(1) / 10 for part in points],
            lead / 3,
            lead > 0,
            missing / 3,
            (missing >= 0) * white.role.sum(),
            -(status * blue.family).sum(1),
            (below >= 1).sum(1) / 6,
            below.max(1) / 5,
            np.maximum(status, 0).sum(1) / 6,
            np.maximum(-status, 0).sum(1) / 6,
            esteemed / 6,
            fallen / 6,
            blue.broad @ judged,
        ]
    ):
        whole[at] = part
    return by_family.transpose(1, 2, 0), whole.T


class _Wanted(NamedTuple):
    """What a mission is about."""

    family: Floats
    """(6,): 1 for the family that it names."""
    role: Floats
    """(4,): 1 for the role that it names."""
    needed: Floats
    """(4,): how many cards of that role."""
    broad: Floats
    """(4,): 1 for a mission of all families."""


def _wanted(mission: Mission) -> _Wanted:
    named = FEWER.get(mission) or FALLEN.get(mission)
    number, of_role = ROLES.get(mission, (0, None))
    role = np.array([role is of_role for role in _COUNTED_ROLES], np.float32)
    return _Wanted(
        np.array([family is named for family in _FAMILIES], np.float32),
        role,
        role * number,
        np.array([mission is one for one in _BROAD_MISSIONS], np.float32),
    )


_MISSIONS = {mission: _wanted(mission) for mission in Mission}
_NOTHING: Floats = np.zeros(6, np.float32)
_NO_ROLES: Floats = np.zeros(4, np.float32)
_WEIGHTS = np.array([WEIGHTS[role] for role in Role], np.float32)
_COPIES = np.array(
    [[CARDS.count(Card(family, role)) for role in Role] for family in Family], np.float32
)


@cache
def _weight_of(family: Family, role: Role) -> Floats:
    weight = np.zeros(6, np.float32)
    weight[family - 1] = WEIGHTS[role]
    return weight


_ROLES = {role: np.array([role is one for one in _COUNTED_ROLES], np.float32) for role in Role}


def scores(weights: Weights, offered: Turns) -> Floats:
    """Return the network's score of each turn (turns,)."""
    number = len(offered.actions)
    rows = offered.families.reshape(number * 6, FAMILY_NUMBERS)
    for layer in "01":
        rows = np.maximum(rows @ weights["w" + layer] + weights["b" + layer], 0)
    families = rows.reshape(number, 6, -1).sum(1)
    hidden = np.concatenate([families, offered.whole], axis=1) @ weights["w2"] + weights["b2"]
    scored: Floats = np.maximum(hidden, 0) @ weights["w3"] + weights["b3"]
    return scored[:, 0]


@cache
def own_weights() -> Weights:
    """Return the weights beside the bot."""
    with np.load(Path(__file__).with_name("weights.npz")) as file:
        return dict(file)


def choose(position: Position) -> Action:
    """Return the turn of the highest score."""
    if position.time_ms < HURRY_MS:
        return position.random_action()
    offered = turns(position.observation, position.rng)
    return offered.actions[int(scores(own_weights(), offered).argmax())]


if __name__ == "__main__":
    run(choose, name="trained")
