"""Accept the one stream that says a valid Hello, once, on any transport."""

import hmac

from referee.core.faults import BotFault
from referee.wire import envelope


class Refused(Exception):  # noqa: N818 -- a stream is
    """A stream is refused; the message says why."""

    def __init__(self, reason: str, *, token: bool = False) -> None:
        """Say why, and whether the token is the reason."""
        super().__init__(reason)
        self.token = token


class Handshake:
    """Checks the Hello of one bot."""

    def __init__(self, referee_version: str, token: str | None = None) -> None:
        """Accept the stream with this token; None: accept the first, as on the bot's own pipes."""
        self._welcome = envelope.welcome(referee_version)
        self._token = token
        self._over = False
        self.refusal = ""
        """Why the last stream was refused."""

    def enter(self, first: bytes) -> bytes:
        """Return the Welcome for a stream with this first message; raise `Refused`."""
        try:
            hello = envelope.read_hello(first)
        except BotFault as error:
            raise self.refused(str(error)) from None
        if self._token is not None:
            if not hmac.compare_digest(hello.seat_token.encode(), self._token.encode()):
                raise self.refused("the token is wrong", token=True)
            if self._over:
                raise self.refused("the token is used up", token=True)
        self._over = True
        return self._welcome

    def refused(self, reason: str, *, token: bool = False) -> Refused:
        """Note why a stream is refused, and return the error to raise."""
        self.refusal = reason
        return Refused(reason, token=token)
