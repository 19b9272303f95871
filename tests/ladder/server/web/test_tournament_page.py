"""A tournament's page: what it says, and that it says nothing too early."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ladder.model.directives import ByePoints
from ladder.model.incidents import IncidentKind
from ladder.model.tournaments import KeptApart, Kind, Seeding
from ladder.scheduling.tournament import directing
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Contest
from ladder.server.web.export import export
from ladder.server.web.site import Site
from ladder.server.web.tournament_page import TournamentPage, tournament_page
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import incidents
from tests.ladder.server.web.conftest import fill as fill_ladder
from tests.ladder.server.web.filled_tournament import fill
from tests.ladder.server.web.looks import amiss, keep_picture

AUTHORS = ("Ada", "<b>Bo</b>", "Cy", "Ada", "Cy", "Di", "Eve", "Fay", "")
TEAMS = ("Red", "Blue", "Red", "Blue", "Red", "Blue", "Green", "Green", "")

MOMENTS = {
    "knockout": (
        TournamentPlan(
            Kind.KNOCKOUT, tuple(range(1, 10)), sudden_death=0, authors=AUTHORS, teams=TEAMS
        ),
        2,
        3,
        1,
    ),
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
    "gauntlet": (TournamentPlan(Kind.GAUNTLET, tuple(range(1, 11))), 4, 1, 2),
    "five seats": (TournamentPlan(Kind.KNOCKOUT, tuple(range(1, 17)), sudden_death=0), 5, 3, 0),
    "waiting": (
        TournamentPlan(
            Kind.SWISS,
            (1, 2, 3),
            authors=("Ada", "Bo", "Ada"),
            apart=KeptApart.AUTHOR,
            forbidden=((1, 2), (2, 3), (1, 3)),
        ),
        2,
        0,
        0,
    ),
    "double": (
        TournamentPlan(Kind.DOUBLE_ELIMINATION, tuple(range(1, 10)), sudden_death=0),
        2,
        5,
        1,
    ),
    "cross table": (TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 17))), 4, 1, 0),
}
"""A plan, a table's seats, whole played rounds, and matches of the next."""


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a tournament's folder. Read-only."""
    root = tmp_path_factory.mktemp("tournaments")
    return cache(lambda name: fill(root / name, *MOMENTS[name]))


@pytest.fixture
def shown(
    folder_of: Callable[[str], Path], request: pytest.FixtureRequest
) -> tuple[TournamentPage, Site]:
    """A tournament's page, and all its pages."""
    with Ladder.open(Home(folder_of(request.param))) as ladder:
        source = PublicReader(ladder)
        snapshot = source.snapshot()
    assert isinstance(snapshot.contest, Contest)
    site = Site([(snapshot, source)], live=False)
    return tournament_page(snapshot, snapshot.contest), site


def of(name: str) -> pytest.MarkDecorator:
    """Parametrize a test by a tournament's name."""
    return pytest.mark.parametrize("shown", [name], indirect=True)


@of("waiting")
def test_a_round_without_a_pairing(shown: tuple[TournamentPage, Site]) -> None:
    """The page says what is in the way, which pairs are forbidden, and who is kept apart."""
    page, site = shown
    first, pairings, screen = (
        (site.page(f"{name}.html") or b"").decode() for name in ("tournament", "pairings", "screen")
    )

    assert "Waiting for the director" in first
    assert "Round 1 has no pairing in which no forbidden pair meets" in first
    assert "Round 1 has no pairing in which no forbidden pair meets" in pairings
    assert "it is over" not in screen
    assert dict(page.rules)["forbidden pairs"].count(" and ") == 3
    assert dict(page.rules)["kept apart"].startswith("bots of one author: ")


