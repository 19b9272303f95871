"""Encode game values as protocol messages and decode them: one codec per game.

An encoder returns the bytes of a message in game.proto (`GameEvent`, `GameObservation`, …), ready
to be joined into a larger message: an event for many seats is encoded once, and no message is built
in vain. A decoder takes a parsed message, which is untrusted.
"""

from collections.abc import Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, Protocol

from courtyard.v1 import game_pb2

from referee.games import game_named


class Codec(Protocol):
    """Translates the values of one game."""

    def encode_config(self, config: Any) -> bytes:
        """Return the GameConfig of a configuration."""

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration, for `Game.config` to check.

        Raises `ConfigError` on an unknown value.
        """

    def encode_deal(self, deal: Any) -> bytes:
        """Return the GameDeal of a deal."""

    def decode_deal(self, message: game_pb2.GameDeal) -> Any:
        """Return the deal; raise `ConfigError` on an unknown value."""

    def encode_observation(self, observation: Any) -> bytes:
        """Return the GameObservation of an observation."""

    def encode_legal(self, legal: Any) -> bytes:
        """Return the GameLegal of a legal form."""

    def encode_action(self, action: Any) -> bytes:
        """Return the GameAction of an action."""

    def decode_action(self, message: game_pb2.GameAction) -> Any:
        """Return the action; raise `IllegalAction` on an unknown value."""

    def encode_event(self, event: Any) -> bytes:
        """Return the GameEvent of an event, whole or in one seat's form."""

    def encode_result(self, result: Any) -> bytes:
        """Return the GameResult of a result."""


SET_LATER = frozenset(
    {
        "courtyard.v1.RecordSeat.plain",
        "courtyard.v1.MiraclesConfig.plots_at_any_time",
        "courtyard.v1.MiraclesRogueData.bag_source",
        "courtyard.v1.MiraclesRogueData.strength_source",
        "courtyard.v1.MiraclesPlotCardData.copies_source",
    }
)
"""Full names of the message fields added after the first records."""


@cache
def codec_named(game: str) -> Codec:
    """Return the codec of the game of this name; raise `ConfigError` if there is no such game."""
    codec: Codec = resolve_name(game_named(game).codec)()
    return codec
