"""The whole ladder: `ladder run` with trivial bots, beside bare loops and beside fastchess.

The ladder is as a user makes it: durable, in the strongest sandbox that the machine offers, with
the real rules; its bots always take the first legal action. A bare loop passes messages of the
sizes that a match has, over the same carrier, between as many processes: on each core one that
stands for a worker, and a trivial program for each seat. It is all that could be reached. fastchess
manages chess engines in C++ that answer from a table; where it is not built, a line says how.

All take turns, so that whatever else the machine does meets all of them. What counts is the median
of the turns' ratios; of fastchess, the median of all its runs.
"""

import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.sandbox.levels import offered
from tests.benchmarks.peers.fastchess import MISSING, Fastchess, fastchess
from tests.benchmarks.test_decisions import CORES, SEATS, Tables, message_sizes, started, tables
from tests.benchmarks.trivial_ladder import (
    BOTS,
    CPP_STDIO,
    PYTHON_GRPC,
    PYTHON_STDIO,
    TRIVIAL,
    Bot,
    Cost,
    Sample,
    cpp_echo,
    make,
    played,
    sampled,
)
from tests.support.lacking import need_program

pytestmark = pytest.mark.bench

KINDS = (PYTHON_GRPC, PYTHON_STDIO, CPP_STDIO)
GOALS = {PYTHON_GRPC: 0.2, PYTHON_STDIO: 0.3, CPP_STDIO: 0.5}
"""What part of fastchess's decisions a second is wanted."""
PIPES = Path(__file__).with_name("pipe_loop.py")
MATCHES = 8640
"""Of a run in each turn: enough that its start takes a small part of it."""
TURNS = 3
MATCHES_OF_A_START = 240
STARTS = 3
SECONDS = 2.0
"""Of a bare loop in each turn."""
GAMES = 400
"""Of a run of fastchess."""
RUNS_OF_FASTCHESS = 7
"""In each turn: by how the kernel places its engines, one is nearly twice as fast as another."""
FULL = 0.9
"""Full speed is so much of what the second half of a run does in a second."""


TOOLS = "apt-get install g++ make pkg-config protobuf-compiler libprotobuf-dev"


@dataclass(frozen=True)
class Turn:
    """What was measured in one turn; decisions or round trips a second but for the costs."""

    costs: Mapping[Bot, Cost]
    loops: Mapping[Bot, float]
    fastchess: Sequence[float]
    """Of each of its runs; none if it is not there."""


@pytest.fixture
def ladders(tmp_path: Path) -> Mapping[Bot, Path]:
    """Make a ladder of each kind of bot."""
    need_program("g++", TOOLS)
    need_program("protoc", TOOLS)
    return {kind: make(tmp_path / kind.name, kind) for kind in KINDS}


def test_whole_ladder(ladders: Mapping[Bot, Path], tmp_path: Path) -> None:
    """Print the decisions a second of ladders, bare loops and fastchess, and CPU by match."""
    peer = fastchess(tmp_path)
    with ExitStack() as stack:
        loops = {kind: stack.enter_context(bare_loop(kind)) for kind in KINDS}
        for loop in loops.values():
            loop.round_trips_a_second(SECONDS / 4)
        turns = [
            Turn(
                {kind: played(ladder, MATCHES) for kind, ladder in ladders.items()},
                {kind: loop.round_trips_a_second(SECONDS) for kind, loop in loops.items()},
                peer_runs(peer, tmp_path) if peer else (),
            )
            for _ in range(TURNS)
        ]
    print(
        f"\n{len(KINDS)} ladders of {BOTS} bots, {MATCHES} matches a run, {len(CORES)} workers, "
        f"sandbox {offered()[0]}; medians of {TURNS} turns (least to greatest)"
    )
    print_speeds(turns)
    print_costs(turns)
    if not peer:
        print(f"skipped: {MISSING}")


def peer_runs(peer: Fastchess, folder: Path) -> Sequence[float]:
    """Return the decisions a second of some runs of fastchess."""
    runs = range(RUNS_OF_FASTCHESS)
    return [peer.decisions_a_second(GAMES, len(CORES), folder) for _ in runs]


