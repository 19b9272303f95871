"""The page of a tournament: what it says, and that it says nothing too early."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ladder.scheduling.tournament import directing
from ladder.scheduling.tournament.planner import Kind, Seeding, TournamentPlan
from ladder.server.public.reader import Source
from ladder.server.public.snapshot import Contest
from ladder.server.web.export import export
from ladder.server.web.site import Site
from ladder.server.web.tournament_page import TournamentPage, tournament_page
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from tests.ladder.server.web.filled_tournament import fill
from tests.ladder.server.web.looks import amiss, keep_picture

MOMENTS = {
    "knockout": (TournamentPlan(Kind.KNOCKOUT, tuple(range(1, 10)), sudden_death=0), 2, 3, 1),
    "level": (
        TournamentPlan(
            Kind.KNOCKOUT, (1, 3, 5, 7, 8, 6, 4, 2), seeding=Seeding.DRAW, sudden_death=3, draw="x"
        ),
        2,
        1,
        1,
    ),
    "round robin": (TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 6))), 2, 9, 0),
    "swiss": (TournamentPlan(Kind.SWISS, tuple(range(1, 10))), 2, 2, 5),
    "groups": (TournamentPlan(Kind.GROUPS, tuple(range(1, 9))), 2, 3, 2),
}
"""A plan, the seats of a table, whole rounds that are played, and matches of the next one."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of the tournaments. Only for reading."""
    root = tmp_path_factory.mktemp("tournaments")
    return {name: fill(root / name, *moment) for name, moment in MOMENTS.items()}


@pytest.fixture
def shown(folders: dict[str, Path], request: pytest.FixtureRequest) -> tuple[TournamentPage, Site]:
    """What is on a tournament's page, and all its pages."""
    with Ladder.open(Home(folders[request.param])) as ladder:
        source = Source(ladder)
        snapshot = source.snapshot()
    assert isinstance(snapshot.contest, Contest)
    site = Site([(snapshot, source.records)], live=False)
    return tournament_page(snapshot, snapshot.contest), site


def of(name: str) -> pytest.MarkDecorator:
    """Parametrize a test by the name of a tournament."""
    return pytest.mark.parametrize("shown", [name], indirect=True)


@of("knockout")
def test_a_bracket_says_who_goes_on(shown: tuple[TournamentPage, Site]) -> None:
    """Of each table that is over one goes on, into a table or a bye of the next round."""
    page, _ = shown
    assert page.over is False
    for before, after in zip(page.bracket, page.bracket[1:], strict=False):
        ahead = {side.entrant.name for t in before.tables for side in t.sides if side.ahead}
        resting = {entrant.name for entrant in before.byes}
        tables = [table for table in after.tables if table.stage != "third place"]
        left = {side.entrant.name for table in tables for side in table.sides}
        assert ahead | resting == left | {entrant.name for entrant in after.byes}
        assert all(sum(side.ahead for side in t.sides) == 1 for t in before.tables)
    assert [len(round_.tables) for round_ in page.bracket] == [1, 4, 2, 2]
    assert page.bracket[-1].stages == "final"


@of("knockout")
def test_a_meeting_that_is_played_tells_no_score(shown: tuple[TournamentPage, Site]) -> None:
    """Of the round under way the matches that are over are counted, and nothing more is said."""
    page, site = shown
    final = page.bracket[-1].tables[0]
    assert (final.over, final.matches, final.public) == (1, 2, ())
    assert [side.score for side in final.sides] == [None, None]
    text = (site.page("tournament.html") or b"").decode()
    assert "1 of 2 matches played" in text


@of("level")
def test_a_level_table_says_so(shown: tuple[TournamentPage, Site]) -> None:
    """Why each went on is said; where a table plays on, that is, and nobody of it is marked yet."""
    page, site = shown
    whys = [table.why for table in page.bracket[0].tables]
    text = (site.page("tournament.html") or b"").decode()

    assert "level: sudden death" in whys
    assert "score" in whys
    assert page.bracket[0].playing
    for table in page.bracket[0].tables:
        assert sum(side.ahead for side in table.sides) == (table.why != "level: sudden death")
    assert "Level: sudden death" in text
    assert "by draw: 1 ada" in text.lower().replace("\n", " ")


