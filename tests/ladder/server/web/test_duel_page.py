"""A duel's page: what it says, and that it says nothing too early."""

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ladder.model.bots import Entry, ValidationResult
from ladder.scheduling import contest
from ladder.scheduling.duel.planner import DuelPlan, DuelPlanner
from ladder.scheduling.duel.sequential import DuelAnswer, SequentialTest
from ladder.scheduling.planner import planned_matches
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Duel
from ladder.server.web.duel_page import DuelPage, duel_page
from ladder.server.web.export import export
from ladder.server.web.site import Site
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.ladder.server.web.filled_ladder import records_of
from tests.ladder.server.web.filled_tournament import finish
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.new_ladder import new_ladder

PLAN = DuelPlan(1, 2, None, SequentialTest(effect=0.2, cap=60))


def fill(folder: Path, most: int) -> Path:
    """Play at most `most` matches of a duel that the better seed mostly wins; return its folder."""
    home = new_ladder(folder, f"a seed for {folder.name}", seats=2)
    with Ladder.open(home) as ladder:
        with ladder.database.write() as tx:
            for number, name in enumerate(("ada", "bertrand"), start=1):
                entry = Entry(name, f"{number:064x}", ("./play",), "grpc", ())
                bots.enter(tx, entry, ValidationResult(rejected=None))
        contest.begin(ladder, PLAN)
        planner, records = DuelPlanner(PLAN, 2), cycle(records_of(2))
        number = played = 0
        while played < most:
            number += 1
            with ladder.database.write() as tx:
                if not (blocks := planner.plan(tx)):
                    break
                planned = planned_matches(ladder.settings, number, blocks, bots.all_versions(tx))
                matches.add(tx, planned)
                for match in planned[: most - played]:
                    finish(tx, match, next(records))
            played += len(planned)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of a decided duel, and of one in the middle of a pair."""
    root = tmp_path_factory.mktemp("duels")
    return {"decided": fill(root / "decided", 1000), "begun": fill(root / "begun", 5)}


@pytest.fixture
def shown(folders: dict[str, Path], request: pytest.FixtureRequest) -> tuple[DuelPage, str]:
    """A duel's page and its text."""
    with Ladder.open(Home(folders[request.param])) as ladder:
        source = PublicReader(ladder)
        snapshot = source.snapshot()
    assert isinstance(snapshot.contest, Duel)
    page = Site([(snapshot, source)], live=False).page("duel.html")
    assert page
    return duel_page(snapshot.contest), page.decode()


@pytest.mark.parametrize("shown", ["decided"], indirect=True)
def test_a_duel_that_is_decided(shown: tuple[DuelPage, str]) -> None:
    """The page matches `ladder duel`, its curve ends at the answer, and all pairs are there."""
    page, text = shown
    course = page.shown.progress
    assert course.verdict.answer is DuelAnswer.BETTER
    assert "ada is better than bertrand: H1 is accepted after" in text
    assert page.plot
    assert page.plot.values[-1] == course.verdict.evidence
    assert len(page.plot.values) == course.verdict.pairs >= PLAN.test.first
    assert page.plot.upper < page.plot.zero < page.plot.lower
    assert len(page.rows) == len(course.played) >= course.verdict.pairs
    after = [row for row in page.rows if row.evidence is None]
    assert len(after) == len(course.played) - course.verdict.pairs
    assert text.count("after the decision") == len(after)
    for row in page.rows:
        assert all(f"matches/{match.match_id}.html" in text for match in row.pair.matches)


@pytest.mark.parametrize("shown", ["begun"], indirect=True)
def test_a_pair_under_way_is_not_told_of(shown: tuple[DuelPage, str]) -> None:
    """Two pairs are over; one match of the third is, and neither counts nor has a link."""
    page, text = shown
    assert not page.is_over
    assert [row.number for row in page.rows] == [2, 1]
    assert text.count('href="matches/') == 4
    assert "Not decided yet, after 2 pairs, 4 matches." in text


def test_the_page_in_a_browser(folders: dict[str, Path], reader: Any, tmp_path: Path) -> None:
    """The list of ladders links it, it links its matches, fits any screen; axe finds nothing."""
    with Ladder.open(Home(folders["decided"])) as one, Ladder.open(Home(folders["begun"])) as other:
        sources = [PublicReader(one), PublicReader(other)]
        site = Site([(source.snapshot(), source) for source in sources], live=False)
        export(site, tmp_path, 1, lambda: None)
    page = reader.open((tmp_path / "index.html").as_uri())
    page.get_by_role("link", name="Courtisans").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is ada better than bertrand?")
    keep_picture(page, f"duel-{reader.width}")
    assert amiss(page) == []
    page.locator("#pairs ~ * a, section:has(#pairs) a").first.click()
    page.wait_for_selector("#replay button:visible")
    page.get_by_role("link", name="Duel").click()
    assert reader.complaints == []


@pytest.mark.proof
@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_the_drawing_can_be_read(
    screen: str, folders: dict[str, Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The drawing's words are about as large as those below, and the pairs fit the screen."""
    with Ladder.open(Home(folders["decided"])) as ladder:
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)
        export(site, tmp_path, 1, lambda: None)
    page = request.getfixturevalue(screen).open((tmp_path / "duel.html").as_uri())
    sizes = page.locator(".evidence text").evaluate_all("""(all) => all.map(
        (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)""")

    assert all(11 <= size <= 14 for size in sizes)
    assert page.locator(".scroll").last.evaluate("(each) => each.scrollWidth <= each.clientWidth")
