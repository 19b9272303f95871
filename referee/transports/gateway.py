"""The bot gateway: the TLS listener where remote bots join.

The gateway passes a bot's token and name to `admit`; an admitted stream belongs to the bot's
session. Pings go both ways every few seconds, so that a cut connection is noticed while idle.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # as in referee.transports.grpc

import grpc
import grpc.aio

from referee.core.errors import AbsentError, CourtyardError, UsageError
from referee.core.faults import BotFault
from referee.transports.certificates import Credentials
from referee.transports.connections import Connections, Log, raise_file_limit, room
from referee.transports.public_listener import FILES_A_CONNECTION, PublicListener
from referee.transports.session import RemoteSeat, Session
from referee.wire import envelope

SECONDS_TO_SAY_HELLO = 10.0
SECONDS_BETWEEN_CHECKS = 30.0
"""How long a revoked token may stay in use."""
SECONDS_TO_END = 1.0
_MOST_STREAMS = 8192
_MOST_CONNECTIONS = 4096
_MOST_UNKNOWN = 512
"""The number of bots of one machine that can join at once, as after a pause."""
_STREAMS_A_CONNECTION = 8
_OPEN_OF_STRANGERS = 1
_PING_MS = 4_000
_PONG_MS = 4_000
_SHARE_OF_FILES = 0.75

_OPTIONS = (
    ("grpc.max_receive_message_length", envelope.LARGEST_BOT_MESSAGE),
    ("grpc.max_concurrent_streams", _STREAMS_A_CONNECTION),
    ("grpc.max_connection_idle_ms", 60_000),
    ("grpc.keepalive_time_ms", _PING_MS),
    ("grpc.keepalive_timeout_ms", _PONG_MS),
    ("grpc.http2.ping_timeout_ms", _PONG_MS),  # a minute by default, whatever keepalive is set to
    ("grpc.http2.max_pings_without_data", 0),
    # A bot may ping as often as the gateway does, but not more often.
    ("grpc.http2.min_ping_interval_without_data_ms", _PING_MS // 2),
    ("grpc.so_reuseport", 0),
)

Context = grpc.aio.ServicerContext[Any, Any]


def _quiet(_level: int, _line: str) -> None:
    """Log nothing."""


class NotAdmittedError(Exception):
    """A bot may not join; the message gives the reason."""

    def __init__(self, reason: str, *, known: bool) -> None:
        """Say why; `known`: the token is valid, but the bot is not one of its author's."""
        super().__init__(reason)
        self.known = known


Admit = Callable[[str, str], str]
"""Maps a token and the name in Hello to the ladder's name of the bot version.

Raises `NotAdmittedError`. Runs in a thread of its own.
"""

Notice = Callable[[str, int], None]
"""Called with a bot's name and how many matches it can now play at once; 0 when disconnected."""