@of("knockout")
def test_a_bracket_says_who_goes_on(shown: tuple[TournamentPage, Site]) -> None:
    """Each finished table sends one entrant to a table or a bye of the next round."""
    page, _ = shown
    assert page.over is False
    for before, after in zip(page.bracket, page.bracket[1:], strict=False):
        ahead = {side.entrant.name for t in before.tables for side in t.sides if side.ahead}
        resting = {bye.entrant.name for bye in before.byes}
        tables = [table for table in after.tables if table.stage != "third place"]
        left = {side.entrant.name for table in tables for side in table.sides}
        assert ahead | resting == left | {bye.entrant.name for bye in after.byes}
        assert all(sum(side.ahead for side in t.sides) == 1 for t in before.tables)
    assert [len(round_.tables) for round_ in page.bracket] == [1, 4, 2, 2]
    assert page.bracket[-1].stages == "final"


@of("double")
def test_each_bracket_of_a_double_elimination_is_drawn(shown: tuple[TournamentPage, Site]) -> None:
    """Each has its own rounds and byes; who goes on is at a table or rests in its next round."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()
    winners, losers = page.brackets

    assert ([r.number for r in winners.rounds], [r.number for r in losers.rounds]) == (
        [1, 2, 4, 6],
        [3, 4, 5, 6],
    )
    assert [len(round_.byes) for round_ in winners.rounds] == [7, 0, 0, 0]
    assert [len(round_.byes) for round_ in losers.rounds] == [3, 0, 0, 0]
    for bracket in page.brackets:
        for before, after in zip(bracket.rounds, bracket.rounds[1:], strict=False):
            on = {side.entrant.name for t in before.tables for side in t.sides if side.ahead}
            on |= {bye.entrant.name for bye in before.byes}
            assert on <= {side.entrant.name for table in after.tables for side in table.sides}
    assert "Winners&#39; bracket" in text
    assert "Losers&#39; bracket" in text


@of("knockout")
def test_a_meeting_that_is_played_tells_no_score(shown: tuple[TournamentPage, Site]) -> None:
    """The page counts finished matches of the round, and tells nothing of a deal in play."""
    page, site = shown
    final = page.bracket[-1].tables[0]
    assert (final.over, final.matches, [*final.public]) == (1, 2, [])
    assert [side.score for side in final.sides] == [None, None]
    text = (site.page("tournament.html") or b"").decode()
    assert "1 of 2 matches played" in text


def test_scores_move_within_a_meeting(tmp_path: Path) -> None:
    """Deals that are over count in the table and at their own, where they are marked as so far."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4), deals=3)
    cup = fill(tmp_path / "cup", plan, 2, 0, 5)
    with Ladder.open(Home(cup)) as ladder:
        source = PublicReader(ladder)
        snapshot = source.snapshot()
        assert isinstance(snapshot.contest, Contest)
        page = tournament_page(snapshot, snapshot.contest)
        text = (Site([(snapshot, source)], live=False).page("tournament.html") or b"").decode()
    first, second = page.rounds[0].tables

    assert (first.over, first.matches, len(first.public)) == (5, 6, 4)
    assert sum(side.score or 0 for side in first.sides) == pytest.approx(1)
    assert [side.score for side in second.sides] == [None, None]
    assert [bool(place.line.meetings) for place in page.places] == [True, True, False, False]
    assert "Round 1 of 3 is in progress" in text
    assert text.count('<b class="muted">') == 2


@of("level")
def test_a_level_table_says_so(shown: tuple[TournamentPage, Site]) -> None:
    """Each advance has its reason; a level table says that it plays on, and marks no bot."""
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


@of("knockout")
def test_teams_and_authors_have_standings(shown: tuple[TournamentPage, Site]) -> None:
    """The page shows them, with the rule and the bots left out, and their names as text."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()

    assert [(teams.by, teams.counting, len(teams.lines)) for teams in page.teams] == [
        ("team", 2, 3),
        ("author", 1, 6),
    ]
    assert "&lt;b&gt;Bo&lt;/b&gt;</th>" in text
    assert "Places: the sum of the places of the best 2 bots of each team" in text
    assert "No team is known of isolde." in text


@of("gauntlet")
def test_the_score_of_a_bot_not_met_is_a_dash(shown: tuple[TournamentPage, Site]) -> None:
    """A bot that the challenger has not met has no score or interval; a note explains the dash.

    The rules name the challenger as written.
    """
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()
    unmet = [place for place in page.places if not place.line.meetings]

    assert len(unmet) == 6
    assert text.count('<td class="n">–</td><td class="n">–</td>') == len(unmet)  # noqa: RUF001 - shown
    assert "A dash: no meeting yet." in text
    assert "The challenger, ada, sits at every table" in text


@of("groups")
def test_groups_say_what_decides_in_which_stage(shown: tuple[TournamentPage, Site]) -> None:
    """A group's tie-breaks differ from those among bots out in the same round."""
    page, _ = shown
    assert dict(page.rules)["ties"] == (
        "in a group decided by direct encounter, then opponents' scores, then first places; in the "
        "knockout by score of the last round, then place at its table, then points margin; equals "
        "share a place, and in a group the better seed of them goes on"
    )


