"""Messages as people read them: one line of proto3 JSON."""

import json

from courtyard.v1 import game_pb2, referee_pb2
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message


def action_text(encoded: bytes) -> str:
    """Return a GameAction as one line."""
    return _line(game_pb2.GameAction.FromString(encoded))


def answer_text(data: bytes) -> str:
    """Return what a bot sent as one line: as a BotMessage, or in hex if it is none."""
    if not data:
        return "nothing"
    try:
        return _line(referee_pb2.BotMessage.FromString(data))
    except DecodeError:
        return f"{len(data)} bytes that are no BotMessage: {data.hex(' ')}"


def _line(message: Message) -> str:
    fields = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return json.dumps(fields, ensure_ascii=True)
