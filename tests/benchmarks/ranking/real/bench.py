"""How many matches a right ranking of real bots costs, by who meets and by who rates.

Run by `make bench-ranking REAL=1`. Ladders are drawn from banks of real matches; those of one
number share them. With `--json FILE` each ladder is kept there when it is over, and none is played
again. The tables are explained in `tables`.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

from ladder.model.ratings import MU, SIGMA
from ladder.rating.fit import LOGIT, Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log
from ladder.scheduling.ladder.optimal import TOP, optimal
from ladder.scheduling.ladder.policy import Scheduler
from ladder.scheduling.ladder.simple import at_random, balanced, swiss
from tests.benchmarks.ranking.peers import HALITE, PSYLEAGUE, RANDOM, Peer
from tests.benchmarks.ranking.real.bank import Floats, load, played
from tests.benchmarks.ranking.real.experiment import (
    GRID,
    Rater,
    Row,
    Shown,
    Truth,
    full_log,
    observe,
    play,
)
from tests.benchmarks.ranking.real.foretold import (
    bradley_terry,
    chances,
    normal_chances,
    outcomes,
    plackett_luce,
)
from tests.benchmarks.ranking.real.ladders import of_peer
from tests.benchmarks.ranking.real.tables import OURS, Found, tables
from tests.benchmarks.ranking.trueskill_batch import Environment

_AT_ONCE = 20
"""The ladders of a plan that are played before the next plan's."""
_IN_ORDER = 4
"""One ladder in four is also rated match after match, which takes longer than all else."""
_STRETCH = 0.08
"""The common uncertainty of distances that the rating of record has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who meets, and who rates the matches."""

    scheduler: Scheduler
    raters: Sequence[str] = (OURS,)
    asks: bool = True
    """Whether the scheduler asks who is strong."""
    duplicates: bool = False
    """Whether a table plays its deal on all rotations of the seats."""


IN_ORDER = "TrueSkill in order"
PACKAGE = "package trueskill"
OPENSKILL = "OpenSkill"
ONE_BY_ONE = (IN_ORDER, PACKAGE, OPENSKILL)
"""They rate match after match."""
OTHERS: Mapping[str, Callable[[Log], Floats]] = {
    "Bradley-Terry": bradley_terry,
    "Plackett-Luce": plackett_luce,
}
PARTS = ("by places", "by points", "half and half", "distances sure")
TUNED = "tuned TrueSkill"
_RATERS = (
    OURS,
    *PARTS,
    *OTHERS,
    IN_ORDER,
    PACKAGE,
    *([OPENSKILL] if find_spec("openskill") else []),
)
PLANS: dict[str, Plan | Peer] = {
    "mixed": Plan(optimal(mixed=True), _RATERS),
    "mixed, top": Plan(optimal(TOP, mixed=True)),
    "random": replace(RANDOM, name=TUNED, cautious=False),
    "Halite": HALITE,
    "psyleague": PSYLEAGUE,
    "random, ours": Plan(at_random, asks=False),
    "balanced": Plan(balanced, asks=False),
    "optimal": Plan(optimal()),
    "optimal, top": Plan(optimal(TOP)),
    "Swiss": Plan(swiss),
    "duplicates": Plan(optimal(mixed=True), duplicates=True),
}


class InOrder:
    """TrueSkill that takes one match after the other, goes on with a log that grows."""

    def __init__(self, rater: Environment, entrants: int) -> None:
        """Begin before the first match."""
        self._rater = rater
        self._mu, self._sigma = np.full((1, entrants), MU), np.full((1, entrants), SIGMA)
        self._rated = 0

    def __call__(self, log: Log) -> Shown:
        """Return what the ratings are after all matches."""
        matches = log.matches()
        new = slice(self._rated, None)
        for versions, ranks in zip(
            matches.versions[new].tolist(), matches.ranks[new].tolist(), strict=True
        ):
            before = self._mu[:, versions], self._sigma[:, versions]
            after = self._rater.rate(*before, np.array([ranks]))
            self._mu[:, versions], self._sigma[:, versions] = after
        self._rated = len(log)
        mu, sigma = self._mu[0].copy(), self._sigma[0].copy()
        return Shown(mu, np.diag(sigma**2), chance=normal_chances(mu, sigma, self._rater.beta))


