"""How many matches a right ranking costs: our ladder against how others do it, on the same luck.

Run by `make bench-ranking`, more with ARGS="--jobs 2 --json FILE". A block of k rotations counts as
k matches. A number of matches is where the mean over all ladders crosses a level; a ratio's
interval is from ladders drawn with repetition, the same ones for both sides.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ladder.scheduling.ladder.optimal import RANKING, TOP
from tests.benchmarks.ranking.experiments import (
    Honesty,
    Order,
    Plan,
    Seen,
    duels,
    honesty,
    order_of_ours,
    order_of_peer,
    watch_all,
)
from tests.benchmarks.ranking.measures import bootstrapped, crossing
from tests.benchmarks.ranking.peers import HALITE, PEERS
from tests.benchmarks.ranking.worlds import Floats, Ints, World

W1 = World("W1: 20 bots, 4 seats, rho 0.6")
W2 = World("W2: rho 0.2", deal_share=0.2)
W3 = World("W3: rho 0.2, sdK 1", deal_share=0.2, matchup_sd=1.0)
W4 = World("W4: 2 seats, rho 0.6", seats=2)
W5 = World("W5: 50 bots, 4 seats, rho 0.6", entrants=50)
PLACES = (
    World("W1 by places alone", pointed=False),
    World("W2 by places alone", deal_share=0.2, pointed=False),
)
ASTRAY = (
    World("rho 0.6, sdK 1", matchup_sd=1.0),
    World("rho 0.6, sdK 2", matchup_sd=2.0),
    World("rho 0.6, points astray", stray_sd=1.0),
)
"""Where strengths are not on one line, or points tell something else than places."""
DRAWN = World("rho 0.6, skills drawn", drawn=True)
"""P(A better than B) can be right only on average over the fields that there may be."""
AIMS = {"ranking": RANKING, "top": TOP}
GOALS = {W1.name: (0.40, 0.12), W2.name: (0.70, 0.20)}
"""Of Halite's matches: for tau 0.95 and for the right top 3."""
NO_GOALS = (None, None)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated."""

    seeds: int = 200
    first_seed: int = 0
    """What was tuned was tuned on ladders from 1000 on."""
    matches: int = 1200
    """Of our ladders, at least."""
    at_most: int = 4000
    """Of our ladders, until their top is sure."""
    peers: int = 6000
    """Matches of the peers' ladders."""
    honest_seeds: int = 60
    honest_matches: int = 1600
    """Of the ladders whose error bars are checked."""
    duels: int = 1000
    pairs: int = 8000
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One number, with its interval and its goal if it has them."""

    world: str
    what: str
    value: float
    goal: str = ""
    met: bool | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """Return a line of the table."""
        shown = f"{self.value:8.3f}" if abs(self.value) < 10 else f"{self.value:8.0f}"
        interval = "" if self.low is None else f"{self.low:.3f} to {self.high:.3f}"
        verdict = {None: "", True: "met", False: "NOT MET"}[self.met]
        return f"{self.world:32} {self.what:44} {shown}  {interval:16} {self.goal:16} {verdict}"


def orders(world: World, size: Size) -> Iterator[Row]:
    """Compare when the order is right; then say what else our ladders showed."""
    seeds = range(size.first_seed, size.first_seed + size.seeds)
    checks = tuple(size.matches * part // 4 for part in (1, 2, 3, 4))
    longest = {"ranking": size.matches, "top": size.at_most}
    plans = {
        name: Plan(world, aim, size.matches, longest[name], checks) for name, aim in AIMS.items()
    }
    seen = {name: watch_all(plan, seeds, size.jobs) for name, plan in plans.items()}
    ours = {name: order_of_ours(plan, seen[name]) for name, plan in plans.items()}
    theirs = {peer.name: order_of_peer(peer, world, seeds, size.peers) for peer in PEERS}
    for name, order in [*((f"ours, aim {n}", o) for n, o in ours.items()), *theirs.items()]:
        yield Row(world.name, f"{name}: matches to tau 0.90", reached(order.grid, order.tau, 0.90))
        yield Row(world.name, f"{name}: matches to tau 0.95", reached(order.grid, order.tau, 0.95))
        yield Row(world.name, f"{name}: matches to top 3 at 95 %", reached(order.grid, order.top))
    yield from ratios(world, ours, theirs)
    for name in plans:
        yield from honest(world.name, f"aim {name}", honesty(seen[name]))
    yield from settling(world, seen["top"])


def reached(grid: Ints, values: Floats, level: float = 0.95) -> float:
    """Return where the mean over the ladders crosses the level."""
    return crossing(grid.astype(float), values, level)


def ratios(world: World, ours: dict[str, Order], theirs: dict[str, Order]) -> Iterator[Row]:
    """Compare our matches with those of each peer."""
    for peer, other in theirs.items():
        goals = GOALS.get(world.name, NO_GOALS) if peer == HALITE.name else NO_GOALS
        tau = partial(ratio, ours["ranking"].grid, ours["ranking"].tau, other.grid, other.tau)
        first = partial(ratio, ours["top"].grid, ours["top"].top, other.grid, other.top)
        seeds = len(other.tau)
        for what, compared, goal in (("tau 0.95", tau, goals[0]), ("top 3", first, goals[1])):
            value = compared(np.arange(seeds))
            yield Row(
                world.name,
                f"our matches / {peer}'s, {what}",
                value,
                f"<= {goal:.2f}" if goal else "",
                value <= goal if goal else None,
                *bootstrapped(seeds, compared),
            )


def ratio(own_grid: Ints, own: Floats, grid: Ints, their: Floats, chosen: Ints) -> float:
    """Compare some ladders; a peer that never gets there is taken to get there at its end."""
    theirs = min(float(grid[-1]), reached(grid, their[chosen]))
    return reached(own_grid, own[chosen]) / theirs


def honest(world: str, which: str, found: Honesty) -> Iterator[Row]:
    """Say how often error bars were right."""
    covered = found.strengths
    what = f"{which}: coverage of 95 % intervals"
    yield Row(world, f"{what}, strengths", covered, "0.93 to 0.99", 0.93 <= covered <= 0.99)
    yield Row(world, f"{what}, ranks", found.ranks)


def calibrated(world: str, which: str, found: Honesty) -> Iterator[Row]:
    """Say how often the likelier order was right."""
    for claimed, right, pairs in found.claimed:
        if pairs >= 200:  # fewer say nothing to two digits
            near = abs(right - claimed) <= 0.04
            yield Row(world, f"{which}: A better where P = {claimed:.3f}", right, "+- 0.04", near)


def settling(world: World, seen: Sequence[Seen]) -> Iterator[Row]:
    """Say when the top was called sure, and how often rightly."""
    settled = [one for one in seen if math.isfinite(one.settled_at)]
    yield Row(world.name, "share of ladders that settled", len(settled) / len(seen))
    if settled:
        right = float(np.mean([one.settled_right for one in settled]))
        median = float(np.median([one.settled_at for one in seen]))
        yield Row(world.name, "settled after, median", median)
        name = "settled with the right top 3"
        yield Row(world.name, name, right, ">= 0.95", right >= 0.95)


def error_bars(world: World, size: Size) -> Iterator[Row]:
    """Check the error bars of both aims, early and late."""
    seeds = range(size.first_seed, size.first_seed + size.honest_seeds)
    checks = tuple(size.honest_matches * part // 4 for part in (1, 2, 3, 4))
    for name, aim in AIMS.items():
        plan = Plan(world, aim, size.honest_matches, size.honest_matches, checks)
        seen = watch_all(plan, seeds, size.jobs)
        found = honesty(seen)
        yield from honest(world.name, f"aim {name}", found)
        if world.drawn:
            yield from calibrated(world.name, f"aim {name}", found)
        else:
            tau = order_of_ours(plan, seen).tau[:, -1].mean()
            yield Row(world.name, f"aim {name}: tau after {size.honest_matches}", float(tau))


def fights(world: World, size: Size) -> Iterator[Row]:
    """Compare duels at one table with two gauntlets; the better one wins 53.4 % of pairs."""
    ours = duels(world, 1.0, size.duels, apart=False, pairs=size.pairs // 4)
    theirs = duels(world, 1.0, size.duels // 4, apart=True, pairs=size.pairs)
    name, ratio = world.name, ours.matches / theirs.matches
    yield Row(name, "duel: type I error", ours.type_one, "<= 0.07", ours.type_one <= 0.07)
    yield Row(name, "duel: power", ours.power)
    yield Row(name, "duel: mean matches", ours.matches)
    yield Row(name, "two gauntlets: type I error", theirs.type_one)
    yield Row(name, "two gauntlets: power", theirs.power)
    yield Row(name, "two gauntlets: mean matches", theirs.matches)
    yield Row(name, "duel / two gauntlets, matches", ratio, "<= 0.30", ratio <= 0.30)


Experiment = Callable[[Size], Iterator[Row]]
EXPERIMENTS: dict[str, Experiment] = {
    "W1": lambda size: orders(W1, size),
    "W2": lambda size: orders(W2, size),
    "W3": lambda size: orders(W3, size),
    "W4": lambda size: orders(W4, size),
    "W5": lambda size: orders(W5, size),
    "places": lambda size: (row for world in PLACES for row in orders(world, size)),
    "bars": lambda size: (row for world in (*ASTRAY, DRAWN) for row in error_bars(world, size)),
    "duels": lambda size: fights(W1, size),
}


DEFAULT = ("W1", "W2", "bars", "duels")


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and write down; return 1 if a goal was not met."""
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=Size().seeds, help="ladders a world")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    parser.add_argument(
        "worlds", nargs="*", help=f"of {' '.join(EXPERIMENTS)}; default: {' '.join(DEFAULT)}"
    )
    chosen = parser.parse_args(arguments)
    size = Size(seeds=chosen.seeds, jobs=chosen.jobs)
    rows: list[Row] = []
    for name in chosen.worlds or DEFAULT:
        began = time.monotonic()
        for row in EXPERIMENTS[name](size):
            print(row, flush=True)
            rows.append(row)
        print(f"({name}: {time.monotonic() - began:.0f} s)", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
