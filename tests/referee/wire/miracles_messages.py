"""The messages of La Cour des Miracles built with the protobuf library alone, by name.

They share nothing with the bytes under test: a field goes by its own name, an enum's value by the
name that it has in the .proto file.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import IntEnum
from typing import Any

from courtyard.v1 import game_pb2
from courtyard.v1 import miracles_pb2 as pb
from google.protobuf.message import Message

from referee.games.miracles.config import Config
from referee.games.miracles.data import EffectKind, Source
from referee.games.miracles.event import Reason
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue
from referee.games.miracles.scoring import Ending

_ENUMS: Mapping[type[IntEnum], str] = {
    Neighbourhood: "NEIGHBOURHOOD",
    Rogue: "ROGUE",
    PlotCard: "PLOT_CARD",
    Decision: "MIRACLES_DECISION",
    Source: "MIRACLES_SOURCE",
    EffectKind: "MIRACLES_EFFECT_KIND",
    Reason: "MIRACLES_REASON",
    Ending: "MIRACLES_ENDING",
}


def message_of(value: Any) -> Message:
    """The message of a value that has named fields."""
    names = value._fields if hasattr(value, "_fields") else [one.name for one in fields(value)]
    made = {name: _content(getattr(value, name)) for name in names}
    if isinstance(value, RenownPlace):
        del made["line" if value.neighbourhood else "neighbourhood"]
    kind: Callable[..., Message] = getattr(pb, f"Miracles{type(value).__name__}")
    return kind(**made)


def _content(value: Any) -> Any:
    if isinstance(value, IntEnum):
        return f"{_ENUMS[type(value)]}_{value.name}"
    if hasattr(value, "_fields"):
        return message_of(value)
    if isinstance(value, tuple):
        return [pb.MiraclesControl() if one is None else _content(one) for one in value]
    return value


def _in_oneof(message: Message, value: Any) -> Message:
    """The message of a value inside the one that holds any of its kind."""
    body = message_of(value)
    for field in message.DESCRIPTOR.fields:
        if field.message_type is body.DESCRIPTOR:
            getattr(message, field.name).CopyFrom(body)
            getattr(message, field.name).SetInParent()
    return message


def action_message(action: Any) -> game_pb2.GameAction:
    """One decision."""
    return game_pb2.GameAction(miracles=_in_oneof(pb.MiraclesAction(), action))  # type: ignore[arg-type]


def event_message(event: Any) -> game_pb2.GameEvent:
    """One form of an event."""
    return game_pb2.GameEvent(miracles=_in_oneof(pb.MiraclesEvent(), event))  # type: ignore[arg-type]


def game_message(kind: Callable[..., Message], value: Any) -> Message:
    """Any other value inside the message that holds it whatever the game."""
    return kind(miracles=message_of(value))


def config_message(config: Config) -> game_pb2.GameConfig:
    """A configuration with its data set."""
    message = pb.MiraclesConfig(data=message_of(config.data))  # type: ignore[arg-type]
    for name in (one.name for one in fields(config)[1:]):
        setattr(message, name, getattr(config, name))
    return game_pb2.GameConfig(miracles=message)
