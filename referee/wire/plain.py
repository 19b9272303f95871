"""Encode and decode plain games, and the position of the plain dialect in any game."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.base import ConfigError, IllegalAction
from referee.games.choice import Choice
from referee.games.plain.adapter import Observation, PlainAction, Result
from referee.games.plain.contract import Event
from referee.games.plain_data import from_json, to_json
from referee.wire.encoding import field, packed, text, uint, zigzag

_GAME = game_pb2.GameObservation.PLAIN_FIELD_NUMBER
"""The number of plain games in every oneof of game.proto."""
_MOST_STEPS = 100


def encode_view(lines: Iterable[str], facts: str, features: Sequence[float]) -> bytes:
    """Return the fields that PlainPosition and PlainObservation share."""
    doubles = struct.pack(f"<{len(features)}d", *features)
    return b"".join(
        (
            *[field(1, line.encode()) for line in lines],
            text(2, facts),
            field(3, doubles) if doubles else b"",
        )
    )


def encode_position(view: bytes, step: int, choice: Choice) -> bytes:
    """Return the PlainPosition of one step of a decision; `view` is from `encode_view`."""
    options = [field(6, option.label.encode()) for option in choice.options]
    return b"".join((view, uint(4, step), text(5, choice.prompt), *options))


class PlainCodec:
    """Translates the values of plain games."""

    def encode_config(self, config: Mapping[str, Any]) -> bytes:
        """Return the GameConfig of a configuration."""
        return field(_GAME, text(1, to_json(config)))

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration; raise `ConfigError` if it is no JSON object."""
        config = from_json(message.plain.json)
        if not isinstance(config, dict):
            raise ConfigError("the configuration is no JSON object")
        return config

    def encode_deal(self, deal: str) -> bytes:
        """Return the GameDeal of a deal."""
        return field(_GAME, text(1, deal))

    def decode_deal(self, message: game_pb2.GameDeal) -> str:
        """Return the deal; raise `ConfigError` if it is no JSON in its one form."""
        deal = message.plain.json
        if to_json(from_json(deal)) != deal:
            raise ConfigError("the deal: its JSON is not in the one form")
        return deal

    def encode_observation(self, observation: Observation) -> bytes:
        """Return the GameObservation of an observation."""
        return field(_GAME, encode_view(*observation))

    def encode_legal(self, legal: Choice | None) -> bytes:
        """Return the GameLegal of the first step of a decision."""
        if legal is None:
            return field(_GAME, b"")
        options = [field(2, option.label.encode()) for option in legal.options]
        return field(_GAME, b"".join((text(1, legal.prompt), *options)))

    def encode_action(self, action: PlainAction) -> bytes:
        """Return the GameAction of an action."""
        labels = [field(2, label.encode()) for label in action.labels]
        return field(_GAME, b"".join((packed(1, action.path), *labels)))

    def decode_action(self, message: game_pb2.GameAction) -> PlainAction:
        """Return the action; raise `IllegalAction` on one that no game has."""
        action = message.plain
        if len(action.path) != len(action.labels) or not 0 < len(action.path) <= _MOST_STEPS:
            raise IllegalAction("a plain action has an option and its label for each step")
        return PlainAction(tuple(action.path), tuple(action.labels))

    def encode_event(self, event: Event) -> bytes:
        """Return the GameEvent of an event, whole or in one seat's form."""
        own = [
            field(2, uint(1, seat) + text(2, words)) for seat, words in sorted(event.own.items())
        ]
        return field(_GAME, b"".join((text(1, event.public), *own)))

    def encode_result(self, result: Result) -> bytes:
        """Return the GameResult of a result."""
        points = packed(1, tuple(map(zigzag, result.points)))
        lines = [field(2, line.encode()) for line in result.text]
        return field(_GAME, b"".join((points, *lines)))
