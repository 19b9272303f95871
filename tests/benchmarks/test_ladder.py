"""How many matches a second a durable ladder plays: scheduled, played, rated and on the disk."""

import io
import os
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from ladder.runner.line_progress import LineProgress
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder, create
from ladder.submission.submit import submit
from referee.core.clock import ClockConfig

pytestmark = pytest.mark.bench

RANDOM = Path(__file__).resolve().parents[2] / "sample_bots" / "python" / "courtisans" / "random"
BOTS = 8
SEATS = 4
ROUNDS = 60


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A ladder of eight random bots."""
    home = create(
        tmp_path / "ladder",
        game="courtisans",
        seats=SEATS,
        config={},
        clock=ClockConfig(),
        secret="1",
    )
    with Ladder.open(home) as ladder:
        for i in range(BOTS):
            bot = tmp_path / f"random-{i}"
            shutil.copytree(RANDOM, bot)
            manifest = (bot / "bot.toml").read_text()
            (bot / "bot.toml").write_text(manifest.replace('"random"', f'"random-{i}"', 1))
            submit(ladder, bot, lambda _: None)
    return home


def test_matches_of_a_durable_ladder(home: Home) -> None:
    """Print the matches and decisions per second with a worker a core, start-up included."""
    workers = len(os.sched_getaffinity(0))
    progress = LineProgress(Console(file=io.StringIO()))
    with Ladder.open(home) as ladder:
        report = run(ladder, LadderPlanner(ladder, ROUNDS), workers, progress)
    assert report.void == report.left_over == 0
    print(
        f"\n{report.matches / report.seconds:8.1f} matches a second, "
        f"{report.decisions / report.seconds:.0f} decisions a second: a durable ladder of "
        f"{BOTS} bots, {report.matches} matches of {SEATS} seats, {workers} workers"
    )
