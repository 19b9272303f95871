"""Split a stream of bytes into messages, and report bytes that are none.

The transport "stdio" puts a message's length as a varint before it: protobuf libraries call these
delimited messages, and most languages' libraries support them. "stdio-json" puts one message a line
in protobuf's JSON form. It writes field names in lowerCamelCase, reads them so or as in the .proto
files, and ignores unknown ones. The rest of the referee sees protobuf.
"""

import json
from abc import ABC, abstractmethod

from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.plain import quoted
from referee.core.rules import Rule
from referee.wire.encoding import varint
from referee.wire.envelope import LARGEST_BOT_MESSAGE

_RECEIVED_KEPT = 512


class Framing(ABC):
    """Splits the bytes of one bot into messages."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self.buffer = bytearray()
        """Received bytes not yet taken as a message; the reader appends to it."""

    @abstractmethod
    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is incomplete.

        Raise `BotFault` if the bytes cannot become one, at the latest when they exceed the largest
        message that a bot may send.
        """

    @staticmethod
    @abstractmethod
    def encode(message: bytes) -> bytes:
        """Return a RefereeMessage with its framing."""


def broken(demand: str, received: bytes, rule: Rule = Rule.ANSWER_READABLE) -> BotFault:
    """Return the error for bytes that cannot be a message, with what is demanded of them."""
    reason, kept = f"{demand}: received {quoted(received)}", received[:_RECEIVED_KEPT]
    return BotFault(Fault(FaultKind.PROTOCOL_ERROR, reason, received=kept, rule=rule))


def unasked(received: bytes) -> BotFault:
    """Return the error for bytes that came too early and might pass as the next answer."""
    demand = "each request has exactly one answer, after it: too much was sent"
    return broken(demand, received, Rule.ANSWER_ONCE)


def stream_ended() -> ConnectionError:
    """Return the error of an ended stream."""
    return ConnectionError("the stream has ended")


_LONGEST_LENGTH = 10
"""Most bytes of a varint."""


class Framed(Framing):
    """The framing of "stdio"."""

    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is incomplete.

        Raise `BotFault` if the bytes cannot become one; refuses too large a length at once.
        """
        buffer = self.buffer
        if not buffer:
            return None
        length = start = 0
        for byte in buffer[:_LONGEST_LENGTH]:
            length |= (byte & 0x7F) << 7 * start
            start += 1
            if length > LARGEST_BOT_MESSAGE:
                raise self._broken(f"may be at most {LARGEST_BOT_MESSAGE}: it is at least {length}")
            if byte < 0x80:  # noqa: PLR2004 -- the last byte of a varint
                break
        else:
            if start == _LONGEST_LENGTH:
                raise self._broken(f"is a varint of at most {_LONGEST_LENGTH} bytes")
            return None
        end = start + length
        if len(buffer) < end:
            return None
        message = bytes(buffer[start:end])
        del buffer[:end]
        return message

    @staticmethod
    def encode(message: bytes) -> bytes:
        """Return a RefereeMessage prefixed with its length."""
        return varint(len(message)) + message

    def _broken(self, rule: str) -> BotFault:
        return broken(f"the length before a message on stdout {rule}", bytes(self.buffer))


_LONGEST_COMPLAINT = 160


class JsonLines(Framing):
    """The framing of "stdio-json"."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        super().__init__()
        self._searched = 0
        """The buffer has no line end before this position."""

    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is incomplete.

        Raise `BotFault` if the bytes cannot become one; refuses too long a line before its end.
        """
        buffer = self.buffer
        end = buffer.find(b"\n", self._searched)
        length = end if end >= 0 else len(buffer)
        if length > LARGEST_BOT_MESSAGE:
            rule = f"a line on stdout may have {LARGEST_BOT_MESSAGE} bytes"
            raise broken(f"{rule}: this one has at least {length}", bytes(buffer))
        if end < 0:
            self._searched = length
            return None
        line = bytes(buffer[:end])
        del buffer[: end + 1]
        self._searched = 0
        return _message_of(line)

    @staticmethod
    def encode(message: bytes) -> bytes:
        """Return a RefereeMessage as a line of ASCII, without fields that have their defaults."""
        fields = json_format.MessageToDict(referee_pb2.RefereeMessage.FromString(message))
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _message_of(line: bytes) -> bytes:
    message = referee_pb2.BotMessage()
    try:
        json_format.Parse(line.decode(), message, ignore_unknown_fields=True)
    except (json_format.ParseError, ValueError) as error:
        complaint = ascii(str(error))[1:-1][:_LONGEST_COMPLAINT]
        rule = f"each line on stdout is a BotMessage in JSON ({complaint})"
        raise broken(rule, line) from None
    return message.SerializeToString()
