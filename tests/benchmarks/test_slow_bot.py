"""What one slow bot costs all others: matches a second with it and without it, in turns.

    python -m tests.benchmarks.test_slow_bot QUICK THINKS_S SECONDS [WORKERS] [--cluster]

Makes two ladders of QUICK bots that think a millisecond a decision, and lets another one that
thinks THINKS_S enter one of them; plays each for SECONDS. Bots only pretend: a match has twenty
decisions, and sleeps meanwhile, so a busy machine hardly matters. All else is real: workers,
planner and database, and with `--cluster` a scheduler and three workers of one core.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest

from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec, OnDecision

pytestmark = pytest.mark.bench

DECISIONS = 20
QUICK_S = 0.001
SLOW = "slow"


class ThinkingPlayer:
    """Thinks for as long as its bots would, and returns a record of that."""

    on_decision: OnDecision | None = None

    def __init__(self, thinks_s: float) -> None:
        """So long takes a decision of the slow bot."""
        self.printed: dict[int, str] = {}
        self._thinks_s = thinks_s

    def __enter__(self) -> Self:
        """Return the player."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def play(self, spec: MatchSpec) -> Any:
        """Return a record whose outcomes follow from the seed."""
        from courtyard.v1 import record_pb2  # noqa: PLC0415 -- for workers alone

        record = record_pb2.Record(
            match_id=spec.match_id, game=spec.game, rules_version=spec.rules_version
        )
        for number in range(DECISIONS):
            seat = number % len(spec.seats)
            bot = spec.seats[seat]
            seconds = self._thinks_s if bot is not None and bot.name == SLOW else QUICK_S
            time.sleep(seconds)
            record.decisions.add(seat=seat, elapsed_us=int(seconds * 1e6))
            if self.on_decision is not None:
                self.on_decision(spec.match_id, seat, int(seconds * 1e6))
        stream = Stream(spec.master_seed, "slow")
        points = [stream.below(30) for _ in spec.seats]
        for own in points:
            record.outcomes.add(rank=1 + sum(other > own for other in points), points=own)
        return record


@dataclass(frozen=True)
class Cost:
    """Matches a second without the slow bot and with it."""

    without: float
    having: float
    slow: int
    """How many matches the slow bot played."""

    @property
    def part(self) -> float:
        """What is left with it."""
        return self.having / self.without

    def __str__(self) -> str:
        """Return a row."""
        return (
            f"{self.without:6.1f} matches/s without, {self.having:6.1f} with: {self.part:.2f}; "
            f"{self.slow} matches of the slow bot"
        )


def cost(quick: int, thinks_s: float, seconds: float, workers: int, *, cluster: bool) -> Cost:
    """Play two ladders, one after the other."""
    # The workers import this file, too, and these take long to import.
    from ladder.runner.cluster.reach import Cluster  # noqa: PLC0415
    from tests.benchmarks.test_slow_bot import (  # noqa: PLC0415 -- by workers
        ThinkingPlayer as Importable,
    )
    from tests.support.clusters import RealCluster  # noqa: PLC0415
    from tests.support.fake_workers import FakeCrew  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        make = partial(Importable, thinks_s)
        there: Any = FakeCrew(workers, make)
        if cluster:
            real = stack.enter_context(RealCluster(Path(name), make=make))
            there = Cluster(real.address, real.certificates)
        folder = Path(name)
        without, _ = played(folder / "without", [], quick, seconds, there)
        having, slow = played(folder / "with", [SLOW], quick, seconds, there)
    return Cost(without, having, slow)


def played(
    folder: Path, more: list[str], quick: int, seconds: float, workers: Any
) -> tuple[float, int]:
    """Play a new ladder; return its matches a second, and how many the slow bot played."""
    from ladder.runner.run import run  # noqa: PLC0415 -- workers import this file
    from ladder.scheduling.ladder.planner import LadderPlanner  # noqa: PLC0415
    from ladder.scheduling.planner import RunLimits  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415
    from ladder.storage.tables import bots, tallies  # noqa: PLC0415
    from tests.support.new_ladder import new_ladder  # noqa: PLC0415

    home = new_ladder(folder, "a seed for slow bots", seats=2)
    with Ladder.open(home) as ladder:
        for name in [*(f"quick-{number}" for number in range(quick)), *more]:
            enter(ladder, folder.with_name("source"), name)
        limits = RunLimits(seconds=seconds)
        report = run(ladder, LadderPlanner(ladder), workers, Silent(), limits=limits)
        with ladder.database.read() as tx:
            known = {v.id: v.bot for v in bots.all_versions(tx).values()}
            counted = tallies.counted(tx)
    slow = sum(count.matches for version, count in counted.items() if known[version] == SLOW)
    return report.matches / seconds, slow


def enter(ladder: Any, source: Path, name: str) -> None:
    """Enter a bot as if it had been submitted."""
    from ladder.model.bots import Entry, ValidationResult  # noqa: PLC0415 -- workers import this
    from ladder.storage.files.bundles import store_bundle  # noqa: PLC0415
    from ladder.storage.tables import bots  # noqa: PLC0415

    source.mkdir(exist_ok=True)
    (source / "bot.toml").write_text(
        f'name = "{name}"\ngames = ["courtisans"]\ncommand = ["./start"]\n'
    )
    with ladder.database.write() as tx:
        entry = Entry(name, store_bundle(source, ladder.home), ("./start",), "grpc", ())
        bots.enter(tx, entry, ValidationResult(rejected=None))


class Silent:
    """Receives the progress of a run, and says nothing."""

    def __getattr__(self, _: str) -> Callable[..., None]:
        """Return what does nothing."""
        return lambda *_: None


@pytest.mark.parametrize(
    ("quick", "thinks_s", "workers", "least"),
    [(5, 0.1, 2, 0.45), (5, 1.0, 2, 0.45), (5, 4.0, 2, 0.45), (5, 1.0, 4, 0.6), (20, 1.0, 2, 0.8)],
)
def test_others_play_on(quick: int, thinks_s: float, workers: int, least: float) -> None:
    """A slow bot among quick ones leaves the others most of the matches."""
    found = cost(quick, thinks_s, 60.0, workers, cluster=False)
    print(f"\n{quick} bots and one of {thinks_s} s, {workers} workers: {found}")
    assert found.part >= least


def test_others_play_on_on_a_cluster() -> None:
    """So it does on a cluster of three workers."""
    found = cost(5, 1.0, 60.0, 3, cluster=True)
    print(f"\n5 bots and one of 1 s on a cluster: {found}")
    assert found.part >= 0.45


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("quick", type=int)
    parser.add_argument("thinks_s", type=float)
    parser.add_argument("seconds", type=float)
    parser.add_argument("workers", type=int, nargs="?", default=2)
    parser.add_argument("--cluster", action="store_true")
    asked = parser.parse_args()
    print(cost(asked.quick, asked.thinks_s, asked.seconds, asked.workers, cluster=asked.cluster))


if __name__ == "__main__":
    main()
