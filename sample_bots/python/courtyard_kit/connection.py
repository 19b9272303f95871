"""The bot's side of the protocol: one stream to the referee, match after match.

The referee starts the bot with two environment variables: COURTYARD_ADDRESS, where it listens, and
COURTYARD_TOKEN_FILE, a file with the bot's one-use token (or COURTYARD_TOKEN, the token itself).
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import grpc.aio
from courtyard.v1 import game_pb2, referee_pb2, referee_pb2_grpc

PROTOCOL_VERSION = 1

Stream: TypeAlias = "grpc.aio.StreamStreamCall[referee_pb2.BotMessage, referee_pb2.RefereeMessage]"


@dataclass(frozen=True, slots=True)
class Turn:
    """One request with what was told at the start of its match."""

    match_id: str
    start: referee_pb2.MatchStart
    request: referee_pb2.DecisionRequest


Decide = Callable[[Turn, game_pb2.GameAction], None]
"""Fills in the action that answers a request."""

Begin = Callable[[], Decide]
"""Returns what decides in one match, from its first request to its last."""


def play(begin: Begin, name: str) -> None:
    """Play all matches that the referee has, then return.

    What `begin` and what it returns raise ends the bot, and with it its matches.
    """
    _run(_play(begin, name))


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where it is installed: it makes grpc a fifth faster."""
    try:
        import uvloop  # noqa: PLC0415 -- optional
    except ImportError:
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _play(begin: Begin, name: str) -> None:
    address, token = _whereabouts()
    hello = referee_pb2.Hello(protocol_version=PROTOCOL_VERSION, name=name, seat_token=token)
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            stream = referee_pb2_grpc.RefereeStub(channel).Play()
            await stream.write(referee_pb2.BotMessage(hello=hello))
            await _answer(stream, begin)
    except grpc.aio.AioRpcError as error:
        sys.exit(f"the referee ended the stream: {error.code().name}: {error.details()}")


async def _answer(stream: Stream, begin: Begin) -> None:
    """Answer every request until the stream ends."""
    matches: dict[str, tuple[referee_pb2.MatchStart, Decide]] = {}
    while isinstance(message := await stream.read(), referee_pb2.RefereeMessage):
        match_id, request = message.match_id, message.request
        match message.WhichOneof("body"):
            case "request":
                if request.HasField("start"):
                    matches[match_id] = request.start, begin()
                start, decide = matches[match_id]
                reply = referee_pb2.BotMessage(match_id=match_id)
                reply.decision.number = request.number
                decide(Turn(match_id, start, request), reply.decision.action)
                await stream.write(reply)
            case "fault":
                print(f"forfeited match {match_id}: {message.fault.reason}", file=sys.stderr)  # noqa: T201
            case "end":
                matches.pop(match_id, None)


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
