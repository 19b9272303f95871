"""A bot on stdin and stdout: what holds in any framing."""

import asyncio
import os
import re
import resource
import threading
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import referee_pb2

from referee.core.faults import BotFault, FaultKind
from referee.transports.stdio import PipeConnection, PipeEndpoint

AtPipes = Callable[[Callable[[PipeEndpoint], Awaitable[None]]], None]
Connected = Callable[[Callable[[PipeConnection], Awaitable[None]]], None]
BotEnd = Any
"""conftest.BotEnd"""


def decision(number: int) -> referee_pb2.BotMessage:
    """An answer."""
    return referee_pb2.BotMessage(match_id="m", decision=referee_pb2.Decision(number=number))


def request(match_id: str = "m") -> bytes:
    """A bot's message."""
    return referee_pb2.RefereeMessage(match_id=match_id).SerializeToString()


def open_files() -> int:
    """This process's descriptor count."""
    return sum(map(_is_open, range(resource.getrlimit(resource.RLIMIT_NOFILE)[0])))


def _is_open(descriptor: int) -> bool:
    with suppress(OSError):
        os.fstat(descriptor)
        return True
    return False


async def soon() -> None:
    """Let the loop check its pipes twice."""
    for _ in range(2):
        await asyncio.sleep(0)
    await asyncio.get_running_loop().run_in_executor(None, int)


# Coming in


def test_a_bot_that_says_hello_is_welcome(at_pipes: AtPipes, bot_end: BotEnd) -> None:
    """The bot learns the versions; any token will do."""

    async def test(place: PipeEndpoint) -> None:
        bot_end.hello(seat_token="of another seat")
        await place.connection(bot_end.pipes)
        (message,) = bot_end.heard()
        assert message.welcome == referee_pb2.Welcome(protocol_version=1, referee_version="9.9")

    at_pipes(test)


def test_a_bot_is_told_its_transport(at_pipes: AtPipes, bot_end: BotEnd, tmp_path: Path) -> None:
    """And nothing else, and nothing is put into its folder."""

    async def test(place: PipeEndpoint) -> None:
        await place.open(tmp_path)
        assert place.environment("/run/courtyard") == {"COURTYARD_TRANSPORT": bot_end.transport}
        assert not any(tmp_path.iterdir())  # noqa: ASYNC240 -- nothing waits

    at_pipes(test)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"protocol_version": 2}, "speaks protocol version 1: Hello has 2"),
    "a long name": ({"name": "n" * 65}, "Hello's name may have 64 characters: it has 65"),
    "many matches": ({"max_matches": 1025}, "Hello's max_matches may be 1024: it is 1025"),
}


@pytest.mark.parametrize(("fields", "reason"), REFUSED.values(), ids=REFUSED)
def test_who_says_no_valid_hello_fails_to_start(
    at_pipes: AtPipes, bot_end: BotEnd, fields: dict[str, Any], reason: str
) -> None:
    """The reason is every carrier's, and the bot hears nothing."""

    async def test(place: PipeEndpoint) -> None:
        bot_end.hello(**fields)
        with pytest.raises(BotFault) as caught:
            await place.connection(bot_end.pipes)
        assert caught.value.fault.kind is FaultKind.FAILED_TO_START
        assert reason in str(caught.value)
        assert reason in str(place.refusal)
        os.set_blocking(bot_end.stdin, False)
        with pytest.raises(BlockingIOError):
            os.read(bot_end.stdin, 1)

    at_pipes(test)


def test_who_begins_with_something_else_fails_to_start(at_pipes: AtPipes, bot_end: BotEnd) -> None:
    """An answer is no Hello."""

    async def test(place: PipeEndpoint) -> None:
        bot_end.say(decision(1))
        with pytest.raises(BotFault, match="the first message must be Hello: it has decision"):
            await place.connection(bot_end.pipes)

    at_pipes(test)


def test_who_ends_without_a_hello_fails_to_start(at_pipes: AtPipes, bot_end: BotEnd) -> None:
    """Nothing can follow, so the referee does not wait."""

    async def test(place: PipeEndpoint) -> None:
        os.close(bot_end.stdout)
        with pytest.raises(BotFault, match="no Hello"):
            await place.connection(bot_end.pipes)

    at_pipes(test)


