"""Reads and checks a data set from a parsed TOML file.

Every error is a one-line `ConfigError` that names the key and the reason, and carries the key.
"""

import re
import tomllib
from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from referee.games.base import ConfigError
from referee.games.miracles.data import (
    COUNTING,
    PLOT_CARD_ALWAYS,
    ROGUE_ALWAYS,
    ROGUE_NUMBERS,
    BoardData,
    Effect,
    EffectKind,
    KingData,
    LineData,
    NeighbourhoodData,
    PlotCardData,
    RogueData,
    Source,
    Wrath,
    key,
    source_name,
)
from referee.games.miracles.pieces import (
    BAG_SIZE,
    HAND_LIMIT,
    LINES,
    PLOT_CARDS,
    RANKS,
    Neighbourhood,
    PlotCard,
    Rogue,
)

Path_ = tuple[str, ...]
"""A place in a data set: its keys, outermost first."""

E = TypeVar("E", bound=IntEnum)

_MOST = 99
"""The largest number of a data set, far beyond what a game can use."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class _DataError(ConfigError):
    """A data set is wrong at some key."""

    def __init__(self, path: Path_, reason: str) -> None:
        where = f"{'.'.join(path)}: " if path else ""
        super().__init__(f"{where}{reason}")
        self.path = path


@cache
def standard_data() -> BoardData:
    """Return the game's own data set, `standard-reconstruction-1`."""
    file = resources.files(__package__).joinpath("standard.toml")
    return data_from(tomllib.loads(file.read_text("utf-8")))


def data_from(mapping: Mapping[str, Any]) -> BoardData:
    """Return the data set of a parsed TOML file; raise `ConfigError` on bad data."""
    tables = ("king", "neighbourhoods", "renown_square", "rogues", "plot_cards")
    _check_keys(mapping, (), ("name", "version", *tables))
    king, places, square, rogues, cards = (_table(mapping, (name,)) for name in tables)
    _check_keys(places, ("neighbourhoods",), [key(place) for place in Neighbourhood])
    _check_keys(square, ("renown_square",), [f"line_{line}" for line in LINES])
    _check_keys(rogues, ("rogues",), [key(rogue) for rogue in Rogue])
    _check_keys(cards, ("plot_cards",), [key(card) for card in PlotCard])
    data = BoardData(
        name=_name(mapping),
        version=_number(mapping, ("version",), 1),
        neighbourhoods=tuple(_neighbourhood(places, place) for place in Neighbourhood),
        king=_king(king),
        lines=tuple(_line(square, line) for line in LINES),
        rogues=tuple(_rogue(rogues, rogue) for rogue in Rogue),
        plot_cards=tuple(_plot_card(cards, card) for card in PlotCard),
    )
    _check_total("rogues", "bag", len(data.bag()), BAG_SIZE, "rogues in the bag")
    _check_total("plot_cards", "copies", len(data.all_plot_cards()), PLOT_CARDS, "Plot cards")
    return data


def _check_total(table: str, name: str, count: int, due: int, what: str) -> None:
    if count != due:
        raise _DataError(
            (table,), f"there must be {due} {what} in all, `{name}` adds up to {count}"
        )


def _name(mapping: Mapping[str, Any]) -> str:
    name = mapping["name"]
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _MOST:
        raise _DataError(("name",), f"a name is small letters, digits and hyphens, not {name!r}")
    return name


def _table(mapping: Mapping[str, Any], path: Path_) -> Mapping[str, Any]:
    table = mapping[path[-1]]
    if not isinstance(table, Mapping):
        raise _DataError(path, f"this must be a table, not {table!r}")
    return table


def _check_keys(
    table: Mapping[str, Any], path: Path_, known: list[str] | Path_, optional: Path_ = ()
) -> None:
    """Raise unless the table has all known keys, and no others but optional ones."""
    for name in table:
        if name not in (*known, *optional):
            has = f"the keys here are {', '.join((*known, *optional))}"
            raise _DataError((*path, str(name)), f"there is no such entry; {has}")
    for name in known:
        if name not in table:
            raise _DataError((*path, name), "this entry is missing")


def _number(table: Mapping[str, Any], path: Path_, least: int, most: int = _MOST) -> int:
    value = table[path[-1]]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _DataError(path, f"this must be a number from {least} to {most}, not {value!r}")
    return value


def _member(kind: type[E], value: Any, path: Path_, *more: str) -> E | None:
    """Return the member that a text names; None for a text of `more`."""
    names = {key(member): member for member in kind}
    if isinstance(value, str) and value in names:
        return names[value]
    if isinstance(value, str) and value in more:
        return None
    raise _DataError(path, f"this must be one of {', '.join((*names, *more))}, not {value!r}")


