"""Listen for one local bot on a Unix socket or loopback port."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

from referee.core.errors import RefereeError
from referee.transports.seat_call import SeatCall
from referee.transports.seat_client import SeatClient

MOST_CONNECTIONS = 8
_WAITING = 16
_SECONDS_WITHOUT_FILES = 1.0


class SeatListener:
    """Where one bot connects, with a bounded number of connections at once."""

    def __init__(self, method: str, begun: Callable[[SeatClient, SeatCall], object]) -> None:
        """Tell of calls of this method."""
        self._method = method
        self._begun = begun
        self._clients: set[SeatClient] = set()
        self._socket: socket.socket | None = None
        self._path: Path | None = None
        self._accepting: asyncio.Task[None] | None = None

    def open(self, at: Path | None) -> int:
        """Listen at a path, or on loopback TCP (None); return the port, 0 for a path.

        Raise `RefereeError` if that is impossible.
        """
        listener = socket.socket(socket.AF_INET if at is None else socket.AF_UNIX)
        listener.settimeout(0)
        try:
            listener.bind(("127.0.0.1", 0) if at is None else str(at))
            listener.listen(_WAITING)
        except OSError as error:
            listener.close()
            where = "127.0.0.1" if at is None else f"unix:{at}"
            raise RefereeError(f"cannot listen on {where}: {error.strerror}") from error
        self._socket, self._path = listener, at
        self._accepting = asyncio.create_task(self._accept(listener))
        return 0 if at is not None else int(listener.getsockname()[1])

    async def close(self) -> None:
        """Stop listening, and end the connections."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])
        if self._socket is not None:
            self._socket.close()
        if self._path is not None:
            with contextlib.suppress(OSError):  # a bot may have put a folder there
                self._path.unlink()
        for client in list(self._clients):
            client.end()

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError:
                await asyncio.sleep(_SECONDS_WITHOUT_FILES)
                continue
            if len(self._clients) >= MOST_CONNECTIONS:
                connection.close()
                continue
            if connection.family is not socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = SeatClient(connection, self._method, self._begun, self._clients.discard)
            self._clients.add(client)
