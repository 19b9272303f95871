"""Plays the contest of a ladder with a player that needs no bots: `fake_contest.py HOME WORKERS`.

Prints a line for everything that the run reports; how a match ends follows from its seed alone.
"""

import sys
from functools import partial
from pathlib import Path

from fake_run import FakePlayer, Lines, tell  # type: ignore[import-not-found] # beside it

from ladder.storage.files.folder import Home


def main() -> None:
    """Run the contest of the ladder that the arguments name."""
    # Not above: the workers run this file, too, and these take long to import.
    from ladder.runner.run import run  # noqa: PLC0415
    from ladder.scheduling.contest import planner_of  # noqa: PLC0415
    from ladder.storage.ladder import Ladder  # noqa: PLC0415

    home, workers = Home(Path(sys.argv[1])), int(sys.argv[2])
    with Ladder.open(home) as ladder:
        planner = planner_of(ladder)
        if planner is None:
            sys.exit("this is a standing ladder")
        report = run(ladder, planner, workers, Lines(), lambda _: partial(FakePlayer, home.path))
    tell("report", report.matches, report.void, report.left_over, report.interrupted)


if __name__ == "__main__":
    main()
