"""La Cour des Miracles on the wire: its values to the messages of miracles.proto and back.

The values and messages of this game mirror each other: the fields of a value, in order, are the
fields 1, 2, … of its message. So one writer per field describes a message.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import fields
from enum import IntEnum
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from courtyard.v1 import game_pb2
from courtyard.v1 import miracles_pb2 as pb

from referee.games.base import ConfigError, IllegalAction
from referee.games.miracles import action as actions
from referee.games.miracles import event as events
from referee.games.miracles.action import Action
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
from referee.games.miracles.event import Event
from referee.games.miracles.observation import Control, Legal, Observation
from referee.games.miracles.pieces import (
    LINES,
    RANKS,
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
)
from referee.games.miracles.scoring import Result
from referee.wire.encoding import Memo, field, packed, present_uint, text, uint

_GAME = game_pb2.GameObservation.MIRACLES_FIELD_NUMBER
"""The number of this game in every oneof of game.proto."""

_Encode = Callable[[Any], bytes]
"""Returns the content of a message, or of a field."""

_Write = Callable[[int], _Encode]
"""Returns what encodes a value as the field of this number."""

_MOST_KEPT = 4096


def _number(at: int) -> _Encode:
    """Write a number, flag or enum whose default, 0, also means that it is absent."""
    return Memo[int](lambda value: uint(at, value)).__getitem__


def _numbers(at: int) -> _Encode:
    """Write several numbers or enums."""
    return partial(packed, at)


def _string(at: int) -> _Encode:
    """Write a text."""
    return partial(text, at)


def _optional(at: int) -> _Encode:
    """Write a number or flag whose 0 differs from its absence."""
    return lambda value: b"" if value is None else present_uint(at, value)


def _message(encode: _Encode) -> _Write:
    """Return a message writer; None writes nothing."""
    return lambda at: lambda value: field(at, encode(value))


def _repeated(encode: _Encode) -> _Write:
    """Return a writer of one message per value."""
    return lambda at: lambda values: b"".join([field(at, encode(value)) for value in values])


def _repeated_often(encode: _Encode) -> _Write:
    """Return the same for values that are mostly as before: keeps the last thousands."""

    def write(at: int) -> _Encode:
        each = lru_cache(_MOST_KEPT)(lambda value: field(at, encode(value)))
        return lambda values: b"".join(map(each, values))

    return write


def _record(*writes: _Write) -> _Encode:
    """Return an encoder of a value, or a tuple of its fields, with one writer per field.

    Only an `_optional` writer writes anything for 0, False, None or nothing, so no other is asked.
    """
    encoders = tuple([(write(at), write is _optional) for at, write in enumerate(writes, 1)])

    def encode(value: Iterable[Any]) -> bytes:
        fields = zip(encoders, value, strict=True)
        return b"".join([encode(part) for (encode, always), part in fields if part or always])

    return encode


def _place_content(place: RenownPlace) -> bytes:
    neighbourhood, line = place
    return present_uint(2, line) if neighbourhood is None else present_uint(1, neighbourhood)


_encode_spot = Memo[Spot](_record(_number, _number)).__getitem__
_encode_place = Memo[RenownPlace](_place_content).__getitem__

_spot: _Write = _message(_encode_spot)
_spots: _Write = _repeated_often(_encode_spot)
_place: _Write = _message(_encode_place)
_places: _Write = _repeated_often(_encode_place)


def _kinds(message_type: Any) -> Mapping[str, Any]:
    """Return the field descriptors of a oneof message, by the classes they encode.

    MiraclesEndTurn, for one, encodes the class EndTurn.
    """
    fields = message_type.DESCRIPTOR.fields
    return {one.message_type.name.removeprefix("Miracles"): one for one in fields}


_E = TypeVar("_E", bound=IntEnum)


def _member(kind: type[_E], number: int) -> _E:
    """Return the enum member of this number; raise `ValueError` on an unknown one."""
    try:
        return kind(number)
    except ValueError:
        raise ValueError(f"there is no {_what(kind)} {number}") from None


def _what(kind: type[IntEnum]) -> str:
    """Return the name of an enum as words, such as "plot card"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__).strip()


_effect_data = _record(_number, _number)
_king_data = _record(_number, _number, _repeated(_record(_number, _number)))
_line_data = _record(_number, _number, _message(_effect_data))
_rogue_data = _record(*[_number] * len(RogueData._fields))
_plot_card_data = _record(*[_number] * len(PlotCardData._fields))
_board_data = _record(
    _string,  # name
    _number,  # version
    _repeated(_record(_number, _repeated(_effect_data))),  # neighbourhoods
    _message(_king_data),
    _repeated(_line_data),
    _repeated(_rogue_data),
    _repeated(_plot_card_data),
)

