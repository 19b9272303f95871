"""What fifty clones of a middle bot cost the others.

Run by `python -m tests.benchmarks.ranking.crowds`, beside the balanced tables of the same field.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ladder.scheduling.ladder.optimal import optimal
from ladder.scheduling.ladder.policy import Scheduler
from ladder.scheduling.ladder.simple import balanced
from tests.benchmarks.ranking.ours import rounds
from tests.benchmarks.ranking.worlds import SKILL_SD, Floats, World

BOTS, CLONES = 16, 50
BEFORE, MORE = 100, 150
"""Matches of each bot before the clones join, and those that it should have afterwards."""
SCHEDULERS: dict[str, Scheduler] = {"mixed": optimal(mixed=True), "balanced": balanced}


@dataclass(frozen=True)
class Crowd(World):
    """A field whose last bots are clones of a middle one."""

    spread: float = SKILL_SD

    @cached_property
    def skills(self) -> Floats:
        """(N,) quantiles, the best first, and the clones."""
        own = World("", entrants=BOTS).skills / SKILL_SD * self.spread
        return np.append(own, np.full(self.entrants - BOTS, own[BOTS // 2]))


def matches_of_others(world: Crowd, scheduler: Scheduler, seed: int) -> float:
    """Return how many matches it takes until each bot has `MORE` after the clones joined.

    Between looks it is a line.
    """
    ladder = world.ladder(seed, 4 * (BEFORE + MORE) * world.entrants)
    joined = BEFORE * BOTS // world.seats**2

    def present(block: int) -> Sequence[int]:
        return range(BOTS if block < joined else world.entrants)

    played: Counter[int] = Counter()
    before: Counter[int] = Counter()
    seen = last = least = 0
    for matches, fit in rounds(ladder, scheduler, seed, present):
        played = Counter(dict(enumerate((fit.blocks * world.seats).tolist())))
        if matches // world.seats <= joined:
            before, seen = played, matches
        else:
            more = min(played[bot] - before[bot] for bot in range(BOTS))
            if more >= MORE:
                return last + (MORE - least) / (more - least) * (matches - last) - seen
            least = more
        last = matches
    raise RuntimeError("a ladder has no end")


def of_clones(ladders: int) -> Iterator[str]:
    """Yield what clones cost, by how far the bots are apart."""
    for name, spread in (("spread", SKILL_SD), ("dense", SKILL_SD / 8)):
        world = Crowd(name, entrants=BOTS + CLONES, spread=spread)
        took = {
            which: np.array([matches_of_others(world, own, seed) for seed in range(ladders)])
            for which, own in SCHEDULERS.items()
        }
        more = took["mixed"] / took["balanced"] - 1
        error = more.std(ddof=1) / ladders**0.5
        yield f"{name}: {100 * more.mean():.1f} ± {100 * error:.1f} % more than balanced tables"


def main() -> None:
    """Print what they cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ladders", type=int, default=4)
    for line in of_clones(parser.parse_args().ladders):
        print(line, flush=True)


if __name__ == "__main__":
    main()
