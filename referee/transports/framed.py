"""The transport "stdio": protobuf on stdin and stdout, each message after its length as a varint.

It is what protobuf's libraries call delimited messages, so that most languages have it ready.
"""

from referee.core.faults import BotFault
from referee.transports.framing import Framing, broken
from referee.transports.stdio import PipeEndpoint
from referee.wire.encoding import varint
from referee.wire.envelope import LARGEST_BOT_MESSAGE

_LONGEST_LENGTH = 10
"""How many bytes a varint has at most."""


class Framed(Framing):
    """The framing of "stdio"."""

    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is not whole, `BotFault` if it cannot become one.

        A length that is too large is refused before anything of its message is awaited.
        """
        buffer = self.buffer
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
        """Return a RefereeMessage after its length."""
        return varint(len(message)) + message

    def _broken(self, rule: str) -> BotFault:
        return broken(f"the length before a message on stdout {rule}", bytes(self.buffer))


class StdioEndpoint(PipeEndpoint):
    """The place of a bot that speaks protobuf on stdin and stdout."""

    name = "stdio"
    framing = Framed
