"""Accept the one stream that sends a valid Hello, once, on any transport."""

import hmac
import re
from dataclasses import dataclass

from referee.core.faults import BotFault
from referee.core.rules import Rule
from referee.wire import envelope

_JSON = re.compile(rb'^\s*\{?\s*"(hello|matchId|match_id)"\s*:', re.MULTILINE)
_FRAMED = re.compile(rb"[\x00-\x7f]\x12[\x00-\x7f]\x08\x01")
"""A length, the field `hello` with its length, and in it the protocol version 1."""
_DIALS = re.compile(rb"COURTYARD_(ADDRESS|TOKEN_FILE)")
_SPOKEN = (
    (_JSON, "stdio-json", "the bot wrote lines of JSON"),
    (_FRAMED, "stdio", "the bot wrote length-prefixed protobuf"),
    (_DIALS, "grpc", "the bot looks for COURTYARD_ADDRESS and its token, which gRPC has"),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a stream is refused."""

    reason: str
    rule: Rule
    """The rule that the bot broke."""

    def __str__(self) -> str:
        """Return the reason."""
        return self.reason


class Refused(Exception):  # noqa: N818 -- a stream is
    """A stream is refused; the message gives the reason."""

    def __init__(self, refusal: Refusal) -> None:
        """Carry the refusal."""
        super().__init__(refusal.reason)
        self.rule = refusal.rule


class Handshake:
    """Checks the Hello of one bot."""

    def __init__(self, referee_version: str, token: str | None = None) -> None:
        """Accept the stream with this token; None: accept the first, as on the bot's own pipes."""
        self._welcome = envelope.welcome(referee_version)
        self._token = token
        self._over = False
        self.refusal: Refusal | None = None
        """Why the last stream was refused; None if none was."""
        self.speaks_plain = False
        """Whether the bot's Hello declares the plain dialect."""

    def enter(self, first: bytes) -> bytes:
        """Return the Welcome for a stream with this first message; raise `Refused`."""
        try:
            hello = envelope.read_hello(first)
        except BotFault as error:
            raise self.refused(str(error), error.fault.rule or Rule.HELLO_FIRST) from None
        if self._token is not None:
            if not hmac.compare_digest(hello.seat_token.encode(), self._token.encode()):
                raise self.refused("the token is wrong", Rule.HELLO_TOKEN)
            if self._over:
                raise self.refused("the token is used up", Rule.HELLO_TOKEN)
        self._over = True
        self.speaks_plain = hello.plain
        return self._welcome

    def refused(self, reason: str, rule: Rule) -> Refused:
        """Note why a stream is refused, and return the error to raise."""
        self.refusal = Refusal(reason, rule)
        return Refused(self.refusal)


def another_carrier(transport: str, written: bytes) -> str:
    """Return advice on the transport that a bot's output suggests; empty if unknown."""
    for sign, name, what in _SPOKEN:
        if name != transport and sign.search(written):
            return f'{what}: set transport = "{name}" in bot.toml'
    return ""
