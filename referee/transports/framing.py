"""How messages are told apart in a stream of bytes, and what is said of bytes that are none."""

from abc import ABC, abstractmethod

from referee.core.faults import BotFault, Fault, FaultKind
from referee.wire.quoting import quoted

_RECEIVED_KEPT = 512


class Framing(ABC):
    """Takes the bytes of one bot apart into messages."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self.buffer = bytearray()
        """What came and is not yet taken as a message; whoever reads appends to it."""

    @abstractmethod
    def next(self) -> bytes | None:
        """Take the next BotMessage; None if it is not whole, `BotFault` if it cannot become one.

        It never waits for more than the largest message that a bot may send.
        """

    @staticmethod
    @abstractmethod
    def encode(message: bytes) -> bytes:
        """Return what carries a RefereeMessage."""


def broken(rule: str, received: bytes) -> BotFault:
    """Return the error for bytes that no message can be, with the rule that they break."""
    reason = f"{rule}: received {quoted(received)}"
    return BotFault(Fault(FaultKind.PROTOCOL_ERROR, reason, received=received[:_RECEIVED_KEPT]))


def unasked(received: bytes) -> BotFault:
    """Return the error for what came too early: it might pass for the next request's answer."""
    return broken("each request has exactly one answer, after it: too much was sent", received)


def stream_ended() -> ConnectionError:
    """Return the error for a stream that has ended."""
    return ConnectionError("the stream has ended")
