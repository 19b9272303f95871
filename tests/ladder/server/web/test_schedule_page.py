"""Sheets of matches: no page links to all of them, and all can be reached."""

from collections.abc import Sequence

import pytest

from ladder.model.matches import MatchLine
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.schedule_page import SHEET, newest_sheets, sheet, sheet_count
from ladder.server.web.site import Site
from tests.ladder.server.web.conftest import Reader


class Many(Sequence[MatchLine]):
    """So many matches, of which nothing is known."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, _: object) -> list[MatchLine]:  # type: ignore[override]
        return []


@pytest.mark.parametrize("matches", [0, 1, 100, 101, 1_100, 12_345, 600_001])
def test_every_sheet_is_a_few_links_away(matches: int) -> None:
    """From the newest sheets any is reached by few links, of which a page has few."""
    count, steps = sheet_count(matches), 0
    reached = near = {link.number for link in newest_sheets(matches)}
    assert len(newest_sheets(matches)) <= 10 + len(str(count))
    while near:
        sheets = [sheet(Many(matches), number) for number in near]  # type: ignore[arg-type]
        links = [[*each.newer, *each.older] for each in sheets]
        assert all(len(each) <= 2 * len(str(count)) for each in links)
        near = {link.number for each in links for link in each} - reached
        reached |= near
        steps += bool(near)
    assert reached == {*range(1, count + 1)}
    assert steps <= 5 * len(str(count))


def test_a_sheet_that_is_full_changes_seldom() -> None:
    """While a thousand sheets are added, an old one changes three times."""
    pages = {
        str(sheet(Many(matches), 1))  # type: ignore[arg-type]
        for matches in range(SHEET, 1_000 * SHEET, SHEET)
    }
    assert len(pages) == 4


def test_sheets_show_the_newest_first(site: Site, snapshot: Snapshot) -> None:
    """The sheets hold all public matches, in turn, each with the newest on top."""
    whole = [*snapshot.finished]
    numbers = range(sheet_count(len(whole)), 0, -1)
    assert [line for n in numbers for line in sheet(snapshot.finished, n).lines] == whole[::-1]
    assert site.page(f"rounds/{len(numbers)}.html") is not None
    for missing in ("0", "01", str(len(numbers) + 1), "9" * 30, "\N{ARABIC-INDIC DIGIT ONE}"):
        assert site.page(f"rounds/{missing}.html") is None


def test_older_matches_in_a_browser(served: str, reader: Reader) -> None:
    """A reader goes from the matches to the newest sheet, to an older one, and back."""
    page = reader.open(f"{served}courtisans-4/rounds/")
    page.get_by_role("link", name="101").click()
    page.get_by_role("navigation", name="Older").get_by_role("link").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Matches 1 to 100"
    page.get_by_role("navigation", name="Newer").get_by_role("link").click()
    page.get_by_role("link", name="Newest matches").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Matches"
    assert reader.complaints == []