@of("groups")
def test_groups_have_tables(shown: tuple[TournamentPage, Site]) -> None:
    """Each group has a cross table with its own places; a cell counts its meetings."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()

    assert [cross.name for cross in page.cross] == ["group A", "group B"]
    for cross in page.cross:
        assert [place.line.place for place in cross.places] == [1, 2, 3, 4]
        assert all(pair.meetings == 1 for row in cross.cells for pair in row if pair)
    assert "Group A</h2>" in text
    assert "1.00<small>\N{MULTIPLICATION SIGN}1</small>" in text


@of("waiting")
def test_places_follow_the_first_result(shown: tuple[TournamentPage, Site]) -> None:
    """Until then the page and the big screen list the bots without places."""
    page, site = shown
    text, screen = (
        (site.page(f"{name}.html") or b"").decode() for name in ("tournament", "screen")
    )

    assert [place.number for place in page.places] == [None] * 3
    assert text.count('<tr><td class="n"></td><th scope="row">') == 3
    assert screen.count("<li><i></i><span>") == 3


@of("groups")
def test_groups_say_by_what_each_goes_on(shown: tuple[TournamentPage, Site]) -> None:
    """A bot that advances shows what put it ahead of the first that does not, for both."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()

    for cross in page.cross:
        scores = [f"{float(place.line.score):.2f}" for place in cross.places]
        assert list(cross.going_on) == [
            *(f"score: {score} to {scores[2]}" for score in scores[:2]),
            "",
            "",
        ]
    assert "Advances by</th>" in text


def test_the_page_says_what_was_decided(tmp_path: Path) -> None:
    """Leavers are marked and placed, decisions stand below the table, and a pause is plain."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4)), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        directing.leave(ladder, "ada", "<b>two</b> bots", disqualified=True)
        directing.set_paused(ladder, None, paused=True)
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)
    text = (site.page("tournament.html") or b"").decode()

    assert "disqualified from round 3 on; its results do not count" not in text
    assert "disqualified from round 3 on" in text
    assert "ada is disqualified: &lt;b&gt;two&lt;/b&gt; bots" in text.lower()
    assert "Paused: Round 2 of 3 is in progress" in text
    assert "Upcoming rounds" in text


def test_a_meeting_that_does_not_count_says_so(tmp_path: Path) -> None:
    """A disqualified bot and its opponent get a dash for each meeting; no other bot does."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 9))), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        directing.leave(ladder, "ada", "two bots", disqualified=True)
        source = PublicReader(ladder)
        snapshot = source.snapshot()
        assert isinstance(snapshot.contest, Contest)
        page = tournament_page(snapshot, snapshot.contest)
        site = Site([(snapshot, source)], live=False)
    text = (site.page("tournament.html") or b"").decode()
    first = page.rounds[0].tables

    assert [table.uncounted for table in first] == [
        "ada" in {side.entrant.name for side in table.sides} for table in first
    ]
    assert text.count("A dash: the result does not count.") == 1
    assert text.count("<b>\N{EN DASH}</b>") == 2


