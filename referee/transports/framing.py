"""Split a stream of bytes into messages, and report bytes that are none."""

from abc import ABC, abstractmethod

from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.plain import quoted
from referee.core.rules import Rule

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
