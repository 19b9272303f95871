"""Plays the contest of a ladder without bots.

    python -m tests.ladder.runner.fake_contest HOME WORKERS

Prints a line for everything that the run reports; how a match ends follows from its seed alone.
"""

import sys
from functools import partial
from pathlib import Path

from ladder.storage.files.folder import Home
from tests.ladder.runner.fake_run import Lines, tell
from tests.support.fake_workers import FakeCrew, FakePlayer


def main() -> None:
    """Run the contest of the ladder that the arguments name."""
    # Not above: the workers run this file, too, and these take long to import.
    from ladder.runner.run import run  # noqa: PLC0415
    from ladder.scheduling.contest import planner_of  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415

    home = Home(Path(sys.argv[1]))
    workers = FakeCrew(int(sys.argv[2]), partial(FakePlayer, home.path))
    with Ladder.open(home) as ladder:
        planner = planner_of(ladder)
        if planner is None:
            sys.exit("this is a standing ladder")
        report = run(ladder, planner, workers, Lines())
    tell("report", report.matches, report.void, report.left_over, report.interrupted)


if __name__ == "__main__":
    main()
