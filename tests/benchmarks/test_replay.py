"""How long a replay takes: to be made from a record, and to be seen in a browser."""

import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

import ladder.server.web
from ladder.server.web.replay import pack, page
from ladder.server.web.replay.bundle import bundles
from referee.conformance.testing import play
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.benchmarks.test_pages import PAINT_GOAL_MS, exported
from tests.support.games import GAMES
from tests.support.lacking import need_chromium

pytestmark = pytest.mark.bench

STATIC = Path(ladder.server.web.__file__).parent / "static"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
SEATS = 5
LOADS = 15

WHEN_DRAWN = """
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".stage > div > *")) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => { window.drawn = performance.now(); };
        channel.port2.postMessage(0);
      });
    }).observe(document, { childList: true, subtree: true });
"""
"""Notes when the frame that first shows the table is on its way to the screen."""


def record(game: str, seed: str) -> Any:
    """The record of a random match of five."""
    match = Match(MatchSetup("a match", game, seats=SEATS, master_seed=seed))
    play(match, {})
    return record_of(match, [SeatInfo(f"bot {seat}", "1") for seat in range(SEATS)])


@pytest.mark.parametrize("game", GAMES)
def test_making_a_replay(game: str) -> None:
    """Print the time and the bytes of a replay made from its record, played again."""
    records = [record(game, str(seed)) for seed in range(20)]
    start = time.process_time()
    sizes = [len(page(one)) for one in records]
    each = (time.process_time() - start) / len(records)
    print(
        f"\n{each * 1000:8.1f} ms of CPU, {statistics.mean(sizes) / 1000:.1f} kB: {game}, 5 seats"
    )


@pytest.mark.parametrize("game", GAMES)
def test_first_paint(game: str, tmp_path: Path) -> None:
    """Print when the table of a replay is painted, from files, in a new page each time."""
    path = tmp_path / "replay.html"
    path.write_text(html(game, page(record(game, "1"))), encoding="utf-8")
    for name, content in bundles().items():
        (tmp_path / name).write_bytes(content)
    show_paints(path, "the table", game)


@pytest.mark.parametrize("game", GAMES)
def test_first_paint_in_a_page(game: str, tmp_path: Path) -> None:
    """Print the same for the page of a match as it is exported, with its data packed."""
    site, *_ = exported(tmp_path, game, bots=8, matches=6, seats=SEATS)
    show_paints(min((site / "matches").iterdir()), "the table in an export", game)


def show_paints(path: Path, what: str, game: str) -> None:
    """Load a page again and again, and print when its table was painted."""
    program = need_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        times = [painted(browser.new_page(), path.as_uri()) for _ in range(LOADS)]
        browser.close()
    print(
        f"\n{statistics.median(times):8.0f} ms to the first paint of {what}, at most "
        f"{max(times):.0f}: {game}, 5 seats; the goal is {PAINT_GOAL_MS}"
    )


def html(game: str, data: bytes) -> str:
    """A page with a replay."""
    return "".join(
        (
            '<!doctype html><meta charset="utf-8">',
            f'<link rel="stylesheet" href="{(STATIC / "style.css").as_uri()}">',
            f'<link rel="stylesheet" href="{game}.css"><script src="{game}.js" defer></script>',
            '<div id="replay" class="replay"></div>',
            f'<script type="text/plain" id="replay-packed">{pack(data, game)}</script>',
        )
    )


def painted(shown: Page, address: str) -> float:
    """Milliseconds from the start of the navigation."""
    shown.add_init_script(WHEN_DRAWN)
    shown.goto(address)
    shown.wait_for_function("window.drawn")
    result: float = shown.evaluate("drawn")
    shown.close()
    return result
