"""Strangers cannot fill the log of a ladder that is served: a line a kind and minute."""

import contextlib
import json
import math
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from courtyard.v1 import referee_pb2

from ladder.server.api.routes import make_api
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.support import http2_client
from tests.support.http2_client import Raw
from tests.support.ladders import Enter, MakeBot
from tests.support.remote_bots import HERE, Keys

PROGRAM = Path(sys.executable).with_name("ladder")
TIMES = 2
"""How often each thing is sent."""
PATIENCE_S = 0.1
"""How long an answer is waited for; that none comes is no failure."""
MOST_SPEAKERS = 2
"""Pages and gateway each have a line of a kind and minute of their own."""
MOST_KINDS = 20

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
TARGETS = (
    *(b"/", b"/%00", b"/%ff%fe", b"/%", b"//x/..", b"/../../x", b"/" + b"a" * 60_000, b"/\xff"),
    *(b"*", b"http://[::1/", b"//[", b"/mine/x/y-99999999999999999999999.html", b"/%ED%A0%80/"),
    *(b"/mine/%ED%A0%80/x-1.html", b"/?name[]=%ff", b"/metrics?name[]=%00"),
)
FIELDS = (
    *(b"Authorization: Bearer \xff\xfe", b"Authorization: Bearer a\x00b", b"If-None-Match: \xff"),
    *(b"Cookie: courtyard=\xff\x00", b'Cookie: courtyard="\\777"', b"Cookie: " + b"a=b;" * 3000),
    *(b"Transfer-Encoding: chunked", b"Content-Length: -1", b"Content-Length: " + b"9" * 20),
    *(b"Accept-Encoding: gzip;q=NaN", b"Host: [::1", b"X: " + b"y" * 70_000, b": x", b"X"),
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13",
    b"Accept: application/openmetrics-text; version=x.y; escaping=z",
)
FORMS = (
    (b"Content-Length: 10", b"token=%ff%"),
    (b"Origin: http://[x\r\nContent-Length: 6", b"\xff\xfe\xff\xfe\xff\xfe"),
    (b"Content-Length: 100", b"abc"),
    (b"Transfer-Encoding: chunked", b"zz\r\n"),
    (b"Transfer-Encoding: chunked", b"5\r\nab"),
)
BYTES = (
    *(b"", b"\0" * 1000, b"GET", b"A" * 100_000, b"\r\n" * 1000, b"GET / HTTP/9.9\r\n\r\n"),
    *(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n"),
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 300,
    *(PREFACE, PREFACE + b"\xff" * 100, PREFACE + http2_client.frame(4, 0, 0) + b"\0" * 500),
)
"""Of no protocol, of another one, or half of one."""
MESSAGES = (b"", b"\xff" * 50, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\xff\xfe", b"x" * 200_000)


@dataclass(frozen=True)
class Served:
    """A ladder that is served and played, with all that listens."""

    log: Path
    keys: Keys
    at: dict[str, str] = field(default_factory=dict)
    """Addresses of `pages`, `metrics` and `gateway`."""
    began: float = field(default_factory=time.monotonic)

    @property
    def most_of_a_kind(self) -> int:
        """How many lines of a kind are allowed by now, however long a busy machine takes."""
        return MOST_SPEAKERS * (1 + math.ceil((time.monotonic() - self.began) / 60))

    @property
    def channel(self) -> grpc.ChannelCredentials:
        """What a client of gRPC needs."""
        return grpc.ssl_channel_credentials(self.keys.roots.read_bytes())

    @property
    def client(self) -> ssl.SSLContext:
        """What any other client of TLS needs."""
        context = ssl.create_default_context(cafile=str(self.keys.roots))
        context.set_alpn_protocols(["h2"])
        return context


OPENED = {
    "metrics": r"metrics are at http://(\S+:\d+)/",
    "pages": r"Open http://(\S+:\d+)/",
    "gateway": r"Remote bots can join at (\S+:\d+)\.",
}


PROGRESS = r"^[\d,]+ matches, "
"""A line of what the ladder plays, which no stranger causes."""


@contextmanager
def served(ladder: Ladder, folder: Path, *options: str) -> Iterator[Served]:
    """Serve and play a ladder by the command while the block runs."""
    found = Served(folder / "log", Keys.made(folder, "localhost", HERE))
    listens = [f"--{what}={HERE}:0" for what in ("metrics", "remote")]
    tls = ("--tls-cert", found.keys.of_gate.chain, "--tls-key", found.keys.of_gate.key)
    command: list[str | Path] = [
        PROGRAM,
        "serve",
        "--play",
        "--workers=1",
        "--port=0",
        *listens,
        *tls,
        *options,
    ]
    with (
        found.log.open("wb") as written,
        subprocess.Popen(
            [*command, "--ladder", ladder.home.path],
            stdout=written,
            stderr=written,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        ) as server,
    ):
        try:
            while len(found.at) < len(OPENED):
                assert server.poll() is None, found.log.read_text()
                text = found.log.read_text()
                found.at.update(
                    {
                        what: at[1]
                        for what, words in OPENED.items()
                        if (at := re.search(words, text))
                    }
                )
            yield found
        finally:
            server.kill()


def send(address: str, data: bytes, *, tls: ssl.SSLContext | None = None, cut: bool) -> None:
    """Connect, send, and end the connection: cut off, or after waiting for an answer."""
    host, _, port = address.rpartition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port))) as plain:
        plain.settimeout(PATIENCE_S)
        ending = plain if tls is None else tls.wrap_socket(plain, server_hostname="localhost")
        with ending, contextlib.suppress(OSError):
            ending.sendall(data)
            if cut:
                ending.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                ending.recv(1000)


