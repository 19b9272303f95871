"""Messages sent once per match: configuration with data set, deal and result."""

from collections.abc import Mapping, Sized
from dataclasses import fields
from typing import Any

from courtyard.v1 import miracles_pb2 as pb

from referee.games.base import ConfigError
from referee.games.miracles.config import Config
from referee.games.miracles.data import (
    PLOT_CARD_ALWAYS,
    ROGUE_ALWAYS,
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
    source_name,
)
from referee.games.miracles.deal import Deal
from referee.games.miracles.pieces import LINES, RANKS, Neighbourhood, PlotCard, Rogue
from referee.wire.miracles.parts import Encode, message, number, numbers, record, repeated, string
from referee.wire.miracles.reading import member

_effect = record(number, number)
_king = record(number, number, repeated(record(number, number)))
_line = record(number, number, message(_effect))
_rogue = record(*[number] * len(RogueData._fields))
_plot_card = record(*[number] * len(PlotCardData._fields))
_data = record(
    string,  # name
    number,  # version
    repeated(record(number, repeated(_effect))),  # neighbourhoods
    message(_king),
    repeated(_line),
    repeated(_rogue),
    repeated(_plot_card),
)

_CHOICES = tuple(one.name for one in fields(Config) if one.name != "data")
"""The settings except the data set, in the order of the message."""

_config = record(message(_data), *[number] * len(_CHOICES))

encode_deal: Encode = record(string, number, numbers, numbers, numbers, string)
"""Encodes a Deal as a MiraclesDeal."""

encode_result: Encode = record(
    string,  # data
    number,  # ending
    number,  # turn
    number,  # round
    number,  # king
    repeated(record(number, number, number, numbers, number)),  # seats
)
"""Encodes a Result as a MiraclesResult."""


def encode_config(config: Config) -> bytes:
    """Encode a configuration as a MiraclesConfig."""
    return _config((config.data, *[getattr(config, name) for name in _CHOICES]))


def decode_config(message: pb.MiraclesConfig) -> Mapping[str, Any]:
    """Return the fields of a configuration, the data set as a parsed TOML file.

    Raises `ConfigError` if the data set lacks entries or has unknown values; the game checks all
    else.
    """
    try:
        data = _read_data(message.data).to_mapping()
    except ValueError as error:
        raise ConfigError(f"the data set: {error}") from None
    return {"data": data} | {name: getattr(message, name) for name in _CHOICES}


def decode_deal(message: pb.MiraclesDeal) -> Deal:
    """Return the deal; raise `ConfigError` on an unknown value."""
    try:
        return Deal(
            data=message.data,
            starting_seat=message.starting_seat,
            hands=tuple(member(PlotCard, card) for card in message.hands),
            pile=tuple(member(PlotCard, card) for card in message.pile),
            bag=tuple(member(Rogue, rogue) for rogue in message.bag),
            reshuffle_seed=message.reshuffle_seed,
        )
    except ValueError as error:
        raise ConfigError(f"the deal: {error}") from None


def _read_data(data: pb.MiraclesBoardData) -> BoardData:
    _check_number(data.neighbourhoods, Neighbourhood, "neighbourhoods")
    _check_number(data.lines, LINES, "lines")
    _check_number(data.rogues, Rogue, "rogues")
    _check_number(data.plot_cards, PlotCard, "Plot cards")
    return BoardData(
        name=data.name,
        version=data.version,
        neighbourhoods=tuple(map(_read_neighbourhood, data.neighbourhoods)),
        king=_read_king(data.king),
        lines=tuple(map(_read_line, data.lines)),
        rogues=tuple(map(_read_rogue, data.rogues)),
        plot_cards=tuple(map(_read_plot_card, data.plot_cards)),
    )


def _check_number(entries: Sized, due: Sized, what: str) -> None:
    if len(entries) != len(due):
        raise ValueError(f"it must have {len(due)} {what}, not {len(entries)}")


def _source(entry: Any) -> Source:
    return member(Source, entry.source)


def _own_sources(entry: Any, numbers_of_it: tuple[str, ...]) -> dict[str, Source]:
    """Return the numbers' own sources, where given, by name."""
    sent = {name: getattr(entry, name) for name in map(source_name, numbers_of_it)}
    return {name: member(Source, source) for name, source in sent.items() if source}


def _read_effect(effect: pb.MiraclesEffect) -> Effect:
    return Effect(member(EffectKind, effect.kind), effect.amount)


def _read_neighbourhood(place: pb.MiraclesNeighbourhoodData) -> NeighbourhoodData:
    _check_number(place.spots, RANKS, "spots a neighbourhood")
    return NeighbourhoodData(_source(place), tuple(map(_read_effect, place.spots)))


def _read_king(king: pb.MiraclesKingData) -> KingData:
    return KingData(_source(king), king.final_space, tuple(map(_read_wrath, king.wraths)))


def _read_wrath(wrath: pb.MiraclesWrath) -> Wrath:
    place = wrath.neighbourhood
    return Wrath(wrath.space, member(Neighbourhood, place) if place else None)


def _read_line(line: pb.MiraclesLineData) -> LineData:
    return LineData(_source(line), line.cost, _read_effect(line.bonus))


def _read_rogue(rogue: pb.MiraclesRogueData) -> RogueData:
    names = (*ROGUE_ALWAYS, "coins", "plots", "price", "paid_strength")
    numbers_of_it = {name: getattr(rogue, name) for name in names}
    return RogueData(_source(rogue), **numbers_of_it, **_own_sources(rogue, ROGUE_ALWAYS))


def _read_plot_card(card: pb.MiraclesPlotCardData) -> PlotCardData:
    own = _own_sources(card, PLOT_CARD_ALWAYS)
    return PlotCardData(_source(card), card.copies, card.amount, **own)