class BotGateway:
    """Where remote bots join and wait for matches, in one event loop."""

    def __init__(
        self, admit: Admit, notice: Notice, referee_version: str, log: Log = _quiet
    ) -> None:
        """Admit bots by `admit`, and report connected bots to `notice`."""
        raise_file_limit()
        most = room(_MOST_CONNECTIONS, FILES_A_CONNECTION, _SHARE_OF_FILES)
        self._listener = PublicListener(Connections(most, _MOST_UNKNOWN, log), _OPEN_OF_STRANGERS)
        self._admit = admit
        self._notice = notice
        self._version = referee_version
        self._sessions: dict[str, Session] = {}
        self._token_thread = ThreadPoolExecutor(1, "tokens")
        self._server = grpc.aio.server(options=_OPTIONS, maximum_concurrent_rpcs=_MOST_STREAMS)
        play: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("courtyard.v1.Referee", {"Play": play}),)
        )
        self._checking: asyncio.Task[None] | None = None

    async def open(self, address: str, credentials: Credentials) -> str:
        """Listen at "host:port"; return the address, with the chosen port if it was 0.

        Raise `UsageError` if the address cannot be used.
        """
        self._listener.attach(self._server)
        await self._server.start()
        try:
            listening = self._listener.listen(address, credentials)
        except UsageError:
            await self._server.stop(None)
            await self._listener.close()
            raise
        self._checking = asyncio.create_task(self._check())
        return listening

    def seat(self, name: str, match_id: str) -> RemoteSeat:
        """Seat a bot in a match; raise `AbsentError` if it is not connected or has no room."""
        if (session := self._sessions.get(name)) is None:
            raise AbsentError(f"{name} is not connected")
        return session.seat(match_id)

    async def close(self) -> None:
        """End every stream and stop listening."""
        if self._checking is not None:
            self._checking.cancel()
        for session in self._sessions.values():
            if session.stream is not None:
                session.stream.end(grpc.StatusCode.OK, "")
        self._listener.close_listener()
        await self._server.stop(SECONDS_TO_END)
        await self._listener.close()
        self._token_thread.shutdown()

    async def _play(self, _requests: object, context: Context) -> None:
        stream = _GatewayStream(context, self._listener.address(context.peer()))
        session = await self._joined(stream)
        try:
            status, reason = await stream.carry(session)
        finally:
            session.leave(stream)
        if status is not grpc.StatusCode.OK:
            await context.abort(status, reason)

    async def _joined(self, stream: "_GatewayStream") -> Session:
        """Return the session of a stream with a valid Hello; abort any other stream."""
        codes = grpc.StatusCode
        try:
            hello = await stream.hello()
            name = await self._admitted(hello.seat_token, hello.name)
        except BotFault as error:
            await stream.context.abort(codes.INVALID_ARGUMENT, str(error))
        except NotAdmittedError as error:
            status = codes.PERMISSION_DENIED if error.known else codes.UNAUTHENTICATED
            await stream.context.abort(status, str(error))
        except CourtyardError:  # our failure, perhaps a passing one
            await stream.context.abort(
                codes.UNAVAILABLE, "the gateway cannot admit bots now: try later"
            )
        self._listener.know(stream.context.peer())
        session = self._sessions.setdefault(name, Session(name, self._changed))
        if session.is_over:
            session.speaks_plain = hello.plain
        elif session.speaks_plain != hello.plain:
            await stream.context.abort(
                codes.INVALID_ARGUMENT, f"{name} cannot change its dialect while it plays"
            )
        replaced = session.stream.peer if session.stream is not None else ""
        stream.send(envelope.welcome(self._version, name, replaced))
        session.token = hello.seat_token
        session.join(stream, hello.max_matches or 1, resumes=hello.resumes)
        return session

    async def _admitted(self, token: str, name: str) -> str:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._token_thread, self._admit, token, name)

    def _changed(self, session: Session) -> None:
        """Report a session's free matches; drop a disconnected session without a match."""
        if session.is_over:
            self._sessions.pop(session.name, None)
        self._notice(session.name, session.most)

    async def _check(self) -> None:
        """End the streams of bots whose tokens were revoked, every 30 s."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            for session in list(self._sessions.values()):
                if (stream := session.stream) is None:
                    continue
                try:
                    await self._admitted(session.token, session.name)
                except NotAdmittedError as error:
                    stream.end(grpc.StatusCode.UNAUTHENTICATED, str(error))
                except CourtyardError:
                    continue  # our failure: keep the stream


class _GatewayStream:
    """One call of `Referee.Play` at the gateway.

    Hundreds of bots wait most of the time, so an idle stream costs only its reading task; the
    writing task exists while there is something to write.
    """

    __slots__ = ("_ending", "_outgoing", "_time", "_writing", "context", "peer")

    def __init__(self, context: Context, peer: str) -> None:
        """Wrap the context of a call from the address `peer`."""
        self.context = context
        self.peer = peer
        self._outgoing: list[bytes] = []
        """Messages to send, the oldest first."""
        self._writing: asyncio.Task[None] | None = None
        """The writing task; None while there is nothing to send."""
        self._ending: tuple[grpc.StatusCode, str] | None = None
        """Status and reason to end the stream with; None while it goes on."""
        self._time: asyncio.Timeout | None = None
        """The timeout that ends `carry`; None outside `carry`."""

    async def hello(self) -> Any:
        """Wait for a valid Hello and return it; raise `BotFault` if none comes."""
        first: Any = grpc.aio.EOF
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_SAY_HELLO):
                first = await self.context.read()
        return envelope.read_hello(b"" if first is grpc.aio.EOF else bytes(first))

    def send(self, message: bytes) -> None:
        """Send a RefereeMessage as soon as the stream takes it."""
        self._outgoing.append(message)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    def end(self, status: grpc.StatusCode, reason: str) -> None:
        """End the stream once pending messages are sent, within 1 s."""
        if self._ending is None:
            self._end_within(0.0 if self._writing is None else SECONDS_TO_END)
        self._ending = status, reason

    async def carry(self, session: Session) -> tuple[grpc.StatusCode, str]:
        """Pass messages both ways until either side ends the stream; return status and reason."""
        try:
            async with asyncio.timeout(None) as self._time:
                await self._read(session)
        except TimeoutError:  # it was to end
            pass
        finally:
            self._time = None
            if self._writing is not None:
                self._writing.cancel()
        return self._ending or (grpc.StatusCode.OK, "")

    async def _read(self, session: Session) -> None:
        with contextlib.suppress(grpc.aio.BaseError):
            while (message := await self.context.read()) is not grpc.aio.EOF:
                session.take(self, bytes(message))

    async def _write(self) -> None:
        try:
            while self._outgoing:
                await self.context.write(self._outgoing.pop(0))
        except grpc.aio.BaseError:
            self._end_within(0.0)
        self._writing = None
        if self._ending is not None:
            self._end_within(0.0)

    def _end_within(self, seconds: float) -> None:
        if self._time is not None and not self._time.expired():
            self._time.reschedule(asyncio.get_running_loop().time() + seconds)
