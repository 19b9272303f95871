"""The transport "grpc": one server for each bot.

grpcio does not tell which process is at the other end of a Unix socket, and a server mixes the
streams of all its listeners. So each bot's endpoint is a server of its own on a socket in a folder
of its own (64 of them start in 7 ms). A one-use token protects it too; on TCP only the token does.

Messages pass as bytes: `referee.wire` encodes and decodes them.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# The referee forks only to start bots; grpc's fork handlers serve processes that use it after.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
import grpc.aio

from referee.sandbox.streams import Pipes
from referee.transports.advice import another_carrier
from referee.transports.framing import stream_ended, unasked
from referee.transports.handshake import Handshake, Refused
from referee.transports.seat_listener import SeatListener

_SERVICE = "courtyard.v1.Referee"
_SOCKET_FILE = "seat.sock"
_TOKEN_FILE = "token"  # noqa: S105 -- the name of a file
_LARGEST_BY_GRPC = 1024 * 1024
"""gRPC refuses only far too large messages; `envelope` enforces the real limit with a reason."""
_MOST_STREAMS = 8
"""Per connection. A bot needs one stream; each costs memory here."""
_LEAST_MS_BETWEEN_PINGS = 1_000
_NEVER = 2**31 - 1
"""gRPC's "no limit" for options in milliseconds."""
SEAT_OPTIONS = (
    ("grpc.max_receive_message_length", _LARGEST_BY_GRPC),
    ("grpc.so_reuseport", 0),
    ("grpc.max_concurrent_streams", _MOST_STREAMS),
    # A stopped bot answers no pings, so the server sends none and no silence ends the stream.
    # The process itself shows whether the bot lives.
    ("grpc.http2.bdp_probe", 0),  # would ping whenever data comes
    ("grpc.keepalive_time_ms", _NEVER),  # every two hours by default; sets TCP_USER_TIMEOUT, too
    ("grpc.keepalive_timeout_ms", _NEVER),
    ("grpc.http2.ping_timeout_ms", _NEVER),  # a minute by default, whatever keepalive says
    ("grpc.http2.settings_timeout", _NEVER),  # likewise
    ("grpc.max_connection_idle_ms", _NEVER),
    ("grpc.max_connection_age_ms", _NEVER),
    # A bot may ping during a long decision.
    ("grpc.http2.min_ping_interval_without_data_ms", _LEAST_MS_BETWEEN_PINGS),
)

Context = grpc.aio.ServicerContext[Any, Any]


class GrpcConnection:
    """One stream of `Referee.Play` that has said Hello."""

    def __init__(self, context: Context) -> None:
        """Wrap the stream's context, which lives until `close` or until the bot ends it."""
        self._context = context
        self._awaited: asyncio.Future[bytes] | None = None
        """The message that `receive` waits for."""
        self._early: bytes | None = None
        """A message that came while nobody waited; reading stops then."""
        self._unasked: bytes | None = None
        """A message that came before the request was sent."""
        self._reading: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._ended_at = 0.0
        """When the end was noticed, on the monotonic clock."""
        self.closed = asyncio.Event()
        """Set to end the stream from this side."""
        self._read_on()

    async def send(self, message: bytes) -> None:
        """Send a RefereeMessage; raise `ConnectionError` if the stream has ended."""
        if self._early is not None:
            self._unasked = self._early
        try:
            await self._context.write(message)
        except grpc.aio.BaseError:
            raise stream_ended() from None

    async def receive(self) -> bytes:
        """Return the next BotMessage.

        Raise `ConnectionError` if the stream has ended, `BotFault` if the message came before the
        last request was sent.
        """
        if self._unasked is not None:
            raise unasked(self._unasked)
        if self._early is not None:
            message, self._early = self._early, None
            self._read_on()
            return message
        if self._ended.is_set():
            raise stream_ended()
        self._awaited = asyncio.get_running_loop().create_future()
        try:
            return await self._awaited
        finally:
            self._awaited = None

    def unfinished(self) -> str:
        """Return nothing: gRPC delivers whole messages only."""
        return ""

    async def was_lost(self, after: float, within_s: float) -> bool:
        """Return whether the stream ended after this moment; wait up to `within_s` for its end."""
        if within_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), within_s)
        return self._ended.is_set() and self._ended_at > after

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""
        if self._reading is not None:
            self._reading.cancel()
        self._end()  # gRPC may end the handler before the reading task notices the end
        self.closed.set()

    def _read_on(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        """Pass messages to the waiting `receive`; stop at the first that nobody waits for."""
        with contextlib.suppress(grpc.aio.BaseError):
            while (message := await self._context.read()) is not grpc.aio.EOF:
                if self._awaited is None or self._awaited.done():
                    self._early = bytes(message)
                    return
                self._awaited.set_result(bytes(message))
        self._end()

    def _end(self) -> None:
        """Note the end of the stream and wake `receive`."""
        if not self._ended.is_set():
            self._ended_at = time.monotonic()
            self._ended.set()
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_exception(stream_ended())


class GrpcEndpoint:
    """The endpoint of one bot: accepts one stream with the right token, once."""

    def __init__(self, token: str, referee_version: str, *, tcp: bool = False) -> None:
        """Prepare an endpoint for the bot with this token, on a Unix socket or loopback TCP."""
        self._token = token
        self._tcp = tcp
        self._tcp_address = ""
        self._listener = SeatListener()
        self._handshake = Handshake(referee_version, token)
        self._connected: asyncio.Future[GrpcConnection] = asyncio.Future()
        self._called = False
        self._server = grpc.aio.server(options=SEAT_OPTIONS)
        play: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, {"Play": play}),)
        )

    @property
    def refusal(self) -> str:
        """Why the last stream was refused; empty if none was."""
        return self._handshake.refusal

    def advice(self, printed: str, *, runs: bool) -> str:
        """Return advice for a bot that said no Hello; empty if there is none."""
        if spoken := another_carrier("grpc", printed.encode()):
            return spoken
        if self._called:
            return "" if self.refusal else "the bot called Play, and sent nothing"
        return "the bot never called Play at the address in COURTYARD_ADDRESS" if runs else ""

    async def open(self, folder: Path) -> None:
        """Listen; put the token, and the socket if any, into this private folder."""
        token_file = folder / _TOKEN_FILE
        token_file.touch(mode=0o600)
        token_file.write_text(self._token)
        self._server.add_insecure_port(self._listener.server_address())
        await self._server.start()
        port = await self._listener.open(None if self._tcp else folder / _SOCKET_FILE)
        if self._tcp:
            self._tcp_address = f"127.0.0.1:{port}"

    def environment(self, seen: str) -> Mapping[str, str]:
        """Return the variables that tell the bot where to dial; `seen` is its folder path."""
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
        await self._server.stop(None)
        self._listener.close()

    async def _play(self, _requests: object, context: Context) -> None:
        self._called = True
        try:
            welcome = self._handshake.enter(await self._first(context))
        except Refused as error:
            codes = grpc.StatusCode
            status = codes.UNAUTHENTICATED if error.token else codes.INVALID_ARGUMENT
            await context.abort(status, str(error))
        await context.write(welcome)
        connection = GrpcConnection(context)
        self._connected.set_result(connection)
        try:
            await connection.closed.wait()
        finally:
            connection.close()

    async def _first(self, context: Context) -> bytes:
        first = await context.read()
        if first is grpc.aio.EOF:
            raise self._handshake.refused("there was no Hello")
        return bytes(first)
