"""A replay that came from elsewhere, told in words."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from referee.conformance.testing import random_record
from referee.core.errors import UsageError
from referee.view.frames import film_of_record, view
from referee.view.replay_text import print_view
from tests.support.games import GAMES
from tests.support.installed import EXAMPLES, install


def told(shown: Any) -> str:
    """Return what is printed of a view."""
    console = Console(file=StringIO(), width=200)
    print_view(console, json.dumps(shown).encode())
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_hears_its_own_words(game: str) -> None:
    """All that happened, what only this seat knows in its own words, and the places at the end."""
    shown = view(film_of_record(random_record(game, 3, "a seed")), 1)
    words = told(shown)
    assert "As random (seat 1) saw it." in words
    assert "@" not in words
    assert words.count("\n") > len(shown["frames"])
    without = told({**shown, "own": {"1": {}}})
    assert words != without


def test_a_seat_sees_its_views_of_a_plain_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each of its decisions and of no other, as there is no drawing to look at."""
    install(EXAMPLES / "leduc", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    record = random_record("leduc", 2, "some bets")
    words = told(view(film_of_record(record), 1))

    assert words.count("Your card: ") == [one.seat for one in record.decisions].count(1)
    assert "@" not in words


@pytest.mark.parametrize(
    "spoilt",
    [
        {"game": "chess"},
        {"viewer": 9},
        {"viewer": None},
        {"seats": 3},
        {"frames": [[1, 0, "[/bold]", {}]]},
        {"frames": [[1, 0, "@7 draws", {}]]},
        {"frames": [1]},
        {"title": None},
        {"own": {"0": {"0": [{"view/0": [7]}, ""]}}},
        {"outcomes": [["first"]]},
    ],
)
def test_what_is_no_replay_is_refused(spoilt: dict[str, Any]) -> None:
    """In one line, whatever is wrong with it."""
    shown = view(film_of_record(random_record("courtisans", 2, "a seed")), 0)
    with pytest.raises(UsageError, match="not a replay that this version can show"):
        told({**shown, **spoilt})
    with pytest.raises(UsageError, match="not a replay that this version can show"):
        print_view(Console(file=StringIO()), b"\xff")


def test_words_do_nothing_to_a_terminal() -> None:
    """Names and words come from strangers."""
    shown = view(film_of_record(random_record("courtisans", 2, "a seed")), 0)
    shown["seats"][0] = ["a\x1b[2J[red]b", "1"]
    words = told({**shown, "frames": [*shown["frames"], [99, 0, "\x07@0 leaves", {}]]})
    assert "As a·[2J[red]b v1 (seat 0) saw it." in words
    assert "·a·[2J[red]b v1 (seat 0) leaves" in words
