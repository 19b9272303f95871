"""A served page updates itself while somebody views it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.ladder.server.web import filled_tournament
from tests.ladder.server.web.conftest import fill, serving
from tests.ladder.server.web.filled_ladder import records_of


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    """A small ladder with one match still to play."""
    with Ladder.open(Home(fill(tmp_path / "ladder", "courtisans", 4, 6, 30))) as ladder:
        yield ladder


def test_the_schedule_follows_what_is_played(ladder: Ladder, desktop: Any) -> None:
    """A started match moves to "Playing now"; the reader's scroll and focus stay."""
    with serving(ladder.home.path) as address:
        page = desktop.page
        page.set_viewport_size({"width": 390, "height": 700})
        page.clock.install()
        desktop.open(f"{address}rounds/")
        expect(page.get_by_role("heading", name="Playing now")).to_have_count(0)
        reached = page.locator("#latest ~ *, section:has(#latest) a").last
        reached.focus()
        page.evaluate("scrollBy(0, -40)")
        place = page.evaluate("document.activeElement.getBoundingClientRect().top")
        with ladder.database.write() as tx:
            (waiting,) = matches.open_matches(tx, bots.all_versions(tx))
            matches.start(tx, waiting.match_id)
        appears(page, page.get_by_role("heading", name="Playing now"))
        expect(page.get_by_role("heading", name="Next")).to_have_count(0)
        expect(reached).to_be_focused()
        assert page.evaluate("document.activeElement.getBoundingClientRect().top") == place
    assert desktop.complaints == []


def test_the_first_page_follows_what_is_played(ladder: Ladder, desktop: Any) -> None:
    """A started match is shown, and the standings keep the reader's order and search."""
    with serving(ladder.home.path) as address:
        page = desktop.page
        page.clock.install()
        desktop.open(address)
        head = page.get_by_role("columnheader", name="Points")
        head.get_by_role("button").press("Enter")
        rows = page.locator("#standings-table tbody tr:visible")
        sought = page.locator("#standings-table tbody th a").first.inner_text()
        page.get_by_label("Find a bot").fill(sought)
        page.get_by_role("link", name="Courtyard").focus()
        with ladder.database.write() as tx:
            (waiting,) = matches.open_matches(tx, bots.all_versions(tx))
            matches.start(tx, waiting.match_id)
        appears(page, page.get_by_text("Playing 1 table"))
        ladder.retire(next(v.bot for v in waiting.seats if v and v.bot != sought))
        appears(page, page.get_by_text("No longer playing: ").filter(has_text=","))
        assert head.get_attribute("aria-sort") == "descending"
        assert page.get_by_label("Find a bot").input_value() == sought
        expect(rows).to_have_count(1)
    assert desktop.complaints == []


def test_a_bots_page_follows_what_it_plays(ladder: Ladder, desktop: Any) -> None:
    """A bot that sits down to play does so on its page, with the time left."""
    with serving(ladder.home.path) as address:
        with ladder.database.read() as tx:
            (waiting,) = matches.open_matches(tx, bots.all_versions(tx))
        page = desktop.page
        page.clock.install()
        desktop.open(f"{address}bots/{next(v.bot for v in waiting.seats if v)}.html")
        expect(page.get_by_text("Waits for its next match")).to_be_visible()
        with ladder.database.write() as tx:
            matches.start(tx, waiting.match_id)
        appears(page, page.get_by_text("Plays at 1 table, about"))
    assert desktop.complaints == []


def test_a_table_moves_within_a_round(tmp_path: Path, desktop: Any) -> None:
    """A deal that is over counts in the table of a served tournament before its round is over."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4), deals=3)
    cup = filled_tournament.fill(tmp_path / "cup", plan, 2, 0, 5)
    with Ladder.open(Home(cup)) as ladder, serving(cup) as address:
        page = desktop.page
        page.clock.install()
        desktop.open(f"{address}tournament.html")
        so_far = page.locator("b.muted")
        expect(so_far).to_have_count(2)
        with ladder.database.write() as tx:
            waiting = matches.open_matches(tx, bots.all_versions(tx))[1:3]
            for match, record in zip(waiting, records_of(2), strict=False):
                filled_tournament.finish(tx, match, record)
        appears(page, so_far.nth(3))
        expect(page.get_by_text("Round 1 of 3 is in progress")).to_be_visible()
    assert desktop.complaints == []


def appears(page: Page, shown: Locator) -> None:
    """Let the page's time run until something is shown."""
    for _ in range(40):
        page.clock.run_for(5000)
        with suppress(Error):
            shown.wait_for(timeout=500)
            return
    raise AssertionError("it was never shown")
