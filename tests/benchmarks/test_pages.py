"""How fast the pages are: a large leaderboard's first paint, and the export of many matches."""

import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from ladder.server.public.reader import PublicReader
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.lacking import need_chromium

pytestmark = pytest.mark.bench

ROOT = Path(__file__).resolve().parents[2]
FILL = ROOT / "tests" / "ladder" / "server" / "web" / "filled_ladder.py"
LADDER = Path(sys.executable).with_name("ladder")
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
TIMES = 9
MATCHES = 10_000
PAINT_GOAL_MS = 200
EXPORT_GOAL_S = 60


def fill(folder: Path, game: str, bots: int, matches: int, seats: int = 4) -> None:
    """Make a ladder that has been played."""
    numbers = map(str, (seats, bots, matches))
    subprocess.run([sys.executable, str(FILL), str(folder), game, *numbers], check=True)


def exported(
    folder: Path, game: str, bots: int, matches: int, seats: int = 4
) -> tuple[Path, float, float]:
    """Make and export a ladder; return where, and the seconds that took.

    Those on the clock first, then those of CPU, which other programs hardly change.
    """
    fill(folder / "ladder", game, bots, matches, seats)
    began, used = time.perf_counter(), _cpu()
    command = [str(LADDER), "export", str(folder / "site"), "--ladder", str(folder / "ladder")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "site", time.perf_counter() - began, _cpu() - used


def _cpu() -> float:
    """The CPU time of all processes that have been waited for, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def test_first_paint(tmp_path: Path) -> None:
    """Print after how many milliseconds a leaderboard with 1,000 bots is first painted."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where it is measured

    site, *_ = exported(tmp_path, "courtisans", 1000, 1000)
    program = need_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        took = []
        for _ in range(TIMES):
            page = browser.new_page()
            page.goto((site / "index.html").as_uri())
            page.wait_for_timeout(300)
            took.append(page.evaluate(FIRST_PAINT))
            page.close()
        browser.close()
    print(
        f"\n{median(took):8.0f} ms to the first paint of 1,000 bots, "
        f"{min(took):.0f} to {max(took):.0f}; the goal is {PAINT_GOAL_MS}"
    )


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_export(game: str, tmp_path: Path) -> None:
    """Print how long 10,000 matches take to be exported, and what they weigh."""
    site, seconds, cpu = exported(tmp_path, game, 30, MATCHES)
    weight = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    database = (tmp_path / "ladder" / "ladder.db").stat().st_size
    print(
        f"\n{seconds:8.1f} s, {cpu:.0f} s of CPU, to export {MATCHES:,} matches of {game}: "
        f"{weight / 1e6:.0f} MB, {weight / database:.2f} times the database; "
        f"the goals are {EXPORT_GOAL_S} s and 1 time"
    )


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_looking_again(game: str, tmp_path: Path) -> None:
    """Print what a server pays to look at a ladder again, by matches that it has seen before."""
    fill(tmp_path / "ladder", game, 30, MATCHES)
    with Ladder.open(Home(tmp_path / "ladder")) as ladder:
        source = PublicReader(ladder)
        times = []
        for _ in range(4):
            began = time.process_time()
            source.snapshot()
            times.append(1000 * (time.process_time() - began))
    first, again = times[0], median(times[1:])
    print(
        f"\n{first:8.0f} ms of CPU for a first look at {MATCHES:,} matches of {game}, "
        f"{again:.0f} for another"
    )