_SETTINGS = tuple(one.name for one in fields(Config) if one.name != "data")
"""The settings except the data set, in the order of the message."""

_config = _record(_message(_board_data), *[_number] * len(_SETTINGS))

_encode_deal: _Encode = _record(_string, _number, _numbers, _numbers, _numbers, _string)
"""Encodes a Deal as a MiraclesDeal."""

_encode_result: _Encode = _record(
    _string,  # data
    _number,  # ending
    _number,  # turn
    _number,  # round
    _number,  # king
    _repeated(_record(_number, _number, _number, _numbers, _number)),  # seats
)
"""Encodes a Result as a MiraclesResult."""


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
    return _member(Source, entry.source)


def _own_sources(entry: Any, numbers_of_it: tuple[str, ...]) -> dict[str, Source]:
    """Return the numbers' own sources, where given, by name."""
    sent = {name: getattr(entry, name) for name in map(source_name, numbers_of_it)}
    return {name: _member(Source, source) for name, source in sent.items() if source}


def _read_effect(effect: pb.MiraclesEffect) -> Effect:
    return Effect(_member(EffectKind, effect.kind), effect.amount)


def _read_neighbourhood(place: pb.MiraclesNeighbourhoodData) -> NeighbourhoodData:
    _check_number(place.spots, RANKS, "spots a neighbourhood")
    return NeighbourhoodData(_source(place), tuple(map(_read_effect, place.spots)))


def _read_king(king: pb.MiraclesKingData) -> KingData:
    return KingData(_source(king), king.final_space, tuple(map(_read_wrath, king.wraths)))


def _read_wrath(wrath: pb.MiraclesWrath) -> Wrath:
    place = wrath.neighbourhood
    return Wrath(wrath.space, _member(Neighbourhood, place) if place else None)


def _read_line(line: pb.MiraclesLineData) -> LineData:
    return LineData(_source(line), line.cost, _read_effect(line.bonus))


def _read_rogue(rogue: pb.MiraclesRogueData) -> RogueData:
    names = (*ROGUE_ALWAYS, "coins", "plots", "price", "paid_strength")
    numbers_of_it = {name: getattr(rogue, name) for name in names}
    return RogueData(_source(rogue), **numbers_of_it, **_own_sources(rogue, ROGUE_ALWAYS))


def _read_plot_card(card: pb.MiraclesPlotCardData) -> PlotCardData:
    own = _own_sources(card, PLOT_CARD_ALWAYS)
    return PlotCardData(_source(card), card.copies, card.amount, **own)


_rogue_in_play = _record(_spot, _number, _number, _number)
_some_control = _record(_optional, _number)


def _control(control: Control | None) -> bytes:
    return _some_control(control) if control else b""


_player = _record(_number, _number, _number, _numbers, _number, _number)
_standoff = _record(_number, _numbers, _optional, _number)

_encode_observation: _Encode = _record(
    _number,  # seat
    _number,  # round
    _number,  # turn
    _number,  # active
    _optional,  # to_act
    _number,  # decision
    _spot,  # placed
    _number,  # visited
    _number,  # acted
    _number,  # plot_played
    _number,  # emperor
    _number,  # king
    _number,  # king_stopped
    _repeated_often(_player),
    _repeated_often(_control),
    _repeated_often(_rogue_in_play),
    _numbers,  # rogues
    _number,  # drawn
    _numbers,  # plots
    _number,  # playing
    _numbers,  # discards
    _number,  # pile_size
    _number,  # bag_size
    _number,  # seine_size
    _numbers,  # sunk
    _message(_standoff),
    _numbers,  # pending
)
"""Encodes an Observation as a MiraclesObservation."""

_encode_legal: _Encode = _record(
    _number,  # decision
    _numbers,  # rogues
    _spots,  # origins
    _spots,  # targets
    _number,  # may_stay
    _number,  # perform
    _numbers,  # lines
    _number,  # end_turn
    _numbers,  # cards
    _numbers,  # neighbourhoods
    _places,  # empress_tokens
    _numbers,  # empress_targets
    _numbers,  # devil_opponents
    _spots,  # hanged_man_spots
    _spots,  # chariot_origins
    _spots,  # tower_spots
    _spots,  # hermit_spots
    _number,  # fool_spaces
    _number,  # plot_first
    _numbers,  # playable
)
"""Encodes a Legal as a MiraclesLegal."""

