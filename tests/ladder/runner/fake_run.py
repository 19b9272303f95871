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
    gate         the worker writes its process id to the pipe HOME/started, then waits for HOME/go
"""

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any, Self

from courtyard.v1 import record_pb2

from ladder.storage.folder import Home
from referee.core.errors import PausedError, RefereeError
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec

BETTER_BY = {"first": 4, "second": 2}
"""Points that some bots get on top."""


class FakePlayer:
    """Stands in for the referee's host."""

    def __init__(self, folder: Path) -> None:
        """Use this folder for pipes and marks."""
        self.printed: dict[int, str] = {}
        self._folder = folder

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
        stream = Stream(spec.master_seed, "fake")
        better = [BETTER_BY.get(entrant.name, 0) if entrant else 0 for entrant in spec.seats]
        points = [stream.below(4) + more for more in better]
        record = record_pb2.Record(match_id=spec.match_id, game=spec.game)
        for point in points:
            record.outcomes.add(rank=1 + sum(p > point for p in points), points=point)
            record.decisions.add()
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


def tell(*words: object) -> None:
    """Print a line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Lines:
    """Prints what a run reports."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Print the total, and the time if it is limited."""
        tell("expect", matches, *([] if seconds is None else [seconds]))

    def advance(self, decisions: int) -> None:
        """Print that a match is over."""
        tell("advance", decisions)

    def tell(self, status: str) -> None:
        """Print how far the question is answered."""
        tell("tell", status)

    def say(self, text: str) -> None:
        """Print a line."""
        tell("say", text)

    def warn(self, text: str) -> None:
        """Print a warning."""
        tell("warn", text)


def main() -> None:
    """Run the ladder that the arguments name."""
    # Not above: the workers run this file, too, and these take long to import.
    from ladder.runner.forever import play_forever  # noqa: PLC0415
    from ladder.runner.run import run  # noqa: PLC0415
    from ladder.scheduling.ladder.planner import LadderPlanner  # noqa: PLC0415
    from ladder.scheduling.planner import RunLimits  # noqa: PLC0415
    from ladder.storage import matches  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415

    home, rounds, workers = Home(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
    make = partial(FakePlayer, home.path)
    with Ladder.open(home) as ladder:
        if rounds == "forever":
            play_forever(ladder, workers, Lines(), make=lambda _: make)
            return
        with ladder.database.read() as tx:
            left = int(rounds) - matches.last_round(tx)
        planner = LadderPlanner(ladder, left)
        limits = RunLimits(matches=int(sys.argv[4]) if sys.argv[4:] else None)
        report = run(ladder, planner, workers, Lines(), lambda _: make, limits=limits)
    tell("report", report.matches, report.void, report.left_over, report.interrupted)


if __name__ == "__main__":
    main()
