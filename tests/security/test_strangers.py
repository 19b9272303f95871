"""Who has no token cannot fill the memory of a ladder that is served, nor keep others out."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.support.lacking import skip
from tests.support.processes import heap_mib

PROGRAM = Path(sys.executable).with_name("ladder")
MOST_GROWTH_MIB = 128
USUAL_FILES = 1024
FEW_FILES = 280
"""With these, a dozen connections have a place."""
MOST_HELD = 4096
MOST_LOGGED = 4096


@dataclass(frozen=True)
class Served:
    """A ladder that is served, with its author API, where few files may be open."""

    pid: int
    address: str
    log: Path
    token: str

    def answers(self) -> None:
        """Fail unless an author who connects now is answered, and a reader of the pages."""
        for path in ("/api/v1/ladder", "/"):
            request = urllib.request.Request(
                f"http://{self.address}{path}", headers={"Authorization": f"Bearer {self.token}"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 -- our own
                assert answer.status == 200

    def connect(self) -> socket.socket:
        """Open a connection."""
        host, _, port = self.address.rpartition(":")
        return socket.create_connection((host, int(port)))


@contextmanager
def serving(
    ladder: Ladder, folder: Path, *options: str, files: int = USUAL_FILES
) -> Iterator[Served]:
    """Serve a ladder by the command while the block runs; it may open `files` files."""
    log = folder / "log"
    limited = ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh")
    command = [*limited, str(PROGRAM), "serve", "--port", "0", *options]
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
            found = re.search(r"http://(\S+)/", server.stdout.readline())
            assert found, log.read_text()
            yield Served(server.pid, found[1], log, tokens.create(ladder, "ann"))
        finally:
            server.kill()


@pytest.fixture
def served(ladder: Ladder, tmp_path: Path) -> Iterator[Served]:
    """Serve a ladder of four bots."""
    with serving(ladder, tmp_path) as served:
        yield served


HEAD = "Host: x\r\nAuthorization: Bearer {token}\r\n"
TOKEN = "courtyard_1_" + "x" * 43
"""One that no author has."""


def endless_bodies(served: Served, stack: ExitStack) -> None:
    """Send bodies larger than any route takes, without a token that is good."""
    for method, path in (("PATCH", "/bots/ann"), ("POST", "/submissions"), ("GET", "/ladder")):
        connection = stack.enter_context(served.connect())
        head = f"{method} /api/v1{path} HTTP/1.1\r\n{HEAD.format(token=TOKEN)}"
        with suppress(OSError):
            connection.sendall(f"{head}Content-Length: 999999999\r\n\r\n".encode())
            for _ in range(64):
                connection.sendall(b"x" * (1 << 20))


def endless_heads(served: Served, stack: ExitStack) -> None:
    """Name header fields without an end."""
    for _ in range(30):
        connection = stack.enter_context(served.connect())
        with suppress(OSError):
            connection.sendall(b"GET /api/v1/watch HTTP/1.1\r\n")
            for number in range(5_000):
                connection.sendall(b"X-%d: %b\r\n" % (number, b"y" * 1000))


def guesses(served: Served, stack: ExitStack) -> None:
    """Guess tokens on many connections at once, and read no answer."""
    request = f"GET /api/v1/watch HTTP/1.1\r\n{HEAD.format(token=TOKEN)}\r\n".encode()
    for _ in range(100):
        with suppress(OSError):
            stack.enter_context(served.connect()).sendall(request * 20)


def idle_connections(served: Served, stack: ExitStack) -> None:
    """Open more connections than the ladder may open files."""
    for _ in range(1200):
        with suppress(OSError):
            stack.enter_context(served.connect())


def slow_heads(served: Served, stack: ExitStack) -> None:
    """Begin more requests than there are places, and do not end them."""
    for _ in range(600):
        with suppress(OSError):
            stack.enter_context(served.connect()).sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")


def slow_bodies(served: Served, stack: ExitStack) -> None:
    """Sign in with forms of which most never comes."""
    for _ in range(600):
        with suppress(OSError):
            stack.enter_context(served.connect()).sendall(
                b"POST /me/in HTTP/1.1\r\nHost: x\r\nContent-Length: 1999\r\n\r\ntoken="
            )


def unread_pages(served: Served, stack: ExitStack) -> None:
    """Ask for pages again and again, and read none."""
    for _ in range(200):
        with suppress(OSError):
            stack.enter_context(served.connect()).sendall(
                b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 500
            )


Attack = Callable[[Served, ExitStack], None]
ATTACKS: tuple[Attack, ...] = (
    *(endless_bodies, endless_heads, guesses, idle_connections),
    *(slow_heads, slow_bodies, unread_pages),
)


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < MOST_HELD:
        skip(f"this process may not open {MOST_HELD} files", f"ulimit -Hn {MOST_HELD}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, MOST_HELD), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("attack", ATTACKS)
def test_strangers_keep_no_author_out(attack: Attack, served: Served) -> None:
    """What costs strangers little takes little memory, no author's place, and little log."""
    served.answers()
    before = heap_mib(served.pid)
    with ExitStack() as stack:
        attack(served, stack)
        for _ in range(3):
            served.answers()
    assert heap_mib(served.pid) - before <= MOST_GROWTH_MIB
    assert served.log.stat().st_size < MOST_LOGGED


@pytest.mark.costly
def test_a_crowd_that_comes_after_a_request_does_not_take_its_place(
    ladder: Ladder, tmp_path: Path
) -> None:
    """A server that had no time meanwhile meets all of them at once, and answers the request."""
    with serving(ladder, tmp_path, files=FEW_FILES) as served, ExitStack() as stack:
        os.kill(served.pid, signal.SIGSTOP)
        try:
            for _ in range(8):
                stack.enter_context(served.connect())
            reader = stack.enter_context(served.connect())
            reader.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in range(40):
                stack.enter_context(served.connect())
        finally:
            os.kill(served.pid, signal.SIGCONT)
        assert reader.recv(64).startswith(b"HTTP/1.1 200")


@pytest.mark.costly
def test_an_author_keeps_no_other_out(ladder: Ladder, served: Served) -> None:
    """Streams that wait for ever, on more connections than an author may have, leave places."""
    request = f"GET /api/v1/watch HTTP/1.1\r\n{HEAD.format(token=tokens.create(ladder, 'eve'))}\r\n"
    with ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(served.connect()).sendall(request.encode())
        served.answers()
