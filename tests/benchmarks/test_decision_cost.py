"""What a decision costs: the CPU time of the worker and of the bots, in full matches.

Warm trivial bots play Courtisans, one match at a time, all on one core. Every kind of bot takes its
turn at the level "trusted" and at the strongest that the machine offers. Another line says what the
match alone costs: rules, messages, record and random answers, without any process. CPU time depends
on what else runs, as the processes share caches: the least of the turns is the most trustworthy.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import pytest

from referee.conformance.testing import play
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.sandbox.levels import offered
from referee.sandbox.program import Level
from tests.benchmarks.test_decisions import CORES, SEATS
from tests.benchmarks.trivial_ladder import CPP_STDIO, PYTHON_GRPC, PYTHON_STDIO, Bot
from tests.support.games import GAMES

pytestmark = pytest.mark.bench

KINDS = (CPP_STDIO, PYTHON_STDIO, PYTHON_GRPC)
GOALS = {CPP_STDIO: 130, PYTHON_STDIO: 130, PYTHON_GRPC: 220}
"""Microseconds of the worker's CPU that are wanted at most."""
TURNS = 7
MATCHES = 20

Turn = Callable[[], tuple[float, float]]
"""Returns the microseconds of the worker and of the bots for each decision."""


@contextmanager
def table(bot: Path, level: Level) -> Iterator[Turn]:
    """Start a table of warm bots, and end it."""
    program = Path(__file__).with_name("decision.py")
    with subprocess.Popen(
        [sys.executable, program, bot, level, str(CORES[0])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def turn() -> tuple[float, float]:
            assert process.stdin is not None
            assert process.stdout is not None
            print(MATCHES, file=process.stdin, flush=True)
            _, worker, bots = map(float, process.stdout.readline().split())
            return worker, bots

        turn()
        yield turn


def test_cost_of_a_decision(tmp_path: Path) -> None:
    """Print the least cost of a decision over some turns, for each kind of bot and level."""
    levels = dict.fromkeys((Level.TRUSTED, offered()[0]))
    for kind in KINDS:
        kind.write(tmp_path / kind.name, "first")
    with ExitStack() as stack:
        tables: dict[tuple[Bot, Level], Turn] = {
            (kind, level): stack.enter_context(table(tmp_path / kind.name, level))
            for kind in KINDS
            for level in levels
        }
        turns = [{key: turn() for key, turn in tables.items()} for _ in range(TURNS)]
    print(f"\nmicroseconds of CPU a decision; least of {TURNS} turns of {MATCHES} matches")
    for kind, level in tables:
        worker, bots = map(min, zip(*(turn[kind, level] for turn in turns), strict=True))
        wanted = f"{GOALS[kind]} is wanted at most"
        print(f"{worker:6.0f} worker ({wanted}), {bots:4.0f} bot: {kind.name}, {level}")


@pytest.mark.parametrize("game", GAMES)
def test_cost_of_a_match_alone(game: str) -> None:
    """Print what rules, messages and record cost for each decision, without any process."""
    costs = [alone(game, str(number)) for _ in range(TURNS) for number in range(5)]
    print(f"\n{min(costs):6.0f} microseconds of CPU a decision: a match of {game} alone")


@pytest.mark.parametrize("game", GAMES)
def test_cost_of_the_plain_dialect(game: str) -> None:
    """Print what a decision costs beside the typed dialect, in turns of one run."""
    ratios, costs = [], []
    for number in range(TURNS * 5):
        typed = alone(game, str(number))
        costs.append(alone(game, str(number), plain=True))
        ratios.append(costs[-1] / typed)
    print(
        f"\n{min(costs):6.0f} microseconds of CPU a decision: a match of {game} alone, all plain; "
        f"{median(ratios):.2f} times that of typed bots"
    )


def alone(game: str, seed: str, *, plain: bool = False) -> float:
    """Play a match within this process; return its microseconds of CPU a decision."""
    began = time.process_time()
    match = Match(MatchSetup("a match", game, SEATS, seed))
    match.use_plain_dialect(range(SEATS) if plain else ())
    play(match)
    record = record_of(match, [SeatInfo(f"bot {seat}") for seat in range(SEATS)])
    return (time.process_time() - began) * 1e6 / len(record.decisions)
