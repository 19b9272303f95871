"""gRPC: a server of its own for every bot, so that the listener is the place.

grpcio does not tell who is at the other end of a Unix socket, and a server takes streams from all
its listeners alike. A bot's place is therefore a server of its own on a socket in a folder of its
own (64 of them start in 7 ms), and a one-use token on top, which is all that TCP has.

Messages pass as bytes: `referee.wire` reads and writes them.
"""

import asyncio
import hmac
import os
from typing import Any, NoReturn

# The referee forks only to start bots; grpc's handlers for that serve those who fork to use it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
import grpc.aio
from courtyard.v1 import referee_pb2

from referee.errors import RefereeError
from referee.faults import BotFault
from referee.wire import envelope

_SERVICE = "courtyard.v1.Referee"
_LARGEST_BY_GRPC = 1024 * 1024
"""gRPC itself cuts off only what is far too large; `envelope` tells the bot of the real limit."""

Context = grpc.aio.ServicerContext[Any, Any]


class GrpcConnection:
    """One stream of `Referee.Play` that has said Hello."""

    def __init__(self, context: Context, hello: referee_pb2.Hello) -> None:
        """Wrap the stream's context; it lives until `close` or until the bot ends it."""
        self._context = context
        self.hello = hello
        self.closed = asyncio.Event()
        """Set to end the stream from this side."""

    async def send(self, message: bytes) -> None:
        """Send a RefereeMessage; raise `ConnectionError` if the stream has ended."""
        try:
            await self._context.write(message)
        except grpc.aio.BaseError:
            raise ConnectionError("the stream has ended") from None

    async def receive(self) -> bytes:
        """Return the next BotMessage; raise `ConnectionError` if the stream has ended."""
        message = await self._context.read()
        if message is grpc.aio.EOF:
            raise ConnectionError("the stream has ended")
        return bytes(message)

    def close(self) -> None:
        """End the stream from this side; the bot should exit."""
        self.closed.set()


class GrpcListener:
    """The place of one bot: takes the one stream that brings the right token, once."""

    def __init__(self, token: str, referee_version: str) -> None:
        """Prepare a place for the bot that holds this token."""
        self._token = token.encode()
        self._welcome = envelope.welcome(referee_version)
        self._used_up = False
        self._connected: asyncio.Future[GrpcConnection] = asyncio.Future()
        self.refusal = ""
        """Why the last stream that came was refused."""
        self._server = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", _LARGEST_BY_GRPC),
                ("grpc.so_reuseport", 0),
            ]
        )
        play: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, {"Play": play}),)
        )

    async def start(self, address: str) -> str:
        """Listen on `unix:PATH` or `HOST:PORT`, port 0 for any; return the address to dial."""
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise RefereeError(f"cannot listen on {address}: {error}") from error
        await self._server.start()
        return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def connection(self) -> GrpcConnection:
        """Wait for the bot's stream."""
        return await asyncio.shield(self._connected)

    async def stop(self) -> None:
        """Close the place and its stream."""
        await self._server.stop(None)

    async def _play(self, _requests: object, context: Context) -> None:
        connection = GrpcConnection(context, await self._hello(context))
        if self._used_up:
            await self._refuse(context, grpc.StatusCode.UNAUTHENTICATED, "the token is used up")
        self._used_up = True
        await connection.send(self._welcome)
        self._connected.set_result(connection)
        await connection.closed.wait()

    async def _hello(self, context: Context) -> referee_pb2.Hello:
        first = await context.read()
        if first is grpc.aio.EOF:
            await self._refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "there was no Hello")
        try:
            hello = envelope.read_hello(bytes(first))
        except BotFault as error:
            await self._refuse(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        if not hmac.compare_digest(hello.seat_token.encode(), self._token):
            await self._refuse(context, grpc.StatusCode.UNAUTHENTICATED, "the token is wrong")
        return hello

    async def _refuse(self, context: Context, status: grpc.StatusCode, reason: str) -> NoReturn:
        self.refusal = reason
        await context.abort(status, reason)
        raise AssertionError("abort returned")
