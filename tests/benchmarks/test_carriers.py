"""What a carrier costs: the same Python bot over gRPC, over stdio and over JSON lines.

Three things are measured, and all processes run on one core, so that a figure is the CPU time of
both sides together:

- the start: from the start of the process to its Welcome, on the wall and in CPU time, which does
  not depend on what else runs;
- the carrier: a bot that thinks nothing is sent the requests of a recorded match again and again;
- full matches: with the rules of Courtisans, and the sample bot `random` on every seat. What the
  rules and the kit cost is the same on every carrier and soon outweighs it.

Rounds of all carriers take turns, so that whatever else the machine does meets all of them; the
median of the rounds' ratios is what counts.
"""

import statistics
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.sandbox.kernel import kernel

pytestmark = pytest.mark.bench

CARRIERS = ("grpc", "stdio", "stdio-json")
ROUNDS = 9
SECONDS = 0.5
CORE = min(kernel.affinity(), default=0)
ORDERS = {"start": ("start", "cpu"), f"replay {SECONDS}": ("replay",), f"play {SECONDS}": ("play",)}
"""What is told to the tables, and what they answer with."""
MEASURED = {
    "start": "ms from a bot's start to its Welcome (stdio: at most 0.50 is wanted)",
    "cpu": "ms of CPU that the bot used for it",
    "replay": "decisions a second, thinking nothing (stdio: at least 5.00 is wanted)",
    "play": "decisions a second in full matches, which the rules and the kit hold back",
}

Process = subprocess.Popen[str]


def told(process: Process, order: str) -> list[float]:
    """Give an order; return the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    print(order, file=process.stdin, flush=True)
    return [float(figure) for figure in process.stdout.readline().split()]


def one_round(processes: Mapping[str, Process]) -> dict[tuple[str, str], float]:
    """Measure everything once on every carrier, taking turns."""
    return {
        (name, carrier): figure
        for order, names in ORDERS.items()
        for carrier, process in processes.items()
        for name, figure in zip(names, told(process, order), strict=True)
    }


def test_carriers_beside_each_other() -> None:
    """Print what each costs, and its ratio to gRPC."""
    program = Path(__file__).with_name("carrier.py")
    with ExitStack() as stack:
        processes = {
            carrier: stack.enter_context(
                subprocess.Popen(
                    [sys.executable, program, carrier, str(CORE)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for carrier in CARRIERS
        }
        one_round(processes)
        rounds = [one_round(processes) for _ in range(ROUNDS)]
    print(f"\nfour bots and the referee on core {CORE}; medians of {ROUNDS} rounds")
    for name, words in MEASURED.items():
        print(words)
        for carrier in CARRIERS:
            ratios = sorted(r[name, carrier] / r[name, "grpc"] for r in rounds)
            print(
                f"{statistics.median(r[name, carrier] for r in rounds):10.0f}  {carrier:10}  "
                f"{statistics.median(ratios):.2f} of gRPC ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            )
