"""Messages for people: in one line, as proto3 JSON or in the words of the game."""

import json
from collections.abc import Sequence

from courtyard.v1 import referee_pb2
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from rich.markup import escape

from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import IllegalAction
from referee.games.choice import Choice
from referee.wire import codec_named


def answer_text(data: bytes) -> str:
    """Return a bot's message as one line: a BotMessage as JSON, all else in hex."""
    if not data:
        return "nothing"
    try:
        return _line(referee_pb2.BotMessage.FromString(data))
    except DecodeError:
        return f"{len(data)} bytes that are no BotMessage: {data.hex(' ')}"


def answer_line(data: bytes, game: str, names: Sequence[str], step: Choice | None = None) -> str:
    """Return a bot's message as one line of Rich markup, an action in its game's words.

    The answer to a step of the plain dialect is the label of its option. A message without an
    action of this game, or without an option of this step, looks as in `answer_text`.
    """
    try:
        message = referee_pb2.BotMessage.FromString(data)
        if message.decision.action.WhichOneof("game") == game:
            action = codec_named(game).decode_action(message.decision.action)
            return game_named(game).text.action_line(action, names)
        if step is not None and message.decision.HasField("choice"):
            return escape(plain(step.options[message.decision.choice].label))
    except (DecodeError, IllegalAction, IndexError):
        pass
    return escape(plain(answer_text(data)))


def _line(message: Message) -> str:
    fields = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return json.dumps(fields, ensure_ascii=True)
