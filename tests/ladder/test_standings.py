"""The standings and their written forms."""

import csv
import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from ladder.errors import UnknownBotError
from ladder.models import Rating, Strength, Tally, Version
from ladder.standings import Standing, notes, provisional, standings, to_csv, to_json, window
from ladder.tables import print_standings

OTHER = Version(2, "bob", 1, "other", ("run",), active=True, submitted_at="2026-01-01")


def tally(bot: str, mu: float, sigma: float, matches: int = 4) -> Tally:
    """Return what a bot has achieved, half a victory and three points a match."""
    version = Version(1, bot, 2, "digest", ("run",), active=True, submitted_at="2026-01-01")
    return Tally(version, Rating(mu, sigma), matches, matches / 2, 3 * matches, matches // 4)


def strength(logit: float, **changed: Any) -> Strength:
    """Return a strength that is well known."""
    plain = Strength(0.5, 0.4, 0.6, logit, 0.2, (1, 2), 0.9, None, blocks=8, provisional=False)
    return replace(plain, **changed)


EXAMPLE = [tally("ann", 28.0, 2.0), tally("bob", 30.0, 2.0), tally("new", 25.0, 8.0, matches=0)]


def test_ranked_by_the_rating_of_record() -> None:
    """The strongest by the rating of record leads, whatever the live rating says."""
    first, second = tally("ann", 20.0, 2.0), replace(tally("bob", 30.0, 2.0), version=OTHER)

    rows = standings([first, second], {1: strength(0.4), 2: strength(0.3)})

    assert [(row.rank, row.bot, row.logit) for row in rows] == [(1, "ann", 0.4), (2, "bob", 0.3)]


def test_without_a_strength_the_conservative_rating_ranks() -> None:
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


def test_notes_tell_what_is_open() -> None:
    """Neighbours that are not separated are named with the matches that it takes, roundly."""
    near = replace(tally("bob", 30.0, 2.0), version=OTHER)
    rows = standings(
        [tally("ann", 30.0, 2.0), near],
        {1: strength(0.4, until_separated=1234), 2: strength(0.3, provisional=True)},
    )

    assert notes(rows) == [
        "About 1,300 more matches with both at the table to tell ann from bob.",
        "Provisional, with fewer than six blocks: bob.",
    ]


def test_notes_promise_nothing_of_equals() -> None:
    """What would take for ever is not foretold."""
    near = replace(tally("bob", 30.0, 2.0), version=OTHER)
    strengths = {1: strength(0.4, until_separated=1_000_000), 2: strength(0.4)}

    assert "ann and bob are about equal" in notes(standings([EXAMPLE[0], near], strengths))[0]


def test_json() -> None:
    """The JSON is a list of objects with the documented names and the exact numbers."""
    assert json.loads(to_json(standings(EXAMPLE[:1], {1: strength(0.4)})))[0] == {
        "rank": 1,
        "bot": "ann",
        "version": 2,
        "mu": 28.0,
        "sigma": 2.0,
        "conservative": 22.0,
        "matches": 4,
        "win_share": 0.5,
        "average_points": 3.0,
        "fault_rate": 0.25,
        "rank_low": 1,
        "rank_high": 2,
        "strength": 0.5,
        "strength_low": 0.4,
        "strength_high": 0.6,
        "logit": 0.4,
        "logit_error": 0.2,
        "better_than_next": 0.9,
        "matches_to_separate": None,
        "blocks": 8,
        "provisional": False,
    }


def test_csv() -> None:
    """The CSV has the same names and numbers; what there is none of is empty."""
    rows = list(csv.DictReader(StringIO(to_csv(standings(EXAMPLE)))))

    assert list(rows[0]) == list(json.loads(to_json(standings(EXAMPLE)))[0])
    assert (rows[0]["bot"], float(rows[0]["mu"]), float(rows[0]["win_share"])) == ("bob", 30.0, 0.5)
    assert rows[2]["win_share"] == ""


def many(count: int) -> list[Standing]:
    """Return long standings."""
    return standings([tally(f"bot-{i:03}", 50.0 - i / 10, 1.0) for i in range(count)])


@pytest.mark.parametrize(
    ("limit", "bot", "shown"),
    [
        (None, None, (1, 100)),
        (7, None, (1, 7)),
        (None, "bot-049", (40, 60)),
        (5, "bot-049", (48, 52)),
        (5, "bot-000", (1, 5)),
        (5, "bot-099", (96, 100)),
        (1000, "bot-099", (1, 100)),
    ],
)
def test_a_window(limit: int | None, bot: str | None, shown: tuple[int, int]) -> None:
    """The first lines of long standings, or those around a bot, are a run of whole lines."""
    rows = window(many(100), limit, bot)

    assert [row.rank for row in rows] == list(range(shown[0], shown[1] + 1))


def test_a_window_around_nobody() -> None:
    """A bot that is not listed is named."""
    with pytest.raises(UnknownBotError, match="'eve' is not in the standings"):
        window(many(3), None, "eve")


def test_a_terminal_has_one_line_a_bot() -> None:
    """However narrow it is, columns go before a bot takes two lines; the names stay."""
    for width in (40, 80, 200):
        out = StringIO()
        console = Console(file=out, width=width, force_terminal=True, color_system=None)
        print_standings(console, many(60))
        lines = out.getvalue().splitlines()
        assert len(lines) == 61
        assert "bot-059" in lines[-1]


def test_many_provisional_bots_are_counted() -> None:
    """The sentence about them names the first ten."""
    (said,) = provisional(many(12))

    assert said.endswith("bot-008, bot-009, and 2 more.")
