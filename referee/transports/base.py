"""The seam between the referee and a carrier of messages.

A bot is awaited at a *place*: a socket, or the pipes of its process. The place takes one stream,
the one that says a valid Hello, and from then on the stream is a connection that carries whole
messages. They pass as serialised protobuf whatever the carrier: `referee.wire` reads and writes.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from referee.sandbox.streams import Pipes


class Connection(Protocol):
    """One bot's stream: whole messages in order, both ways, over many matches."""

    async def send(self, message: bytes) -> None:
        """Send a RefereeMessage; raise `ConnectionError` if the stream has ended."""

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` on what no message can be and on
        what had come before the last message was sent: nobody had asked for it yet.
        """

    def unfinished(self) -> str:
        """Say what has come of a message that is not whole; empty if nothing has."""

    async def was_lost(self, after: float, within_s: float) -> bool:
        """Tell whether the stream has ended after a moment on the monotonic clock.

        If it is open, wait up to so many seconds for that. Pipes say no: no passing of time ends
        them, only what is at the other end.
        """

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""


class Endpoint(Protocol):
    """Where one bot is awaited."""

    @property
    def refusal(self) -> str:
        """Why the last stream that came was refused, or what came instead; empty if nothing did."""

    def advice(self, printed: str, *, runs: bool) -> str:
        """Say what may be wrong with a bot that said no Hello; empty if nobody can tell.

        `printed` is what it printed elsewhere; `runs`: its process was still there.
        """

    async def open(self, folder: Path) -> None:
        """Await the bot; what it needs to find the place is put into this private folder."""

    def environment(self, seen: str) -> Mapping[str, str]:
        """Return what tells the bot where to go; `seen` is how it sees the folder."""

    async def connection(self, pipes: Pipes | None) -> Connection:
        """Wait for the stream that says Hello; the pipes are those of the bot's process, if any.

        Raise `BotFault` if no stream can come any more.
        """

    async def stop(self) -> None:
        """Close the place and its stream."""