@of("round robin")
def test_a_tournament_that_is_over_has_a_winner(shown: tuple[TournamentPage, Site]) -> None:
    """At the end the winner is named, and every match of every table has a link."""
    page, site = shown
    assert page.over
    text = (site.page("tournament.html") or b"").decode()
    assert f'<h2 id="champion">Champion</h2>\n<p><b>{page.places[0].entrant.name}</b></p>' in text
    for table in (table for round_ in page.rounds for table in round_.tables):
        assert len(table.public) == table.matches
        for match in table.public:
            names = {seat.version.bot for seat in match.seats if seat.version}
            assert names == {side.entrant.bot for side in table.sides}


def test_winners_share_the_first_place(tmp_path: Path) -> None:
    """The page names all bots in first place if nothing parts them."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.ROUND_ROBIN, (1, 2)), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        source = PublicReader(ladder)
        before = source.snapshot().contest
        assert isinstance(before, Contest)
        [[match, *_]] = before.shown.matches.values()
        directing.annul(ladder, match, "a slip")
        site = Site([(source.snapshot(), source)], live=False)
    text = (site.page("tournament.html") or b"").decode()

    assert "<b>ada</b> and <b>bertrand</b> share first place" in text


@of("swiss")
def test_the_rules_are_stated(shown: tuple[TournamentPage, Site]) -> None:
    """The page states seeds, byes and tie-breaks, and shows the byes."""
    page, site = shown
    text = (site.page("tournament.html") or b"").decode()
    assert {"seeds", "byes", "ties", "score"} <= {topic for topic, _ in page.rules}
    assert "Decided by direct encounter, then" in text
    assert all(round_.byes for round_ in page.rounds)
    assert [table.over for table in page.rounds[-1].tables] == [2, 2, 1, 0]


@pytest.mark.parametrize("name", ["knockout", pytest.param("swiss", marks=pytest.mark.proof)])
def test_the_page_in_a_browser(
    name: str, folder_of: Callable[[str], Path], reader: Any, tmp_path: Path
) -> None:
    """The list of ladders links it, it links its matches, fits any screen; axe finds nothing."""
    few = fill_ladder(tmp_path / "few", "courtisans", 4, 6, 2)
    site = tmp_path / "site"
    with Ladder.open(Home(folder_of(name))) as one, Ladder.open(Home(few)) as other:
        sources = [PublicReader(other), PublicReader(one)]
        part = Site([(source.snapshot(), source) for source in sources], live=False)
        export(part, site, 1, lambda: None)
    page = reader.open((site / "index.html").as_uri())
    page.get_by_role("link", name="Courtisans").last.click()
    expect(page.locator(".lead")).to_contain_text("9 bots")
    assert (page.locator("svg.lines path").count() > 0) == (name == "knockout")
    keep_picture(page, f"tournament-{name}-{reader.width}")
    assert amiss(page) == []
    page.locator("summary").first.click()
    page.locator("details[open] a").first.click()
    page.wait_for_selector("#replay button:visible")
    page.get_by_role("link", name="Tournament").click()
    assert reader.complaints == []


@pytest.fixture
def address(
    folder_of: Callable[[str], Path], tmp_path: Path, request: pytest.FixtureRequest
) -> str:
    """Where a tournament's page was exported."""
    with Ladder.open(Home(folder_of(request.param))) as ladder:
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)
        export(site, tmp_path, 1, lambda: None)
    return (tmp_path / "tournament.html").as_uri()


def at(name: str) -> pytest.MarkDecorator:
    """Parametrize a test by the name of a tournament to look at."""
    return pytest.mark.parametrize("address", [name], indirect=True)


@at("five seats")
def test_lines_that_share_a_lane_lead_to_one_table(address: str, desktop: Any) -> None:
    """Two lines of a bracket overlap only if they lead to the same table."""
    lines = desktop.open(address).evaluate("""() => {
      const box = (each) => each.getBoundingClientRect();
      const { left, top } = box(document.querySelector(".bracket"));
      const tables = [...document.querySelectorAll(".meeting")].map(box);
      return [...document.querySelectorAll("svg.lines path")].map((path) => {
        const [, y, lane, end, stop] = path.getAttribute("d").match(/[\\d.]+/g).map(Number);
        const to = tables.findIndex((table) => Math.abs(table.left - left - stop) < 1
          && table.top - top < end && end < table.bottom - top);
        return { lane, to, from: Math.min(y, end), until: Math.max(y, end) };
      });
    }""")
    over = [
        (one, other)
        for one, other in combinations(lines, 2)
        if abs(one["lane"] - other["lane"]) < 1
        and one["from"] < other["until"]
        and other["from"] < one["until"]
    ]

    assert len(lines) == 10 + 4
    assert len({line["to"] for line in lines}) == 3
    assert all(one["to"] == other["to"] for one, other in over)


