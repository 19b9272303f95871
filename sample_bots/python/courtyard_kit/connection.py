"""The bot's side of the protocol: match after match with the referee, over any carrier.

The referee starts the bot with COURTYARD_TRANSPORT in its environment: "grpc", "stdio" or
"stdio-json". docs/protocol.md describes how messages travel on each. A bot that its author starts
joins the ladder of --connect or COURTYARD_REMOTE: `courtyard_kit.remote`.
"""

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from courtyard.v1 import referee_pb2

from courtyard_kit import errors, pipes

PROTOCOL_VERSION = 1


class Turn(NamedTuple):
    """One request with the start of its match."""

    match_id: str
    start: referee_pb2.MatchStart
    request: referee_pb2.DecisionRequest


Decide = Callable[[Turn, referee_pb2.Decision], None]
"""Fills in the decision that answers a request: an action or, in the plain dialect, a choice."""

Begin = Callable[[], Decide]
"""Returns what decides in one match, from its first request to its last."""


class Conversation:
    """The bot's answers to the referee's messages, on any carrier."""

    def __init__(self, begin: Begin) -> None:
        """Play every match with what `begin` returns for it."""
        self._begin = begin
        self._matches: dict[str, tuple[referee_pb2.MatchStart, Decide]] = {}

    def answer(self, message: referee_pb2.RefereeMessage) -> referee_pb2.BotMessage | None:
        """Return the answer to a message, if it asks for one."""
        match_id, request = message.match_id, message.request
        match message.WhichOneof("body"):
            case "request":
                if request.HasField("start"):
                    self._matches[match_id] = request.start, self._begin()
                start, decide = self._matches[match_id]
                reply = referee_pb2.BotMessage(match_id=match_id)
                reply.decision.number = request.number
                decide(Turn(match_id, start, request), reply.decision)
                return reply
            case "fault":
                if message.fault.kind != referee_pb2.FAULT_KIND_ILLEGAL_ACTION:
                    self._matches.pop(match_id, None)  # nothing more will come of it
                print(f"forfeited match {match_id}: {message.fault.reason}", file=sys.stderr)  # noqa: T201
            case "end":
                self._matches.pop(match_id, None)
        return None


def play(begin: Begin, name: str, *, plain: bool = False) -> None:
    """Play all matches that the referee has, then return; `plain` speaks the plain dialect.

    What `begin` and what it returns raise ends the bot, and with it its matches.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = errors.show
    hello = referee_pb2.Hello(protocol_version=PROTOCOL_VERSION, name=name, plain=plain)
    answer = Conversation(begin).answer
    match _transport():
        case "grpc":
            from courtyard_kit import stream  # noqa: PLC0415 -- grpc takes long to import

            stream.play(hello, answer)
        case "stdio":
            pipes.play_framed(hello, answer)
        case "stdio-json":
            from courtyard_kit import json_lines  # noqa: PLC0415 -- only who speaks JSON needs it

            json_lines.play(hello, answer)
        case "remote":
            from courtyard_kit import remote  # noqa: PLC0415 -- as above

            remote.play(hello, answer)
        case other:
            sys.exit(f"COURTYARD_TRANSPORT is {other!r}: this kit knows grpc, stdio and stdio-json")


def _transport() -> str:
    if transport := os.environ.get("COURTYARD_TRANSPORT", ""):
        return transport
    from courtyard_kit import command_line  # noqa: PLC0415 -- only authors give options

    command_line.take_options()
    if "COURTYARD_REMOTE" in os.environ:
        return "remote"
    if "COURTYARD_ADDRESS" in os.environ:
        return "grpc"
    sys.exit(
        "COURTYARD_TRANSPORT is not set: try `referee play` with the folder of this bot, "
        "or join a ladder by --connect HOST:PORT"
    )
