"""What stands above the standings, and the page of the rules."""

from dataclasses import replace

import pytest

from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.front_page import front_page, state_of
from ladder.server.web.leaderboard_page import leaderboard
from ladder.server.web.rules_page import rules_page
from ladder.server.web.schedule_page import rounds
from ladder.server.web.site import Site
from ladder.server.web.verdicts import is_close, upset
from referee.games import game_named


def test_a_stranger_is_told_what_this_is_and_how_to_enter(site: Site) -> None:
    """The first page says what is played, names the leader, and leads to rules and matches."""
    page = (site.page("index.html") or b"").decode()
    leader = next(row for row in site.parts[0].board.rows if not row.standing.provisional)
    assert "Programs play Courtisans here, 4 to a table" in page
    assert "<dt>Leader</dt>" in page
    assert f'href="bots/{leader.standing.bot}.html"' in page
    assert 'href="rules.html"' in page
    assert "ladder new-bot my-bot" in page


def test_the_state_tells_tables_and_the_time_left(snapshot: Snapshot) -> None:
    """While matches run, the state counts them and estimates the rest of the round."""
    assert state_of(snapshot, rounds(snapshot)) == f"Nothing plays, round {snapshot.round}"
    running = [replace(line, state=MatchState.RUNNING) for line in snapshot.waiting]
    playing = replace(snapshot, waiting=running)
    said = state_of(playing, rounds(playing))
    assert said == f"Playing 1 table, about 1s left in round {snapshot.round}"
    front = front_page(playing, leaderboard(playing).rows, rounds(playing))
    assert front.tables == running
    assert "P 0." in front.sure


def _ended(snapshot: Snapshot, *points: int) -> MatchLine:
    """Return a match in which the bots of the standings, from the last on, have these points."""
    rows = [row.standing for row in leaderboard(snapshot).rows if not row.standing.provisional]
    versions = {t.version.bot: t.version for t in snapshot.tallies if t.version.active}
    seats = [
        SeatLine(versions[row.bot], SeatResult(1 + sum(p > own for p in points), own, None))
        for row, own in zip(reversed(rows), points, strict=False)
    ]
    return replace(snapshot.finished[0], seats=tuple(seats))


def test_an_upset_is_what_ratings_do_not_foretell(snapshot: Snapshot) -> None:
    """It is one that the last beats the first, and none that the first beats the last."""
    rows = [row.standing for row in leaderboard(snapshot).rows if not row.standing.provisional]
    points = [len(rows) - i for i in range(len(rows))]
    found = upset(_ended(snapshot, *points), snapshot.strengths)
    assert found
    assert (found.winner, found.beaten) == (rows[-1].bot, rows[0].bot)
    assert found.chance < 1 / 3
    assert upset(_ended(snapshot, *reversed(points)), snapshot.strengths) is None


@pytest.mark.parametrize(
    ("points", "words"),
    [((18, 17, 3), "close"), ((18, 9, 3), ""), ((5, 5, 1), ""), ((1, 0), "")],
)
def test_a_close_end_is_one_of_few_points(
    points: tuple[int, ...], words: str, snapshot: Snapshot
) -> None:
    """The first two are close if their points nearly agree, but a shared first place is none."""
    assert is_close(_ended(snapshot, *points)) is (words == "close")


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_rules_are_a_page_of_the_site(game: str) -> None:
    """The rules have headings, tables and no links to files that a site lacks."""
    page = rules_page(game)
    assert "<h2 id=" in page
    assert '<table class="data">' in page
    assert 'href="..' not in page
    assert "<h1" not in page


def test_a_game_brings_its_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules of a game are shown as Markdown, and HTML in them as text."""
    monkeypatch.setattr(game_named("courtisans"), "rules", "# Cards\n\n*Play* <b>one</b>.")
    rules_page.cache_clear()
    try:
        assert rules_page("courtisans") == "<p><em>Play</em> &lt;b&gt;one&lt;/b&gt;.</p>\n"
    finally:
        rules_page.cache_clear()


def test_many_bots_are_searched(source: PublicReader, snapshot: Snapshot) -> None:
    """Without scripts, a search leaves the bots whose name or author has its text."""
    names = [row.standing.bot for row in leaderboard(snapshot).rows]
    by_ada = replace(snapshot, authors={names[0]: "Ada <b>"})
    site = Site([(by_ada, source)], live=True)
    named = [name for name in names if names[1] in name]
    for text, shown in ((names[1].upper(), named), ("ada", names[:1])):
        page = (site.answer("index.html", {"find": text}) or b"").decode()
        assert [n for n in names if f'<th scope="row"><a href="bots/{n}.html">' in page] == shown
    assert b"Ada &lt;b&gt;" in (site.page("index.html") or b"")
    assert site.answer("rounds/index.html", {"find": ""}) is None


def test_ranks_won_are_those_since_an_earlier_round(snapshot: Snapshot) -> None:
    """A change of rank is that among the bots that were rated then, and all changes cancel."""
    rows = leaderboard(snapshot).rows
    assert snapshot.past
    assert snapshot.past.round <= 0.8 * snapshot.round
    climbed = [row.climbed for row in rows if row.climbed is not None]
    assert len(climbed) > 2
    assert sum(climbed) == 0
