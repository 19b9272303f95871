"""The standings and their written forms."""

import csv
import json
from io import StringIO

from ladder.models import Rating, Tally, Version
from ladder.standings import Standing, standings, to_csv, to_json


def tally(bot: str, mu: float, sigma: float, matches: int = 4) -> Tally:
    """Return what a bot has achieved, half a victory and three points a match."""
    version = Version(1, bot, 2, "digest", ("run",), active=True, submitted_at="2026-01-01")
    return Tally(version, Rating(mu, sigma), matches, matches / 2, 3 * matches, matches // 4)


EXAMPLE = [tally("ann", 28.0, 2.0), tally("bob", 30.0, 2.0), tally("new", 25.0, 8.0, matches=0)]


def test_ranked_by_the_conservative_rating() -> None:
    """The best conservative rating leads; a better mean with more doubt does not."""
    rows = standings([tally("sure", 28.0, 1.0), tally("doubtful", 30.0, 2.0)])

    assert [(row.rank, row.bot, row.conservative) for row in rows] == [
        (1, "sure", 25.0),
        (2, "doubtful", 24.0),
    ]


def test_equals_are_in_the_order_of_their_names() -> None:
    """Equal ratings are put in alphabetical order."""
    rows = standings([tally("bob", 25.0, 1.0), tally("ann", 25.0, 1.0)])

    assert [(row.rank, row.bot) for row in rows] == [(1, "ann"), (2, "bob")]


def test_shares_and_averages() -> None:
    """Shares and averages are per match; there are none without matches."""
    bob, ann, new = standings(EXAMPLE)

    assert bob == Standing(1, "bob", 2, 30.0, 2.0, 24.0, 4, 0.5, 3.0, 0.25)
    assert ann.rank == 2
    assert (new.win_share, new.average_points, new.fault_rate) == (None, None, None)


def test_json() -> None:
    """The JSON is a list of objects with the documented names and the exact numbers."""
    assert json.loads(to_json(standings(EXAMPLE)))[0] == {
        "rank": 1,
        "bot": "bob",
        "version": 2,
        "mu": 30.0,
        "sigma": 2.0,
        "conservative": 24.0,
        "matches": 4,
        "win_share": 0.5,
        "average_points": 3.0,
        "fault_rate": 0.25,
    }


def test_csv() -> None:
    """The CSV has the same names and numbers; what there is none of is empty."""
    rows = list(csv.DictReader(StringIO(to_csv(standings(EXAMPLE)))))

    assert list(rows[0]) == list(json.loads(to_json(standings(EXAMPLE)))[0])
    assert (rows[0]["bot"], float(rows[0]["mu"]), float(rows[0]["win_share"])) == ("bob", 30.0, 0.5)
    assert rows[2]["win_share"] == ""