def requests() -> Iterator[bytes]:
    """Requests of HTTP/1.1 that are wrong, odd, or go on."""
    for target in TARGETS:
        yield b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % target
    for more in FIELDS:
        yield b"GET /mine/ HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n" % more
        yield b"GET /metrics HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n" % more
    for more, body in FORMS:
        for path in (b"/mine/in", b"/mine/out"):
            yield b"POST %b HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n%b" % (path, more, body)
    yield b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100


def ask_for_pages(served: Served) -> None:
    """Send what no browser sends to the pages and to the metrics."""
    for what in ("pages", "metrics"):
        for data in (*requests(), *BYTES):
            send(served.at[what], data, cut=False)
            for _ in range(TIMES):
                send(served.at[what], data, cut=True)


def send_bytes(served: Served) -> None:
    """Send bytes of no protocol, before, in and after the handshake of TLS."""
    for data in BYTES:
        for tls in (None, served.client):
            send(served.at["gateway"], data, tls=tls, cut=False)
            for _ in range(TIMES):
                send(served.at["gateway"], data, tls=tls, cut=True)


def begin_calls(served: Served) -> None:
    """Begin calls with odd header fields, send half a message, and go."""
    odd = (b"\xff", b"\0", b"x" * 9000)
    for value in odd:
        for name in (b"authorization", b"grpc-timeout", b"grpc-encoding", b"x-bin"):
            connection = Raw(served.at["gateway"], served.client)
            connection.begin(0, PLAY, http2_client.field(name, value))
            connection.send(http2_client.frame(0, 0, 1, b"\0\0\0\0\x02\xff"))
            connection.close()


PLAY = "/courtyard.v1.Referee/Play"


def send_messages(served: Served, *, token: str = "x") -> None:  # noqa: S107 -- it is none
    """Send bytes that are no messages to the gateway, with this token, and break calls off."""
    metadata = (("authorization", f"Bearer {token}"),)
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.secure_channel(served.at["gateway"], served.channel, options) as channel:
        for method in ("/x/y", PLAY):
            one: Any = channel.unary_unary(method)
            many: Any = channel.stream_stream(method)
            for message in MESSAGES:
                with contextlib.suppress(grpc.RpcError):
                    one(message, metadata=metadata, timeout=PATIENCE_S)
                many(iter([message]), metadata=metadata).cancel()


def send_json(served: Served, *, token: str = "x") -> None:  # noqa: S107 -- it is none
    """Send to each route of the author API what it does not take, and break requests off."""
    for path, methods in make_api().openapi()["paths"].items():
        for method in methods:
            for value in (b"a", b"%00", b"%ff", b"..", b"1", b"0" * 64):
                at = re.sub(rb"\{\w+\}", value, path.encode())
                head = b"%b /api/v1%b?after=-1&limit=x HTTP/1.1\r\nHost: x\r\n" % (
                    method.upper().encode(),
                    at,
                )
                head += b"Authorization: Bearer %b\r\nContent-Length: 9\r\n\r\n" % token.encode()
                for body in (b"[" * 9, b"\xff" * 9, b"x"):
                    send(served.at["pages"], head + body, cut=len(body) < 9)


def check_log(served: Served, *, as_json: bool) -> None:
    """All that listens still answers; what is logged is short, and each line whole."""
    with urllib.request.urlopen(f"http://{served.at['pages']}/", timeout=60) as page:
        assert page.status == 200
    text = served.log.read_text()
    assert "Traceback" not in text
    lines = text.splitlines()
    assert all(line.isprintable() for line in lines)
    expected = [*OPENED.values(), PROGRESS]
    warned = [line for line in lines if not any(re.search(each, line) for each in expected)]
    if as_json:
        warned = [str(json.loads(line)["message"]) for line in warned]
    counted = Counter(re.sub(r"\d+|\(and .*", "#", line) for line in warned)
    assert len(counted) <= MOST_KINDS, counted
    assert max(counted.values(), default=0) <= served.most_of_a_kind, counted


@pytest.mark.proof
@pytest.mark.long
def test_strangers_cannot_fill_the_log(ladder: Ladder, tmp_path: Path) -> None:
    """Hundreds of broken requests and calls give a line of each kind, and no traceback."""
    attacks: tuple[Callable[[Served], object], ...] = (
        ask_for_pages,
        send_bytes,
        begin_calls,
        send_messages,
        send_json,
    )
    with served(ladder, tmp_path) as found:
        for attack in attacks:
            attack(found)
        check_log(found, as_json=False)


@pytest.mark.proof
@pytest.mark.long
def test_an_author_cannot_fill_the_log(
    ladder: Ladder, tmp_path: Path, enter: Enter, make_remote_bot: MakeBot
) -> None:
    """Bytes that are no messages, and a bot that joins and leaves, give a line a kind, too."""
    enter(ladder, make_remote_bot("ada"), author="ann")
    token = tokens.create(ladder, "ann")
    hello = referee_pb2.Hello(protocol_version=1, name="ada", seat_token=token)
    first = referee_pb2.BotMessage(hello=hello).SerializeToString()
    with served(ladder, tmp_path, "--log=json") as found:
        send_messages(found, token=token)
        send_json(found, token=token)
        with grpc.secure_channel(found.at["gateway"], found.channel) as channel:
            play: Any = channel.stream_stream(PLAY)
            for more in MESSAGES * TIMES:
                call = play(iter([first, more]))
                with contextlib.suppress(grpc.RpcError):
                    next(call)
                call.cancel()
        check_log(found, as_json=True)
        assert found.log.read_text().count('"ada@1 connected"') == 1
