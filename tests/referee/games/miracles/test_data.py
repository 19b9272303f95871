"""The data set: the standard one, one typed in, and one clear line for whatever is wrong."""

import copy
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from referee.errors import UsageError
from referee.games.base import ConfigError
from referee.games.miracles.config import config_from
from referee.games.miracles.data import BoardData, Effect, EffectKind, Source, Wrath
from referee.games.miracles.pieces import Neighbourhood, PlotCard, Rogue, Spot
from referee.games.miracles.reading import data_from, standard_data
from referee.settings import game_settings


@pytest.fixture
def text() -> str:
    """The text of the standard data set."""
    return resources.files("referee.games.miracles").joinpath("standard.toml").read_text("utf-8")


def test_the_standard_set() -> None:
    """Its name, its version, and some of what it says."""
    data = standard_data()
    assert (data.name, data.version, data.label) == (
        "standard-reconstruction",
        1,
        "standard-reconstruction-1",
    )
    assert data.spot(Spot(Neighbourhood.LE_CHATELET, 3)) == Effect(EffectKind.PLOT, 2)
    assert (data.king.final_space, len(data.king.wraths)) == (27, 8)
    assert data.wrath_at(9) == Wrath(9, Neighbourhood.LES_HALLES)
    assert data.wrath_at(24) == Wrath(24, None)
    assert data.wrath_at(25) is None
    assert [line.cost for line in data.lines] == [4, 5, 6, 7, 8]
    assert data.rogue(Rogue.SWORDSMAN)[2:] == (0, 0, 0, 2, 3)
    assert (len(data.bag()), len(data.all_plot_cards())) == (12, 24)


def test_reconstructed_entries_are_labelled() -> None:
    """What no available source gives says so; the rest is from the rulebook."""
    data, made_up = standard_data(), Source.RECONSTRUCTION
    assert {place.source for place in data.neighbourhoods} == {made_up}
    assert data.king.source is made_up
    assert {line.source for line in data.lines} == {Source.RULEBOOK}
    rogues = {rogue for rogue in Rogue if data.rogue(rogue).source is made_up}
    assert rogues == {Rogue.PICKPOCKET, Rogue.DEFROCKED_PRIEST}
    cards = {card for card in PlotCard if data.plot_card(card).source is Source.RULEBOOK}
    assert cards == {PlotCard.STRENGTH, PlotCard.THE_EMPRESS, PlotCard.JUDGMENT}


def test_a_set_is_a_mapping_and_back() -> None:
    """Nothing is lost on the way."""
    data = standard_data()
    assert data_from(data.to_mapping()) == data
    assert config_from({"data": data.to_mapping()}).data == data


def load(path: Path) -> BoardData:
    """The data set of a file, as a command takes it."""
    mapping = game_settings("miracles", [], path)["data"]
    return data_from(mapping)


def test_a_set_of_ones_own(text: str, tmp_path: Path) -> None:
    """An owner of the box types the printed values into a file of their own."""
    path = tmp_path / "my-board.toml"
    printed = text.replace("standard-reconstruction", "my-board").replace("coin 1", "coin 2")
    path.write_text(printed.replace('"reconstruction"', '"print"'), "utf-8")
    data = load(path)
    assert data.label == "my-board-1"
    assert data.spot(Spot(Neighbourhood.TAVERNE, 1)) == Effect(EffectKind.COIN, 2)
    assert data.king.source is Source.PRINT


