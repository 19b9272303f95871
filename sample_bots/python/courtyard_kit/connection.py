"""The bot's side of the protocol: one stream to the referee, match after match.

The referee starts the bot with COURTYARD_ADDRESS, where it listens, and COURTYARD_TOKEN_FILE, a file
that holds the one-use token (or COURTYARD_TOKEN, the token itself).
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from courtyard.v1 import game_pb2, referee_pb2, referee_pb2_grpc

PROTOCOL_VERSION = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """One request with what was told at the start of its match."""

    match_id: str
    start: referee_pb2.MatchStart
    request: referee_pb2.DecisionRequest


def play(
    decide: Callable[[Turn], game_pb2.GameAction],
    name: str,
    end: Callable[[str, referee_pb2.MatchEnd], None] = lambda match_id, end: None,
) -> None:
    """Play all matches that the referee has, then return.

    `decide` answers each request; `end` is told how each match ended. What a strategy raises ends
    the bot, and with it its matches.
    """
    _run(_play(decide, name, end))


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where it is installed: it makes grpc a fifth faster."""
    try:
        import uvloop  # noqa: PLC0415 -- optional
    except ImportError:
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _play(
    decide: Callable[[Turn], game_pb2.GameAction],
    name: str,
    end: Callable[[str, referee_pb2.MatchEnd], None],
) -> None:
    address, token = _whereabouts()
    starts: dict[str, referee_pb2.MatchStart] = {}
    async with grpc.aio.insecure_channel(address) as channel:
        stream = referee_pb2_grpc.RefereeStub(channel).Play()
        hello = referee_pb2.Hello(protocol_version=PROTOCOL_VERSION, name=name, seat_token=token)
        await stream.write(referee_pb2.BotMessage(hello=hello))
        while (message := await stream.read()) is not grpc.aio.EOF:
            match_id, body = message.match_id, message.WhichOneof("body")
            if body == "request":
                if message.request.HasField("start"):
                    starts[match_id] = message.request.start
                turn = Turn(match_id, starts[match_id], message.request)
                decision = referee_pb2.Decision(number=message.request.number, action=decide(turn))
                await stream.write(referee_pb2.BotMessage(match_id=match_id, decision=decision))
            elif body == "fault":
                print(f"forfeited match {match_id}: {message.fault.reason}", file=sys.stderr)
            elif body == "end":
                starts.pop(match_id, None)
                end(match_id, message.end)
        if await stream.code() is not grpc.StatusCode.OK:
            sys.exit(f"the referee ended the stream: {await stream.details()}")


def _whereabouts() -> tuple[str, str]:
    """Return the referee's address and this bot's token."""
    address = os.environ.get("COURTYARD_ADDRESS")
    if address is None:
        sys.exit(
            "COURTYARD_ADDRESS is not set: a bot is started by the referee; "
            "try `referee play --game courtisans` with its folder"
        )
    file = os.environ.get("COURTYARD_TOKEN_FILE")
    token = Path(file).read_text() if file else os.environ.get("COURTYARD_TOKEN", "")
    return address, token.strip()
