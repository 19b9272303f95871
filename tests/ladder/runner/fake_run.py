"""Runs a ladder with a player that needs no bots: `fake_run.py HOME ROUNDS WORKERS [MATCHES]`.

Plays up to round number ROUNDS, or for ever if that is "forever", and prints a line for everything
that the run reports. How a match ends follows from its seed alone. A bot with one of these names
does what it is called:

    first        is the best
    second       is better than all but the first
    voider       the match is void
    brake        the match is void, as long as the referee is patient with slow machines
    pauser       the match is void because the referee was paused, as often as HOME/pauses says
    sick         the match is void, until there is a file HOME/well
    killer       the worker is killed
    once-killer  the worker is killed, once
    buggy        the worker fails by a bug
    slow         thinks for two seconds, as the record says
    gate         the worker writes its process id to the pipe HOME/started, then waits for HOME/go

If CLUSTER is set to a scheduler's address, its workers play, each match in PLAY_S seconds, with the
certificates in the folder CERTIFICATES.

If KILLED_AT is set to a moment of a group commit (see `_kill_at`) and a number, as in "within 3",
the run kills itself at that moment of that commit of results.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from courtyard.v1 import record_pb2

from ladder.storage.files.folder import Home
from referee.core.errors import PausedError, RefereeError
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level

BETTER_BY = {"first": 4, "second": 2}
"""Points that some bots get on top."""


class FakePlayer:
    """Stands in for the referee's host."""

    def __init__(self, folder: Path, play_s: float = 0.0) -> None:
        """Use this folder for pipes and marks; a match takes so long."""
        self.printed: dict[int, str] = {}
        self._folder = folder
        self._play_s = play_s

    def __enter__(self) -> Self:
        """Return the player."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def play(self, spec: MatchSpec) -> Any:
        """Return a record whose outcomes follow from the seed."""
        for entrant in spec.seats:
            if entrant is not None:
                self._misbehave(entrant.name, patient=spec.patient)
        time.sleep(self._play_s)
        stream = Stream(spec.master_seed, "fake")
        better = [BETTER_BY.get(entrant.name, 0) if entrant else 0 for entrant in spec.seats]
        points = [stream.below(4) + more for more in better]
        record = record_pb2.Record(match_id=spec.match_id, game=spec.game)
        for point in points:
            record.outcomes.add(rank=1 + sum(p > point for p in points), points=point)
            record.decisions.add()
        for seat, entrant in enumerate(spec.seats):
            if entrant is not None and entrant.name == "slow":
                record.decisions.add(seat=seat, elapsed_us=2_000_000)
        return record

    def _misbehave(self, name: str, *, patient: bool) -> None:
        if name == "voider" or (name == "brake" and patient):
            raise RefereeError("the machine is tired")
        if name == "pauser" and (left := int((self._folder / "pauses").read_text())):
            (self._folder / "pauses").write_text(str(left - 1))
            raise PausedError("the referee was paused for 9.0 s")
        if name == "sick" and not (self._folder / "well").exists():
            raise RefereeError("the machine is sick")
        if name == "killer":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "once-killer" and not (self._folder / "killed").exists():
            (self._folder / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "buggy":
            raise ZeroDivisionError
        if name == "gate":
            (self._folder / "started").write_text(f"{os.getpid()}\n")
            (self._folder / "go").read_text()


@dataclass(frozen=True)
class Making:
    """Makes players in the workers of a cluster, at any level."""

    folder: Path
    play_s: float

    def __call__(self, _: Level) -> Callable[[], FakePlayer]:
        """Return what makes a player."""
        return partial(FakePlayer, self.folder, self.play_s)


def tell(*words: object) -> None:
    """Print a line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Lines:
    """Prints what a run reports."""

    def begin(self) -> None:
        """Print that a run begins."""
        tell("begin")

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Print the total, and the time if it is limited."""
        tell("expect", matches, *([] if seconds is None else [seconds]))

    def advance(self, decisions: int) -> None:
        """Print that a match is over."""
        tell("advance", decisions)

    def tell(self, status: str) -> None:
        """Print how far the question is answered."""
        tell("tell", status)

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Print who has played, and how much."""
        tell("workers", *(f"{name}={matches}" for name, matches in played))

    def say(self, text: str) -> None:
        """Print a line."""
        tell("say", text)

    def warn(self, text: str) -> None:
        """Print a warning."""
        tell("warn", text)


def _kill_at(moment: str, number: int) -> None:
    """Kill this process "before", "within" or "after" the transaction that stores results."""
    from ladder.runner import run as runner  # noqa: PLC0415
    from ladder.runner.group_commit import store  # noqa: PLC0415
    from ladder.storage.tables import matches  # noqa: PLC0415

    finish, left = matches.finish, iter(range(number - 1, -1, -1))

    def store_or_die(ladder: Any, begun: Any, results: Any) -> None:
        last = bool(results) and next(left) == 0
        if last and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if last and moment == "within":
            patch.object(matches, "finish", finish_and_die).start()
        store(ladder, begun, results)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)

    def finish_and_die(*arguments: Any) -> None:
        finish(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    patch.object(runner, "store", store_or_die).start()


def _workers(home: Home) -> tuple[Any, Callable[[Level], Any]]:
    """Return the workers of this run, and what makes their players."""
    if "CLUSTER" not in os.environ:
        return int(sys.argv[3]), lambda _: partial(FakePlayer, home.path)
    from ladder.runner.cluster.certificates import ClusterCertificates  # noqa: PLC0415
    from ladder.runner.cluster.reach import Cluster  # noqa: PLC0415
    from tests.ladder.runner.fake_run import Making as Importable  # noqa: PLC0415 -- by workers

    certificates = ClusterCertificates(Path(os.environ["CERTIFICATES"]))
    making = Importable(home.path, float(os.environ["PLAY_S"]))
    return Cluster(os.environ["CLUSTER"], certificates), making


def main() -> None:
    """Run the ladder that the arguments name."""
    # Not above: the workers run this file, too, and these take long to import.
    from ladder.runner.forever import play_forever  # noqa: PLC0415
    from ladder.runner.run import run  # noqa: PLC0415
    from ladder.scheduling.ladder.planner import LadderPlanner  # noqa: PLC0415
    from ladder.scheduling.planner import RunLimits  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415
    from ladder.storage.tables import matches  # noqa: PLC0415

    if planned := os.environ.get("KILLED_AT"):
        moment, number = planned.split()
        _kill_at(moment, int(number))
    home, rounds = Home(Path(sys.argv[1])), sys.argv[2]
    workers, make = _workers(home)
    with Ladder.open(home) as ladder:
        if rounds == "forever":
            play_forever(ladder, workers, Lines(), make=make)
            return
        with ladder.database.read() as tx:
            left = int(rounds) - matches.last_round(tx)
        planner = LadderPlanner(ladder, left)
        limits = RunLimits(matches=int(sys.argv[4]) if sys.argv[4:] else None)
        report = run(ladder, planner, workers, Lines(), make, limits=limits)
    tell("report", report.matches, report.void, report.left_over, report.interrupted)


if __name__ == "__main__":
    main()
