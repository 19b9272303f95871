"""The transport "stdio": protobuf on stdin and stdout, each message after its length as a varint.

Protobuf libraries call these delimited messages, and most languages' libraries support them.
"""

from referee.core.faults import BotFault
from referee.transports.framing import Framing, broken
from referee.transports.stdio import PipeEndpoint
from referee.wire.encoding import varint
from referee.wire.envelope import LARGEST_BOT_MESSAGE

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


class StdioEndpoint(PipeEndpoint):
    """The endpoint of a bot that speaks protobuf on stdin and stdout."""

    name = "stdio"
    framing = Framed