class OpenSkill:
    """Plackett-Luce of the package `openskill` as it ships, which goes on with a log that grows."""

    def __init__(self, entrants: int) -> None:
        """Begin before the first match."""
        self._model: Any = import_module("openskill.models").PlackettLuce()
        self._ratings = [self._model.rating() for _ in range(entrants)]
        self._rated = 0

    def __call__(self, log: Log) -> Shown:
        """Return what the ratings are after all matches."""
        matches, known = log.matches(), self._ratings
        new = slice(self._rated, None)
        for versions, ranks in zip(
            matches.versions[new].tolist(), matches.ranks[new].tolist(), strict=True
        ):
            after = self._model.rate([[known[v]] for v in versions], ranks=ranks)
            for version, (rating,) in zip(versions, after, strict=True):
                known[version] = rating
        self._rated = len(log)
        mu, sigma = (np.array([getattr(r, name) for r in known]) for name in ("mu", "sigma"))
        chance = normal_chances(mu, sigma, self._model.beta)
        return Shown(mu, np.diag(sigma**2), chance=chance)


def tuned(fit: Fit) -> Environment:
    """Return TrueSkill with the luck and the ties that the matches of a fit show."""
    return Environment(SIGMA * LOGIT / fit.sd, 0.0, float(2 * ndtr(fit.margin / 2**0.5) - 1))


def shown_by(rater: str, fit: Fit) -> Shown:
    """Return what a fit shows with parts of it left out."""
    if rater == OURS:
        return Shown(fit.theta, fit.V, fit, chances(fit.theta, fit.V))
    if fit.joint is None:
        raise ValueError("the bots of a bank have points")
    places, points = fit.joint.places, fit.joint.points
    if rater == "distances sure":
        apart = _STRETCH * (fit.theta - fit.theta.mean())
        return Shown(fit.theta, fit.V - np.outer(apart, apart))
    if rater == "by places":
        return Shown(places.theta, places.V, places, chances(places.theta, places.V))
    return Shown(points if rater == "by points" else (places.theta + points) / 2)


def fitting() -> Callable[[Log], Fit]:
    """Return what rates a growing log, once for each of its lengths in a row."""
    known: dict[int, Fit] = {}

    def fitted(log: Log) -> Fit:
        if len(log) not in known:
            known.clear()
            known[len(log)] = rate(log)
        return known[len(log)]

    return fitted


