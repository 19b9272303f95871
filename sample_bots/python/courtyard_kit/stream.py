"""The bot's stream as a gRPC call to the referee.

COURTYARD_ADDRESS holds its address, COURTYARD_TOKEN_FILE names a file with the bot's one-use
token (or COURTYARD_TOKEN is the token itself).
"""

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from courtyard.v1 import referee_pb2

from courtyard_kit.pipes import Answer

# gRPC reads this as it is imported. Its newer event engine takes a quarter more of a bot's time.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_client")

import grpc.aio
from courtyard.v1 import referee_pb2_grpc

_NEVER = 2**31 - 1
"""The number of milliseconds that gRPC reads as "no limit"."""
_OPTIONS = (
    # The bot is stopped between its turns. To it that looks like a jump of time, after which a
    # timer may be up before the answer is read that has come meanwhile: so there are none.
    ("grpc.http2.bdp_probe", 0),  # pings whenever something has come
    ("grpc.keepalive_time_ms", _NEVER),
    ("grpc.http2.ping_timeout_ms", _NEVER),
    ("grpc.http2.settings_timeout", _NEVER),
)


def play(hello: referee_pb2.Hello, answer: Answer) -> None:
    """Play until the referee ends the stream."""
    _run(_play(hello, answer))


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where it is installed: it makes grpc a fifth faster."""
    try:
        import uvloop  # noqa: PLC0415 -- optional
    except ImportError:
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _play(hello: referee_pb2.Hello, answer: Answer) -> None:
    address, hello.seat_token = _whereabouts()
    try:
        async with grpc.aio.insecure_channel(address, _OPTIONS) as channel:
            stream = referee_pb2_grpc.RefereeStub(channel).Play()
            try:
                await stream.write(referee_pb2.BotMessage(hello=hello))
                while isinstance(message := await stream.read(), referee_pb2.RefereeMessage):
                    if reply := answer(message):
                        await stream.write(reply)
            finally:
                # SystemExit stops the event loop at once, and with it what is still to be sent:
                # the referee would wait for a bot that never gets to its exit.
                stream.cancel()
                await stream.code()
    except grpc.aio.AioRpcError as error:
        sys.exit(f"the referee ended the stream: {error.code().name}: {error.details()}")


def _whereabouts() -> tuple[str, str]:
    """Return the referee's address and this bot's token."""
    address = os.environ.get("COURTYARD_ADDRESS")
    if address is None:
        sys.exit("COURTYARD_ADDRESS is not set: try `referee play` with the folder of this bot")
    file = os.environ.get("COURTYARD_TOKEN_FILE")
    try:
        token = Path(file).read_text() if file else os.environ.get("COURTYARD_TOKEN", "")
    except OSError as error:
        sys.exit(f"COURTYARD_TOKEN_FILE: {file}: {error.strerror}")
    return address, token.strip()
