"""Workers that are real processes, and play matches that need no bots.

They speak to the pool as other workers do; in their processes a pretended player takes the place
of the host. Run as a program, this is `ladder`, whose workers of a cluster have such children: the
environment's FAKE_PLAYER is what makes their players, as `named` says.
"""

import base64
import os
import pickle
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from courtyard.v1 import record_pb2

from ladder.runner.child_process import Child, Parent
from ladder.runner.crew import Crew, Worker
from referee.core.errors import PausedError, RefereeError
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec, OnDecision

BETTER_BY = {"first": 4, "second": 2}
"""Points that some bots get on top."""

MakePlayer = Callable[[], Any]
"""What makes a player in a worker; it is picklable."""


class FakePlayer:
    """Stands in for the referee's host; `tests/ladder/runner/fake_run.py` says how bots behave."""

    on_decision: OnDecision | None = None

    def __init__(self, folder: Path = Path(), play_s: float = 0.0) -> None:
        """Use this folder for pipes and marks; a match takes so long."""
        self.printed: dict[int, str] = {}
        self.folder = folder
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
        record = record_pb2.Record(
            match_id=spec.match_id, game=spec.game, rules_version=spec.rules_version
        )
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
        if name == "pauser" and (left := int((self.folder / "pauses").read_text())):
            (self.folder / "pauses").write_text(str(left - 1))
            raise PausedError("the referee was paused for 9.0 s")
        if name == "sick" and not (self.folder / "well").exists():
            raise RefereeError("the machine is sick")
        if name == "killer":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "once-killer" and not (self.folder / "killed").exists():
            (self.folder / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "buggy":
            raise ZeroDivisionError
        if name == "gate":
            (self.folder / "started").write_text(f"{os.getpid()}\n")
            (self.folder / "go").read_text()


class FakeWorker(Worker):
    """A worker process whose player is made by the test."""

    def __init__(self, make: MakePlayer) -> None:
        """Start it."""
        self.child = Child("its worker", work, make)
        self.start()


class FakeCrew(Crew):
    """Such workers, which start whenever the crew is entered: run after run may use it."""

    def __init__(self, workers: int, make: MakePlayer) -> None:
        """Prepare this number of workers."""
        self.workers = []
        self._number = workers
        self._make = make

    def __enter__(self) -> Self:
        """Start them, unless they have started."""
        self.workers = self.workers or [FakeWorker(self._make) for _ in range(self._number)]
        return self


def work(parent: Parent, make: MakePlayer) -> None:
    """Work as the real worker does, with this player."""
    parent.prepare()
    from ladder.runner import worker  # noqa: PLC0415 -- the parent need not import it

    with patch.object(worker, "host_at", lambda _: make()):
        worker.work(parent)


def named(make: MakePlayer) -> dict[str, str]:
    """Return what tells a cluster's worker in its environment how to make its players."""
    return {"FAKE_PLAYER": base64.b64encode(pickle.dumps(make)).decode()}


def main() -> None:
    """Run `ladder` with a cluster's worker whose children pretend."""
    from ladder.__main__ import main as run  # noqa: PLC0415 -- the children run this file, too
    from ladder.runner.cluster import task  # noqa: PLC0415

    make = pickle.loads(base64.b64decode(os.environ["FAKE_PLAYER"]))  # noqa: S301 -- of a test
    with patch.object(task, "Child", lambda _: FakeWorker(make)):
        run()


if __name__ == "__main__":
    main()
