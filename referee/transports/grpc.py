"""The transport "grpc" for local bots: one endpoint for each bot.

No server knows which process is at the other end of a Unix socket. So each bot's endpoint listens
on a socket of its own in a folder of its own. A one-use token protects it too; on TCP only the
token does.

Messages pass as bytes: `referee.wire` encodes and decodes them.
"""

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from referee.core.errors import RefereeError
from referee.core.rules import Rule
from referee.sandbox.streams import Pipes
from referee.transports.framing import stream_ended, unasked
from referee.transports.handshake import Handshake, Refusal, Refused, another_carrier
from referee.transports.seat_call import GrpcStatus, SeatCall
from referee.transports.seat_client import SeatClient

_METHOD = "/courtyard.v1.Referee/Play"
_SOCKET_FILE = "seat.sock"
_TOKEN_FILE = "token"  # noqa: S105 -- the name of a file
_MOST_PARTS = 4
"""Reads in which a quick answer comes: libraries write windows and settings by themselves."""
MOST_CONNECTIONS = 8
_WAITING = 16
_SECONDS_WITHOUT_FILES = 1.0


class GrpcConnection:
    """One stream of `Referee.Play` that has sent Hello."""

    def __init__(self, client: SeatClient, call: SeatCall) -> None:
        """Take over a call."""
        self._client = client
        self._call = call
        self._awaited: asyncio.Future[bytes] | None = None
        """The message that `receive` waits for."""
        self._unasked: bytes | None = None
        """A message that came before the request was sent."""
        self._ended = asyncio.Event()
        self._ended_at = 0.0
        """When the end was noticed, on the monotonic clock."""
        call.wake = self._woken

    def begin(self, message: bytes) -> bool:
        """Send what there is room for of a RefereeMessage; return whether that was all.

        If not, await `sent`. Raise `ConnectionError` if the stream has ended.
        """
        self._look()
        if self._call.messages:  # it came before
            self._unasked = self._call.messages[0]
        return self._call.begin(message)

    async def sent(self) -> None:
        """Wait until all is sent; raise `ConnectionError` if the stream ends before."""
        await self._call.sent()

    async def send(self, message: bytes) -> None:
        """Do both: send a whole RefereeMessage."""
        if not self.begin(message):
            await self.sent()

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` if the message came before the
        last request was sent.
        """
        if self._unasked is not None:
            raise unasked(self._unasked)
        if self._call.messages:
            return self._call.take()
        if self._call.over:
            raise stream_ended()
        self._awaited = asyncio.get_running_loop().create_future()
        try:
            return await self._awaited
        finally:
            self._awaited = None

    def exchange(self, message: bytes, blocking_ms: int) -> bytes | Awaitable[bytes]:
        """Send a RefereeMessage; return the next BotMessage, or what awaits it.

        Blocks for at most `ms` milliseconds, and for four times as many if the answer comes in
        parts.
        """
        if not self.begin(message):
            return self._finish_exchange()
        for _ in range(_MOST_PARTS if blocking_ms else 0):
            if self._call.messages or not self._client.poll(blocking_ms):
                break
            self._client.read()
        if self._call.messages and self._unasked is None:
            return self._call.take()
        return self.receive()

    async def _finish_exchange(self) -> bytes:
        await self.sent()
        return await self.receive()

    def _look(self) -> None:
        """Read what has come already."""
        if self._client.poll(0):
            self._client.read()

    def unfinished(self) -> str:
        """Return nothing: gRPC delivers whole messages only."""
        return ""

    async def was_lost(self, after: float, within_s: float) -> bool:
        """Return whether the stream ended after this moment; wait up to `within_s` for its end."""
        if not within_s:
            self._look()
        else:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), within_s)
        return self._ended.is_set() and self._ended_at > after

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""
        self._call.finish(GrpcStatus.OK)

    def _woken(self) -> None:
        """Pass on the message or the end that has come."""
        if self._call.over and not self._ended.is_set():
            self._ended_at = time.monotonic()
            self._ended.set()
        if self._awaited is None or self._awaited.done():
            return
        if self._call.messages:
            self._awaited.set_result(self._call.take())
        elif self._call.over:
            self._awaited.set_exception(stream_ended())


class GrpcEndpoint:
    """The endpoint of one bot: accepts one stream with the right token, once."""

    def __init__(self, token: str, referee_version: str, *, tcp: bool = False) -> None:
        """Prepare an endpoint for the bot with this token, on a Unix socket or loopback TCP."""
        self._token = token
        self._tcp = tcp
        self._tcp_address = ""
        self._listener = SeatListener(_METHOD, self._begun)
        self._handshake = Handshake(referee_version, token)
        self._connected: asyncio.Future[GrpcConnection] = asyncio.Future()
        self._called = False

    @property
    def refusal(self) -> Refusal | None:
        """Why the last stream was refused; None if none was."""
        return self._handshake.refusal

    @property
    def speaks_plain(self) -> bool:
        """Whether the bot's Hello declares the plain dialect."""
        return self._handshake.speaks_plain

    def advice(self, printed: str, *, runs: bool) -> str:
        """Return advice for a bot that sent no Hello; empty if there is none."""
        if advice := another_carrier("grpc", printed.encode()):
            return advice
        if self._called:
            return "" if self.refusal else "the bot called Play, and sent nothing"
        return "the bot never called Play at the address in COURTYARD_ADDRESS" if runs else ""

    async def open(self, folder: Path) -> None:
        """Listen; put the token, and the socket if any, into this private folder."""
        token_file = folder / _TOKEN_FILE
        token_file.touch(mode=0o600)
        token_file.write_text(self._token)
        port = self._listener.open(None if self._tcp else folder / _SOCKET_FILE)
        if self._tcp:
            self._tcp_address = f"127.0.0.1:{port}"

    def environment(self, seen: str) -> Mapping[str, str]:
        """Return the variables with the address to dial; `seen` is its folder path."""
        return {
            "COURTYARD_TRANSPORT": "grpc",
            "COURTYARD_ADDRESS": self._tcp_address or f"unix:{seen}/{_SOCKET_FILE}",
            "COURTYARD_TOKEN_FILE": f"{seen}/{_TOKEN_FILE}",
        }

    async def connection(self, _pipes: Pipes | None) -> GrpcConnection:
        """Wait for the bot's stream; ignores the pipes."""
        return await asyncio.shield(self._connected)

    async def stop(self) -> None:
        """Close the endpoint and its stream."""
        await self._listener.close()

    def _begun(self, client: SeatClient, call: SeatCall) -> None:
        self._called = True
        call.wake = partial(self._enter, client, call)

    def _enter(self, client: SeatClient, call: SeatCall) -> None:
        """Let a call in that sends a valid Hello; refuse any other."""
        try:
            if not call.messages:
                raise self._handshake.refused("there was no Hello", Rule.START)
            welcome = self._handshake.enter(call.take())
        except Refused as error:
            call.wake = lambda: None  # refused once
            token = error.rule is Rule.HELLO_TOKEN
            status = GrpcStatus.UNAUTHENTICATED if token else GrpcStatus.INVALID_ARGUMENT
            call.finish(status, str(error))
            return
        self._connected.set_result(GrpcConnection(client, call))
        call.begin(welcome)


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
