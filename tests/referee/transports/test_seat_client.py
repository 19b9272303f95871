"""A seat's gRPC: what clients of all kinds may send, and what ends their connection."""

import asyncio
import contextlib
import gzip
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import grpc
import grpc.aio
import pytest
import uvloop
from courtyard.v1 import referee_pb2
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived

from referee.core.faults import BotFault
from referee.transports.grpc import MOST_CONNECTIONS, GrpcConnection, GrpcEndpoint
from referee.transports.seat_call import LARGEST_BY_GRPC
from tests.support import http2_client
from tests.support.http2_client import NEWEST, STATIC, Raw, call, frame

TOKEN = "the token"  # noqa: S105 -- of no place but these
PLAY = "/courtyard.v1.Referee/Play"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_HEADERS = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0)
BEGUN = frame(HEADERS, END_HEADERS, 1, call(PLAY))
Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Test = Callable[["Seat"], Awaitable[None]]


def hello(token: str = TOKEN) -> bytes:
    """Return a Hello."""
    fields = referee_pb2.Hello(protocol_version=1, name="bot", seat_token=token)
    return referee_pb2.BotMessage(hello=fields).SerializeToString()


def prefixed(message: bytes, *, compressed: bool = False) -> bytes:
    """Return a message as gRPC sends it."""
    return bytes((compressed,)) + len(message).to_bytes(4) + message


class Seat:
    """An open endpoint, whose socket anybody may dial."""

    def __init__(self, endpoint: GrpcEndpoint, socket: Path) -> None:
        """Dial this socket."""
        self.endpoint = endpoint
        self.address = f"unix:{socket}"

    @asynccontextmanager
    async def stream(
        self, compression: grpc.Compression | None = None
    ) -> AsyncIterator[tuple[GrpcConnection, Any]]:
        """Let a bot in; yield both ends of its stream, which takes any bytes as messages."""
        options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        async with grpc.aio.insecure_channel(self.address, options, compression) as channel:
            stream: Any = channel.stream_stream(PLAY)()
            await stream.write(hello())
            await stream.read()
            yield await self.endpoint.connection(None), stream

    @asynccontextmanager
    async def dialled(self, sent: bytes) -> AsyncIterator[tuple[Reader, Writer]]:
        """Send bytes after the preface and settings; yield the connection's ends."""
        reader, writer = await asyncio.open_unix_connection(self.address.removeprefix("unix:"))
        writer.write(PREFACE + sent)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def lets_in(self) -> bool:
        """Return whether a bot can still join and be heard."""
        async with self.stream() as (connection, stream):
            await stream.write(b"still here")
            return await connection.receive() == b"still here"


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def at_a_seat(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Test], None]:
    """Run a coroutine function with a seat, on either loop."""

    def run(test: Test) -> None:
        async def main() -> None:
            endpoint = GrpcEndpoint(TOKEN, "9.9")
            await endpoint.open(tmp_path)
            try:
                await test(Seat(endpoint, tmp_path / "seat.sock"))
            finally:
                await endpoint.stop()

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(main())

    return run


@pytest.mark.parametrize("size", [0, 5_000, 70_000, LARGEST_BY_GRPC - 5])
def test_messages_of_any_size_pass(at_a_seat: Callable[[Test], None], size: int) -> None:
    """More than a frame, a window or a socket holds goes both ways in turns."""

    async def test(seat: Seat) -> None:
        async with seat.stream() as (connection, stream):
            for number in range(3):
                message = bytes((number,)) * size
                sending = asyncio.create_task(connection.send(message))
                assert await stream.read() == message
                await sending
                writing = asyncio.create_task(stream.write(message))
                assert await connection.receive() == message
                await writing

    at_a_seat(test)


def test_a_message_beyond_the_limit_ends_its_stream(at_a_seat: Callable[[Test], None]) -> None:
    """The bot learns why, and the referee that the stream has ended."""

    async def test(seat: Seat) -> None:
        async with seat.stream() as (connection, stream):
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await stream.write(bytes(LARGEST_BY_GRPC + 1))
            with pytest.raises(ConnectionError):
                await connection.receive()
            assert await stream.code() is grpc.StatusCode.RESOURCE_EXHAUSTED

    at_a_seat(test)


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_compressed_messages_are_understood(
    at_a_seat: Callable[[Test], None], compression: grpc.Compression
) -> None:
    """A bot may compress, as with any server of gRPC's."""

    async def test(seat: Seat) -> None:
        async with seat.stream(compression) as (connection, stream):
            await stream.write(b"x" * 10_000)
            assert await connection.receive() == b"x" * 10_000

    at_a_seat(test)


GET = ((":method", "GET"), (":path", "/"), (":scheme", "http"))
BOMB = gzip.compress(bytes(LARGEST_BY_GRPC + 1))


