"""The data set: the standard one, one typed in, and one clear line for whatever is wrong."""

import copy
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from referee.cli.settings import game_settings
from referee.core.errors import UsageError
from referee.games.base import ConfigError
from referee.games.miracles.config import config_from
from referee.games.miracles.data import BoardData, Effect, EffectKind, Source, Wrath
from referee.games.miracles.pieces import Neighbourhood, Rogue, Spot
from referee.games.miracles.reading import data_from, standard_data
from referee.games.miracles.scene import printed_board


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
    assert data.rogue(Rogue.SWORDSMAN)[2:] == (
        0,
        0,
        0,
        2,
        3,
        Source.RECONSTRUCTION,
        Source.RULEBOOK,
    )
    assert (len(data.bag()), len(data.all_plot_cards())) == (12, 24)


IN_THE_RULEBOOK = {
    "renown_square.line_1": ({"cost": 4, "bonus": "plot 1"}, "cost 4: draw 1 Plot card"),
    "renown_square.line_2": ({"cost": 5, "bonus": "king 2"}, "cost 5: the King moves 2"),
    "renown_square.line_3": ({"cost": 6, "bonus": "right_hand"}, "cost 6: take your Right-Hand"),
    "renown_square.line_4": ({"cost": 7, "bonus": "plot 2"}, "cost 7: draw 2 Plot cards"),
    "renown_square.line_5": ({"cost": 8, "bonus": "king 3"}, "cost 8: the King moves 3"),
    "rogues.henchman": ({"bag": 0, "strength": 1}, "each player starts with 2; strength 1"),
    "rogues.beggar": (
        {"bag": 0, "coins": 1},
        "each player starts with 1; the winner gives this player 1 coin",
    ),
    "rogues.right_hand": (
        {"bag": 0, "strength": 2},
        "1 waiting at line 3 of the Renown Square; strength 2",
    ),
    "rogues.brute": ({"strength": 2}, "strength 2"),
    "rogues.pickpocket": ({"coins": 2}, "if its owner wins: 2 coins from the reserve"),
    "rogues.defrocked_priest": ({"plots": 1}, "if its owner wins: draw 1 Plot card"),
    "rogues.soothsayer": (
        {"coins": 1, "plots": 1},
        "if its owner does not win: 1 coin and 1 Plot card",
    ),
    "rogues.swordsman": (
        {"strength": 0, "price": 2, "paid_strength": 3},
        "strength 0, or 3 for 2 coins paid at the standoff",
    ),
    "rogues.courtesan": ({}, "the Renown token may go to any neighbourhood instead"),
    "plot_cards.strength": ({}, "as the Taverne action"),
    "plot_cards.the_empress": (
        {},
        "move one of your Renown tokens in play to an uncontrolled neighbourhood",
    ),
    "plot_cards.judgment": (
        {"amount": 1},
        "each player with more Renown in play than you, clockwise, gives you 1 coin",
    ),
}
"""All that the rulebook gives of what the data set holds: the numbers, and what it says."""


def from_the_rulebook(mapping: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values that a data set labels as the rulebook's, by entry."""
    if "source" not in mapping:
        for name, inner in mapping.items():
            if isinstance(inner, Mapping):
                yield from from_the_rulebook(inner, f"{path}.{name}".removeprefix("."))
        return
    values = {name: value for name, value in mapping.items() if not name.endswith("source")}
    given = {
        name: value
        for name, value in values.items()
        if mapping.get(f"{name}_source", mapping["source"]) == "rulebook"
    }
    if mapping["source"] == "rulebook" or given:
        yield path, given


def test_only_what_the_rulebook_gives_is_labelled_so() -> None:
    """Each value labelled "rulebook" is in its text, and nothing that it gives is labelled else."""
    labelled = dict(from_the_rulebook(standard_data().to_mapping()))
    assert labelled == {path: given for path, (given, _) in IN_THE_RULEBOOK.items()}


def test_the_rest_is_made_up() -> None:
    """What no available source gives says so: spots, path, the bag but for its size, most cards."""
    data, made_up = standard_data(), Source.RECONSTRUCTION
    assert {place.source for place in data.neighbourhoods} == {made_up}
    assert data.king.source is made_up
    for rogue in data.rogues:
        assert not rogue.bag or rogue.bag_source is made_up
    for card in data.plot_cards:
        assert made_up in (card.source, card.copies_source)


def test_pages_are_told_which_strengths_are_made_up() -> None:
    """Of the standard set those of five rogues; of one typed in from the print none."""
    made_up = (
        Rogue.BEGGAR,
        Rogue.PICKPOCKET,
        Rogue.DEFROCKED_PRIEST,
        Rogue.SOOTHSAYER,
        Rogue.COURTESAN,
    )
    data = standard_data()
    assert printed_board(data)["reconstructed"] == list(made_up)
    rogues = tuple(rogue._replace(strength_source=Source.PRINT) for rogue in data.rogues)
    assert printed_board(data._replace(rogues=rogues))["reconstructed"] == []


def test_an_entry_without_sources_of_its_own() -> None:
    """Its one source is that of all its values, as in sets from before there were others."""
    mapping = standard_data().to_mapping()
    del mapping["rogues"]["brute"]["bag_source"]
    assert data_from(mapping).rogue(Rogue.BRUTE).bag_source is None


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
        '[rogues.brute]\nsource = "rulebook"\nbag = 2',
        '[rogues.brute]\nsource = "rulebook"\nbag = 3',
        "[rogues.henchman]",
        "rogues: there must be 12 rogues in the bag in all, `bag` adds up to 13",
    ),
    "odd number of cards": (
        'copies = 2\ncopies_source = "reconstruction"\namount = 2\n\n# Plot',
        'copies = 1\ncopies_source = "reconstruction"\namount = 2\n\n# Plot',
        "[plot_cards.strength]",
        "plot_cards: there must be 24 Plot cards in all, `copies` adds up to 23",
    ),
    "half a rogue": (
        '[rogues.brute]\nsource = "rulebook"\nbag = 2',
        '[rogues.brute]\nsource = "rulebook"\nbag = 2.5',
        "bag = 2.5",
        "rogues.brute.bag: this must be a number from 0 to 99, not 2.5",
    ),
    "a source of its own that is none": (
        'bag_source = "rulebook"',
        'bag_source = "hearsay"',
        'bag_source = "hearsay"',
        (
            "rogues.henchman.bag_source: this must be one of rulebook, reconstruction, print, "
            "not 'hearsay'"
        ),
    ),
    "a source of what has none": (
        "cost = 4",
        'cost_source = "print"\ncost = 4',
        "cost_source",
        "renown_square.line_1.cost_source: there is no such entry; the keys here are source, cost",
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
