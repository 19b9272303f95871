"""The public listener in front of a gRPC server that strangers can reach.

It accepts connections, terminates TLS, and passes on only traffic that gRPC handles safely. gRPC
itself listens on a socket in a private folder. A connection without a valid token gets few streams
and little time, and takes no slot from connections with one.
"""

import asyncio
import contextlib
import ctypes
import itertools
import re
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import grpc.aio

from referee.core.errors import UsageError
from referee.transports.certificates import Credentials
from referee.transports.connections import Connections, Slot
from referee.transports.http2 import Inspector
from referee.transports.relay import Relay

SECONDS_TO_BE_KNOWN = 30.0
"""How long a connection without a valid token stays open."""
SECONDS_TO_HAND_SHAKE = 10.0
SECONDS_TO_SAY_SOMETHING = 30.0
"""How long a call may stay open without a message."""
_STREAMS_OF_STRANGERS = 16
FILES_A_CONNECTION = 3
"""File descriptors per connection: the client's socket, ours to gRPC, and gRPC's."""
SOCKET = "grpc"
"""Name of the server's socket in its folder."""
_SECONDS_BETWEEN_LOOKS = 2.0
_ACCEPTED_AT_ONCE = 50
_PAUSE_S = 0.025
"""Pause after that many: a TLS handshake costs about 1 ms of CPU time."""
_WAITING = 1024
"""Backlog: connections that wait until they are accepted; a client that finds it full tries again
only after a second."""
_SECONDS_TO_LEAVE = 1.0
_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", int)
"""glibc's, which gives free pages back to the system. Otherwise uvloop's 256 KiB for the TLS of a
connection lie where small blocks have been, and 512 idle connections come to take 130 MiB."""


@dataclass(slots=True, eq=False)
class _Client:
    """One client connection."""

    relay: Relay
    slot: Slot
    address: str
    connecting: "asyncio.Task[None] | None" = None
    """The handshake; None once the relay has the connection."""

    def end(self, reason: str) -> None:
        """End the connection."""
        if self.connecting is None:
            self.relay.end(reason)
        else:
            self.relay.reason = reason
            self.connecting.cancel()