_EVENT_FIELDS: Mapping[type[Event], tuple[_Write, ...]] = {
    events.TurnStarted: (_number, _number, _number),
    events.RoguePlaced: (_number, _spot, _number),
    events.RogueMoved: (_number, _number, _spot, _spot),
    events.RoguesSwapped: (_number, _spot, _spot),
    events.RogueReturned: (_number, _number, _spot),
    events.RogueSeen: (_number, _spot, _number, _number),
    events.RogueDrawn: (_number, _number),
    events.RogueSunk: (_number, _number, _optional),
    events.ActionPerformed: (_number, _number),
    events.CoinsMoved: (_optional, _optional, _number, _number),
    events.KingMoved: (_number, _number, _number),
    events.PlotsDrawn: (_number, _number, _numbers),
    events.PlotDiscarded: (_number, _number),
    events.PlotPlayed: (_number, _number),
    events.PileReshuffled: (_number,),
    events.RenownPlaced: (_number, _place, _number),
    events.RenownMoved: (_number, _place, _number),
    events.RenownReturned: (_number, _number, _number),
    events.RightHandTaken: (_number,),
    events.WrathChosen: (_number, _number),
    events.StandoffStarted: (_number,),
    events.RoguesRevealed: (_repeated_often(_rogue_in_play),),
    events.LoneKept: (_number, _spot),
    events.SwordsmanAnswered: (_number, _spot, _number),
    events.StandoffWon: (_number, _number, _repeated(_record(_number, _number))),
    events.StandoffEnded: (_number,),
    events.GameEnded: (_number,),
}

_SENT_EVENTS = _kinds(pb.MiraclesEvent)
_EVENTS = {
    kind: (_SENT_EVENTS[kind.__name__].number, _record(*writes))
    for kind, writes in _EVENT_FIELDS.items()
}


class _Part(NamedTuple):
    """The writer and the reader of an action's field."""

    write: _Write
    read: Callable[[Any, str], Any]
    """Returns a message's field by name; raises `ValueError` on a missing or unknown value."""


def _as_sent(message: Any, name: str) -> Any:
    return getattr(message, name)


def _member_of(kind: type[_E]) -> Callable[[Any, str], _E]:
    """Return a reader of fields that name a member of this enum."""

    def read(message: Any, name: str) -> _E:
        value = getattr(message, name)
        if not value:
            raise ValueError(f"{name} is missing")
        return _member(kind, value)

    return read


_neighbourhood_of = _member_of(Neighbourhood)
_rogue_of = _member_of(Rogue)
_card_of = _member_of(PlotCard)


def _optional_rogue(message: Any, name: str) -> Rogue | None:
    return _rogue_of(message, name) if getattr(message, name) else None


def _spot_of(message: Any, name: str) -> Spot:
    if not message.HasField(name):
        raise ValueError(f"{name} is missing")
    sent = getattr(message, name)
    return Spot(_neighbourhood_of(sent, "neighbourhood"), sent.rank)


def _place_of(message: Any, name: str) -> RenownPlace:
    sent = getattr(message, name)
    kind = sent.WhichOneof("place")
    if kind is None:
        raise ValueError(f"{name} is missing")
    if kind == "line":
        return RenownPlace(None, sent.line)
    return RenownPlace(_neighbourhood_of(sent, "neighbourhood"), 0)


_NUMBER = _Part(_number, _as_sent)
_NEIGHBOURHOOD = _Part(_number, _neighbourhood_of)
_ROGUE = _Part(_number, _rogue_of)
_CARD = _Part(_number, _card_of)
_SPOT = _Part(_spot, _spot_of)

_ACTION_PARTS: Mapping[type[Action], tuple[_Part, ...]] = {
    actions.PlaceRogue: (_ROGUE, _SPOT, _NUMBER),
    actions.MoveRogue: (_SPOT, _SPOT, _NUMBER),
    actions.PerformAction: (),
    actions.BuyRenown: (_NUMBER,),
    actions.MoveOther: (_SPOT, _SPOT),
    actions.EndTurn: (),
    actions.PlayCard: (_CARD,),
    actions.PlayEmpress: (_Part(_place, _place_of), _NEIGHBOURHOOD),
    actions.PlayDevil: (_NUMBER,),
    actions.PlayHangedMan: (_SPOT,),
    actions.PlayChariot: (_SPOT, _SPOT),
    actions.PlayTower: (_SPOT, _SPOT),
    actions.PlayHermit: (_SPOT,),
    actions.PlayFool: (_NUMBER,),
    actions.SinkRogue: (_Part(_number, _optional_rogue),),
    actions.DiscardPlot: (_CARD,),
    actions.ChooseWrath: (_NEIGHBOURHOOD,),
    actions.SettleNext: (_NEIGHBOURHOOD,),
    actions.PaySwordsman: (_NUMBER,),
    actions.RevealLone: (_NUMBER,),
    actions.UseCourtesan: (_NEIGHBOURHOOD,),
    actions.TakeEffect: (),
}


