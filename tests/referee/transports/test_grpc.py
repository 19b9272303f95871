"""The endpoint where bots dial in: whom it admits, how messages pass."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from courtyard.v1 import referee_pb2, referee_pb2_grpc

from referee.core.errors import RefereeError
from referee.core.faults import BotFault, FaultKind
from referee.transports.grpc import GrpcConnection, GrpcEndpoint

TOKEN = "the token"  # noqa: S105 -- of no place but these
Stream = grpc.aio.StreamStreamCall[Any, Any]


def hello(token: str = TOKEN, **fields: Any) -> referee_pb2.BotMessage:
    """A Hello, right but for changes."""
    right: dict[str, Any] = {"protocol_version": 1, "name": "bot", "seat_token": token}
    return referee_pb2.BotMessage(hello=referee_pb2.Hello(**right | fields))


async def heard(stream: Stream) -> referee_pb2.RefereeMessage:
    """The bot's next message."""
    message = await stream.read()
    assert isinstance(message, referee_pb2.RefereeMessage)
    return message


async def ending(stream: Stream) -> tuple[grpc.StatusCode, str]:
    """How a silent stream ends."""
    with contextlib.suppress(grpc.aio.AioRpcError):
        assert await stream.read() is grpc.aio.EOF
    return await stream.code(), await stream.details() or ""


@pytest.fixture(params=["unix", "tcp"])
def at_a_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    """Run a coroutine function with an open endpoint and a dialler."""

    def run(test: Callable[..., Awaitable[None]]) -> None:
        async def main() -> None:
            place = GrpcEndpoint(TOKEN, "9.9", tcp=request.param == "tcp")
            await place.open(tmp_path)
            address = place.environment(str(tmp_path))["COURTYARD_ADDRESS"]
            try:
                async with grpc.aio.insecure_channel(address) as channel:
                    await test(place, referee_pb2_grpc.RefereeStub(channel).Play)
            finally:
                await place.stop()

        asyncio.run(main())

    return run


def test_a_bot_with_the_token_is_welcome(at_a_place: Callable[..., Any]) -> None:
    """The bot learns the versions, and the referee its stream."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello(name="Ada"))
        welcome = await heard(stream)
        connection = await place.connection(None)

        assert welcome.welcome == referee_pb2.Welcome(protocol_version=1, referee_version="9.9")
        assert isinstance(connection, GrpcConnection)

    at_a_place(test)


def test_messages_pass_as_they_are(at_a_place: Callable[..., Any]) -> None:
    """Bytes go both ways unread, in order."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        for number in (1, 2):
            message = referee_pb2.RefereeMessage(match_id=f"to the bot {number}")
            await connection.send(message.SerializeToString())
        for number in (1, 2):
            await stream.write(referee_pb2.BotMessage(match_id=f"to the referee {number}"))

        assert [(await heard(stream)).match_id for _ in (1, 2)] == ["to the bot 1", "to the bot 2"]
        for number in (1, 2):
            received = referee_pb2.BotMessage.FromString(await connection.receive())
            assert received.match_id == f"to the referee {number}"

    at_a_place(test)


REFUSED = {
    "a wrong token": (hello("another"), grpc.StatusCode.UNAUTHENTICATED, "the token is wrong"),
    "no token": (hello(""), grpc.StatusCode.UNAUTHENTICATED, "the token is wrong"),
    "letters of all kinds": (hello("tökén"), grpc.StatusCode.UNAUTHENTICATED, "the token is wrong"),
    "another version": (
        hello(protocol_version=2),
        grpc.StatusCode.INVALID_ARGUMENT,
        "speaks protocol version 1: Hello has 2",
    ),
    "no version": (hello(protocol_version=0), grpc.StatusCode.INVALID_ARGUMENT, "Hello has 0"),
    "a long name": (
        hello(name="n" * 65),
        grpc.StatusCode.INVALID_ARGUMENT,
        "Hello's name may have 64 characters: it has 65",
    ),
    "a long token": (
        hello("t" * 129),
        grpc.StatusCode.INVALID_ARGUMENT,
        "Hello's seat_token may have 128 characters: it has 129",
    ),
    "many matches": (
        hello(max_matches=1_025),
        grpc.StatusCode.INVALID_ARGUMENT,
        "Hello's max_matches may be 1024: it is 1025",
    ),
    "a decision": (
        referee_pb2.BotMessage(decision=referee_pb2.Decision(number=1)),
        grpc.StatusCode.INVALID_ARGUMENT,
        "the first message must be Hello: it has decision",
    ),
    "nothing": (
        referee_pb2.BotMessage(),
        grpc.StatusCode.INVALID_ARGUMENT,
        "the first message must be Hello: it has nothing",
    ),
}


