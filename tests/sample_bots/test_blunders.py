"""A review finds planted blunders, and orders the sample bots as the ladder does.

A blunder is what `greedy` thinks worst, in the place of a decision of `counter`, where it loses
clearly. In Courtisans that is said by the points that come at once. In La Cour des Miracles these
say little, and most decisions cost nothing that shows in the places. So there a blunder must cost
most of a place in redrawn worlds, whether `greedy` or `counter` plays on to the end on all seats.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import count, islice
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import pytest
from courtyard.v1 import record_pb2
from courtyard_kit.miracles import Position

from referee.games.miracles.state import MiraclesState
from referee.hosting.playouts import player_named
from referee.match.record import SeatInfo, record_of
from referee.match.review import review
from tests.sample_bots.conftest import POSITIONS, Table, bot_module

pytestmark = pytest.mark.proof

SEATS = 4
CASES = 200
WORST = 3
SHARE = 0.9
"""Of the blunders that are among the three worst."""
POINTS = 4.0
"""How much less than the best a blunder in Courtisans brings at once."""
PLACES = 0.75
"""How many rivals fewer are beaten after one in La Cour des Miracles."""
TRIALS = ("greedy", 3), ("counter", 3), ("greedy", 12), ("counter", 12)
"""Who plays on in so many worlds; each must say so, one after the other: few settle most."""
FROM = {"courtisans": (1, 7), "miracles": (22, 32)}
"""The first decision that may be one, at random; early ones of the longer game cost little."""
PLAYOUTS = {"courtisans": 200, "miracles": 80}
MOST_ACTIONS = 2000
"""Among more actions nobody looks for the worst."""
ORDER = ["random", "greedy", "counter", "searcher"]
"""The weakest first."""
TABLES = 40
NODES = 200


program = cache(bot_module)


class Planted(NamedTuple):
    """A match with one blunder."""

    record: record_pb2.Record
    seat: int
    number: int
    """Of the blunder among the match's decisions."""


class Blunderer:
    """Plays as `counter`, but for one blunder, at its first chance from a decision on."""

    def __init__(self, game: str, decisions: int) -> None:
        self._game = game
        self._greedy = bot_module(game, "greedy")
        self._choose = strategy(game, "counter")
        self._first = decisions
        self._made = 0
        self.blunder = 0
        """Which of its decisions it was, from 1; 0: none."""

    def choose(self, position: Any) -> Any:
        """Return an action."""
        self._made += 1
        action = self._choose(position)
        if self.blunder or self._made < self._first:
            return action
        worst = (
            self._worst_points(position)
            if self._game == "courtisans"
            else self._worst_place(position, action)
        )
        if worst is None:
            return action
        self.blunder = self._made
        return worst

    def _worst_points(self, position: Any) -> Any:
        """Return what brings fewest points at once; None if that is no blunder."""
        actions, points = position.distinct_actions, self._greedy.Forecast(position).points
        if len(actions) > MOST_ACTIONS:
            return None
        worths = {action: points(action) for action in actions}
        worst = min(worths, key=worths.__getitem__)
        return worst if max(worths.values()) - worths[worst] >= POINTS else None

    def _worst_place(self, position: Any, instead: Any) -> Any:
        """Return what brings fewest coins at once of its kind; None if it costs no place."""
        alike = [action for action in position.actions if type(action) is type(instead)]
        worst, worlds = min(alike, key=self._greedy.Forecast(position).worth), position.redraws()
        for name, number in TRIALS:
            beats = partial(beaten, name)
            lost = [beats(one, instead) - beats(one, worst) for one in islice(worlds, number)]
            if fmean(lost) < PLACES:
                return None
        return worst


def beaten(name: str, state: MiraclesState, action: Any) -> float:
    """Return how many rivals the seat to act beats by an action if a bot without memory plays on.

    A tie counts half.
    """
    seat = state.to_act
    assert seat is not None
    state, _ = state.apply(action)
    for made in count():
        if state.to_act is None:
            break
        choose = strategy("miracles", name)
        state, _ = state.apply(choose(Position.in_state(state, str(made))))
    ranks = state.ranks()
    return sum((ranks[seat] < other) + (ranks[seat] == other) / 2 for other in ranks) - 1 / 2


def strategy(game: str, name: str) -> Callable[[Any], Any]:
    """What decides for a sample bot in one match."""
    module = program(game, name)
    if name == "searcher":
        return lambda position: module.choose(position, nodes=NODES)
    chosen: Callable[[Any], Any] = getattr(module, "choose", None) or module.Counter().choose
    return chosen


def planted(game: str, number: int) -> Planted | None:
    """A match of four `counter`, one of whom blunders once; None if it had no chance."""
    random = Random(f"blunder {number}")
    seat = random.randrange(SEATS)
    blunderer = Blunderer(game, random.randint(*FROM[game]))
    players = [strategy(game, "counter") for _ in range(SEATS)]
    players[seat] = blunderer.choose
    table = Table(f"blunder {number}", players, game)
    table.play()
    if not blunderer.blunder:
        return None
    record = record_of(table.match, [SeatInfo("counter")] * SEATS)
    own = [at for at, decision in enumerate(record.decisions) if decision.seat == seat]
    return Planted(record, seat, own[blunderer.blunder - 1])


def ranks(game: str, cases: int) -> Iterator[int]:
    """Yield the rank of each blunder among its seat's losses."""
    player = player_named("searcher", game)
    found = (one for number in count() if (one := planted(game, number)))
    for number, one in enumerate(islice(found, cases)):
        rows = review(one.record, one.seat, player, PLAYOUTS[game])
        losses = {judged.number: judged.lost for judged in rows}
        own = losses[one.number]
        rank = 1 + sum(lost > own for lost in losses.values())
        print(  # noqa: T201 -- a measurement
            f"{game} {number}: {rank} of {len(losses)}, lost {own:.2f}", flush=True
        )
        yield rank


@pytest.mark.parametrize("game", POSITIONS)
def test_planted_blunders_are_among_the_three_worst(
    game: str, proof_cases: Callable[[int], int]
) -> None:
    """Nine of ten, in both games."""
    found = [*ranks(game, proof_cases(CASES))]
    share = fmean(rank <= WORST for rank in found)

    print(f"{game}: {share:.3f} of {len(found)}")  # noqa: T201 -- as above
    assert share >= SHARE or len(found) < CASES / 2


@pytest.mark.parametrize("game", POSITIONS)
def test_mean_loss_orders_the_sample_bots_as_the_ladder_does(
    game: str, proof_cases: Callable[[int], int]
) -> None:
    """Who plays worse loses more by a decision; of a sample, the first loses more than the last."""
    player, lost = player_named("searcher", game), {name: list[float]() for name in ORDER}
    tables = max(2, proof_cases(TABLES))
    for number in range(tables):
        names = ORDER[number % SEATS :] + ORDER[: number % SEATS]
        table = Table(f"order {number}", [strategy(game, name) for name in names], game)
        table.play()
        record = record_of(table.match, [SeatInfo(name) for name in names])
        for seat, name in enumerate(names):
            rows = review(record, seat, player, PLAYOUTS[game])
            lost[name].extend(judged.lost for judged in rows)
        found = {name: round(fmean(each), 3) for name, each in lost.items()}
        print(game, number, found, flush=True)  # noqa: T201 -- as above
    means = [fmean(each) for each in lost.values()]

    assert means[0] > means[-1]
    if tables == TABLES:
        assert means == sorted(means, reverse=True)
