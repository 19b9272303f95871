"""The rules page says what the code and the standard data say."""

import json
import re
from pathlib import Path

import pytest

from referee.games.miracles.config import Config
from referee.games.miracles.data import Source, effect_text
from referee.games.miracles.guide import GUIDE
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import (
    LINES,
    RANKS,
    Neighbourhood,
    PlotCard,
    Rogue,
    Spot,
    place_name,
    plot_name,
    rogue_name,
)
from referee.games.miracles.reading import standard_data


@pytest.fixture(scope="module")
def page() -> str:
    """The text of the rules page."""
    return (Path(__file__).parents[4] / "docs/rules/miracles.md").read_text(encoding="utf-8")


def rows_of(page: str, first: str) -> list[list[str]]:
    """The cells of the rows of the table whose head begins with this cell, at any depth."""
    table = page.split(f"| {first} |", 1)[1].split("\n\n", maxsplit=1)[0]
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def marked(value: object, source: Source) -> str:
    """A value as the page writes it."""
    return f"{value}{' *(reconstruction)*' if source is Source.RECONSTRUCTION else ''}"


def test_the_rogues(page: str) -> None:
    """Their numbers in the bag and their strengths, with the reconstructed ones marked."""
    rows, data = rows_of(page, "rogue"), standard_data()
    expected = []
    for rogue in Rogue:
        entry = data.rogue(rogue)
        bag = marked(entry.bag, entry.bag_source or entry.source)
        strength = marked(entry.strength, entry.strength_source or entry.source)
        expected.append([rogue_name(rogue), bag, strength])
    assert [row[:3] for row in rows] == expected


def test_people_are_told_in_the_words_of_the_page(page: str) -> None:
    """What rogues, neighbourhoods' actions and Plot cards do."""
    for kind, first in (("rogues", "rogue"), ("places", "neighbourhood"), ("plots", "card")):
        table = rows_of(page, f"{first} | action" if kind == "places" else first)
        cells = [row[-1].replace(" *(reconstruction)*", "") for row in table]
        assert [text for text in GUIDE[kind] if text] == cells


def test_the_lines(page: str) -> None:
    """Their costs."""
    rows = rows_of(page, "line")
    assert [row[:2] for row in rows] == [
        [str(line), str(standard_data().line(line).cost)] for line in LINES
    ]


def test_the_plot_cards(page: str) -> None:
    """All twelve in their order, with the reconstructed ones marked."""
    rows = rows_of(page, "card")
    assert [row[0] for row in rows] == [plot_name(card) for card in PlotCard]
    ends = [row[1].endswith("*(reconstruction)*") for row in rows]
    made_up = [standard_data().plot_card(c).source is Source.RECONSTRUCTION for c in PlotCard]
    assert ends == made_up


def test_the_number_of_plot_cards(page: str) -> None:
    """Two of each of twelve kinds, which is made up."""
    copies = {marked(c.copies, c.copies_source or c.source) for c in standard_data().plot_cards}
    assert copies == {"2 *(reconstruction)*"}
    assert "two of each of twelve kinds *(reconstruction)*" in page


def test_the_spots(page: str) -> None:
    """What each spot gives."""
    rows = rows_of(page.split("Spots *(reconstruction)*")[1], "neighbourhood")
    data = standard_data()
    assert rows == [
        [place_name(place), *(effect_text(data.spot(Spot(place, rank))) for rank in RANKS)]
        for place in Neighbourhood
    ]


def test_the_kings_path(page: str) -> None:
    """Its Wraths and its final space."""
    king = standard_data().king
    assert rows_of(page, "space") == [
        [str(space), "the active player's choice" if place is None else place_name(place)]
        for space, place in king.wraths
    ]
    assert f"to {king.final_space} (final)" in page


def test_the_decisions(page: str) -> None:
    """All of them, by name."""
    assert [row[0] for row in rows_of(page, "decision")] == [f"`{one.name}`" for one in Decision]


def test_the_settings(page: str) -> None:
    """Each with its default; the data set by its name."""
    text = " ".join(page.split())
    settings = dict(re.findall(r"\*\*Configuration\*\* `(\w+)`, default `(\w+)`", text))
    names = [name for name in Config.__slots__ if name != "data"]
    assert settings == {name: json.dumps(getattr(Config(), name)) for name in names}
    assert f"named `{standard_data().label}`" in page
