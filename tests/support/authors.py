"""Many authors of one ladder, who upload and watch at once, each with two connections."""

import contextlib
import hashlib
import http.client
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from ladder.server.api.routes import PREFIX

_PAUSE_S = 5.0
"""How long an author reads a page."""
_PAGES = ("/", "/me/", "/rounds/")


@dataclass
class Crowd:
    """What a ladder answered its authors."""

    statuses: Counter[int] = field(default_factory=Counter)
    page_s: list[float] = field(default_factory=list)
    """How long each page took, from the connection on."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """How often the last line of a submission's log said this."""
    news: Counter[str] = field(default_factory=Counter)
    """How much each author's watching has told, in pieces."""
    stop: threading.Event = field(default_factory=threading.Event)
    open: set[http.client.HTTPConnection] = field(default_factory=set)

    def end(self) -> None:
        """Let each author stop, also one who waits for news."""
        self.stop.set()
        for wire in [*self.open]:
            if wire.sock is not None:
                with contextlib.suppress(OSError):
                    wire.sock.shutdown(socket.SHUT_RDWR)

    @property
    def failures(self) -> Counter[int]:
        """How often each status of an error was answered, but for 429."""
        return Counter({s: n for s, n in self.statuses.items() if s >= 400 and s != 429})


@dataclass(frozen=True)
class _Author:
    address: str
    token: str
    archive: bytes
    crowd: Crowd
    hurry: float

    @contextmanager
    def _asked(
        self, method: str, path: str, body: bytes | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        headers: Mapping[str, str] = (
            {"Authorization": f"Bearer {self.token}"}
            if path.startswith(PREFIX)
            else {"Cookie": f"courtyard={self.token}"}
        )
        with contextlib.closing(http.client.HTTPConnection(self.address, timeout=120)) as wire:
            self.crowd.open.add(wire)
            try:
                wire.request(method, path, body, headers)
                answer = wire.getresponse()
                self.crowd.statuses[answer.status] += 1
                yield answer
            finally:
                self.crowd.open.discard(wire)

    def submit(self) -> None:
        """Upload until a place is free, follow the log to its end, and look at pages meanwhile."""
        while True:
            with self._asked("POST", f"{PREFIX}/submissions", self.archive) as answer:
                answer.read()
                if answer.status != 429:
                    break
            self.look_until_free(answer)
        sha256, last = hashlib.sha256(self.archive).hexdigest(), ""
        while not last:
            with self._asked("GET", f"{PREFIX}/submissions/{sha256}/log") as answer:
                if answer.status == 200:
                    last = answer.read().decode().splitlines()[-1].rpartition(" ")[2]
            self.look_until_free(answer)
        self.crowd.outcomes[last] += 1

    def look(self) -> None:
        """Look at each page once."""
        for path in _PAGES:
            began = time.monotonic()
            with self._asked("GET", path) as answer:
                answer.read()
            self.crowd.page_s.append(time.monotonic() - began)
            self.crowd.stop.wait(_PAUSE_S / self.hurry)

    def look_until_free(self, answer: http.client.HTTPResponse) -> None:
        """Look at the pages, and on until a refusal says to try again."""
        until = time.monotonic() + self._told_to_wait_s(answer)
        self.look()
        self.crowd.stop.wait(until - time.monotonic())

    def _told_to_wait_s(self, answer: http.client.HTTPResponse) -> float:
        return float(answer.headers["Retry-After"]) / self.hurry if answer.status == 429 else 0.0

    def watch(self) -> None:
        """Watch until the crowd stops; come back when a refusal says so."""
        while not self.crowd.stop.is_set():
            with self._asked("GET", f"{PREFIX}/watch") as answer, self._until_stopped():
                while answer.status == 200 and not self.crowd.stop.is_set() and answer.read1():
                    self.crowd.news[self.token] += 1
            self.crowd.stop.wait(max(_PAUSE_S / self.hurry, self._told_to_wait_s(answer)))

    @contextmanager
    def _until_stopped(self) -> Iterator[None]:
        """Let a stream end as it will once all are to stop."""
        try:
            yield
        except (OSError, http.client.HTTPException):
            if not self.crowd.stop.is_set():
                raise


def many(
    address: str,
    archives: Mapping[str, bytes],
    *,
    slow_readers: int = 1,
    hurry: float = 1,
) -> Crowd:
    """Let the authors of these archives, by token, submit and watch; return what came of it.

    In a hurry they wait that much less than a page takes to read, or than they are told. Beside
    them, slow readers ask for pages and streams, and read nothing.
    """
    crowd = Crowd()
    authors = [
        _Author(address, token, archive, crowd, hurry) for token, archive in archives.items()
    ]
    with ExitStack() as stack:
        for author in authors[:slow_readers]:
            stack.enter_context(_unread(author))
        threads = stack.enter_context(ThreadPoolExecutor(2 * len(authors)))
        watching = [threads.submit(author.watch) for author in authors]
        submitting = [threads.submit(author.submit) for author in authors]
        try:
            for each in as_completed(submitting):
                each.result()
        finally:
            crowd.end()
        for each in watching:
            each.result()
    return crowd


@contextmanager
def _unread(author: _Author) -> Iterator[None]:
    """Keep two connections that ask and do not read."""
    host, _, port = author.address.rpartition(":")
    with ExitStack() as stack:
        for path, times in (("/", 100), (f"{PREFIX}/watch", 1)):
            wire = stack.enter_context(socket.socket())
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.connect((host, int(port)))
            head = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {author.token}\r\n\r\n"
            wire.sendall(head.encode() * times)
        yield