@at("double")
def test_lines_stay_in_their_bracket(address: str, desktop: Any) -> None:
    """A line for each bot that has gone on; all fits, and axe finds nothing."""
    page = desktop.open(address)
    lines = [each.locator("path").count() for each in page.locator("svg.lines").all()]
    keep_picture(page, "tournament-double")

    assert lines == [1 + 4 + 2, 1 + 2 + 2]
    assert amiss(page) == []


@at("five seats")
def test_a_bracket_on_a_phone(address: str, phone: Any) -> None:
    """The rounds stand below each other, the final first: all fits the screen."""
    page = phone.open(address)
    fits = "(each) => each.scrollWidth <= each.clientWidth"
    tops = [box["y"] for column in page.locator(".column").all() if (box := column.bounding_box())]

    assert page.locator(".scroll").first.evaluate(fits)
    assert tops == sorted(tops, reverse=True)
    assert amiss(page) == []


@at("cross table")
def test_tables_on_a_phone(address: str, phone: Any) -> None:
    """Scores fit the screen beside the longest name, and names stay when a table scrolls."""
    page = phone.open(address)
    name = page.get_by_role("row").filter(has_text="jean-baptiste").first
    score = name.locator("td").nth(2).bounding_box()

    assert score
    assert score["x"] + score["width"] <= phone.width
    for region in page.locator(".scroll").all():
        region.evaluate("(each) => { each.scrollLeft = 1000; }")
        head = region.locator("tbody th").first
        assert head.evaluate("(each) => each.closest('.scroll').scrollLeft") > 0
        box = head.bounding_box()
        assert box
        assert 0 <= box["x"] < phone.width / 2
    assert amiss(page) == []


@at("cross table")
def test_a_cross_table_says_how_to_read_it(address: str, desktop: Any) -> None:
    """A named cross table of sixteen fits the screen but for the sums, which scroll."""
    page = desktop.open(address)
    assert page.get_by_text("The score of the row's bot against the bot in that place").is_visible()
    last = page.locator(".cross thead th").nth(16).bounding_box()
    assert last
    assert last["x"] + last["width"] <= desktop.width


def test_who_left_leaves_the_table_as_wide_as_it_was(tmp_path: Path, desktop: Any) -> None:
    """A leaver's note stands below its name: no column leaves the screen."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 11))), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        directing.leave(ladder, "jean-baptiste-poquelin-l-moliere", "two bots", disqualified=True)
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)
        export(site, tmp_path / "site", 1, lambda: None)
    page = desktop.open((tmp_path / "site" / "tournament.html").as_uri())

    assert page.get_by_text("disqualified from round").first.is_visible()
    table = page.locator(".scroll:has(.placed)")
    assert table.evaluate("(each) => each.scrollWidth <= each.clientWidth")


def test_the_pairings_are_printed(tmp_path: Path, phone: Any) -> None:
    """A page of its own shows the pairings of the next round; on paper it has nothing else."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 12))), 2, 0, 99)
    with Ladder.open(Home(cup)) as ladder:
        source = PublicReader(ladder)
        snapshot = source.snapshot()
        export(Site([(snapshot, source)], live=False), tmp_path / "site", 1, lambda: None)
    assert isinstance(snapshot.contest, Contest)
    shown = snapshot.contest.shown
    pairings = shown.pairings()
    assert pairings is not None
    page = phone.open((tmp_path / "site" / "tournament.html").as_uri())
    page.get_by_role("link", name="Its pairings, to print").click()

    assert page.get_by_role("heading", name="Pairings of round 2").is_visible()
    rows = page.get_by_role("row").all()[1:]
    tables = [[shown.with_score(e) for e in meeting.entrants] for meeting in pairings.meetings]
    byes = [[shown.with_score(e)] for e in pairings.byes]
    assert [row.locator("td").first.inner_text().split("\n") for row in rows] == tables + byes
    assert amiss(page) == []
    page.emulate_media(media="print")
    assert not page.get_by_role("navigation").is_visible()
    assert not page.locator("footer").is_visible()


