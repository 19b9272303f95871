"""The standings and their file formats."""

import csv
import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from ladder.cli.tables import print_standings
from ladder.model.bots import Version
from ladder.model.errors import UnknownBotError
from ladder.model.ratings import Strength, Tally
from ladder.results.standings import (
    COLUMNS,
    LEGEND_OF_ALL,
    Order,
    Standing,
    cells,
    columns,
    groups,
    place,
    provisional,
    ranked,
    rating,
    standings,
    to_csv,
    to_json,
    window,
)


def tally(bot: str, matches: int = 4, number: int = 1) -> Tally:
    """Return a tally of half a victory and three points a match."""
    version = Version(number, bot, 2, "digest", ("run",), active=True, submitted_at="2026-01-01")
    return Tally(version, matches, matches / 2, 3 * matches, matches // 4)


def strength(mu: float, sigma: float = 2.0, **changed: Any) -> Strength:
    """Return a well-known strength."""
    usual = Strength(mu, sigma, (1, 2), 0.9, None, group=1, blocks=8, provisional=False)
    return replace(usual, **changed)


EXAMPLE = [tally("ann", number=1), tally("bob", number=2), tally("new", 0, number=3)]
STRENGTHS = {1: strength(28.0), 2: strength(30.0)}


def test_ranked_by_mu() -> None:
    """The highest mu leads, however uncertain; provisional bots come last."""
    strengths = {1: strength(28.0, 0.1), 2: strength(30.0), 3: strength(40.0, provisional=True)}

    rows = standings(EXAMPLE, strengths)

    assert [(row.rank, row.bot, row.mu) for row in rows] == [
        (1, "bob", 30.0),
        (2, "ann", 28.0),
        (3, "new", 40.0),
    ]


def test_ranked_conservatively() -> None:
    """By mu - 3 sigma an uncertain bot falls back, and no row compares with the next."""
    strengths = {1: strength(28.0, 1.0), 2: strength(30.0), 3: strength(40.0, provisional=True)}

    rows = ranked(standings(EXAMPLE, strengths), Order.CONSERVATIVE)

    assert [(row.rank, row.bot, row.conservative) for row in rows] == [
        (1, "ann", 25.0),
        (2, "bob", 24.0),
        (3, "new", 34.0),
    ]
    assert {(row.better_than_next, row.group) for row in rows} == {(None, None)}
    assert [row.rank_low for row in rows] == [1, 1, 1]


def test_of_whom_nothing_is_known_trueskill_says_what_it_always_does() -> None:
    """A version without a rating of record has the initial 25 ± 2 * 25 / 3."""
    (row,) = standings([tally("new", 0)], {})

    assert (row.mu, row.sigma, row.conservative) == (25.0, 25 / 3, 0.0)
    assert row.provisional
    assert rating(row) == "25.0±16.7"


def test_equals_are_in_the_order_of_their_names() -> None:
    """Equal ratings are in alphabetical order."""
    rows = standings([tally("bob", number=2), tally("ann")], {1: strength(25.0), 2: strength(25.0)})

    assert [(row.rank, row.bot) for row in rows] == [(1, "ann"), (2, "bob")]


def test_a_place_in_a_sentence() -> None:
    """A ranked bot has its rank and interval, a provisional one what it lacks."""
    rows = standings(EXAMPLE, STRENGTHS)

    assert place(rows, "ann") == "Rank 2 of 3; with 95 % it is 1-2."
    assert place(rows, "new") == ("Provisional, below the ranked bots: 0 of six blocks are rated.")
    assert place(rows, "gone") == ""


def test_shares_and_averages() -> None:
    """Shares and averages are per match; without matches there are none."""
    bob, ann, new = standings(EXAMPLE, STRENGTHS)

    assert (bob.win_share, bob.average_points, bob.fault_rate) == (0.5, 3.0, 0.25)
    assert ann.rank == 2
    assert (new.win_share, new.average_points, new.fault_rate) == (None, None, None)


def test_provisional_bots_are_named() -> None:
    """A sentence names the provisional bots; there is none without them."""
    strengths = {1: strength(28.0), 2: strength(27.0, provisional=True)}
    rows = standings(EXAMPLE[:2], strengths)

    assert provisional(rows) == ["Provisional, with fewer than six blocks: bob."]
    assert provisional(rows[:1]) == []


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1, 2, 2), "3 bots in 2 groups that can be told apart; inside a group"),
        ((1, 1, None), "2 bots that cannot be told apart."),
        ((1, 2, 3), "3 bots that can all be told apart."),
        ((1, None, None), ""),
    ],
)
def test_groups(numbers: tuple[int | None, ...], said: str) -> None:
    """A sentence counts the bots that are ranked and the groups that can be told apart."""
    rows = standings(
        EXAMPLE, {i: strength(28.0 - i, group=own) for i, own in enumerate(numbers, start=1)}
    )

    assert groups(rows).startswith(said)
    assert bool(groups(rows)) is bool(said)