@pytest.mark.parametrize(
    ("encoding", "message", "status"),
    [
        ("gzip", BOMB, b"8"),
        ("gzip", gzip.compress(b"x" * 1000)[:-9], b"8"),
        ("deflate", b"nothing of zlib's", b"13"),
        ("snappy", zlib.compress(b"x"), b"12"),
        ("identity", b"x", b"12"),
    ],
    ids=["a bomb", "cut", "no such data", "unknown", "none"],
)
def test_what_cannot_be_decompressed_ends_its_stream(
    at_a_seat: Callable[[Test], None], encoding: str, message: bytes, status: bytes
) -> None:
    """Nothing is decompressed beyond the limit, and others can join."""

    async def test(seat: Seat) -> None:
        fields = call(PLAY) + http2_client.field(b"grpc-encoding", encoding.encode())
        sent = frame(DATA, 0, 1, prefixed(message, compressed=True))
        client = H2Connection()
        client.initiate_connection()
        client.send_headers(1, [*GET, (":authority", "localhost")])
        told: dict[bytes, bytes] = {}
        async with seat.dialled(frame(HEADERS, END_HEADERS, 1, fields) + sent) as (reader, _):
            while b"grpc-status" not in told:
                data = await reader.read(4096)
                assert data
                for event in client.receive_data(data):
                    if isinstance(event, ResponseReceived):
                        told = dict(event.headers)
        assert told[b"grpc-status"] == status
        assert await seat.lets_in()

    at_a_seat(test)


