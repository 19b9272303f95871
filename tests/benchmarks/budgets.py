"""Strength by budget: the bot that searches, with 1 to 64 times the nodes, against `counter`.

    python -m tests.benchmarks.budgets courtisans --file scores.json --minutes 10

Every budget plays the same deals, each deal twice with seats exchanged. One node is too few for a
playout: what decides there is the policy. Prints a line a deal, then the table so far. With a
file, the next run goes on where this one ends.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import NormalDist, mean, stdev
from typing import Any

from tests.sample_bots.conftest import Table, begin, bot_module

BASES = {"courtisans": 25, "miracles": 50}
"""The nodes of a decision of the smallest budget."""
TIMES = (1, 2, 4, 8, 16, 32, 64)
Z = NormalDist().inv_cdf(0.975)

Begin = Callable[[], Callable[[Any], Any]]
"""Makes the strategy of one match."""


def score(game: str, ours: Begin, theirs: Begin, deal: int, seats: int = 4) -> float:
    """Return the share of their seats that a seat of ours beats, from both halves of a deal."""
    beaten = []
    for first in (0, 1):
        own = [(seat + first) % 2 == 0 for seat in range(seats)]
        players = [ours() if mine else theirs() for mine in own]
        ranked = list(zip(own, Table(f"search {deal}", players, game).play(), strict=True))
        beaten += [
            (rank < other) + 0.5 * (rank == other)
            for mine, rank in ranked
            for yours, other in ranked
            if mine and not yours
        ]
    return mean(beaten)


def in_words(scores: Sequence[float]) -> str:
    """Return the mean with its 95 % interval."""
    return f"{mean(scores):.3f} ± {Z * stdev(scores) / len(scores) ** 0.5:.3f}"


def main() -> None:
    """Play, keep the scores, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", choices=BASES)
    parser.add_argument("--seats", type=int, default=4, choices=(2, 4))
    parser.add_argument("--file", type=Path, help="where the scores are kept")
    parser.add_argument("--minutes", type=float, default=10)
    given = parser.parse_args()
    searcher, counter = bot_module(given.game, "searcher"), begin(bot_module(given.game, "counter"))
    budgets = [1, *[times * BASES[given.game] for times in TIMES]]
    scores: dict[str, list[float]] = {str(nodes): [] for nodes in budgets}
    if given.file and given.file.exists():
        scores = json.loads(given.file.read_text())
    end = time.monotonic() + 60 * given.minutes
    while time.monotonic() < end:
        nodes = min(budgets, key=lambda one: len(scores[str(one)]))
        played, choose = scores[str(nodes)], partial(searcher.choose, nodes=nodes)
        ours = partial(lambda same: same, choose)
        played.append(score(given.game, ours, counter, len(played), given.seats))
        print(f"deal {len(played)}, {nodes} nodes: {played[-1]:.3f}", flush=True)
        if given.file:
            given.file.write_text(json.dumps(scores))
    print("| nodes | pairs | score against `counter` |\n|---|---|---|")
    for name, values in scores.items():
        if len(values) > 1:
            print(f"| {name} | {len(values)} | {in_words(values)} |")


if __name__ == "__main__":
    main()