def test_half_a_hello_is_told_to_who_waited_for_it(at_pipes: AtPipes, bot_end: BotEnd) -> None:
    """A caller that gives up can say what came instead."""

    async def test(place: PipeEndpoint) -> None:
        assert place.refusal is None
        bot_end.say(b"\x60Hi!")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(place.connection(bot_end.pipes), 0.05)
        assert str(place.refusal) == "4 bytes that are not a whole message: '`Hi!'"

    at_pipes(test)


# Passing messages


def test_messages_pass_in_order(connected: Connected, bot_end: BotEnd) -> None:
    """Messages pass both ways."""

    async def test(connection: PipeConnection) -> None:
        for name in ("first", "second"):
            await connection.send(request(name))
        assert [message.match_id for message in bot_end.heard()] == ["first", "second"]
        bot_end.say(bot_end.encoded(decision(1)) + bot_end.encoded(decision(2)))
        for number in (1, 2):
            message = referee_pb2.BotMessage.FromString(await connection.receive())
            assert message == decision(number)

    connected(test)


def test_a_message_may_come_byte_by_byte(connected: Connected, bot_end: BotEnd) -> None:
    """The endpoint takes it whole."""

    async def test(connection: PipeConnection) -> None:
        receiving = asyncio.ensure_future(connection.receive())
        *parts, last = [bytes([byte]) for byte in bot_end.encoded(decision(300))]
        for part in parts:
            bot_end.say(part)
            await soon()
        assert not receiving.done()
        assert connection.unfinished().startswith(
            f"{len(parts)} bytes that are not a whole message"
        )
        bot_end.say(last)
        assert referee_pb2.BotMessage.FromString(await receiving) == decision(300)
        assert connection.unfinished() == ""

    connected(test)


def test_the_largest_messages_pass(connected: Connected, bot_end: BotEnd) -> None:
    """65,536 bytes from the bot, more than a pipe holds to it."""

    async def test(connection: PipeConnection) -> None:
        answer = referee_pb2.BotMessage(match_id="m")
        answer.match_id *= 65_536 - len(bot_end.encoded(answer).strip()) + 1
        while len(bot_end.encoded(answer).rstrip(b"\n")) > 65_536:
            answer.match_id = answer.match_id[1:]
        receiving = asyncio.ensure_future(connection.receive())
        await asyncio.to_thread(bot_end.say, answer)
        assert referee_pb2.BotMessage.FromString(await receiving) == answer

        long = referee_pb2.RefereeMessage(match_id="l" * 300_000).SerializeToString()
        sending = asyncio.ensure_future(connection.send(long))
        heard = b""
        while not sending.done() or heard.count(b"l") < 300_000:
            heard += await asyncio.to_thread(os.read, bot_end.stdin, 1 << 20)
        assert heard.count(b"l") == 300_000

    connected(test)


def test_a_quick_answer_needs_no_turn_of_the_loop(connected: Connected, bot_end: BotEnd) -> None:
    """A request and its answer pass at once while the loop is blocked, in two parts as well."""

    async def test(connection: PipeConnection) -> None:
        said = bot_end.encoded(decision(1))
        for parts in ((said,), (said[:1], said[1:])):

            def reply(parts: tuple[bytes, ...] = parts) -> None:
                (heard,) = bot_end.heard()
                assert heard.match_id == "m"
                for part in parts:
                    bot_end.say(part)

            bot = threading.Thread(target=reply)
            bot.start()
            answer = connection.exchange(request(), 60_000)
            bot.join()
            assert isinstance(answer, bytes)
            assert referee_pb2.BotMessage.FromString(answer) == decision(1)

    connected(test)


