"""Sheets of matches: no page links to all of them, and all can be reached."""

from collections.abc import Sequence

import pytest

from ladder.model.matches import MatchLine
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.schedule_page import SHEET, newest_sheets, search, sheet, sheet_count
from ladder.server.web.site import Site
from ladder.server.web.verdicts import moved
from tests.ladder.server.web.conftest import Reader


class Many(Sequence[MatchLine]):
    """A number of matches, of which nothing is known."""

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


def test_matches_are_found_by_bot_opponent_and_fault(snapshot: Snapshot) -> None:
    """A search returns the matches of two bots in which the first forfeited, newest first."""
    every = snapshot.finished[::-1]
    forfeits = [
        (seat.version.bot, other.version.bot, line)
        for line in every
        for seat in line.seats
        for other in line.seats
        if seat.version and seat.result and seat.result.forfeit
        if other.version and other.version.bot != seat.version.bot
    ]
    bot, opponent, _ = forfeits[0]
    asked = {"bot": bot, "opponent": opponent, "fault": "ANY"}
    of_both = [line for a, b, line in forfeits if (a, b) == (bot, opponent)]
    assert search(snapshot, asked).lines == of_both
    kind = next(s.result.forfeit for s in of_both[0].seats if s.result and s.result.forfeit)
    assert of_both[0] in search(snapshot, {"bot": bot, "fault": kind}).lines
    assert search(snapshot, {"fault": "nonsense"}).lines == every[:SHEET]
    assert search(snapshot, {"bot": "no one"}).unknown == ["no one"]


def test_a_search_goes_on_where_it_ended(snapshot: Snapshot) -> None:
    """A sheet's `older` asks for the matches that follow, to the last."""
    every, shown = snapshot.finished[::-1], search(snapshot, {})
    following = search(snapshot, {"before": shown.older})
    assert [*shown.lines, *following.lines] == every
    assert following.older == ""


def test_a_match_moves_ratings_towards_its_result(snapshot: Snapshot) -> None:
    """A bot that finished ahead of all gained, one that finished behind all lost."""
    line = next(line for line in snapshot.finished if len({s.result for s in line.seats}) > 3)
    last = max(seat.result.rank for seat in line.seats if seat.result)
    for seat in line.seats:
        if seat.version and seat.result and seat.version.id in snapshot.strengths:
            by = moved(line, seat.version.bot, snapshot.strengths)
            assert by is not None
            assert by > 0 or seat.result.rank != 1
            assert by < 0 or seat.result.rank != last