WRONG = {
    "missing spot": (
        'rank_2 = "plot 1"\nrank_3 = "king 2"',
        'rank_3 = "king 2"',
        "[neighbourhoods.taverne]",
        "neighbourhoods.taverne.rank_2: this entry is missing",
    ),
    "unknown rogue": (
        "[rogues.brute]",
        "[rogues.assassin]",
        "[rogues.assassin]",
        (
            "rogues.assassin: there is no such entry; the keys here are henchman, beggar, "
            "right_hand, brute, pickpocket, defrocked_priest, soothsayer, swordsman, courtesan"
        ),
    ),
    "Wrath beyond the path": (
        '24 = "choice"',
        '27 = "choice"',
        '27 = "choice"',
        "king.wrath.27: a Wrath lies on a space from 1 to 26, before the final one, 27",
    ),
    "Wrath nowhere": (
        '24 = "choice"',
        'louvre = "choice"',
        'louvre = "choice"',
        "king.wrath.louvre: a Wrath lies on a space from 1 to 26, before the final one, 27",
    ),
    "Wrath on an unknown neighbourhood": (
        '18 = "taverne"',
        '18 = "louvre"',
        '18 = "louvre"',
        (
            "king.wrath.18: this must be one of taverne, les_halles, le_chatelet, "
            "rue_de_l_egyptienne, grande_cour, choice, not 'louvre'"
        ),
    ),
    "odd number in the bag": (
        "bag = 2\nstrength = 2",
        "bag = 3\nstrength = 2",
        "[rogues.henchman]",
        "rogues: there must be 12 rogues in the bag in all, `bag` adds up to 13",
    ),
    "odd number of cards": (
        "copies = 2\n\n# Coins from each",
        "copies = 1\n\n# Coins from each",
        "[plot_cards.strength]",
        "plot_cards: there must be 24 Plot cards in all, `copies` adds up to 23",
    ),
    "half a rogue": (
        "bag = 2\nstrength = 2",
        "bag = 2.5\nstrength = 2",
        "bag = 2.5",
        "rogues.brute.bag: this must be a number from 0 to 99, not 2.5",
    ),
    "spot without a number": (
        'rank_1 = "coin 1"',
        'rank_1 = "coin"',
        "rank_1 = ",
        (
            "neighbourhoods.taverne.rank_1: this must be one of king, coin, plot with a "
            "number from 1 to 4, not 'coin'"
        ),
    ),
    "Right-Hand on a spot": (
        'rank_1 = "coin 1"',
        'rank_1 = "right_hand"',
        "rank_1 = ",
        (
            "neighbourhoods.taverne.rank_1: this must be one of king, coin, plot with a "
            "number from 1 to 4, not 'right_hand'"
        ),
    ),
    "unknown source": (
        'source = "reconstruction"\nfinal_space',
        'source = "hearsay"\nfinal_space',
        'source = "hearsay"',
        "king.source: this must be one of rulebook, reconstruction, print, not 'hearsay'",
    ),
    "negative cost": (
        "cost = 4",
        "cost = -4",
        "cost = -4",
        "renown_square.line_1.cost: this must be a number from 0 to 99, not -4",
    ),
    "true is no number": (
        "final_space = 27",
        "final_space = true",
        "final_space = true",
        "king.final_space: this must be a number from 1 to 99, not True",
    ),
    "missing table": ("[king.wrath]", "[wrath]", "[wrath]", "wrath: there is no such entry"),
    "missing price": (
        "price = 2\n",
        "",
        "[rogues.swordsman]",
        "rogues.swordsman.price: this entry is missing",
    ),
    "a name with spaces": (
        'name = "standard-reconstruction"',
        'name = "My board"',
        'name = "My',
        "name: a name is small letters, digits and hyphens, not 'My board'",
    ),
    "no TOML": ("cost = 4", "cost: 4", "", "not valid TOML: Expected '=' after a key"),
    "two of a kind": (
        "cost = 4",
        "cost = 4\ncost = 5",
        "",
        "my-board.toml: not valid TOML: Cannot overwrite a value",
    ),
}


@pytest.mark.parametrize(("old", "new", "named", "message"), WRONG.values(), ids=WRONG)
def test_one_clear_line(
    text: str, old: str, new: str, named: str, message: str, tmp_path: Path
) -> None:
    """Line, key and reason, in one line."""
    assert old in text
    text = text.replace(old, new, 1)
    if named:
        line = next(n for n, words in enumerate(text.splitlines(), 1) if words.startswith(named))
        message = f"my-board.toml, line {line}: {message}"
    path = tmp_path / "my-board.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as raised:
        load(path)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def _without_name(data: dict[str, Any]) -> None:
    del data["name"]


def _king_is_a_number(data: dict[str, Any]) -> None:
    data["king"] = 7


def _strange_key(data: dict[str, Any]) -> None:
    data["rogues"]["brute"]["hat"] = "red"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_without_name, "name: this entry is missing"),
        (_king_is_a_number, "king: this must be a table, not 7"),
        (_strange_key, "rogues.brute.hat: there is no such entry; the keys here are source, bag"),
    ],
)
def test_a_mapping_names_its_key(spoil: Callable[[dict[str, Any]], None], message: str) -> None:
    """Without a text there is no line to name."""
    data = copy.deepcopy(standard_data().to_mapping())
    spoil(data)
    with pytest.raises(ConfigError, match=message):
        data_from(data)
