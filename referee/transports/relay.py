"""Relay one client's HTTP/2 to a gRPC server on its own socket, and the answers back."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

from referee.transports.http2 import Http2Error, Inspector

Ended = Callable[["Relay"], object]
"""Called when a client has disconnected."""
_CONNECTS_AGAIN_S = 0.01


class Relay(asyncio.Protocol):
    """The client's side."""

    transport: asyncio.Transport

    def __init__(self, server: Path, name: Path | None, inspector: Inspector, ended: Ended) -> None:
        """Relay to a server's socket; `name`, if any, names the caller to the server."""
        self._socket = server
        self._name = name
        self._ended = ended
        self._far: _Far | None = None
        self._early = b""
        """Bytes that came before the server was connected."""
        self._stopped: set[str] = set()
        """Reasons why reading is paused."""
        self.reason = ""
        """Why the server ended the connection; empty if it did not."""
        self._reaching: asyncio.Task[None] | None = None
        self.inspector = inspector

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the client, which speaks first in HTTP/2."""
        self.transport = transport  # type: ignore[assignment] # a stream's is no less

    def data_received(self, data: bytes) -> None:
        """Pass on what the inspector allows; connect to the server at the first bytes."""
        if self._reaching is None:
            self._reaching = asyncio.get_running_loop().create_task(self._reach())
        try:
            passed = self.inspector.feed(data)
        except Http2Error as error:
            self.end(f"sent what no client of gRPC's sends: {error}")
            return
        if self.inspector.holds_back:
            self.stop_reading("streams")
        if self._far is not None:
            self._far.transport.write(passed)
        else:
            self._early += passed
            self.stop_reading("server")

    def connection_lost(self, _error: Exception | None) -> None:
        """Close the connection to the server too."""
        if self._reaching is not None:
            self._reaching.cancel()
        if self._far is not None:
            self._far.transport.close()
        self._ended(self)
        # It refers back, so buffers of 0.4 MiB would wait for a full garbage collection.
        self._far = None

    def pause_writing(self) -> None:
        """Stop reading the server's answers: the client does not read them."""
        if self._far is not None:
            self._far.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read the server's answers again."""
        if self._far is not None:
            self._far.transport.resume_reading()

    def stop_reading(self, why: str) -> None:
        """Stop reading from the client until `read_on` with the same reason."""
        if not self._stopped:
            self.transport.pause_reading()
        self._stopped.add(why)

    def read_on(self, why: str) -> None:
        """Remove a reason; read again if none is left."""
        if why in self._stopped:
            self._stopped.remove(why)
            if not self._stopped:
                self.transport.resume_reading()

    def welcome(self) -> None:
        """Allow the client any number of streams, and pass on what was held back."""
        self.inspector.allow_all()
        self.go_on()

    def go_on(self) -> None:
        """Pass on what was held back, if there is room for its streams now."""
        if "streams" in self._stopped and not self.inspector.is_full:
            self.read_on("streams")
            self.data_received(b"")

    def close(self) -> None:
        """Close the connection once pending answers are sent."""
        if not self.transport.is_closing():  # TLS closed twice can no longer be aborted
            self.transport.close()

    def end(self, reason: str) -> None:
        """Abort the connection for this reason."""
        self.reason = self.reason or reason
        self.transport.abort()

    async def _reach(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            far = await _connected(self._socket, self._name)
            _, self._far = await loop.create_connection(lambda: _Far(self), sock=far)
        except OSError:
            self.transport.abort()
            return
        self._far.transport.write(self._early)
        self._early = b""
        self.read_on("server")


class _Far(asyncio.Protocol):
    """The server's side."""

    transport: asyncio.Transport

    def __init__(self, near: Relay) -> None:
        self._near = near

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment] # as above

    def data_received(self, data: bytes) -> None:
        self._near.inspector.answered(data)
        self._near.transport.write(data)
        self._near.go_on()

    def connection_lost(self, _error: Exception | None) -> None:
        self._near.close()

    def pause_writing(self) -> None:
        self._near.stop_reading("slow")

    def resume_writing(self) -> None:
        self._near.read_on("slow")


async def _connected(server: Path, name: Path | None) -> socket.socket:
    """Connect to a socket; raise `OSError`."""
    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        far.settimeout(0)
        if name is not None:
            far.bind(str(name))
        while True:
            with contextlib.suppress(BlockingIOError):  # more are waiting than it has room for
                far.connect(str(server))
                return far
            await asyncio.sleep(_CONNECTS_AGAIN_S)
    except BaseException:
        far.close()
        raise
    finally:
        if name is not None:
            _remove(name)


def _remove(name: Path) -> None:
    name.unlink(missing_ok=True)
