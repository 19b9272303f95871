"""Listens where one bot dials: passes on to gRPC only what gRPC can bear."""

import asyncio
import shutil
from pathlib import Path

from referee.core.errors import RefereeError
from referee.transports.http2 import Inspector
from referee.transports.public_listener import SOCKET, short_folder
from referee.transports.relay import Relay

MOST_CONNECTIONS = 8


class SeatListener:
    """One bot's socket, or port on the loopback, and what it carries to a gRPC server.

    Nothing ends a connection but its bot or what it sends: a bot is stopped between its turns.
    """

    def __init__(self) -> None:
        """Listen nowhere yet."""
        self._folder: Path | None = None
        self._relays: set[Relay] = set()
        self._server: asyncio.Server | None = None

    def server_address(self) -> str:
        """Return where the gRPC server is to listen; before anything else."""
        self._folder = short_folder()
        return f"unix:{self._folder / SOCKET}"

    async def open(self, at: Path | None) -> int:
        """Listen at a path; None: on the loopback. Return the port; raise `RefereeError`."""
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
        """Listen no more, and end what there is once it is sent; the server has stopped."""
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
    """A connection that is one too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
