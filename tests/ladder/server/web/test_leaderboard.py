"""The leaderboard's numbers."""

import re

import pytest

from ladder.results.standings import groups
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.leaderboard_page import PLOT_WIDTH, leaderboard
from ladder.server.web.site import Site


def test_the_order_is_that_of_the_rating_of_record(snapshot: Snapshot) -> None:
    """The highest rating comes first, and provisional bots come last."""
    rows = [row.standing for row in leaderboard(snapshot).rows]
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    shown = [(row.provisional, -row.mu) for row in rows]
    assert shown == sorted(shown)


def test_every_interval_is_drawn_within_the_scale(snapshot: Snapshot) -> None:
    """Well-known intervals are drawn whole."""
    board = leaderboard(snapshot)
    for row in (row for row in board.rows if not row.standing.provisional):
        assert row.low < row.standing.mu < row.high
        assert 0 <= board.axis.x(row.low) <= board.axis.x(row.high) <= PLOT_WIDTH


def test_only_who_plays_is_on_it(snapshot: Snapshot) -> None:
    """Retired bots, and replaced versions, have no line."""
    playing = {t.version.bot: t.version.number for t in snapshot.tallies if t.version.active}
    rows = leaderboard(snapshot).rows
    assert {row.standing.bot: row.standing.version for row in rows} == playing
    assert len(playing) < len({t.version.bot for t in snapshot.tallies})


def test_the_trend_is_of_the_last_half(snapshot: Snapshot) -> None:
    """The trend is the rating's change over the last half of a bot's matches."""
    tallies = {t.version.bot: t for t in snapshot.tallies if t.version.active}
    for row in leaderboard(snapshot).rows:
        points = snapshot.curves[tallies[row.standing.bot].version.id].points
        assert row.trend is not None
        assert row.standing.matches / 2 <= row.trend.matches <= row.standing.matches
        before = next(p for p in points if p.matches == row.standing.matches - row.trend.matches)
        assert row.trend.change == pytest.approx(row.standing.mu - before.mu)


def test_neighbours_say_how_sure_their_order_is(site: Site, snapshot: Snapshot) -> None:
    """Each row but the last shows how probably it beats the next, and what will settle that."""
    page = (site.page("index.html") or b"").decode()
    rows = [row.standing for row in leaderboard(snapshot).rows]
    cells = re.findall(r'<td class="n sure">(\d\.\d\d)(?: <small>([^<]*)</small>)?</td>', page)
    assert [float(sure) for sure, _ in cells] == [
        round(row.better_than_next, 2) for row in rows if row.better_than_next is not None
    ]
    assert [bool(more) for _, more in cells] == [
        row.matches_to_separate is not None for row in rows[:-1]
    ]


def test_groups_are_divided(site: Site, snapshot: Snapshot) -> None:
    """A sentence counts the groups, and each but the first begins with a line."""
    page = (site.page("index.html") or b"").decode()
    rows = [row.standing for row in leaderboard(snapshot).rows]
    assert groups(rows)
    assert groups(rows) in page
    assert page.count('<tr class="apart">') == len({row.group for row in rows}) - 1
