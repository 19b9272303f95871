"""What more nodes gain a decision of the bot that searches, in Courtisans.

    python -m tests.benchmarks.gain_by_budget --minutes 10

Takes any turn of matches between four `counter`, and judges what each budget chooses there in new
worlds, by the bot's own playouts. That scatters far less than matches do. Prints a line a turn, and
how many rivals more, as a share, each budget beats than the one before.
"""

import argparse
import random
import time
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

from courtyard_kit.courtisans import Position

from referee.games.courtisans.redraw import redrawn_state
from referee.games.randomness import Stream
from tests.benchmarks.budgets import Z
from tests.sample_bots.conftest import Table, begin, bot_module

SEATS, TURNS = 4, 28


def position_of(name: str, turn: int) -> Position:
    """Return what the seat to act sees on a turn of a match."""
    counter = begin(bot_module("courtisans", "counter"))
    table = Table(name, [counter() for _ in range(SEATS)])
    seen = map(Position, table.turns())
    return next(position for position in seen if position.turn == turn)


def worths(searcher: Any, position: Position, chosen: list[Any], worlds: int) -> list[float]:
    """Return the share of its rivals that each choice may expect to beat, in the same worlds."""
    stream, found = Stream("judge"), dict.fromkeys(chosen, 0.0)
    for _ in range(worlds if len(found) > 1 else 0):
        state = redrawn_state(position.config, position.observation, stream)
        for action in found:
            found[action] += searcher.PLAYOUTS.worth(state, action, "")
    return [found[action] / worlds / (SEATS - 1) for action in chosen]


def main() -> None:
    """Play, judge, and print the gains."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[300, 2900, 46400])
    parser.add_argument("--worlds", type=int, default=1500)
    parser.add_argument("--minutes", type=float, default=10)
    given = parser.parse_args()
    searcher, end = bot_module("courtisans", "searcher"), time.monotonic() + 60 * given.minutes
    rows: list[list[float]] = []
    while len(rows) < 2 or time.monotonic() < end:
        turn = random.Random(len(rows)).randrange(TURNS) + 1
        position = position_of(f"regret {len(rows)}", turn)
        chosen = [searcher.choose(position, nodes=nodes) for nodes in given.nodes]
        rows.append(worths(searcher, position, chosen, given.worlds))
        print(f"turn {turn}: " + ", ".join(f"{worth:.4f}" for worth in rows[-1]), flush=True)
    for (less, before), (more, after) in pairwise(enumerate(given.nodes)):
        gains = [row[more] - row[less] for row in rows]
        error = Z * stdev(gains) / len(gains) ** 0.5
        print(f"{after} nodes, not {before}: {mean(gains):+.4f} ± {error:.4f} in {len(rows)} turns")


if __name__ == "__main__":
    main()
