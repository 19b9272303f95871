"""Plays every game in the plain dialect, on any carrier."""

import os
import random

from courtyard.v1 import referee_pb2
from courtyard_kit import json_lines, pipes, stream

HELLO = referee_pb2.Hello(protocol_version=1, name="plain", plain=True)
CARRIERS = {"grpc": stream.play, "stdio": pipes.play_framed, "stdio-json": json_lines.play}


def answer(message: referee_pb2.RefereeMessage) -> referee_pb2.BotMessage | None:
    """Choose an option."""
    request = message.request
    if message.WhichOneof("body") != "request":
        return None
    choice = random.randrange(len(request.plain.options))
    decision = referee_pb2.Decision(number=request.number, choice=choice)
    return referee_pb2.BotMessage(match_id=message.match_id, decision=decision)


CARRIERS[os.environ["COURTYARD_TRANSPORT"]](HELLO, answer)
