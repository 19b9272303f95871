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
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import nlargest
from itertools import chain, islice
from math import exp

from courtyard_kit.miracles import Action, Position, Rogue, run
from courtyard_kit.miracles_pieces import PLACES
from courtyard_kit.miracles_policy import ROGUES, Policy
from courtyard_kit.miracles_world import World, worlds
from courtyard_kit.search import Budget, Playouts, best_of

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
ERROR = 3.0
"""By how many coins players misjudge an action in reviews.

Without errors, the policy plays the same line in almost all worlds, and a decision is judged by
what that one line brings.
"""
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


class Erring(Policy):
    """The policy of players who misjudge each action by chance."""

    def __init__(self, rng: random.Random, world: World) -> None:
        super().__init__(world)
        self._rng = rng

    def worth(self, action: Action) -> float:
        """Return what an action seems to be worth."""
        return super().worth(action) + self._rng.gauss(0, ERROR)

    def _placed(self, placing: tuple[Rogue, int]) -> float:
        return super()._placed(placing) + self._rng.gauss(0, ERROR)


def play_out(
    budget: Budget,
    world: World,
    action: Action,
    policy: Callable[[World], Policy] = Policy,
) -> float:
    """Return how well the seat to act fares by this action in a world."""
    seat, game = world.asked[1], world.copy()
    game.apply(action)
    nodes = 1
    last = world.turn + (seat - world.active - 1) % world.seats + 1 + (ROUNDS - 1) * world.seats
    while not game.over and game.turn < last:
        game.apply(policy(game).best())
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


def reviewed(world: World, action: Action, chances: str) -> float:
    """Return the same where all seats err from then on."""
    policy = partial(Erring, random.Random(chances))
    return play_out(Budget(0), world, action, policy)


PLAYOUTS = Playouts(World, Policy, reviewed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=0)
    options, _ = parser.parse_known_args()
    run(partial(choose, nodes=options.nodes), name="searcher")