@of("round robin")
def test_the_cross_table_adds_up(shown: tuple[TournamentPage, Site]) -> None:
    """Two entrants' scores against each other make 1, and a row's mean is the score."""
    page, _ = shown
    [cross] = page.cross
    for i, row in enumerate(cross.cells):
        assert row[i] is None
        scores = [float(pair.score) for pair in row if pair]
        assert sum(scores) / len(scores) == pytest.approx(float(page.places[i].line.score))
        for j, pair in enumerate(row):
            mirror = cross.cells[j][i]
            assert pair is None or (mirror and pair.score + mirror.score == 1)


@of("groups")
def test_groups_have_tables(shown: tuple[TournamentPage, Site]) -> None:
    """Each group has a cross table with its own places; a cell says on how many meetings it is."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()

    assert [cross.name for cross in page.cross] == ["group A", "group B"]
    for cross in page.cross:
        assert [place.line.place for place in cross.places] == [1, 2, 3, 4]
        assert all(pair.meetings == 1 for row in cross.cells for pair in row if pair)
    assert "Group A</h2>" in text
    assert "1.00<small>\N{MULTIPLICATION SIGN}1</small>" in text


@of("groups")
def test_groups_say_by_what_each_goes_on(shown: tuple[TournamentPage, Site]) -> None:
    """Who goes on from a group has what put it ahead of the first who does not, of both."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()

    for cross in page.cross:
        scores = [f"{float(place.line.score):.2f}" for place in cross.places]
        assert list(cross.going_on) == [
            *(f"score: {score} to {scores[2]}" for score in scores[:2]),
            "",
            "",
        ]
    assert "Goes on by</th>" in text


def test_the_page_says_what_was_decided(tmp_path: Path) -> None:
    """Who left is marked and placed, decisions stand below the table, and a pause is plain."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4)), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        directing.leave(ladder, "ada", "<b>two</b> bots", disqualified=True)
        directing.set_paused(ladder, None, paused=True)
        source = Source(ladder)
        site = Site([(source.snapshot(), source.records)], live=False)
    text = (site.page("tournament.html") or b"").decode()

    assert "disqualified from round 3 on; its results do not count" not in text
    assert "disqualified from round 3 on" in text
    assert "ada is disqualified: &lt;b&gt;two&lt;/b&gt; bots" in text.lower()
    assert "Paused: Round 2 is under way" in text
    assert "The rounds to come" in text


@of("round robin")
def test_a_tournament_that_is_over_has_a_winner(shown: tuple[TournamentPage, Site]) -> None:
    """At the end the winner is named, and every match of every table can be looked at."""
    page, site = shown
    assert page.over
    assert (
        f"won by <b>{page.places[0].entrant.name}</b>"
        in (site.page("tournament.html") or b"").decode()
    )
    for table in (table for round_ in page.rounds for table in round_.tables):
        assert len(table.public) == table.matches
        for match in table.public:
            names = {seat.version.bot for seat in match.seats if seat.version}
            assert names == {side.entrant.bot for side in table.sides}


@of("swiss")
def test_the_rules_are_stated(shown: tuple[TournamentPage, Site]) -> None:
    """Seeds, byes and what decides among equals are said, and the byes are shown."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()
    assert {"seeds", "byes", "ties", "score"} <= {topic for topic, _ in page.rules}
    assert "Decided by direct encounter, then" in text
    assert all(round_.byes for round_ in page.rounds)
    assert [table.over for table in page.rounds[-1].tables] == [2, 2, 1, 0]


@pytest.mark.parametrize("name", ["knockout", pytest.param("swiss", marks=pytest.mark.proof)])
def test_the_page_in_a_browser(
    name: str, folders: dict[str, Path], courtisans: Path, reader: Any, tmp_path: Path
) -> None:
    """Beside a ladder it is listed, leads to its matches, fits any screen, and axe is content."""
    with Ladder.open(Home(folders[name])) as one, Ladder.open(Home(courtisans)) as other:
        sources = [Source(other), Source(one)]
        part = Site([(source.snapshot(), source.records) for source in sources], live=False)
        del part.parts[0].snapshot.finished[2:]  # type: ignore[attr-defined]
        export(part, tmp_path, 1, lambda: None)
    page = reader.open((tmp_path / "index.html").as_uri())
    page.get_by_role("link", name="Courtisans").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("9 bots")
    assert (page.locator("svg.lines path").count() > 0) == (name == "knockout")
    keep_picture(page, f"tournament-{name}-{reader.width}")
    assert amiss(page) == []
    page.locator("summary").first.click()
    page.locator("details[open] a").first.click()
    page.wait_for_selector("#replay button")
    page.get_by_role("link", name="Tournament").click()
    assert reader.complaints == []
