"""In every game the sample bots are clearly ordered: counter before greedy before random.

What is compared is the mean place over many matches, with its 95 % interval. A win share would look
only at who came first; the place uses every match also for two bots that both lost it, and it is
what a ladder rates. Every match has a deal of its own, so matches are independent, and the seats
rotate.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import NormalDist, mean, stdev
from typing import Any, NamedTuple

import pytest

from tests.support.games import GAMES

pytestmark = pytest.mark.proof

Begin = Callable[[], Any]
"""Makes the strategy of one match."""

ORDER = ["counter", "greedy", "random"]
"""The strongest first."""
MATCHES = 1000
FEWEST = 40
"""A smaller sample says nothing."""
Z = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    low: float
    mean: float
    high: float


def interval(values: list[float]) -> Interval:
    """The interval of a mean over independent values, by the normal distribution."""
    middle, half = mean(values), Z * stdev(values) / len(values) ** 0.5
    return Interval(middle - half, middle, middle + half)


def places(
    game: str, seats: list[str], bots: Mapping[str, Begin], matches: int, table: Any
) -> dict[str, Interval]:
    """The mean place of each bot at a table, its copies taken together, seats rotated."""
    found: dict[str, list[float]] = {name: [] for name in seats}
    for number in range(matches):
        turned = seats[number % len(seats) :] + seats[: number % len(seats)]
        players = [bots[name]() if name in bots else None for name in turned]
        ranks = table(f"strength {number}", players, game).play()
        by_seat = list(zip(turned, ranks, strict=True))
        for name, values in found.items():
            values.append(mean([rank for other, rank in by_seat if other == name]))
    return {name: interval(values) for name, values in found.items()}


@pytest.mark.parametrize(
    "seats",
    [
        ["counter", "greedy", "random", "stand-in"],
        ["counter", "counter", "greedy", "greedy"],
        ["greedy", "greedy", "random", "random"],
        ["counter", "counter", "random", "random"],
        ["counter", "greedy"],
        ["counter", "greedy", "random"],
        ["counter", "greedy", "greedy", "random", "random"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("game", GAMES)
def test_the_order_is_beyond_doubt(
    game: str, seats: list[str], strategies: Any, table: Any, proof_cases: Callable[[int], int]
) -> None:
    """At one table the 95 % intervals of the bots' mean places do not touch, in the right order.

    That takes all the matches. Of a sample, whose intervals are wide, the means have the order.
    """
    matches = max(FEWEST, proof_cases(MATCHES))
    found = places(game, seats, strategies[game], matches, table)
    ranked = [found[name] for name in ORDER if name in found]

    for better, worse in pairwise(ranked):
        if matches == MATCHES:
            assert better.high < worse.low, found
        else:
            assert better.mean < worse.mean, found