class PublicListener:
    """Listens for one server, in one event loop."""

    _credentials: Credentials

    def __init__(self, connections: Connections, open_of_strangers: int) -> None:
        """Assign accepted connections to these slots; strangers have few calls at a time.

        A call costs gRPC about 50 KiB, of which the system gets nothing back.
        """
        self._connections = connections
        self._open_of_strangers = open_of_strangers
        self._folder = Path()
        """Private folder of the server's socket."""
        self._numbers = itertools.count()
        self._clients: dict[int, _Client] = {}
        self._looking: asyncio.Task[None] | None = None
        self._listening: socket.socket | None = None
        self._none_left = asyncio.Event()

    def attach(self, server: grpc.aio.Server) -> None:
        """Make a server that has not started listen on the private socket."""
        self._folder = short_folder()
        server.add_insecure_port(f"unix:{self._folder / SOCKET}")

    def listen(self, address: str, credentials: Credentials) -> str:
        """Listen at "host:port"; return the address, with the chosen port if it was 0.

        The server must have started. Raise `UsageError` if the address cannot be used.
        """
        self._listening = listening = _listening(address)
        self._credentials = credentials
        loop = asyncio.get_running_loop()
        loop.add_reader(listening.fileno(), self._accept)
        self._looking = loop.create_task(self._look())
        return f"{address.rpartition(':')[0]}:{listening.getsockname()[1]}"

    def know(self, peer: str) -> None:
        """Mark the connection of a call as known; `peer` comes from the call's context."""
        client = self._clients.get(_number(peer))
        if client is not None and not client.slot.known:
            self._connections.know(client.slot)
            client.relay.welcome()

    def address(self, peer: str) -> str:
        """Return the client address of a call, in gRPC's form."""
        client = self._clients.get(_number(peer))
        return client.address if client is not None else "a connection that is gone"

    def close_listener(self) -> None:
        """Accept no more connections."""
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening.fileno())
            self._listening.close()
            self._listening = None

    async def close(self) -> None:
        """Stop accepting and end all connections; the server must have stopped."""
        self.close_listener()
        if self._looking is not None:
            self._looking.cancel()
        for client in list(self._clients.values()):
            if client.connecting is None:
                client.relay.close()
            else:
                client.connecting.cancel()
        await self._until_all_left()
        for client in list(self._clients.values()):
            client.end("")
        await self._until_all_left()
        if self._folder != Path():
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _until_all_left(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_LEAVE):
                while self._clients:
                    self._none_left.clear()
                    await self._none_left.wait()
        await asyncio.sleep(0)  # their sockets close in the next turn of the loop

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            if self._listening is None:
                return
            try:
                client, address = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                return
            except OSError as error:  # out of files or memory, perhaps only for a moment
                self._connections.ended(f"could not be accepted ({error.strerror})")
                self._pause()
                return
            self._take(client, address[0], address[1])
        self._pause()

    def _pause(self) -> None:
        loop, listening = asyncio.get_running_loop(), self._listening
        if listening is None:
            return
        loop.remove_reader(listening.fileno())

        def go_on() -> None:
            if self._listening is not listening:
                return
            try:
                loop.add_reader(listening.fileno(), self._accept)
            except OSError:  # perhaps out of memory: try again
                loop.call_later(_PAUSE_S, go_on)

        loop.call_later(_PAUSE_S, go_on)

    def _take(self, socket_: socket.socket, host: str, port: int) -> None:
        socket_.settimeout(0)
        number = next(self._numbers)
        if (slot := self._connections.take(host, partial(self._end, number))) is None:
            socket_.close()
            return
        relay = Relay(
            self._folder / SOCKET,
            self._folder / str(number),
            Inspector(_STREAMS_OF_STRANGERS, self._open_of_strangers, watches=True),
            partial(self._lost, number),
        )
        address = f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
        client = _Client(relay, slot, address)
        self._clients[number] = client
        connecting = asyncio.get_running_loop().create_task(self._connect(client, socket_))
        client.connecting = connecting
        # A task that is cancelled before it runs cannot do this itself.
        connecting.add_done_callback(lambda _: self._connected(number, client, socket_))

    async def _connect(self, client: _Client, socket_: socket.socket) -> None:
        """Do the TLS handshake; then the relay takes over."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # TLS's errors are among them
            socket_.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.connect_accepted_socket(
                lambda: client.relay,
                socket_,
                ssl=self._credentials(),
                ssl_handshake_timeout=SECONDS_TO_HAND_SHAKE,
                ssl_shutdown_timeout=_SECONDS_TO_LEAVE,
            )
            client.connecting = None

    def _connected(self, number: int, client: _Client, socket_: socket.socket) -> None:
        """Forget a client whose handshake failed."""
        if client.connecting is not None:
            socket_.close()
            self._lost(number, client.relay)
            client.connecting = None  # its exception refers back to the client

    def _end(self, number: int, reason: str) -> None:
        if (client := self._clients.get(number)) is not None:
            client.end(reason)

    def _lost(self, number: int, relay: Relay) -> None:
        if (client := self._clients.pop(number, None)) is None:
            return
        self._connections.leave(client.slot)
        if relay.reason:
            self._connections.ended(relay.reason)
        if not self._clients:
            self._none_left.set()

    async def _look(self) -> None:
        """End connections that have been idle for too long, every few seconds."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            _TRIM(0)
            for slot in self._connections.unknown(SECONDS_TO_BE_KNOWN):
                slot.close("")
            limit = time.monotonic() - SECONDS_TO_SAY_SOMETHING
            for client in list(self._clients.values()):
                if client.relay.inspector.silent_since < limit:
                    client.end("had calls without a message")


def _number(peer: str) -> int:
    """Return the number of a call's connection; -1 if unknown."""
    found = re.search(r"(\d+)$", peer)
    return int(found.group()) if found else -1


def short_folder() -> Path:
    """Make a private folder with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="courtyard-"))
    if len(str(folder)) <= 80:  # noqa: PLR2004 -- as in referee.hosting.host
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="courtyard-", dir="/tmp"))


def _listening(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        found = socket.getaddrinfo(host or None, int(port), type=socket.SOCK_STREAM)
        family, _, _, _, where = min(found, key=lambda each: each[0] != socket.AF_INET)
        both = family == socket.AF_INET6 and host == "::" and socket.has_dualstack_ipv6()
        listening = socket.create_server(
            where, family=family, backlog=_WAITING, dualstack_ipv6=both
        )
    except (OSError, ValueError):
        raise UsageError(f"cannot listen on {address}: is it taken, or not here?") from None
    listening.settimeout(0)
    return listening
