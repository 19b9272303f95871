"""La Cour des Miracles on the wire: its values to the messages of miracles.proto and back."""

from collections.abc import Mapping
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.miracles.action import Action
from referee.games.miracles.config import Config
from referee.games.miracles.deal import Deal
from referee.games.miracles.event import Event
from referee.games.miracles.observation import Legal, Observation
from referee.games.miracles.scoring import Result
from referee.wire.encoding import field
from referee.wire.miracles import deciding, setup, telling

_GAME = game_pb2.GameObservation.MIRACLES_FIELD_NUMBER
"""The number of this game in every oneof of game.proto."""


class MiraclesCodec:
    """Translates the values of La Cour des Miracles."""

    def encode_config(self, config: Config) -> bytes:
        """Return the GameConfig of a configuration."""
        return field(_GAME, setup.encode_config(config))

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration; raise `ConfigError` on a bad data set."""
        return setup.decode_config(message.miracles)

    def encode_deal(self, deal: Deal) -> bytes:
        """Return the GameDeal of a deal."""
        return field(_GAME, setup.encode_deal(deal))

    def decode_deal(self, message: game_pb2.GameDeal) -> Deal:
        """Return the deal; raise `ConfigError` on an unknown value."""
        return setup.decode_deal(message.miracles)

    def encode_observation(self, observation: Observation) -> bytes:
        """Return the GameObservation of an observation."""
        return field(_GAME, telling.encode_observation(observation))

    def encode_legal(self, legal: Legal) -> bytes:
        """Return the GameLegal of a legal form."""
        return field(_GAME, telling.encode_legal(legal))

    def encode_action(self, action: Action) -> bytes:
        """Return the GameAction of an action."""
        return field(_GAME, deciding.encode_action(action))

    def decode_action(self, message: game_pb2.GameAction) -> Action:
        """Return the action; raise `IllegalAction` on an unknown value."""
        return deciding.decode_action(message.miracles)

    def encode_event(self, event: Event) -> bytes:
        """Return the GameEvent of an event, whole or in one seat's form."""
        return field(_GAME, telling.encode_event(event))

    def encode_result(self, result: Result) -> bytes:
        """Return the GameResult of a result."""
        return field(_GAME, setup.encode_result(result))
