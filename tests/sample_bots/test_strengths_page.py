"""docs/strengths.md has every sample bot, and its script counts right."""

import re
from typing import Any

import pytest

from scripts import strengths


@pytest.mark.parametrize("game", strengths.TITLES)
def test_every_sample_bot_that_needs_no_build_is_on_the_page(game: str) -> None:
    """In the table of each game that it plays, and no other is."""
    _, _, rest = strengths.PAGE.read_text("utf-8").partition(f"## {strengths.TITLES[game]}\n")

    told = re.findall(r"^\| `([\w-]+)` \|", rest.partition("\n## ")[0], flags=re.MULTILINE)

    assert sorted(told) == sorted(strengths.entrants(game))


def seat(match: str, bot: str, place: int, version: int = 1, *, counts: bool = True) -> Any:
    """A row of a ladder's matches."""
    return {
        "match_id": match,
        "bot": bot,
        "version": version,
        "place": place,
        "counts": counts,
    }


def test_a_share_is_of_pairs_of_seats_in_each_match_that_counts() -> None:
    """A tie is half a win; a table without the rival says nothing."""
    rows = [
        *(seat("a", "x", 1), seat("a", "greedy", 2), seat("a", "greedy", 2), seat("a", "x", 4)),
        *(seat("b", "greedy", 1), seat("b", "x", 1)),
        *(seat("c", "x", 1), seat("c", "y", 2)),
        *(seat("d", "x", 1, counts=False), seat("d", "greedy", 2, counts=False)),
    ]

    assert strengths.shares(rows) == {"x": [0.5, 0.5]}


def test_a_section_has_a_line_for_each_bot_as_it_plays_now() -> None:
    """Matches of an older version do not count as the newer one's."""
    standings = [
        {"bot": "x", "version": 2, "mu": 30, "sigma": 1, "matches": 2, "fault_rate": 0.5},
        {"bot": "greedy", "version": 1, "mu": 25, "sigma": 0.5, "matches": 2, "fault_rate": 0},
    ]
    rows = [
        *(seat("a", "x", 2, version=1), seat("a", "greedy", 1)),
        *(seat("b", "x", 1, version=2), seat("b", "greedy", 2)),
        *(seat("c", "x", 2, version=2), seat("c", "greedy", 1)),
    ]

    lines = strengths.section("A game", standings, rows, {"x": "Thinks", "greedy": "Grabs"})

    assert lines.splitlines()[-2:] == [
        "| `x` | 30.0 ± 2.0 | 0.50, 0.09 to 0.91 | 2 | 1 | Thinks |",
        "| `greedy` | 25.0 ± 1.0 | — | 2 | 0 | Grabs |",
    ]


def test_a_few_wins_in_a_row_are_not_taken_for_certain() -> None:
    """The interval of five wins of five is as wide as Wilson has it."""
    assert strengths.interval([1.0] * 5) == "1.00, 0.57 to 1.00"