def test_a_slow_answer_is_awaited(connected: Connected, bot_end: BotEnd) -> None:
    """Neither silence nor bytes that trickle in block the loop for longer than was allowed."""

    async def test(connection: PipeConnection) -> None:
        for blocking_ms in (0, 1):
            awaited = connection.exchange(request(), blocking_ms)
            assert not isinstance(awaited, bytes)
            assert len(bot_end.heard()) == 1
            bot_end.say(decision(2))
            assert referee_pb2.BotMessage.FromString(await awaited) == decision(2)
        said = bot_end.encoded(decision(3))
        gate = threading.Event()

        def trickle() -> None:
            bot_end.heard()
            for byte in said[:-1]:
                bot_end.say(bytes([byte]))
            gate.wait()
            bot_end.say(said[-1:])

        bot = threading.Thread(target=trickle)
        bot.start()
        try:
            awaited = connection.exchange(request(), 1)
        finally:
            gate.set()
        assert not isinstance(awaited, bytes)
        assert referee_pb2.BotMessage.FromString(await awaited) == decision(3)
        bot.join()

    connected(test)


def test_a_blocking_exchange_takes_no_early_answer(connected: Connected, bot_end: BotEnd) -> None:
    """What came before the request is no answer to it."""

    async def test(connection: PipeConnection) -> None:
        bot_end.say(decision(1))
        with pytest.raises(BotFault, match="exactly one answer"):
            connection.exchange(request(), 1000)

    connected(test)


def test_a_blocking_exchange_sees_the_end(connected: Connected, bot_end: BotEnd) -> None:
    """The end of the stream is an error, not a wait."""

    async def test(connection: PipeConnection) -> None:
        os.close(bot_end.stdout)
        with pytest.raises(ConnectionError):
            connection.exchange(request(), 60_000)

    connected(test)


def test_a_request_without_room_in_the_pipe_is_awaited(
    connected: Connected, bot_end: BotEnd
) -> None:
    """It is sent whole as the bot reads, and its answer comes back."""

    async def test(connection: PipeConnection) -> None:
        long = referee_pb2.RefereeMessage(match_id="l" * 300_000).SerializeToString()
        awaited = connection.exchange(long, 1000)
        assert not isinstance(awaited, bytes)
        answering = asyncio.ensure_future(awaited)
        heard = 0
        while heard < 300_000:
            heard += (await asyncio.to_thread(os.read, bot_end.stdin, 1 << 20)).count(b"l")
        bot_end.say(decision(1))
        assert referee_pb2.BotMessage.FromString(await answering) == decision(1)

    connected(test)


def test_a_bot_that_does_not_read_holds_up_no_other(connected: Connected, bot_end: BotEnd) -> None:
    """Senders may give up at any time; what was sent arrives whole and in order."""

    async def test(connection: PipeConnection) -> None:
        for name in ("x", "y"):
            long = referee_pb2.RefereeMessage(match_id=name * 100_000).SerializeToString()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(connection.send(long), 0.01)
        sending = asyncio.ensure_future(connection.send(request("z")))
        heard = b""
        while b"z" not in heard:
            heard += await asyncio.to_thread(os.read, bot_end.stdin, 1 << 16)
        await sending
        assert re.findall(b"[xyz]+", heard) == [b"x" * 100_000, b"y" * 100_000, b"z"]

    connected(test)


def test_a_bot_that_floods_is_not_read(connected: Connected, bot_end: BotEnd) -> None:
    """Beyond one buffer its output stays in its own pipe, at its own fault."""

    async def test(connection: PipeConnection) -> None:
        bot_end.say(decision(1))
        await connection.receive()
        os.set_blocking(bot_end.stdout, False)
        written = 0
        for _ in range(100):
            try:
                written += os.write(bot_end.stdout, bytes(1 << 16))
            except BlockingIOError:
                await soon()
        assert written < 300_000
        tracemalloc.start()
        await connection.send(request())
        with pytest.raises(BotFault) as caught:
            await connection.receive()
        assert tracemalloc.get_traced_memory()[1] < 300_000
        tracemalloc.stop()
        assert caught.value.fault.kind is FaultKind.PROTOCOL_ERROR

    connected(test)


# Too much, too little


def test_a_second_answer_is_a_fault(connected: Connected, bot_end: BotEnd) -> None:
    """What precedes a request cannot answer it, whatever it says."""

    async def test(connection: PipeConnection) -> None:
        await connection.send(request())
        bot_end.say(decision(1))
        await connection.receive()
        bot_end.say(decision(2))
        await connection.send(request())
        with pytest.raises(BotFault, match="each request has exactly one answer") as caught:
            await connection.receive()
        assert caught.value.fault.kind is FaultKind.PROTOCOL_ERROR
        assert caught.value.fault.received == bot_end.encoded(decision(2))

    connected(test)