def test_json() -> None:
    """The JSON is a list of objects with the documented names and exact numbers."""
    assert json.loads(to_json(standings(EXAMPLE[:1], STRENGTHS), ["2"]))[0] == {
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
        "better_than_next": 0.9,
        "matches_to_separate": None,
        "group": 1,
        "blocks": 8,
        "provisional": False,
        "attempt": 1,
        "tries": 1,
        "rules": ["2"],
    }


def test_csv() -> None:
    """The CSV has the same names and numbers; missing values are empty."""
    rows = list(csv.DictReader(StringIO(to_csv(standings(EXAMPLE, STRENGTHS), ["1", "2"]))))

    assert list(rows[0]) == list(json.loads(to_json(standings(EXAMPLE, STRENGTHS), ["1", "2"]))[0])
    assert (rows[0]["bot"], float(rows[0]["mu"]), float(rows[0]["win_share"])) == ("bob", 30.0, 0.5)
    assert rows[2]["win_share"] == ""
    assert rows[2]["rules"] == "1 2"


def many(count: int) -> list[Standing]:
    """Return long standings."""
    tallies = [tally(f"bot-{i:03}", number=i) for i in range(count)]
    return standings(tallies, {i: strength(50.0 - i / 10) for i in range(count)})


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
    """The first lines of long standings, or those around a bot, are whole and adjacent."""
    rows = window(many(100), limit, bot)

    assert [row.rank for row in rows] == list(range(shown[0], shown[1] + 1))


def test_a_window_around_an_unlisted_bot() -> None:
    """The error names an unlisted bot."""
    with pytest.raises(UnknownBotError, match="'eve' is not in the standings"):
        window(many(3), None, "eve")


def test_a_terminal_has_one_line_a_bot() -> None:
    """A narrow terminal drops columns before a bot takes two lines; names stay."""
    for width in (40, 80, 200):
        out = StringIO()
        console = Console(file=out, width=width, force_terminal=True, color_system=None)
        print_standings(console, many(60))
        lines = out.getvalue().splitlines()
        assert "bot-059" in lines[60]
        assert " ".join(" ".join(lines[61:]).split()) == LEGEND_OF_ALL


def test_many_provisional_bots_are_counted() -> None:
    """The note names only the first ten."""
    (said,) = provisional(standings([tally(f"bot-{i:03}", number=i) for i in range(12)], {}))

    assert said.endswith("bot-008, bot-009, and 2 more.")


def test_tries_are_shown_where_there_are_several() -> None:
    """A line says which of its author's tries it is; without such a line there is no column."""
    first, other = standings(EXAMPLE[:2], STRENGTHS)
    sixth = replace(first, attempt=6, tries=20)

    assert dict(zip(COLUMNS, cells(sixth), strict=True))["try"] == "6 of 20"
    assert "try" in columns([sixth, other])
    assert "try" not in columns([first, other])
