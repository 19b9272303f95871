"""The interface between the referee and a transport.

A bot connects to an *endpoint*: a socket, or the pipes of its process. The endpoint accepts one
stream, the one that sends a valid Hello, and turns it into a connection for whole messages.
Messages are serialised protobuf on every transport; `referee.wire` encodes and decodes them.
"""

from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Protocol

from referee.sandbox.streams import Pipes
from referee.transports.handshake import Refusal


class Connection(Protocol):
    """One bot's stream: whole messages in order, both ways, over many matches."""

    def begin(self, message: bytes) -> bool:
        """Send what there is room for of a RefereeMessage; return whether that was all.

        If not, await `sent`. Raise `ConnectionError` if the stream has ended.
        """

    async def sent(self) -> None:
        """Wait until all is sent; raise `ConnectionError` if the stream ends before."""

    async def send(self, message: bytes) -> None:
        """Do both: send a whole RefereeMessage."""

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` on what no message can be and on
        what had come before the last message was sent: it had not been asked for yet.
        """

    def exchange(self, message: bytes, blocking_ms: int) -> bytes | Awaitable[bytes]:
        """Send a RefereeMessage; return the next BotMessage, or what awaits it.

        May block the event loop for some milliseconds, as that costs less than waiting with it.
        Raise what `send` and `receive` raise, here or when awaited.
        """

    def unfinished(self) -> str:
        """Describe the received part of an incomplete message; empty if there is none."""

    async def was_lost(self, after: float, within_s: float) -> bool:
        """Return whether the stream ended after this moment on the monotonic clock.

        While it is open, wait up to `within_s` seconds for its end. Pipes return False: no passing
        of time ends them.
        """

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""


class Endpoint(Protocol):
    """Where one bot connects."""

    @property
    def refusal(self) -> Refusal | None:
        """Why the last stream was refused, or what arrived instead; None if nothing did."""

    @property
    def speaks_plain(self) -> bool:
        """Whether the bot's Hello declares the plain dialect."""

    def advice(self, printed: str, *, runs: bool) -> str:
        """Return advice for a bot that sent no Hello; empty if there is none.

        `printed` is its other output; `runs`: its process still ran.
        """

    async def open(self, folder: Path) -> None:
        """Start listening; put what the bot needs to connect into this private folder."""

    def environment(self, seen: str) -> Mapping[str, str]:
        """Return the variables with the bot's way to connect; `seen` is its folder path."""

    async def connection(self, pipes: Pipes | None) -> Connection:
        """Wait for the stream that sends Hello; `pipes` are those of the bot's process, if any.

        Raise `BotFault` if no stream can come any more.
        """

    async def stop(self) -> None:
        """Close the endpoint and its stream."""
