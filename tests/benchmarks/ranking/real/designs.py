"""How well the tables of a scheduler tell the order of real bots, without the luck of results.

Run by `python -m tests.benchmarks.ranking.real.designs`. Kendall's tau of one ladder depends mostly
on the luck of its results: a hundred ladders tell how many matches a right order costs to a tenth.
Here ladders only say who met whom. From that and the bank's strengths follow the errors of all
differences, and so the tau to expect, as if tables did not depend on the results' luck; a few
ladders tell matches to a hundredth. With `--json FILE` ladders are kept; `--beside FILE` compares
with those that another version kept.
"""

import argparse
import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator, Philox
from scipy.special import expit, ndtr

from tests.benchmarks.ranking.measures import bootstrapped
from tests.benchmarks.ranking.real.bank import Bank, Floats, Ints, load, played
from tests.benchmarks.ranking.real.bench import PLANS, Plan, fitting
from tests.benchmarks.ranking.real.experiment import GRID, truth_in_logits
from tests.benchmarks.ranking.real.ladders import Draws, rounds
from tests.benchmarks.ranking.real.tables import ratio

_DESIGN_EFFECT = 0.6
"""By which the information of pairs is divided: points tell more than places."""
_STRAY = 0.05
"""The deviation of real pairs from strengths, in logits. The ratios hardly depend on either."""

_PLANS = {name: plan for name, plan in PLANS.items() if isinstance(plan, Plan)}
Met = Mapping[int, Ints]
"""By number of the ladder: (T, N, N) how often two bots have met, over the grid."""


def who_met(bank: Bank, plan: Plan, seed: int) -> Ints:
    """Play a ladder; return (T, N, N) who met whom."""
    fitted = fitting()
    found: list[Ints] = []
    for log in rounds(Draws(bank, seed), plan.scheduler, fitted if plan.asks else None):
        versions = log.matches().versions
        while len(found) < len(GRID) and len(log) >= GRID[len(found)]:
            met = np.zeros((len(bank.names), len(bank.names)), np.int64)
            for a, b in combinations(range(bank.seats), 2):
                np.add.at(met, (versions[:, a], versions[:, b]), 1)
            found.append(met + met.T)
        if len(found) == len(GRID):
            break
    return np.array(found)


def expected_tau(met: Ints, strengths: Floats, seats: int) -> float:
    """Return Kendall's tau that tables let expect; `met` is (N, N), `strengths` (N,) in logits."""
    gap = strengths[:, None] - strengths
    information = met * (2 / seats) * expit(gap) * expit(-gap) / _DESIGN_EFFECT
    errors = np.linalg.pinv(_laplacian(information))
    errors += errors @ _laplacian((information * _STRAY) ** 2) @ errors
    own = np.diag(errors)
    i, j = np.triu_indices(len(gap), 1)
    sigma = np.sqrt(own[i] + own[j] - 2 * errors[i, j])
    return float(np.mean(2 * ndtr(np.abs(gap[i, j]) / sigma) - 1))


def _laplacian(weights: Floats) -> Floats:
    found: Floats = np.diag(weights.sum(axis=1)) - weights
    return found


def compared(bank: Bank, own: Met, other: Met) -> str:
    """Return our matches over theirs to the same expected tau, with its interval."""
    strengths = truth_in_logits(bank)
    one, two = (
        np.array([[expected_tau(met, strengths, bank.seats) for met in ladder] for ladder in each])
        for each in (own.values(), other.values())
    )
    chance = Generator(Philox(key=1))

    def drawn(chosen: Ints) -> float:
        others = chance.integers(len(two), size=len(two))
        return ratio(one[chosen].mean(axis=0), two[others].mean(axis=0))

    low, high = bootstrapped(len(one), drawn)
    found = ratio(one.mean(axis=0), two.mean(axis=0))
    return f"{found:.3f} ({low:.3f} to {high:.3f})"


def read(path: Path | None) -> dict[tuple[str, str], dict[int, Ints]]:
    """Return the kept ladders by field and plan."""
    found: dict[tuple[str, str], dict[int, Ints]] = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        one = json.loads(line)
        found.setdefault((one["field"], one["plan"]), {})[one["ladder"]] = np.array(one["met"])
    return found


def main() -> None:
    """Play ladders, and compare the first plan with the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", nargs="*", default=played(), choices=[*played(), []])
    parser.add_argument("--ladders", type=int, default=6)
    parser.add_argument("--plans", nargs="+", default=["mixed", "balanced"], choices=_PLANS)
    parser.add_argument("--json", type=Path, help="keep the ladders here, and go on with them")
    parser.add_argument("--beside", type=Path, help="ladders that another version kept")
    given = parser.parse_args()
    kept, before = read(given.json), read(given.beside)
    for field in given.fields:
        bank = load(field)
        for name in given.plans:
            own = kept.setdefault((field, name), {})
            for number in range(given.ladders):
                if number in own:
                    continue
                own[number] = who_met(bank, _PLANS[name], number)
                if given.json:
                    key = {"field": field, "plan": name, "ladder": number}
                    with given.json.open("a") as file:
                        file.write(json.dumps({**key, "met": own[number].tolist()}) + "\n")
        first, *others = given.plans
        for name in others:
            found = compared(bank, kept[field, first], kept[field, name])
            print(f"{field}: {first} takes {found} of the matches of {name}", flush=True)
        if (field, first) in before:
            found = compared(bank, kept[field, first], before[field, first])
            print(f"{field}: {first} takes {found} of the matches of before", flush=True)


if __name__ == "__main__":
    main()