def bare_loop(kind: Bot) -> AbstractContextManager[Tables]:
    """Start the bare loop of a kind's carrier: on every core one process, and a child a seat."""
    sizes = message_sizes()
    if kind is PYTHON_GRPC:
        return tables("echo", CORES, *sizes)
    child = [cpp_echo()] if kind is CPP_STDIO else [sys.executable, TRIVIAL / "echo.py"]
    return started([PIPES, core, SEATS, *sizes, *child] for core in CORES)


def print_speeds(turns: Sequence[Turn]) -> None:
    """Print decisions a second, and what part that is of the bare loop's and of fastchess's."""
    peers = [run for turn in turns for run in turn.fastchess]
    for kind in KINDS:
        speeds = [turn.costs[kind].decisions / turn.costs[kind].seconds for turn in turns]
        print(f"{spread(speeds)} decisions/s: ladder run, {kind.name}")
        bare = [speed / turn.loops[kind] for speed, turn in zip(speeds, turns, strict=True)]
        print(f"    {spread(bare, 3)} of the bare loop's {spread([t.loops[kind] for t in turns])}")
        if peers:
            speed = statistics.median(speeds)
            print(
                f"    {speed / statistics.median(peers):.2f} of the median of fastchess's runs "
                f"(at least {GOALS[kind]} is wanted), {speed / max(peers):.2f} of the fastest"
            )
    if peers:
        print(f"{spread(peers)} decisions/s: {len(peers)} runs of fastchess, {GAMES} games each")


def print_costs(turns: Sequence[Turn]) -> None:
    """Print the CPU time by match."""
    for kind in KINDS:
        costs = [turn.costs[kind] for turn in turns]
        own = spread([1000 * cost.main_cpu_s / cost.matches for cost in costs], 1)
        rest = spread(
            [1000 * (cost.all_cpu_s - cost.main_cpu_s) / cost.matches for cost in costs], 1
        )
        print(f"{own} ms of CPU a match in the main process, {rest} in the workers: {kind.name}")


def test_start_up_and_memory(ladders: Mapping[Bot, Path]) -> None:
    """Print when a run has its first result and its full speed, and what memory it takes."""
    runs = {
        kind: [sampled(ladder, MATCHES_OF_A_START) for _ in range(STARTS)]
        for kind, ladder in ladders.items()
    }
    print(f"\nmedians of {STARTS} runs (least to greatest); wanted: 2 s and 4 s for Python, gRPC")
    for kind, found in runs.items():
        first = [next(sample for sample in run if sample.done) for run in found]
        print(f"{spread_of(first)} to the first result: {kind.name}")
        print(f"{spread_of([at_full_speed(run) for run in found])} to full speed: {kind.name}")
        most = [
            [max(s.memory_mib[part] for s in run if s.memory_mib) for run in found]
            for part in range(3)
        ]
        main, others, bots = (spread(values) for values in most)
        print(f"MiB at most: {main} main process, {others} its others, {bots} bots: {kind.name}")


def at_full_speed(run: Sequence[Sample]) -> Sample:
    """Return the first moment from which a second brings nearly what later ones do."""
    half = next(sample for sample in run if 2 * sample.done >= run[-1].done)
    end = next(sample for sample in run if sample.done == run[-1].done)
    steady = (end.done - half.done) / (end.seconds - half.seconds)
    for sample in run:
        after = next((one for one in run if one.seconds >= sample.seconds + 1), end)
        if after.done - sample.done >= FULL * steady * (after.seconds - sample.seconds) > 0:
            return sample
    raise AssertionError("no second is as quick as the mean of the later ones")


def spread_of(moments: Sequence[Sample]) -> str:
    """Return when these moments were, and what CPU time had been used by then."""
    wall = spread([moment.seconds for moment in moments], 1)
    return f"{wall} s, {spread([moment.cpu_s for moment in moments], 1)} s of CPU"


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return the median of the values, the least and the greatest."""
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return f"{statistics.median(values):,.{digits}f} ({low} to {high})"
