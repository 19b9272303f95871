"""A game's values over the wire and back, as a receiver has them."""

from collections.abc import Mapping
from typing import Any

from courtyard.v1 import game_pb2

from referee.wire.base import Codec


def config_back(codec: Codec, config: Any) -> Mapping[str, Any]:
    """Return a sent configuration's fields."""
    return codec.decode_config(game_pb2.GameConfig.FromString(codec.encode_config(config)))


def deal_back(codec: Codec, deal: Any) -> Any:
    """Return a sent deal."""
    return codec.decode_deal(game_pb2.GameDeal.FromString(codec.encode_deal(deal)))


def action_back(codec: Codec, action: Any) -> Any:
    """Return a sent action."""
    return codec.decode_action(game_pb2.GameAction.FromString(codec.encode_action(action)))
