"""The page about bots in Python says what is so."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from courtyard_kit import miracles
from courtyard_kit.courtisans import Position

from referee.hosting.manifest import load_manifest

MIRACLES = "## La Cour des Miracles\n"
"""Where the page goes on to the second game."""


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """The text of the page about Courtisans."""
    return (folder.parent / "README.md").read_text().split(MIRACLES)[0]


@pytest.fixture(scope="module")
def miracles_page(folder: Path) -> str:
    """The text of the page about La Cour des Miracles."""
    return (folder.parent / "README.md").read_text().split(MIRACLES)[1]


def told(page: str) -> set[str]:
    """The names in the tables of a page."""
    rows = re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


def choose_of(page: str) -> Any:
    """The strategy on a page."""
    (source,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"__name__": "page"}
    exec(source, names)  # noqa: S102 -- the code of our own page
    return names["choose"]


def test_the_page_tells_of_all_that_a_position_offers(page: str, position: Any) -> None:
    """Every public name of a position stands in one of its tables, and nothing else does."""
    here = position("carp, toad, hare")
    offered = {name for name in (*dir(type(here)), *vars(here)) if not name.startswith("_")}

    assert told(page) == offered


def test_the_page_tells_of_all_that_a_position_of_miracles_offers(
    miracles_page: str, table: Any
) -> None:
    """The same holds for La Cour des Miracles."""
    here = miracles.Position(next(table("page", [None, None, lambda _: None], "miracles").turns()))
    offered = {name for name in (*dir(type(here)), *vars(here)) if not name.startswith("_")}

    assert told(miracles_page) == offered


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "game", "by_chance"),
    [
        ("page", "courtisans", Position.random_action),
        ("miracles_page", "miracles", miracles.Position.random_action),
    ],
)
def test_the_strategy_on_the_page_beats_chance(
    text: str, game: str, by_chance: Any, table: Any, request: pytest.FixtureRequest
) -> None:
    """As it stands there it plays by the rules, and over some matches comes out ahead."""
    seats = [choose_of(request.getfixturevalue(text)), by_chance]

    places = [table(f"page {number}", seats, game).play() for number in range(40)]

    assert sum(own < other for own, other in places) > sum(other < own for own, other in places)


def test_the_page_about_all_bots_shows_every_key_of_a_manifest(
    folder: Path, tmp_path: Path
) -> None:
    """The bot.toml on it is accepted, and has all keys there are for a bot that is not remote."""
    text = (folder.parent.parent / "README.md").read_text()
    (block,) = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "bot.toml").write_text(block)
    keys = {field.name for field in fields(load_manifest(tmp_path))} - {"directory", "release"}

    assert set(tomllib.loads(block)) == keys
