"""A game's values over the wire and back, as a receiver has them, and messages as text."""

from collections.abc import Mapping
from typing import Any

from courtyard.v1 import game_pb2
from google.protobuf import text_format
from google.protobuf.message import Message

from referee.wire import Codec


def config_back(codec: Codec, config: Any) -> Mapping[str, Any]:
    """Return a sent configuration's fields."""
    return codec.decode_config(game_pb2.GameConfig.FromString(codec.encode_config(config)))


def deal_back(codec: Codec, deal: Any) -> Any:
    """Return a sent deal."""
    return codec.decode_deal(game_pb2.GameDeal.FromString(codec.encode_deal(deal)))


def action_back(codec: Codec, action: Any) -> Any:
    """Return a sent action."""
    return codec.decode_action(game_pb2.GameAction.FromString(codec.encode_action(action)))


def observation_text(observation: bytes) -> list[str]:
    """Return the lines of a GameObservation as text."""
    return _text(game_pb2.GameObservation.FromString(observation))


def legal_text(legal: bytes) -> list[str]:
    """Return the lines of a GameLegal as text."""
    return _text(game_pb2.GameLegal.FromString(legal))


def event_text(event: bytes) -> list[str]:
    """Return the lines of a GameEvent as text."""
    return _text(game_pb2.GameEvent.FromString(event))


def _text(message: Message) -> list[str]:
    return text_format.MessageToString(message, as_utf8=True).splitlines()