class Ladders:
    """Plays the ladders of a field."""

    def __init__(self, field: str) -> None:
        """Read the bank."""
        self._bank = bank = load(field)
        every = full_log(bank)
        self._whole = whole = rate(every)
        limits = {name: shown_by(name, whole).score for name in (OURS, *PARTS)}
        strengths = whole.joint.places.theta if whole.joint else whole.theta
        self._truth = Truth(bank, limits, strengths, outcomes(every))
        self._tuned = tuned(whole)

    def play(self, name: str, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, Row]]]:
        """Play ladders of a plan; yield the number of each and what it shows by rater."""
        plan = PLANS[name]
        if isinstance(plan, Peer):
            yield from self._of_peer(plan, numbers)
            return
        for number in numbers:
            some = [r for r in plan.raters if r not in ONE_BY_ONE or number % _IN_ORDER == 0]
            yield number, self.of_ours(plan, some, number)

    def of_ours(
        self, plan: Plan, names: Sequence[str], number: int, grid: Sequence[int] = GRID
    ) -> dict[str, Row]:
        """Play a ladder of ours; return what it shows by each of these raters."""
        fitted = fitting()

        def part(name: str) -> Rater:
            return lambda log: shown_by(name, fitted(log))

        def other(strengths: Callable[[Log], Floats]) -> Rater:
            def shown(log: Log) -> Shown:
                theta = strengths(log)
                return Shown(theta, chance=chances(theta))

            return shown

        def rater_named(name: str) -> Rater:
            if name in OTHERS:
                return other(OTHERS[name])
            if name == OPENSKILL:
                return OpenSkill(len(self._whole.theta))
            if name in ONE_BY_ONE:
                settings = self._tuned if name == IN_ORDER else Environment()
                return InOrder(settings, len(self._whole.theta))
            return part(name)

        raters = {name: rater_named(name) for name in names}
        asked, twins = fitted if plan.asks else None, plan.duplicates
        return play(self._truth, number, plan.scheduler, asked, raters, duplicates=twins, grid=grid)

    def _of_peer(self, peer: Peer, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, Row]]]:
        if peer.name == TUNED:
            peer = replace(peer, rater=self._tuned)
        every = of_peer(peer, self._bank, numbers, GRID)
        for number, shown in zip(numbers, every, strict=True):
            row = Row()
            for matches, score in zip(GRID, shown, strict=True):
                observe(row, self._truth, peer.name, Shown(score), matches)
            yield number, {peer.name: row}


def read(path: Path | None) -> Found:
    """Return the ladders that are kept in a file, if it is there."""
    found: Found = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        one = json.loads(line)
        rows = {rater: Row.read(row) for rater, row in one["rows"].items()}
        found.setdefault(one["field"], {}).setdefault(one["plan"], {})[one["ladder"]] = rows
    return found


def play_missing(
    fields: Sequence[str], plans: Sequence[str], ladders: int, path: Path | None
) -> Found:
    """Play the ladders that are not kept, of all fields and plans in turns; keep each.

    The ladders of a peer are played at once, as this costs little more than one.
    """
    found, ready = read(path), dict[str, Ladders]()
    for first in range(0, ladders, _AT_ONCE):
        for field, plan in product(fields, plans):
            own = found.setdefault(field, {}).setdefault(plan, {})
            last = ladders if isinstance(PLANS[plan], Peer) else min(first + _AT_ONCE, ladders)
            numbers = [number for number in range(first, last) if number not in own]
            if not numbers:
                continue
            if field not in ready:
                ready[field] = Ladders(field)
            for number, rows in ready[field].play(plan, numbers):
                own[number] = rows
                if path:
                    said = {"field": field, "plan": plan, "ladder": number}
                    kept = {rater: asdict(row) for rater, row in rows.items()}
                    with path.open("a") as file:
                        file.write(json.dumps({**said, "rows": kept}) + "\n")
    return found


def main(arguments: Sequence[str]) -> None:
    """Play, and print the tables."""
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ladders", "--seeds", type=int, default=30, help="a field")
    parser.add_argument("--json", type=Path, help="keep the ladders here, and go on with them")
    parser.add_argument("--plans", nargs="+", choices=PLANS, default=list(PLANS), metavar="PLAN")
    parser.add_argument("fields", nargs="*", metavar="FIELD", help=f"of {' '.join(played())}")
    chosen = parser.parse_args(arguments)
    if unknown := {*chosen.fields} - {*played()}:
        parser.error(f"no bank of {min(unknown)}: make it by tests.benchmarks.ranking.real.bank")
    fields = chosen.fields or played()
    if OPENSKILL not in _RATERS:
        print("(without OpenSkill: the package openskill is not installed)")
    found = play_missing(fields, chosen.plans, chosen.ladders, chosen.json)
    for field in fields:
        print(f"\n{field}\n\n" + "\n\n".join(tables(found[field])), flush=True)
    print(f"\n({time.process_time():.0f} s of CPU time)")


if __name__ == "__main__":
    main(sys.argv[1:])
