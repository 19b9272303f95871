"""How many matches a right ranking of real bots costs, by who meets and by who rates.

Run by `make bench-ranking REAL=1`. Ladders are drawn from banks of real matches; those of one seed
share them. A number of matches is where the mean over all ladders crosses a level. A ratio compares
the matches to the same levels of Kendall's tau with those of our ladder, on average over the levels
that both reach; its interval is from ladders drawn with repetition, the same ones for both sides.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ladder.rating.fit import LOGIT, Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log
from ladder.scheduling.ladder.optimal import optimal
from ladder.scheduling.ladder.policy import Scheduler
from ladder.scheduling.ladder.simple import at_random, swiss
from tests.benchmarks.ranking.measures import bootstrapped
from tests.benchmarks.ranking.real.bank import Bank, Floats, Ints, load, played
from tests.benchmarks.ranking.real.experiment import (
    CHECKS,
    GRID,
    Rater,
    Row,
    Shown,
    full_log,
    observe,
    play,
)
from tests.benchmarks.ranking.real.ladders import Rate, halite
from tests.benchmarks.ranking.trueskill_batch import MU, SIGMA, Environment

OURS = "ours"
TIES = 0.08
"""How often equals share a place, about, in all fields."""
LEVELS = (0.85, 0.90, 0.95)
SCHEDULERS: dict[str, tuple[Scheduler, bool]] = {
    "optimal": (optimal(), True),
    "random": (at_random, False),
    "Swiss": (swiss, True),
}
"""Who says who meets, and whether it asks who is strong."""


class InOrder:
    """TrueSkill that takes one match after the other, goes on with a log that grows."""

    def __init__(self, environment: Environment, entrants: int) -> None:
        """Begin before the first match."""
        self._environment = environment
        self._mu, self._sigma = np.full((1, entrants), MU), np.full((1, entrants), SIGMA)
        self._rated = 0

    def __call__(self, log: Log) -> Shown:
        """Return what the ratings are after all matches."""
        matches = log.matches()
        for versions, ranks in zip(
            matches.versions[self._rated :], matches.ranks[self._rated :], strict=True
        ):
            mu, sigma = self._mu[:, versions], self._sigma[:, versions]
            rated = self._environment.rate(mu, sigma, ranks[None])
            self._mu[:, versions], self._sigma[:, versions] = rated
        self._rated = len(log)
        return Shown(self._mu[0].copy(), np.diag(self._sigma[0] ** 2))


def raters(bank: Bank, whole: Fit) -> dict[str, tuple[Rater, Floats | None]]:
    """Return who rates, each with the ratings that it comes to in the end, where it has any."""
    tuned = Environment(SIGMA * LOGIT / whole.sd, 0.0, TIES)
    known: dict[int, Fit] = {}

    def fitted(log: Log) -> Fit:
        if len(log) not in known:
            known.clear()
            known[len(log)] = rate(log)
        return known[len(log)]

    def shown(fit: Fit) -> Shown:
        return Shown(fit.theta, fit.V, fit.rank_intervals())

    def places(fit: Fit) -> Fit:
        return fit.joint.places if fit.joint else fit

    return {
        OURS: (lambda log: shown(fitted(log)), whole.theta),
        "by places": (lambda log: shown(places(fitted(log))), places(whole).theta),
        "TrueSkill in order": (InOrder(tuned, len(bank.names)), None),
    }


def rows(bank: Bank, ladders: Sequence[int]) -> dict[tuple[str, str], Row]:
    """Play ladders of each scheduler, rated by all; and those of Halite."""
    whole = rate(full_log(bank))
    found = {(who, how): Row() for who in SCHEDULERS for how in raters(bank, whole)}

    def aware(log: Log, _: object) -> Fit:
        return rate(log)

    for seed in ladders:
        for who, (scheduler, asks) in SCHEDULERS.items():
            some = raters(bank, whole)
            of = {how: found[who, how] for how in some}
            asked: Rate | None = aware if asks else None
            play(bank, seed, scheduler, asked, some, of)
    found["Halite", "Halite"] = as_halite(bank, ladders)
    return found


def as_halite(bank: Bank, ladders: Sequence[int]) -> Row:
    """Play ladders of Halite."""
    row = Row()
    for shown in halite(bank, ladders, GRID):
        row.begin()
        for matches, score in zip(GRID, shown, strict=True):
            observe(row, bank, Shown(score), None, matches)
    return row


def crossed(values: Floats, level: float) -> float:
    """Return after how many matches the mean of (S, T) over the ladders reaches a level."""
    mean = np.maximum.accumulate(values.mean(axis=0))
    reached = np.flatnonzero(mean >= level)
    if not len(reached):
        return float("inf")
    at = int(reached[0])
    if at == 0:
        return float(GRID[0])
    part = (level - mean[at - 1]) / (mean[at] - mean[at - 1])
    return float(GRID[at - 1] * (GRID[at] / GRID[at - 1]) ** part)


def ratio(own: Floats, other: Floats) -> Callable[[Ints], float]:
    """Return what compares the matches of some ladders with ours."""

    def compared(chosen: Ints) -> float:
        one, two = own[chosen].mean(axis=0), other[chosen].mean(axis=0)
        levels = np.linspace(max(one[2], two[2]), min(one.max(), two.max()), 9)[1:-1]
        times = [np.log(crossed(other[chosen], x) / crossed(own[chosen], x)) for x in levels]
        return float(np.exp(np.mean(times)))

    return compared


def line(name: tuple[str, str], row: Row, ours: Row) -> str:
    """Return a line of the table."""
    tau, top, nearly = (np.array(values) for values in (row.tau, row.top, row.nearly))
    at = [GRID.index(matches) for matches in CHECKS]
    cells = [f"{name[0]:8} {name[1]:19}"]
    cells.append(" ".join(f"{tau[:, i].mean():.3f}" for i in at))
    cells.append(" ".join(f"{crossed(tau, level):6.0f}" for level in LEVELS))
    cells.append(" ".join(f"{values[:, at[-1]].mean():.2f}" for values in (top, nearly)))
    compared = ratio(np.array(ours.tau), tau)
    low, high = bootstrapped(len(tau), compared)
    cells.append(f"{compared(np.arange(len(tau))):.2f} ({low:.2f}-{high:.2f})")
    cells += [
        " ".join(f"{np.mean(held[m]):.3f}" if m in held else "  -  " for m in CHECKS)
        for held in (row.covered, row.ranked)
    ]
    return " | ".join(cells)


HEAD = (
    "meeting  rated by            | tau at 200, 800, 3,200 | to .85 .90 .95 | top 3 right, nearly "
    "at 3,200 | matches / ours | 95 % of ratings hold at 200, 800, 3,200 | of ranks"
)


def main(arguments: Sequence[str]) -> None:
    """Play, print, and write down."""
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ladders", "--seeds", type=int, default=30, help="a field")
    parser.add_argument("--first", type=int, default=0, help="number of the first ladder")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    parser.add_argument("fields", nargs="*", metavar="FIELD", help=f"of {' '.join(played())}")
    chosen = parser.parse_args(arguments)
    kept = {}
    if unknown := {*chosen.fields} - {*played()}:
        parser.error(f"no bank of {min(unknown)}: make it by tests.benchmarks.ranking.real.bank")
    for name in chosen.fields or played():
        began = time.process_time()
        found = rows(load(name), range(chosen.first, chosen.first + chosen.ladders))
        print(f"\n{name}, {chosen.ladders} ladders\n{HEAD}")
        for who, row in found.items():
            print(line(who, row, found["optimal", OURS]), flush=True)
        print(f"({time.process_time() - began:.0f} s of CPU time)", flush=True)
        kept[name] = {" ".join(who): asdict(row) for who, row in found.items()}
    if chosen.json:
        chosen.json.write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
