"""Listen for one bot; pass on only traffic that gRPC handles safely."""

import asyncio
import shutil
from pathlib import Path

from referee.core.errors import RefereeError
from referee.transports.http2 import Inspector
from referee.transports.public_listener import SOCKET, short_folder
from referee.transports.relay import Relay

MOST_CONNECTIONS = 8


class SeatListener:
    """One bot's Unix socket or loopback port, relayed to a gRPC server.

    Idle time ends no connection, as bots are stopped between turns.
    """

    def __init__(self) -> None:
        """Start without a listener."""
        self._folder: Path | None = None
        self._relays: set[Relay] = set()
        self._server: asyncio.Server | None = None

    def server_address(self) -> str:
        """Return the address for the gRPC server; call this before `open`."""
        self._folder = short_folder()
        return f"unix:{self._folder / SOCKET}"

    async def open(self, at: Path | None) -> int:
        """Listen at a path, or on loopback TCP (None); return the port, 0 for a path.

        Raise `RefereeError` if that is impossible.
        """
        loop = asyncio.get_running_loop()
        try:
            if at is not None:
                self._server = await loop.create_unix_server(self._relay, at)
                return 0
            self._server = await loop.create_server(self._relay, "127.0.0.1", 0)
        except OSError as error:
            where = "127.0.0.1" if at is None else f"unix:{at}"
            raise RefereeError(f"cannot listen on {where}: {error.strerror}") from error
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Stop listening, and close connections once pending data is sent."""
        if self._server is not None:
            self._server.close()
        for relay in self._relays:
            relay.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _relay(self) -> asyncio.Protocol:
        if self._folder is None or len(self._relays) >= MOST_CONNECTIONS:
            return _Refused()
        relay = Relay(self._folder / SOCKET, None, Inspector(), self._relays.discard)
        self._relays.add(relay)
        return relay


class _Refused(asyncio.Protocol):
    """A connection beyond the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
