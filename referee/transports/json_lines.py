"""The transport "stdio-json": one message a line in protobuf's JSON form, on stdin and stdout.

Field names are written in lowerCamelCase, and read so or as the .proto files have them; what nobody
knows is passed over. From here on a message is protobuf, as everywhere else.
"""

import json

from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from referee.transports.framing import Framing, broken
from referee.transports.stdio import PipePlace
from referee.wire.envelope import LARGEST_BOT_MESSAGE

_LONGEST_COMPLAINT = 160


class JsonLines(Framing):
    """The framing of "stdio-json"."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        super().__init__()
        self._searched = 0
        """Up to here there is no end of a line in the buffer."""

    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is not whole, `BotFault` if it cannot become one.

        A line that is too long is refused before its end is awaited.
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


class StdioJsonPlace(PipePlace):
    """The place of a bot that speaks JSON on stdin and stdout."""

    name = "stdio-json"
    framing = JsonLines