def test_the_big_screen_shows_one_view_after_the_other(tmp_path: Path, desktop: Any) -> None:
    """It needs no hand: long lists turn page by page, then come the rounds; a button pauses it."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 17))), 2, 2, 3)
    with Ladder.open(Home(cup)) as ladder:
        source = PublicReader(ladder)
        snapshot = source.snapshot()
        export(Site([(snapshot, source)], live=False), tmp_path / "site", 1, lambda: None)
    assert isinstance(snapshot.contest, Contest)
    page = desktop.open((tmp_path / "site" / "tournament.html").as_uri())
    page.set_viewport_size({"width": 800, "height": 600})
    page.clock.install()
    page.get_by_role("link", name="For a projector").click()
    page.wait_for_load_state()  # else the list is read before it is cut into pages
    views = page.locator(".view:visible h2")
    names: list[str] = []
    seen: list[str] = []
    for _ in range(9):
        names += page.locator(".view:visible .lines > li:visible > span").all_inner_texts()
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        seen.append(" ".join(views.all_inner_texts()))
        if seen[-1].startswith("Round 2"):
            break
        page.clock.run_for(10_000)

    assert names == [p.entrant.name for p in tournament_page(snapshot, snapshot.contest).places]
    assert seen[0].startswith("Table so far 1")
    assert next(each for each in seen if not each.startswith("Table")).startswith("Round 3")
    assert amiss(page) == []
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert views.all_inner_texts() == seen[-1:]
    page.get_by_role("button", name="Go on").click()
    page.clock.run_for(10_000)
    assert views.all_inner_texts() != seen[-1:]


@pytest.mark.parametrize(
    ("address", "shown"),
    [("knockout", [1 + 4 + 2]), ("double", [1 + 4 + 2, 1 + 2 + 2]), ("five seats", [10 + 4])],
    indirect=["address"],
)
def test_the_big_screen_draws_brackets(address: str, shown: list[int], desktop: Any) -> None:
    """Each bracket is a view with a line for each bot that went on, and fits into the window."""
    page = desktop.open(address)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.get_by_role("link", name="For a projector").click()
    expect(page.locator(".view:visible")).to_have_count(1)
    bracket = page.locator(".bracket:visible")
    drawn: list[int] = []
    for _ in range(1 + len(shown)):
        if bracket.count():
            drawn.append(bracket.locator("svg.lines path").count())
            keep_picture(page, f"screen-{len(drawn)}-of-{len(shown)}")
            assert bracket.evaluate(
                "(each) => each.scrollWidth <= each.parentElement.clientWidth"
                " && each.offsetHeight <= each.parentElement.clientHeight"
            )
        page.clock.run_for(10_000)

    assert drawn == shown
    assert amiss(page) == []
    assert desktop.complaints == []


def test_incidents_and_byes_on_request_are_shown(tmp_path: Path) -> None:
    """Anyone sees what happened to a match and why the director decided, no machine's words."""
    cup = fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 8))), 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder:
        first, second, *_ = PublicReader(ladder).snapshot().finished
        with ladder.database.write() as tx:
            incidents.add(tx, IncidentKind.RETRIED, "lost tcp://10.0.0.7", [second.match_id])
        directing.give_bye(ladder, "ada", 3, ByePoints.HALF, "her exam")
        directing.annul(ladder, first, "a <b>power</b> cut")
        source = PublicReader(ladder)
        snapshot = source.snapshot()
    page = (Site([(snapshot, source)], live=False).page("tournament.html") or b"").decode()

    assert "Annulled: a &lt;b&gt;power&lt;/b&gt; cut" in page
    assert "Void, played again" in page
    assert "10.0.0.7" not in page