def _source(table: Mapping[str, Any], path: Path_, name: str = "source") -> Source:
    source = _member(Source, table[name], (*path, name))
    if source is None:
        raise TypeError("a source is never anything else")
    return source


def _own_sources(
    table: Mapping[str, Any], path: Path_, numbers: tuple[str, ...]
) -> dict[str, Source]:
    """Return the numbers' own sources, where given, by key."""
    names = map(source_name, numbers)
    return {name: _source(table, path, name) for name in names if name in table}


def _effect(table: Mapping[str, Any], path: Path_, kinds: tuple[EffectKind, ...]) -> Effect:
    text = table[path[-1]]
    effects = {
        f"{key(kind)} {amount}": Effect(kind, amount)
        for kind in kinds
        for amount in range(1, HAND_LIMIT + 1)
    }
    if isinstance(text, str) and text in effects:
        return effects[text]
    if text == key(EffectKind.RIGHT_HAND) and EffectKind.RIGHT_HAND in kinds:
        return Effect(EffectKind.RIGHT_HAND, 1)
    names = ", ".join(key(kind) for kind in kinds)
    raise _DataError(
        path, f"this must be one of {names} with a number from 1 to {HAND_LIMIT}, not {text!r}"
    )


_ON_SPOTS = (EffectKind.KING, EffectKind.COIN, EffectKind.PLOT)


def _neighbourhood(places: Mapping[str, Any], place: Neighbourhood) -> NeighbourhoodData:
    path = ("neighbourhoods", key(place))
    table = _table(places, path)
    names = tuple(f"rank_{rank}" for rank in RANKS)
    _check_keys(table, path, ("source", *names))
    spots = tuple(_effect(table, (*path, name), _ON_SPOTS) for name in names)
    return NeighbourhoodData(_source(table, path), spots)


def _king(table: Mapping[str, Any]) -> KingData:
    path = ("king",)
    _check_keys(table, path, ("source", "final_space", "wrath"))
    final = _number(table, (*path, "final_space"), 1)
    wraths = _table(table, (*path, "wrath"))
    read = [_wrath(space, place, final) for space, place in wraths.items()]
    return KingData(_source(table, path), final, tuple(sorted(read, key=lambda one: one.space)))


def _wrath(space: str, place: Any, final: int) -> Wrath:
    path = ("king", "wrath", space)
    if not re.fullmatch(r"[1-9]\d*", space) or int(space) >= final:
        raise _DataError(
            path, f"a Wrath lies on a space from 1 to {final - 1}, before the final one, {final}"
        )
    return Wrath(int(space), _member(Neighbourhood, place, path, "choice"))


def _line(square: Mapping[str, Any], line: int) -> LineData:
    path = ("renown_square", f"line_{line}")
    table = _table(square, path)
    _check_keys(table, path, ("source", "cost", "bonus"))
    return LineData(
        source=_source(table, path),
        cost=_number(table, (*path, "cost"), 0),
        bonus=_effect(table, (*path, "bonus"), tuple(EffectKind)),
    )


def _rogue(rogues: Mapping[str, Any], rogue: Rogue) -> RogueData:
    path = ("rogues", key(rogue))
    table = _table(rogues, path)
    names = (*ROGUE_ALWAYS, *ROGUE_NUMBERS.get(rogue, ()))
    _check_keys(table, path, ("source", *names), tuple(map(source_name, ROGUE_ALWAYS)))
    numbers: dict[str, Any] = {
        name: _number(table, (*path, name), 0, HAND_LIMIT if name == "plots" else _MOST)
        for name in names
    }
    return RogueData(_source(table, path), **numbers, **_own_sources(table, path, ROGUE_ALWAYS))


def _plot_card(cards: Mapping[str, Any], card: PlotCard) -> PlotCardData:
    path = ("plot_cards", key(card))
    table = _table(cards, path)
    names = (*PLOT_CARD_ALWAYS, "amount") if card in COUNTING else PLOT_CARD_ALWAYS
    _check_keys(table, path, ("source", *names), tuple(map(source_name, PLOT_CARD_ALWAYS)))
    copies = _number(table, (*path, "copies"), 0)
    most = HAND_LIMIT if card is PlotCard.WHEEL_OF_FORTUNE else _MOST
    amount = _number(table, (*path, "amount"), 1, most) if card in COUNTING else 0
    own = _own_sources(table, path, PLOT_CARD_ALWAYS)
    return PlotCardData(_source(table, path), copies, amount, **own)
