"""Shared by the carriers' tests: both ends of a bot's pipes, in one process."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import uvloop
from courtyard.v1 import referee_pb2
from google.protobuf import json_format

from referee.sandbox.streams import Pipes
from referee.transports import TRANSPORTS
from referee.transports.stdio import PipeConnection, PipeEndpoint
from referee.wire.encoding import varint

Loop = Callable[[], asyncio.AbstractEventLoop]


class BotEnd:
    """The bot's ends of the pipes, and its messages' encoding."""

    def __init__(self, transport: str) -> None:
        """Open the pipes; the referee's ends are non-blocking, as the endpoint expects."""
        self.transport = transport
        self.stdin, to_bot = os.pipe()
        from_bot, self.stdout = os.pipe()
        os.set_blocking(to_bot, False)
        os.set_blocking(from_bot, False)
        self.pipes = Pipes(to_bot=to_bot, from_bot=from_bot)

    def encoded(self, message: referee_pb2.BotMessage) -> bytes:
        """Return a message's bytes."""
        if self.transport == "stdio":
            data = message.SerializeToString()
            return varint(len(data)) + data
        return json_format.MessageToJson(message, indent=None).encode() + b"\n"

    def say(self, message: referee_pb2.BotMessage | bytes) -> None:
        """Write a message, or any bytes, to stdout."""
        data = message if isinstance(message, bytes) else self.encoded(message)
        while data:
            data = data[os.write(self.stdout, data) :]

    def hello(self, **fields: Any) -> None:
        """Say Hello, right but for changes."""
        right: dict[str, Any] = {"protocol_version": 1, "name": "bot"}
        hello = referee_pb2.Hello(**right | fields)
        self.say(referee_pb2.BotMessage(hello=hello))

    def heard(self) -> list[referee_pb2.RefereeMessage]:
        """Return the messages on stdin, at least one."""
        data, messages = os.read(self.stdin, 1 << 16), []
        if self.transport == "stdio-json":
            return [
                json_format.Parse(line, referee_pb2.RefereeMessage())
                for line in data.split(b"\n")
                if line
            ]
        while data:
            length, data = data[0], data[1:]
            assert length < 128, "a short message"
            messages.append(referee_pb2.RefereeMessage.FromString(data[:length]))
            data = data[length:]
        return messages

    def close(self) -> None:
        """Close all ends, as a process would."""
        for end in (self.stdin, self.stdout, self.pipes.to_bot, self.pipes.from_bot):
            with contextlib.suppress(OSError):
                os.close(end)


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def loop(request: pytest.FixtureRequest) -> Loop:
    """A loop factory of either kind."""
    made: Loop = request.param
    return made


@pytest.fixture(params=["stdio", "stdio-json"])
def bot_end(request: pytest.FixtureRequest) -> Iterator[BotEnd]:
    """The bot's pipe ends, on each carrier with pipes."""
    end = BotEnd(request.param)
    yield end
    end.close()


@pytest.fixture
def at_pipes(
    bot_end: BotEnd, loop: Loop
) -> Callable[[Callable[[PipeEndpoint], Awaitable[None]]], None]:
    """Run a coroutine function with an endpoint, in its own loop."""

    def run(test: Callable[[PipeEndpoint], Awaitable[None]]) -> None:
        async def main() -> None:
            place = TRANSPORTS[bot_end.transport]("", "9.9")
            assert isinstance(place, PipeEndpoint)
            try:
                await test(place)
            finally:
                await place.stop()

        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(main())

    return run


@pytest.fixture
def connected(
    at_pipes: Callable[..., None], bot_end: BotEnd
) -> Callable[[Callable[[PipeConnection], Awaitable[None]]], None]:
    """Run a coroutine function with a connection after Hello."""

    def run(test: Callable[[PipeConnection], Awaitable[None]]) -> None:
        async def main(place: PipeEndpoint) -> None:
            bot_end.hello()
            connection = await place.connection(bot_end.pipes)
            assert len(bot_end.heard()) == 1
            await test(connection)

        at_pipes(main)

    return run
