"""Who has no token cannot fill the memory of a ladder that is served, nor keep others out."""

import os
import re
import resource
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from courtyard.v1 import ladder_pb2 as pb
from courtyard.v1 import ladder_pb2_grpc
from grpc_health.v1 import health_pb2

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.support import http2_client
from tests.support.http2_client import NEWEST, STATIC, Raw
from tests.support.lacking import skip
from tests.support.processes import heap_mib

PROGRAM = Path(sys.executable).with_name("ladder")
MOST_GROWTH_MIB = 128
USUAL_FILES = 1024
MOST_HELD = 4096
MOST_LOGGED = 4096
GET_LADDER = "/courtyard.v1.LadderService/GetLadder"
HEALTH_WATCH = "/grpc.health.v1.Health/Watch"
WATCHED = health_pb2.HealthCheckRequest.SerializeToString
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


@dataclass(frozen=True)
class Served:
    """A ladder that is served, with its author API, where few files may be open."""

    pid: int
    api: str
    pages: str
    log: Path
    token: str

    def answers(self) -> None:
        """Fail unless an author who connects now is answered, and a reader of the pages."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(self.api, options) as channel:
            stub = ladder_pb2_grpc.LadderServiceStub(channel)
            metadata = [("authorization", f"Bearer {self.token}")]
            told = stub.GetLadder(pb.GetLadderRequest(), metadata=metadata, timeout=60)
        assert told.author == "ann"
        with urllib.request.urlopen(self.pages, timeout=60) as page:  # noqa: S310 -- our own
            assert page.status == 200


@contextmanager
def serving(ladder: Ladder, folder: Path, *options: str) -> Iterator[Served]:
    """Serve a ladder by the command while the block runs."""
    log = folder / "log"
    limited = ("sh", "-c", f'ulimit -n {USUAL_FILES}; exec "$@"', "sh")
    command = [*limited, str(PROGRAM), "serve", "--port", "0", "--api", "127.0.0.1:0", *options]
    with (
        log.open("w") as written,
        subprocess.Popen(
            [*command, "--ladder", str(ladder.home.path)],
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        ) as server,
    ):
        assert server.stdout is not None
        try:
            api = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline())
            pages = re.search(r"http://\S+/", server.stdout.readline())
            assert api, log.read_text()
            assert pages, log.read_text()
            token = tokens.create(ladder, "ann")
            yield Served(server.pid, api.group(), pages.group(), log, token)
        finally:
            server.kill()


@pytest.fixture
def served(ladder: Ladder, tmp_path: Path) -> Iterator[Served]:
    """Serve a ladder of four bots."""
    with serving(ladder, tmp_path) as served:
        yield served


@pytest.fixture
def raw(served: Served) -> Iterator[Callable[[], Raw]]:
    """Open connections to the author API that end with the test."""
    with ExitStack() as stack:

        def connect() -> Raw:
            connection = Raw(served.api)
            stack.callback(connection.close)
            return connection

        yield connect


def test_header_references_fill_no_memory(served: Served, raw: Callable[[], Raw]) -> None:
    """A byte that names a header field costs the ladder no more than it costs who sends it."""
    served.answers()
    before = heap_mib(served.pid)
    for entry in (NEWEST, STATIC):
        for _ in range(10):
            http2_client.references(raw(), GET_LADDER, 50, entry, 4000)
    for _ in range(10):
        http2_client.endless_block(raw(), GET_LADDER, 40, STATIC)
    served.answers()
    assert heap_mib(served.pid) - before <= MOST_GROWTH_MIB


def test_idle_calls_keep_nobody_out(served: Served, raw: Callable[[], Raw]) -> None:
    """Thousands of calls without a token or a message take no author's place and little memory."""
    served.answers()
    before = heap_mib(served.pid)
    for method in (GET_LADDER, HEALTH_WATCH, REFLECTION):
        for _ in range(21):
            connection = raw()
            for number in range(100):
                connection.begin(number, method)
        served.answers()
    assert heap_mib(served.pid) - before <= MOST_GROWTH_MIB / 8


@pytest.mark.proof
def test_an_author_keeps_no_other_out(ladder: Ladder, served: Served) -> None:
    """Calls that wait for ever, on more connections than an author may have, leave places."""
    metadata = [("authorization", f"Bearer {tokens.create(ladder, 'eve')}")]
    options = [("grpc.use_local_subchannel_pool", 1)]
    with ExitStack() as stack:
        watches = []
        for _ in range(56):
            channel = stack.enter_context(grpc.insecure_channel(served.api, options))
            stub = ladder_pb2_grpc.LadderServiceStub(channel)
            stub.GetLadder(pb.GetLadderRequest(), metadata=metadata, timeout=60)
            watch: Any = channel.unary_stream(HEALTH_WATCH, WATCHED)
            watches.append([watch(health_pb2.HealthCheckRequest()) for _ in range(95)])
        for of_connection in watches:
            with suppress(grpc.RpcError):  # a stranger's with so many calls is ended
                next(of_connection[0])
        served.answers()


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < MOST_HELD:
        skip(f"this process may not open {MOST_HELD} files", f"ulimit -Hn {MOST_HELD}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, MOST_HELD), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_idle_connections_keep_nobody_out(served: Served) -> None:
    """More connections than the process may open files leave author API and pages open."""
    with ExitStack() as stack:
        for address in (served.api, served.pages.removeprefix("http://").rstrip("/")):
            host, _, port = address.rpartition(":")
            for _ in range(1200):
                stack.enter_context(socket.create_connection((host, int(port))))
            served.answers()
        for _ in range(3):
            served.answers()
    assert served.log.stat().st_size < MOST_LOGGED