def test_an_answer_that_is_no_longer_awaited_is_a_fault(
    connected: Connected, bot_end: BotEnd
) -> None:
    """It does not answer the next request."""

    async def test(connection: PipeConnection) -> None:
        await connection.send(request())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.receive(), 0.01)
        bot_end.say(decision(1))
        await soon()
        await connection.send(request())
        with pytest.raises(BotFault, match="each request has exactly one answer"):
            await connection.receive()

    connected(test)


def test_a_bot_that_closes_its_stdout_has_ended_its_stream(
    connected: Connected, bot_end: BotEnd
) -> None:
    """Half a message before does not matter; an end is final."""

    async def test(connection: PipeConnection) -> None:
        bot_end.say(b"\x05{")
        os.close(bot_end.stdout)
        for _ in range(2):
            with pytest.raises(ConnectionError):
                await connection.receive()

    connected(test)


def test_an_end_that_is_not_awaited_is_looked_at_once(
    connected: Connected, bot_end: BotEnd
) -> None:
    """The loop would find the pipe readable for ever."""

    async def test(connection: PipeConnection) -> None:
        receiving = asyncio.ensure_future(connection.receive())
        await soon()
        assert connection._reader._watching
        receiving.cancel()
        os.close(bot_end.stdout)
        while connection._reader._watching:  # noqa: ASYNC110 -- until the loop has seen it
            await asyncio.sleep(0)
        with pytest.raises(ConnectionError):
            await connection.receive()

    connected(test)


def test_a_last_answer_before_the_end_counts(connected: Connected, bot_end: BotEnd) -> None:
    """Whole messages count."""

    async def test(connection: PipeConnection) -> None:
        bot_end.say(decision(1))
        os.close(bot_end.stdout)
        assert referee_pb2.BotMessage.FromString(await connection.receive()) == decision(1)

    connected(test)


def test_sending_to_a_bot_that_has_closed_its_stdin_fails(
    connected: Connected, bot_end: BotEnd
) -> None:
    """Sending fails at once, even while waiting."""

    async def test(connection: PipeConnection) -> None:
        sending = asyncio.ensure_future(connection.send(request("x" * 1_000_000)))
        await soon()
        os.close(bot_end.stdin)
        with pytest.raises(ConnectionError):
            await sending
        with pytest.raises(ConnectionError):
            await connection.send(request())

    connected(test)


# Ending


def test_a_connection_that_is_closed_ends_the_bots_stdin(
    connected: Connected, bot_end: BotEnd
) -> None:
    """The bot reads to the end; readers and senders learn of the close."""

    async def test(connection: PipeConnection) -> None:
        receiving = asyncio.ensure_future(connection.receive())
        await soon()
        connection.close()
        assert os.read(bot_end.stdin, 100) == b""
        with pytest.raises(ConnectionError):
            await receiving
        with pytest.raises(ConnectionError):
            await connection.send(request())
        with pytest.raises(ConnectionError):
            await connection.receive()
        connection.close()

    connected(test)


def test_closing_leaves_what_a_bot_has_not_read_for_good(
    connected: Connected, bot_end: BotEnd
) -> None:
    """The referee does not await a bot that never reads."""

    async def test(connection: PipeConnection) -> None:
        sending = asyncio.ensure_future(connection.send(request("x" * 1_000_000)))
        await soon()
        connection.close()
        with pytest.raises(ConnectionError):
            await sending

    connected(test)


def test_a_place_closes_what_it_opened(at_pipes: AtPipes, bot_end: BotEnd) -> None:
    """The process's own descriptors stay valid and belong to no other process."""
    before = open_files()

    async def test(place: PipeEndpoint) -> None:
        during = open_files()
        bot_end.hello()
        await place.connection(bot_end.pipes)
        await place.stop()
        assert open_files() == during
        os.fstat(bot_end.pipes.to_bot)
        os.fstat(bot_end.pipes.from_bot)

    at_pipes(test)
    assert open_files() == before
