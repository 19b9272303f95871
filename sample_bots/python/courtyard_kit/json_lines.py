"""The bot's stream as lines of JSON on stdin and stdout."""

from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from courtyard_kit import pipes


def play(hello: referee_pb2.Hello, answer: pipes.Answer) -> None:
    """Play with each message as a line in protobuf's JSON form."""
    _send(referee_pb2.BotMessage(hello=hello))
    for line in pipes.INPUT:
        message = json_format.Parse(line, referee_pb2.RefereeMessage(), ignore_unknown_fields=True)
        if reply := answer(message):
            _send(reply)


def _send(message: referee_pb2.BotMessage) -> None:
    pipes.write(json_format.MessageToJson(message, indent=None).encode() + b"\n")
