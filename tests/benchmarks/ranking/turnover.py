"""What bots cost a field that come, go, or are slow.

Run by `python -m tests.benchmarks.ranking.turnover`. In a calm field three hundred bots play from
the first round on. In a restless one a hundred of them are new after a while, bots leave for a
number of rounds, and one plays in few rounds only, as its matches take long.
"""

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator, Philox

from ladder.scheduling.ladder.optimal import optimal
from ladder.scheduling.ladder.policy import size_of_round
from tests.benchmarks.ranking.measures import kendall_tau
from tests.benchmarks.ranking.ours import rounds
from tests.benchmarks.ranking.worlds import Floats, World

BOTS, NEW = 300, 100
JOINED = 8
"""Rounds before the new ones join."""
AWAY, STRETCH = 0.1, 5
"""The share of bots that are away, anew every few rounds."""
SLOW, SELDOM = 50, 10
"""The slow bot, and that it plays one round in ten."""
LEVELS = (0.85, 0.90)
"""Of Kendall's tau over all bots."""
MOST = 40_000
"""Matches of a ladder."""

Present = Callable[[int], Sequence[int]]


def restless(world: World, seed: int) -> Present:
    """Return who plays after a number of blocks."""
    newcomers = Generator(Philox(key=seed)).choice(world.entrants, NEW, replace=False)
    size = size_of_round(world.entrants - NEW, world.seats)

    def present(block: int) -> Sequence[int]:
        number = block // size
        away = Generator(Philox(key=[seed, 1 + number // STRETCH])).random(world.entrants) < AWAY
        if number < JOINED:
            away[newcomers] = True
        if number % SELDOM:
            away[SLOW] = True
        return [int(bot) for bot in np.flatnonzero(~away)]

    return present


def matches_to(world: World, seed: int, present: Present | None) -> Floats:
    """Return after how many matches tau reaches each level, (L,); between looks it is a line."""
    ladder = world.ladder(seed, MOST // world.seats)
    before, found = (0, 0.0), list[float]()
    for matches, fit in rounds(ladder, optimal(mixed=True), seed, present):
        tau = float(kendall_tau(fit.theta, ladder.strengths))
        while len(found) < len(LEVELS) and tau >= LEVELS[len(found)]:
            part = (LEVELS[len(found)] - before[1]) / (tau - before[1])
            found.append(before[0] + part * (matches - before[0]))
        if len(found) == len(LEVELS):
            return np.array(found)
        before = matches, max(tau, before[1])
    raise RuntimeError("a ladder has no end")


def main() -> None:
    """Print what it takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ladders", type=int, default=4)
    seeds = range(parser.parse_args().ladders)
    world = World("turnover", entrants=BOTS)
    calm = np.array([matches_to(world, seed, None) for seed in seeds])
    moved = np.array([matches_to(world, seed, restless(world, seed)) for seed in seeds])
    ratio = moved / calm
    for at, level in enumerate(LEVELS):
        error = ratio[:, at].std(ddof=1) / len(ratio) ** 0.5
        print(f"tau {level}: calm {calm[:, at].mean():,.0f} matches, ", end="")
        print(f"restless {ratio[:, at].mean():.3f} ± {error:.3f} of them", flush=True)


if __name__ == "__main__":
    main()
