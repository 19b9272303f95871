"""A bot that stays on this machine and joins a ladder from here.

COURTYARD_REMOTE is "host:port" of the ladder's gateway, COURTYARD_TOKEN_FILE a file with a token of
the bot's author. COURTYARD_CA_FILE holds the roots of the gateway's certificate, in PEM, unless
they are the usual ones; COURTYARD_CERT_FILE and COURTYARD_KEY_FILE hold the bot's own certificate
and its key, where the gateway wants one. The bot joins again whenever its stream ends, until it is
told not to. `courtyard_kit.command_line` has an option for each of these.
"""

import codecs
import os
import queue
import random
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
from courtyard.v1 import referee_pb2, referee_pb2_grpc

from courtyard_kit.pipes import Answer

_FINAL = (
    grpc.StatusCode.ABORTED,  # another process of this bot has joined
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,  # not a gateway
)
_LOOPBACK = ("127.", "localhost:", "[::1]:")
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 30.0
_OPTIONS = (
    # A cut is noticed by a ping that is not answered, though it is not this bot's turn.
    ("grpc.keepalive_time_ms", 4_000),
    ("grpc.keepalive_timeout_ms", 4_000),
    ("grpc.http2.ping_timeout_ms", 4_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 2 * 1024 * 1024),
    # How long to wait before dialling again is decided here.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


def play(hello: referee_pb2.Hello, answer: Answer) -> None:
    """Join, play, and join again, until the ladder does not want this bot any more."""
    address, hello.seat_token, credentials = _whereabouts()
    stay = _Stay(hello, answered_once(answer))
    # A proxy leads out of this machine; gRPC would ask it for loopback addresses, too.
    options = (*_OPTIONS, ("grpc.enable_http_proxy", int(not address.startswith(_LOOPBACK))))
    try:
        while True:
            with grpc.secure_channel(address, credentials, options) as channel:
                status, details = stay.play(channel)
            if status in _FINAL:
                sys.exit(f"the ladder does not let this bot join: {status.name}: {details}")
            seconds = stay.pause()
            _report(f"not connected ({status.name}: {details}); trying again in {seconds:.1f} s")
            time.sleep(seconds)
    except KeyboardInterrupt:
        sys.exit("stopped")


class _Stay:
    """The bot at one gateway, over all its streams."""

    def __init__(self, hello: referee_pb2.Hello, answer: Answer) -> None:
        self._hello = hello
        self._answer = answer
        self._longest = _FIRST_PAUSE_S

    def play(self, channel: grpc.Channel) -> tuple[grpc.StatusCode, str]:
        """Play on one stream, and return how it ended."""
        outgoing: queue.SimpleQueue[referee_pb2.BotMessage | None] = queue.SimpleQueue()
        outgoing.put(referee_pb2.BotMessage(hello=self._hello))
        stream: Any = referee_pb2_grpc.RefereeStub(channel).Play(iter(outgoing.get, None))
        try:
            with suppress(grpc.RpcError):  # its status shows why
                for message in stream:
                    if message.HasField("welcome"):
                        self._welcomed(message.welcome)
                    elif reply := self._answer(message):
                        outgoing.put(reply)
        except MissedError as error:
            self._hello.resumes = False  # all matches come from their start again
            stream.cancel()
            return grpc.StatusCode.CANCELLED, str(error)
        finally:
            outgoing.put(None)
        return stream.code(), stream.details() or ""

    def pause(self) -> float:
        """Return how many seconds to wait: not as many as others, and more each time in vain."""
        longest = self._longest
        self._longest = min(2 * longest, _LONGEST_PAUSE_S)
        return random.uniform(longest / 2, longest)

    def _welcomed(self, welcome: referee_pb2.Welcome) -> None:
        """Remember who we are, to be that one again when we join again."""
        self._hello.name, self._hello.resumes = welcome.name, True
        self._longest = _FIRST_PAUSE_S
        _report(f"joined as {welcome.name}")
        if welcome.replaced:
            _report(f"the stream of this bot from {welcome.replaced} was open: was it yours?")


class MissedError(Exception):
    """A request goes on from one that another process of this bot has answered."""


def answered_once(answer: Answer) -> Answer:
    """Return what answers a request that comes again as before: the first answer got lost.

    It raises `MissedError` if this process has not answered all that came before a request.
    """
    given: dict[str, referee_pb2.BotMessage] = {}

    def answer_once(message: referee_pb2.RefereeMessage) -> referee_pb2.BotMessage | None:
        reply = given.pop(message.match_id, None)
        if reply is None or not _asks_again(message, reply):
            _ensure_followed(message, reply)
            reply = answer(message)
        if reply is not None:
            given[message.match_id] = reply
        return reply

    return answer_once


def _ensure_followed(
    message: referee_pb2.RefereeMessage, before: referee_pb2.BotMessage | None
) -> None:
    """Raise `MissedError` if a request does not follow the one that was answered before."""
    request = message.request
    if not message.HasField("request") or request.HasField("start"):
        return
    if before is None or request.number != before.decision.number + 1:
        what = f"request {request.number} of match {message.match_id}"
        raise MissedError(f"{what} follows what another process of this bot has played")


def _asks_again(message: referee_pb2.RefereeMessage, answered: referee_pb2.BotMessage) -> bool:
    request = message.request
    return (
        message.HasField("request")
        and not request.HasField("start")  # this process is not known to have had the match
        and request.number == answered.decision.number
    )


def _whereabouts() -> tuple[str, str, grpc.ChannelCredentials]:
    """Return the gateway's address, the author's token, and what TLS needs."""
    token = _file("COURTYARD_TOKEN_FILE")
    if token is None:
        sys.exit("--token-file is missing: name the file with your token of the ladder")
    names = "COURTYARD_CA_FILE", "COURTYARD_KEY_FILE", "COURTYARD_CERT_FILE"
    credentials = grpc.ssl_channel_credentials(*map(_file, names))
    address = os.environ["COURTYARD_REMOTE"].strip().removeprefix("https://").rstrip("/")
    # Windows saves text with a mark of its encoding: PowerShell's `>` in UTF-16.
    is_utf_16 = token.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return address, token.decode("utf-16" if is_utf_16 else "utf-8-sig").strip(), credentials


def _file(name: str) -> bytes | None:
    """Return what is in the file that a variable of the environment names, if it names one."""
    path = os.environ.get(name)
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


def _report(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)  # noqa: T201
