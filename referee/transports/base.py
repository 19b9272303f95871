"""The seam between the referee and a carrier of messages."""

from typing import Protocol


class Connection(Protocol):
    """One bot's stream: whole messages in order, both ways, over many matches."""

    async def send(self, message: bytes) -> None:
        """Send a RefereeMessage; raise `ConnectionError` if the stream has ended."""

    async def receive(self) -> bytes:
        """Return the next BotMessage; raise `ConnectionError` if the stream has ended."""

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""
