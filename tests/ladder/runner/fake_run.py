"""Runs a ladder without bots.

    python -m tests.ladder.runner.fake_run HOME ROUNDS WORKERS [MATCHES]

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

If CLUSTER is set to a scheduler's address, its workers play, with the certificates in the folder
CERTIFICATES.

If KILLED_AT is set to a moment of a group commit (see `_kill_at`) and a number, as in "within 3",
the run kills itself at that moment of that commit of results.
"""

import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ladder.storage.files.folder import Home
from tests.support.fake_workers import FakeCrew, FakePlayer


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


def _workers(home: Home) -> Any:
    """Return the workers of this run."""
    if "CLUSTER" not in os.environ:
        return FakeCrew(int(sys.argv[3]), partial(FakePlayer, home.path))
    from ladder.runner.cluster.certificates import ClusterCertificates  # noqa: PLC0415
    from ladder.runner.cluster.reach import Cluster  # noqa: PLC0415

    certificates = ClusterCertificates(Path(os.environ["CERTIFICATES"]))
    return Cluster(os.environ["CLUSTER"], certificates)


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
    workers = _workers(home)
    with Ladder.open(home) as ladder:
        if rounds == "forever":
            play_forever(ladder, workers, Lines())
            return
        with ladder.database.read() as tx:
            left = int(rounds) - matches.last_round(tx)
        planner = LadderPlanner(ladder, left)
        limits = RunLimits(matches=int(sys.argv[4]) if sys.argv[4:] else None)
        report = run(ladder, planner, workers, Lines(), limits=limits)
    tell("report", report.matches, report.void, report.left_over, report.interrupted)


if __name__ == "__main__":
    main()