class StrictClient:
    """A client by h2, which raises an error when either side sends more than a window."""

    def __init__(self, path: str) -> None:
        """Connect, and say Hello."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._h2 = H2Connection()
        self._h2.initiate_connection()
        fields = (":method", "POST"), (":scheme", "http"), (":path", PLAY), (":authority", "here")
        self._h2.send_headers(1, fields)
        self._data = bytearray()
        self.say(hello(), padding=None)
        self.hear()

    def say(self, message: bytes, padding: int | None) -> None:
        """Send a message in one frame, with `padding` bytes of padding."""
        self._h2.send_data(1, prefixed(message), pad_length=padding)
        self._socket.sendall(self._h2.data_to_send())

    def hear(self) -> bytes:
        """Return the next message."""
        while len(self._data) < 5 + int.from_bytes(self._data[1:5]):
            for event in self._h2.receive_data(self._socket.recv(65536)):
                if isinstance(event, DataReceived):
                    self._data += event.data
                    self._h2.acknowledge_received_data(event.flow_controlled_length, 1)
            self._socket.sendall(self._h2.data_to_send())
        end = 5 + int.from_bytes(self._data[1:5])
        message = bytes(self._data[5:end])
        del self._data[:end]
        return message

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


@pytest.mark.sweep
@pytest.mark.parametrize("paddings", [[None], [3], [None, None, 200]], ids=["no", "all", "some"])
def test_windows_hold_for_many_messages(
    at_a_seat: Callable[[Test], None], paddings: list[int | None]
) -> None:
    """Many times a window passes both ways, whether or not frames have anything special."""

    async def test(seat: Seat) -> None:
        client = await asyncio.to_thread(StrictClient, seat.address.removeprefix("unix:"))
        try:
            connection = await seat.endpoint.connection(None)
            for number in range(400):
                sending = asyncio.create_task(connection.send(b"r" * (100 * number)))
                assert await asyncio.to_thread(client.hear) == b"r" * (100 * number)
                await sending
                padding = paddings[number % len(paddings)]
                await asyncio.to_thread(client.say, b"a" * 3_900, padding)
                assert await connection.receive() == b"a" * 3_900
        finally:
            client.close()

    at_a_seat(test)


def test_who_sends_more_than_a_window_loses_its_connection(
    at_a_seat: Callable[[Test], None],
) -> None:
    """Nothing is acknowledged while messages wait to be taken."""

    async def test(seat: Seat) -> None:
        messages = frame(DATA, 0, 1, prefixed(b"a" * 4_000)) * 20
        async with seat.dialled(BEGUN + frame(DATA, 0, 1, prefixed(hello()))) as (reader, writer):
            await seat.endpoint.connection(None)
            writer.write(messages)
            with contextlib.suppress(ConnectionError):
                while await reader.read(65536):
                    pass

    at_a_seat(test)


def test_there_is_one_method(at_a_seat: Callable[[Test], None]) -> None:
    """A call of another one ends with a status, and its connection goes on."""

    async def test(seat: Seat) -> None:
        async with grpc.aio.insecure_channel(seat.address) as channel:
            for _ in range(20):
                stray: Any = channel.stream_stream("/courtyard.v1.Referee/Watch")()
                assert await stray.code() is grpc.StatusCode.UNIMPLEMENTED
                assert await stray.details() == f"the one method here is {PLAY}"
            stream: Any = channel.stream_stream(PLAY)()
            await stream.write(hello())
            assert await stream.read() is not grpc.aio.EOF

    at_a_seat(test)


@pytest.mark.parametrize(
    "sent",
    [
        BEGUN + frame(PING, 0, 0, bytes(8)) * 4_000,
        BEGUN + frame(SETTINGS, 0, 0) * 8_000,
        BEGUN + frame(WINDOW_UPDATE, 0, 0, (1).to_bytes(4)) * 5_000,
        BEGUN + frame(DATA, 0, 1) * 8_000,
        BEGUN + frame(DATA, 0, 1, b"\0") * 8_000,
        BEGUN + frame(99, 0, 1) * 8_000,
        b"".join(
            frame(HEADERS, END_HEADERS, number, call(PLAY)) + frame(RST_STREAM, 0, number, bytes(4))
            for number in range(1, 1_001, 2)
        ),
    ],
    ids=["pings", "settings", "windows", "empty data", "bytes one by one", "unknown", "resets"],
)
def test_a_flood_of_small_frames_ends_its_connection(
    at_a_seat: Callable[[Test], None], sent: bytes
) -> None:
    """A bot cannot keep the referee busy while others are to move; others can join."""

    async def test(seat: Seat) -> None:
        async with seat.dialled(sent) as (reader, _):
            with contextlib.suppress(ConnectionError):
                while await reader.read(65536):
                    pass
        assert await seat.lets_in()

    at_a_seat(test)


def test_pings_in_each_turn_are_no_flood(at_a_seat: Callable[[Test], None]) -> None:
    """A library may ping with each message, match after match."""

    async def test(seat: Seat) -> None:
        async with seat.dialled(BEGUN + frame(DATA, 0, 1, prefixed(hello()))) as (reader, writer):
            connection = await seat.endpoint.connection(None)
            for number in range(200):
                writer.write(frame(PING, 0, 0, bytes(8)) * 100)
                writer.write(frame(DATA, 0, 1, prefixed(b"an answer")))
                assert await connection.receive() == b"an answer", number
                await connection.send(b"")
                await reader.read(65536)

    at_a_seat(test)


def opens_many(raw: Raw) -> None:
    """Begin more calls at once than a seat has."""
    for number in range(20):
        raw.begin(number, PLAY)


ATTACKS: dict[str, Callable[[Raw], None]] = {
    "references": lambda raw: http2_client.references(raw, PLAY, 8, NEWEST, 4_000),
    "an endless block": lambda raw: http2_client.endless_block(raw, PLAY, 100, STATIC),
    "many calls": opens_many,
    "no HTTP": lambda raw: raw.send(b"GET / HTTP/1.1\r\n\r\n" * 2_000),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_header_fields_and_calls_are_bounded(
    at_a_seat: Callable[[Test], None], attack: Callable[[Raw], None]
) -> None:
    """A client that sends too many loses its connection; others can join."""

    async def test(seat: Seat) -> None:
        raw = await asyncio.to_thread(Raw, seat.address)
        try:
            await asyncio.to_thread(attack, raw)
            await asyncio.to_thread(raw._reading.join, 60)
            assert not raw._reading.is_alive()
        finally:
            await asyncio.to_thread(raw.close)
        assert await seat.lets_in()

    at_a_seat(test)


@pytest.fixture
def raws() -> Iterator[list[Raw]]:
    """Connections to be closed at the end."""
    opened: list[Raw] = []
    yield opened
    for raw in opened:
        raw.close()


def test_a_seat_has_few_connections(at_a_seat: Callable[[Test], None], raws: list[Raw]) -> None:
    """One more is closed at once; with room again, a bot can join."""

    async def test(seat: Seat) -> None:
        number = MOST_CONNECTIONS + 1
        raws.extend([await asyncio.to_thread(Raw, seat.address) for _ in range(number)])
        await asyncio.to_thread(raws[-1]._reading.join, 60)
        assert not raws[-1]._reading.is_alive()
        assert all(raw._reading.is_alive() for raw in raws[:-1])
        await asyncio.to_thread(raws[0].close)
        while len(seat.endpoint._listener._clients) == MOST_CONNECTIONS:  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0)
        assert await seat.lets_in()

    at_a_seat(test)


def test_a_quick_answer_does_not_wait_for_the_loop(at_a_seat: Callable[[Test], None]) -> None:
    """It is returned at once; a slow one is awaited, and one from before the request is a fault."""

    async def test(seat: Seat) -> None:
        with socket.socket(socket.AF_UNIX) as bot:
            bot.connect(seat.address.removeprefix("unix:"))
            bot.sendall(PREFACE + BEGUN + frame(DATA, 0, 1, prefixed(hello())))
            connection = await seat.endpoint.connection(None)

            def answer(wanted: bytes) -> None:
                heard = b""
                while wanted not in heard:
                    heard += bot.recv(65536)
                bot.sendall(frame(DATA, 0, 1, prefixed(b"to " + wanted)))

            with ThreadPoolExecutor(1) as thread:
                thread.submit(answer, b"a request")
                assert connection.exchange(b"a request", 60_000) == b"to a request"
                slow = connection.exchange(b"another", 1)
                assert not isinstance(slow, bytes)
                thread.submit(answer, b"another")
                assert await slow == b"to another"

            bot.sendall(frame(DATA, 0, 1, prefixed(b"an early one")))
            with pytest.raises(BotFault, match=r"exactly one answer.*an early one"):
                await cast("Awaitable[bytes]", connection.exchange(b"a third", 1))

    at_a_seat(test)
