"""The transport "stdio-json": one message a line in protobuf's JSON form, on stdin and stdout.

Writes field names in lowerCamelCase; reads them so or as in the .proto files, and ignores unknown
ones. The rest of the referee sees protobuf.
"""

import json

from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from referee.transports.framing import Framing, broken
from referee.transports.stdio import PipeEndpoint
from referee.wire.envelope import LARGEST_BOT_MESSAGE

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
        return _read(line)

    @staticmethod
    def encode(message: bytes) -> bytes:
        """Return a RefereeMessage as a line of ASCII, without fields that have their defaults."""
        fields = json_format.MessageToDict(referee_pb2.RefereeMessage.FromString(message))
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _read(line: bytes) -> bytes:
    message = referee_pb2.BotMessage()
    try:
        json_format.Parse(line.decode(), message, ignore_unknown_fields=True)
    except (json_format.ParseError, ValueError) as error:
        complaint = ascii(str(error))[1:-1][:_LONGEST_COMPLAINT]
        rule = f"each line on stdout is a BotMessage in JSON ({complaint})"
        raise broken(rule, line) from None
    return message.SerializeToString()


class StdioJsonEndpoint(PipeEndpoint):
    """The endpoint of a bot that speaks JSON on stdin and stdout."""

    name = "stdio-json"
    framing = JsonLines
