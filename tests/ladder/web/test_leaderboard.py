"""The leaderboard's numbers."""

import re

import pytest

from ladder.web.leaderboard import PLOT_WIDTH, leaderboard
from ladder.web.site import Site
from ladder.web.snapshot import Snapshot


def test_the_order_is_that_of_the_rating_of_record(snapshot: Snapshot) -> None:
    """The strongest is first, and its rank lies within what the fit leaves open, if it is known."""
    rows = [row.standing for row in leaderboard(snapshot).rows]
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    logits = [row.logit for row in rows if row.logit is not None]
    assert len(logits) == len(rows)
    assert logits == sorted(logits, reverse=True)


def test_every_interval_is_drawn_within_the_scale(snapshot: Snapshot) -> None:
    """What is known well enough is drawn whole."""
    board = leaderboard(snapshot)
    for row in (row.standing for row in board.rows if not row.standing.provisional):
        low, high = row.strength_low, row.strength_high
        assert low is not None
        assert high is not None
        assert 0 <= board.axis.x(100 * low) <= board.axis.x(100 * high) <= PLOT_WIDTH


def test_only_who_plays_is_on_it(snapshot: Snapshot) -> None:
    """Retired bots, and versions that were replaced, have no line."""
    playing = {t.version.bot: t.version.number for t in snapshot.tallies if t.version.active}
    rows = leaderboard(snapshot).rows
    assert {row.standing.bot: row.standing.version for row in rows} == playing
    assert len(playing) < len({t.version.bot for t in snapshot.tallies})


def test_the_trend_is_of_the_last_matches(snapshot: Snapshot) -> None:
    """The trend is the change over at most the last 50 matches, to the rating that is shown."""
    tallies = {t.version.bot: t for t in snapshot.tallies if t.version.active}
    for row in leaderboard(snapshot).rows:
        ratings = snapshot.curves[tallies[row.standing.bot].version.id].ratings
        assert row.trend is not None
        before = ratings[max(0, len(ratings) - 51)]
        assert row.trend.change == pytest.approx(row.standing.mu - before.mu)


def test_neighbours_say_how_sure_their_order_is(site: Site, snapshot: Snapshot) -> None:
    """Each row but the last says how probably it is above the next one, and what makes it sure."""
    page = (site.page("index.html") or b"").decode()
    rows = [row.standing for row in leaderboard(snapshot).rows]
    cells = re.findall(r'<td class="n sure">(\d\.\d\d)(?: <small>([^<]*)</small>)?</td>', page)
    assert [float(sure) for sure, _ in cells] == [
        round(row.better_than_next, 2) for row in rows if row.better_than_next is not None
    ]
    assert [bool(more) for _, more in cells] == [
        row.matches_to_separate is not None for row in rows[:-1]
    ]
