"""The page about bots in Python says what is so."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from courtyard_kit.courtisans import Position

from referee.manifest import load_manifest


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """The text of the page."""
    return (folder.parent / "README.md").read_text()


def test_the_page_tells_of_all_that_a_position_offers(page: str, position: Any) -> None:
    """Every public name of a position stands in one of its tables, and nothing else does."""
    here = position("carp, toad, hare")
    offered = {name for name in (*dir(type(here)), *vars(here)) if not name.startswith("_")}
    rows = re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)", row)}

    assert told == offered


def test_the_strategy_on_the_page_beats_chance(page: str, table: Any) -> None:
    """As it stands there it plays by the rules, and over some matches comes out ahead."""
    (source,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"__name__": "page"}
    exec(source, names)  # noqa: S102 -- the code of our own page
    seats = [names["choose"], Position.random_action]

    places = [table(f"page {number}", seats).play() for number in range(40)]

    assert sum(own < other for own, other in places) > sum(other < own for own, other in places)


def test_the_page_about_all_bots_shows_every_key_of_a_manifest(
    folder: Path, tmp_path: Path
) -> None:
    """The bot.toml on it is accepted, and it and the table below have all keys there are."""
    text = (folder.parent.parent / "README.md").read_text()
    (block,) = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "bot.toml").write_text(block)
    keys = {field.name for field in fields(load_manifest(tmp_path))} - {"directory"}

    assert set(tomllib.loads(block)) == keys
    assert set(re.findall(r"^\| `(\w+)` \| (?:yes|no) \|", text, flags=re.MULTILINE)) == keys
