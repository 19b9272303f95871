"""A served page updates itself while somebody views it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.ladder.server.web.conftest import fill, serving


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


def appears(page: Page, shown: Locator) -> None:
    """Let the page's time run until something is shown."""
    for _ in range(40):
        page.clock.run_for(5000)
        with suppress(Error):
            shown.wait_for(timeout=500)
            return
    raise AssertionError("it was never shown")
