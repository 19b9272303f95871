"""A review finds planted blunders, and orders the sample bots as the ladder does.

A blunder is what `greedy` thinks worst, in the place of a decision of `counter`. It knows nothing
of playouts: it looks at points (Courtisans) or coins (La Cour des Miracles) that come at once.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import pytest
from courtyard.v1 import record_pb2

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
CLEARLY = {"courtisans": 4.0, "miracles": 12.0}
"""How much less than the best a blunder brings at once, to `greedy`."""
PLAYOUTS = {"courtisans": 200, "miracles": 80}
MOST_ACTIONS = 2000
"""Among more actions nobody looks for the worst."""
ORDER = ["random", "greedy", "counter", "searcher"]
"""The weakest first."""
TABLES = 40
NODES = 200


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
        worths = self._worths(position)
        worst = min(worths, key=worths.__getitem__, default=action)
        if not worths or max(worths.values()) - worths[worst] < CLEARLY[self._game]:
            return action
        self.blunder = self._made
        return worst

    def _worths(self, position: Any) -> Mapping[Any, float]:
        forecast = self._greedy.Forecast(position)
        if self._game == "miracles":
            return {action: forecast.worth(action) for action in position.actions}
        actions = position.distinct_actions
        if len(actions) > MOST_ACTIONS:
            return {}
        return {action: forecast.points(action) for action in actions}


def strategy(game: str, name: str) -> Callable[[Any], Any]:
    """What decides for a sample bot in one match."""
    module = bot_module(game, name)
    if name == "searcher":
        return lambda position: module.choose(position, nodes=NODES)
    chosen: Callable[[Any], Any] = getattr(module, "choose", None) or module.Counter().choose
    return chosen


def planted(game: str, number: int) -> Planted | None:
    """A match of four `counter`, one of whom blunders once; None if it had no chance."""
    random = Random(f"blunder {number}")
    seat = random.randrange(SEATS)
    blunderer = Blunderer(game, random.randint(1, 7 if game == "courtisans" else 30))
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
    for number in range(cases):
        if one := planted(game, number):
            losses = {
                judged.number: judged.lost
                for judged in review(one.record, one.seat, player, PLAYOUTS[game])
            }
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
