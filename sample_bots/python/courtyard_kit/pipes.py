"""The bot's stdin and stdout as the stream to the referee, kept apart from what the bot prints.

Where the protocol goes over stdin and stdout, importing this module takes them for it: what the
program prints from then on goes to stderr, and what it reads from stdin is empty.
"""

import os
import sys
from collections.abc import Callable
from typing import BinaryIO

from courtyard.v1 import referee_pb2

Answer = Callable[[referee_pb2.RefereeMessage], referee_pb2.BotMessage | None]


def play_framed(hello: referee_pb2.Hello, answer: Answer) -> None:
    """Play with each message in protobuf's own form, after its length as a varint."""
    _send_framed(referee_pb2.BotMessage(hello=hello))
    while data := _next_framed():
        if reply := answer(referee_pb2.RefereeMessage.FromString(data)):
            _send_framed(reply)


def _send_framed(message: referee_pb2.BotMessage) -> None:
    """Send a message after its length."""
    data = message.SerializeToString()
    write(_varint(len(data)) + data)


def _next_framed() -> bytes:
    """Return the next message, empty at the end: the referee sends no empty ones."""
    length = shift = 0
    while byte := INPUT.read(1):
        length |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:  # noqa: PLR2004 -- the last byte of a varint
            return INPUT.read(length)
    return b""


def _varint(n: int) -> bytes:
    """Return a number in groups of 7 bits, the least significant first."""
    groups = bytearray()
    while n >= 0x80:  # noqa: PLR2004 -- more to come
        groups.append(n & 0x7F | 0x80)
        n >>= 7
    groups.append(n)
    return bytes(groups)


def write(data: bytes) -> None:
    """Write all of it."""
    try:
        while data:
            data = data[os.write(OUTPUT, data) :]
    except BrokenPipeError:
        sys.exit("the referee ended the stream")


def _taken() -> tuple[BinaryIO, int]:
    """Return a stdin and a stdout of our own; what was known as these is empty and stderr."""
    own_input = os.fdopen(os.dup(0), "rb")
    own_output = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own_input, own_output


if os.environ.get("COURTYARD_TRANSPORT", "").startswith("stdio"):
    INPUT, OUTPUT = _taken()
