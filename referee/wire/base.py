"""The contract between a game's wire module and the referee.

An encoder returns the bytes of one of the messages in game.proto (`GameEvent`, `GameObservation`,
…), ready to be joined into a larger message: what many seats are told is encoded once, and nothing
is built that is not sent. A decoder takes the parsed message, since it reads what strangers wrote.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from courtyard.v1 import game_pb2


class Codec(Protocol):
    """Translates the values of one game."""

    set_later: frozenset[str]
    """The full names of the fields that its messages got after the first records were made."""

    def encode_config(self, config: Any) -> bytes:
        """Return the GameConfig of a configuration."""

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration, for `Game.config` to check.

        Raises `ConfigError` if a part is none of the game's.
        """

    def encode_deal(self, deal: Any) -> bytes:
        """Return the GameDeal of a deal."""

    def decode_deal(self, message: game_pb2.GameDeal) -> Any:
        """Return the deal; raise `ConfigError` if a value is none of the game's."""

    def encode_observation(self, observation: Any) -> bytes:
        """Return the GameObservation of what a seat may know."""

    def encode_legal(self, legal: Any) -> bytes:
        """Return the GameLegal of what the seat to act may do."""

    def encode_action(self, action: Any) -> bytes:
        """Return the GameAction of an action."""

    def decode_action(self, message: game_pb2.GameAction) -> Any:
        """Return the action; raise `IllegalAction` if it names what the game does not have."""

    def encode_event(self, event: Any) -> bytes:
        """Return the GameEvent of one seat's form of an event, or of the whole of it."""

    def encode_result(self, result: Any) -> bytes:
        """Return the GameResult of how the game ended."""