@pytest.mark.parametrize(("first", "status", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bot_without_a_right_hello_is_refused(
    at_a_place: Callable[..., Any],
    first: referee_pb2.BotMessage,
    status: grpc.StatusCode,
    reason: str,
) -> None:
    """The stream ends with a status and a reason, and the bot can still join."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(first)
        code, details = await ending(stream)
        assert code is status
        assert reason in details
        assert str(place.refusal) == details

        rightful = dial()
        await rightful.write(hello())
        assert (await heard(rightful)).HasField("welcome")

    at_a_place(test)


def test_a_token_lets_in_one_stream(at_a_place: Callable[..., Any]) -> None:
    """A second use is refused, perhaps under another seat's name."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        first, second = dial(), dial()
        await first.write(hello())
        assert (await heard(first)).HasField("welcome")
        await second.write(hello())
        assert await ending(second) == (grpc.StatusCode.UNAUTHENTICATED, "the token is used up")

        connection = await place.connection(None)
        await connection.send(referee_pb2.RefereeMessage(match_id="still here").SerializeToString())
        assert (await heard(first)).match_id == "still here"

    at_a_place(test)


def test_of_two_streams_at_the_same_moment_one_is_let_in(at_a_place: Callable[..., Any]) -> None:
    """The token is used up with the first Hello, before anybody takes a welcome."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        streams = [dial(), dial()]
        await asyncio.gather(*(stream.write(hello()) for stream in streams))
        (await place.connection(None)).close()

        ends = await asyncio.gather(*map(all_of, streams))
        assert sorted(ends, reverse=True) == [(1, 0), (0, grpc.StatusCode.UNAUTHENTICATED.value[0])]

    at_a_place(test)


async def all_of(stream: Stream) -> tuple[int, int]:
    """How many messages a stream brings, and its status."""
    count = 0
    with contextlib.suppress(grpc.aio.AioRpcError):
        while await stream.read() is not grpc.aio.EOF:
            count += 1
    return count, (await stream.code()).value[0]


def test_a_stream_that_the_bot_ends_is_over(at_a_place: Callable[..., Any]) -> None:
    """Reading and writing both fail, in the same way."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        stream.cancel()

        with pytest.raises(ConnectionError):
            await connection.receive()
        with pytest.raises(ConnectionError):
            await send_until_it_fails(connection)

    at_a_place(test)


def test_a_stream_that_grpc_ends_first_is_over(at_a_place: Callable[..., Any]) -> None:
    """A pending receive fails, though nothing is read any more."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        answer = asyncio.create_task(connection.receive())
        await asyncio.sleep(0)
        connection.close()  # like the handler when gRPC cancels
        for _ in range(3):
            await asyncio.sleep(0)

        assert answer.done()
        with pytest.raises(ConnectionError):
            await answer

    at_a_place(test)


async def send_until_it_fails(connection: GrpcConnection) -> None:
    """Send; the last before the bot leaves may still pass."""
    while True:
        await connection.send(b"\x0a\x01x")


def test_a_stream_is_lost_after_some_moment_and_not_after_others(
    at_a_place: Callable[..., Any],
) -> None:
    """The end is dated when seen; a caller may wait while the stream is open."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        before = time.monotonic()
        assert not await connection.was_lost(before, 0)
        stream.cancel()

        assert await connection.was_lost(before, 60)
        assert not await connection.was_lost(time.monotonic(), 60)

    at_a_place(test)


def test_a_second_answer_is_a_fault(at_a_place: Callable[..., Any]) -> None:
    """A message from before a request cannot answer it."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        for match_id in ("answer", "second", "third"):
            await stream.write(referee_pb2.BotMessage(match_id=match_id))
        assert b"answer" in await connection.receive()
        while not connection._call.messages:  # noqa: ASYNC110 -- no event says when it has come
            await asyncio.sleep(0)

        await connection.send(b"")
        with pytest.raises(BotFault, match=r"exactly one answer.*second") as caught:
            await connection.receive()
        assert caught.value.fault.kind is FaultKind.PROTOCOL_ERROR

    at_a_place(test)


def test_waiting_may_be_given_up(at_a_place: Callable[..., Any]) -> None:
    """Later messages still arrive."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        connection = await place.connection(None)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.receive(), 0.01)
        await stream.write(referee_pb2.BotMessage(match_id="late"))
        assert b"late" in await connection.receive()

    at_a_place(test)


def test_a_bot_that_says_no_more_has_ended_its_stream(at_a_place: Callable[..., Any]) -> None:
    """Half a stream is none: the referee waits for nothing."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        await stream.done_writing()

        with pytest.raises(ConnectionError):
            await (await place.connection(None)).receive()

    at_a_place(test)


def test_a_stream_that_the_referee_closes_ends_well(at_a_place: Callable[..., Any]) -> None:
    """The bot sees OK: no more matches follow."""

    async def test(place: GrpcEndpoint, dial: Callable[[], Stream]) -> None:
        stream = dial()
        await stream.write(hello())
        await stream.read()
        (await place.connection(None)).close()

        assert await ending(stream) == (grpc.StatusCode.OK, "")

    at_a_place(test)


def test_a_place_that_is_taken_is_the_referees_problem(tmp_path: Path) -> None:
    """Where no referee can listen the match is void: no bot is at fault."""

    async def main() -> None:
        place = GrpcEndpoint(TOKEN, "9.9")
        (tmp_path / "seat.sock").mkdir()
        with pytest.raises(RefereeError, match="cannot listen on unix:"):
            await place.open(tmp_path)
        await place.stop()

    asyncio.run(main())


def test_another_can_listen_where_an_endpoint_stopped(tmp_path: Path) -> None:
    """The socket is gone with the endpoint."""

    async def main() -> None:
        for _ in range(2):
            place = GrpcEndpoint(TOKEN, "9.9")
            await place.open(tmp_path)
            await place.stop()

    asyncio.run(main())


def test_a_folder_that_a_bot_puts_in_the_sockets_place_does_no_harm(tmp_path: Path) -> None:
    """The endpoint stops all the same."""

    async def main() -> None:
        place = GrpcEndpoint(TOKEN, "9.9")
        await place.open(tmp_path)
        (tmp_path / "seat.sock").unlink()
        (tmp_path / "seat.sock").mkdir()
        await place.stop()

    asyncio.run(main())
