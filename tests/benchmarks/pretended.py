"""A ladder whose workers only pretend to play: what is left is what the run itself does.

    python -m tests.benchmarks.pretended BOTS HISTORY MATCHES [WORKERS] [--plan tables]

Makes a ladder of BOTS bots with HISTORY stored matches, runs MATCHES more, and prints the CPU time
of the main process for each and the durable matches a second. All else is real: the processes of
the workers, the database and its commits, the records of matches. `--plan tables` plans by a list
instead of by the ladder's planner, so that storing is measured alone. `--profile FILE` keeps what
cProfile finds, which makes the run slower.
"""

import argparse
import cProfile
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from ladder.model.bots import Version
from ladder.model.pairing import Block
from ladder.scheduling.planner import Planner, RunLimits, planned_matches
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec

SEATS = 4
A_ROUND = 25
"""The matches of a round of 100 bots."""
_WARM = 0.2
"""This part of a run is not measured: caches fill, and statements are compiled."""


class PretendingPlayer:
    """Answers with the record of another match, with points that follow from the seed."""

    def __init__(self) -> None:
        """Begin without output."""
        self.printed: dict[int, str] = {}

    def __enter__(self) -> Self:
        """Return the player."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def play(self, spec: MatchSpec) -> Any:
        """Return the record of a match that was not played."""
        stream = Stream(spec.master_seed, "pretended")
        templates = _templates()
        record = templates[stream.below(len(templates))]
        record.match_id = spec.match_id
        points = [stream.below(30) for _ in spec.seats]
        for outcome, own in zip(record.outcomes, points, strict=True):
            outcome.points = own
            outcome.rank = 1 + sum(other > own for other in points)
        return record


@cache
def _templates() -> list[Any]:
    from tests.ladder.server.web.filled_ladder import records_of  # noqa: PLC0415 - for workers alone

    return [*records_of(SEATS, count=4)]


class Tables:
    """Plans random tables, at no cost."""

    def __init__(self, versions: Sequence[Version]) -> None:
        """Seat these."""
        self._ids = [version.id for version in versions]
        self._rng = random.Random(5)

    def plan(self, _: object) -> Sequence[Block]:
        """Return the next round."""
        ids = self._ids
        return [Block((tuple(self._rng.sample(ids, SEATS)),)) for _ in range(A_ROUND)]

    def settled(self) -> str:
        """Return nothing: this planner asks no question."""
        return ""

    def ahead(self) -> int | None:
        """Return None: it plans for ever."""
        return None


@dataclass(slots=True)
class Meter:
    """Receives the progress of a run, and measures it from its warm state to its end."""

    matches: int
    done: int = 0
    first: float = 0.0
    """The CPU time of this process by the first result."""
    began: tuple[int, float, float] = (0, 0.0, 0.0)
    ended: tuple[int, float, float] = (0, 0.0, 0.0)

    def begin(self) -> None:
        """Do nothing."""

    def expect(self, *_: object) -> None:
        """Do nothing."""

    def advance(self, _: int) -> None:
        """Count a match."""
        self.done += 1
        self.ended = (self.done, time.process_time(), time.perf_counter())
        self.first = self.first or self.ended[1]
        if self.done == int(self.matches * _WARM):
            self.began = self.ended

    def tell(self, _: str) -> None:
        """Do nothing."""

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Do nothing."""

    def say(self, _: str) -> None:
        """Do nothing."""

    def warn(self, text: str) -> None:
        """Fail: nothing goes wrong here."""
        raise AssertionError(text)

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of CPU of this process, without its workers, for each match."""
        return 1000 * (self.ended[1] - self.began[1]) / (self.ended[0] - self.began[0])

    @property
    def a_second(self) -> float:
        """Durable matches a second."""
        return (self.ended[0] - self.began[0]) / (self.ended[2] - self.began[2])


def make_ladder(folder: Path, bots_entered: int, played: int) -> Any:
    """Make a ladder of `bots_entered` bots and `played` stored matches; return its `Home`."""
    from ladder.storage.ladder import Ladder  # noqa: PLC0415
    from ladder.storage.tables import bots, matches  # noqa: PLC0415 - workers import this file
    from ladder.storage.tables.records import pack  # noqa: PLC0415
    from tests.ladder.server.web.filled_ladder import enter  # noqa: PLC0415
    from tests.support.new_ladder import new_ladder  # noqa: PLC0415

    home = new_ladder(folder, "a seed for pretended ladders", seats=SEATS)
    player = PretendingPlayer()
    with Ladder.open(home) as ladder:
        enter(ladder, [f"bot-{number:04}" for number in range(bots_entered)], "only")
        with ladder.database.read() as tx:
            known = bots.all_versions(tx)
        tables = Tables([*known.values()])
        with ladder.database.write() as tx:
            for number in range(1, played // A_ROUND + 1):
                planned = planned_matches(ladder.settings, number, tables.plan(None), known)
                matches.add(tx, planned)
                ids = [match.match_id for match in planned]
                specs = [MatchSpec(name, "courtisans", (None,) * SEATS, name) for name in ids]
                matches.finish(tx, *(pack(player.play(spec), {}, spec) for spec in specs))
    return home


def measure(home: Any, matches: int, workers: int, plan: str) -> Meter:
    """Run a number of matches of a ladder; return what it cost."""
    from ladder.runner.run import run  # noqa: PLC0415 - workers import this file
    from ladder.scheduling.ladder.planner import LadderPlanner  # noqa: PLC0415
    from ladder.storage.files.bundles import StoredFiles  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415
    from ladder.storage.tables import bots  # noqa: PLC0415
    from tests.support.fake_workers import FakeCrew  # noqa: PLC0415

    meter = Meter(matches)
    with Ladder.open(home) as ladder:
        with ladder.database.read() as tx:
            entered = bots.active(tx)
        planner: Planner = Tables(entered) if plan == "tables" else LadderPlanner(ladder)
        limits = RunLimits(matches=matches)
        with patch.object(StoredFiles, "damage", lambda *_, **__: ""):  # no bot has files
            run(ladder, planner, FakeCrew(workers, PretendingPlayer), meter, limits=limits)
    return meter


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bots", type=int)
    parser.add_argument("history", type=int)
    parser.add_argument("matches", type=int)
    parser.add_argument("workers", type=int, nargs="?", default=len(os.sched_getaffinity(0)))
    parser.add_argument("--plan", choices=("tables", "ladder"), default="ladder")
    parser.add_argument("--profile", type=Path)
    asked = parser.parse_args()
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        home = make_ladder(Path(folder, "ladder"), asked.bots, asked.history)
        if asked.profile:
            profile.enable()
        meter = measure(home, asked.matches, asked.workers, asked.plan)
        if asked.profile:
            profile.disable()
            profile.dump_stats(asked.profile)
    print(f"{meter.cpu_ms:.2f} ms of CPU a match, {meter.a_second:.0f} durable matches a second")


if __name__ == "__main__":
    main()