class _Kind(NamedTuple):
    """A kind of action on the wire."""

    action: type[Action]
    number: int
    """Its number in the oneof."""
    encode: _Encode
    reads: tuple[tuple[str, Callable[[Any, str], Any]], ...]
    """Name and reader of each field."""


def _kind(action: type[Action], descriptor: Any) -> _Kind:
    parts = _ACTION_PARTS[action]
    names = [one.name for one in descriptor.message_type.fields]
    reads = tuple(zip(names, [part.read for part in parts], strict=True))
    return _Kind(action, descriptor.number, _record(*[part.write for part in parts]), reads)


_SENT_ACTIONS = _kinds(pb.MiraclesAction)
_ACTIONS = {action: _kind(action, _SENT_ACTIONS[action.__name__]) for action in _ACTION_PARTS}
_BY_NAME = {_SENT_ACTIONS[action.__name__].name: kind for action, kind in _ACTIONS.items()}


class MiraclesCodec:
    """Translates the values of La Cour des Miracles."""

    def encode_config(self, config: Config) -> bytes:
        """Return the GameConfig of a configuration."""
        values = [getattr(config, name) for name in _SETTINGS]
        return field(_GAME, _config((config.data, *values)))

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration, the data set as a parsed TOML file.

        Raises `ConfigError` if the data set lacks entries or has unknown values; the game checks
        all else.
        """
        sent = message.miracles
        try:
            data = _read_data(sent.data).to_mapping()
        except ValueError as error:
            raise ConfigError(f"the data set: {error}") from None
        return {"data": data} | {name: getattr(sent, name) for name in _SETTINGS}

    def encode_deal(self, deal: Deal) -> bytes:
        """Return the GameDeal of a deal."""
        return field(_GAME, _encode_deal(deal))

    def decode_deal(self, message: game_pb2.GameDeal) -> Deal:
        """Return the deal; raise `ConfigError` on an unknown value."""
        sent = message.miracles
        try:
            return Deal(
                data=sent.data,
                starting_seat=sent.starting_seat,
                hands=tuple(_member(PlotCard, card) for card in sent.hands),
                pile=tuple(_member(PlotCard, card) for card in sent.pile),
                bag=tuple(_member(Rogue, rogue) for rogue in sent.bag),
                reshuffle_seed=sent.reshuffle_seed,
            )
        except ValueError as error:
            raise ConfigError(f"the deal: {error}") from None

    def encode_observation(self, observation: Observation) -> bytes:
        """Return the GameObservation of an observation."""
        return field(_GAME, _encode_observation(observation))

    def encode_legal(self, legal: Legal) -> bytes:
        """Return the GameLegal of a legal form."""
        return field(_GAME, _encode_legal(legal))

    def encode_action(self, action: Action) -> bytes:
        """Return the GameAction of an action."""
        kind = _ACTIONS[type(action)]
        return field(_GAME, field(kind.number, kind.encode(action)))

    def decode_action(self, message: game_pb2.GameAction) -> Action:
        """Return the action; raise `IllegalAction` on an unknown value.

        Ranks, lines, seats and spaces pass unchecked: the rules know their ranges.
        """
        sent = message.miracles
        name = sent.WhichOneof("action")
        if name is None:
            raise IllegalAction(f"an action is one of {', '.join(_BY_NAME)}: this one is none")
        kind, body = _BY_NAME[name], getattr(sent, name)
        try:
            return kind.action(*[read(body, field_name) for field_name, read in kind.reads])
        except ValueError as error:
            raise IllegalAction(f"{name}: {error}") from None

    def encode_event(self, event: Event) -> bytes:
        """Return the GameEvent of an event, whole or in one seat's form."""
        at, encode = _EVENTS[type(event)]
        return field(_GAME, field(at, encode(event)))

    def encode_result(self, result: Result) -> bytes:
        """Return the GameResult of a result."""
        return field(_GAME, _encode_result(result))
