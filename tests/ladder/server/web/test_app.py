"""The server's answers."""

import http.client
import json
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ladder.server.web import app
from ladder.server.web.headers import HEADERS
from ladder.server.web.server import listen_for_readers
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.api_server import serving
from tests.support.waiting import until


@dataclass(frozen=True)
class Answer:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes


Ask = Callable[..., Answer]


@pytest.fixture
def ask(served: str) -> Ask:
    """Send the server a request."""

    def ask(path: str, method: str = "GET", **headers: str) -> Answer:
        connection = http.client.HTTPConnection(urlsplit(served).netloc, timeout=30)
        with closing(connection):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())

    return ask


@pytest.mark.costly
@pytest.mark.parametrize("path", ["/", "/courtisans-4/", "/static/style.css", "/nothing"])
def test_every_answer_has_the_strict_headers(path: str, ask: Ask) -> None:
    """Pages, files and refusals forbid all foreign content."""
    headers = ask(path).headers
    assert {name: headers.get(name.lower()) for name in HEADERS} == HEADERS
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.costly
def test_a_page_that_is_known_is_not_sent_again(ask: Ask) -> None:
    """A request with the page's tag gets an empty 304, once its curves do not grow any more."""

    def again() -> Answer | None:
        tag = ask("/courtisans-4/").headers["etag"]
        answer = ask("/courtisans-4/", If_None_Match=tag)
        return answer if answer.status == 304 else None

    unchanged = until(again)
    assert unchanged
    assert unchanged.body == b""
    assert ask("/courtisans-4/", If_None_Match='"other"').status == 200


def both(ask: Ask, *words: str, **headers: str) -> tuple[Answer, Answer]:
    """A page and another answer about it, before its curves have grown on."""

    def asked() -> tuple[Answer, Answer] | None:
        page, other, again = (
            ask("/courtisans-4/"),
            ask("/courtisans-4/", *words, **headers),
            ask("/courtisans-4/"),
        )
        return (page, other) if page.headers["etag"] == again.headers["etag"] else None

    found = until(asked)
    assert found
    return found


def test_pages_are_compressed_for_who_can_read_them(ask: Ask) -> None:
    """A client that accepts gzip gets it."""
    plain, packed = both(ask, Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 3
    assert packed.headers["etag"] == plain.headers["etag"]


def test_head_has_no_body(ask: Ask) -> None:
    """HEAD answers with GET's headers only."""
    page, answer = both(ask, "HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["etag"] == page.headers["etag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(method: str, ask: Ask) -> None:
    """The pages only show."""
    assert ask("/courtisans-4/", method).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/../ladder.db",
        "/static/../../data.py",
        "/static/%2e%2e/%2e%2e/data.py",
        "/courtisans-4/matches/..%2f..%2fladder.db",
        "/courtisans-4/matches/00.html",
        "//example.com/..",
        "/courtisans-4/bots/%00.html",
    ],
)
def test_what_is_no_page_is_not_found(path: str, ask: Ask) -> None:
    """No address leads to a file that is not a page."""
    answer = ask(path)
    assert answer.status == 404
    assert b"Page not found" in answer.body


def test_health_is_told_in_json(ask: Ask) -> None:
    """GET /health gives every ladder's name and whether its database can be read."""
    answer = ask("/health")
    told = json.loads(answer.body)
    assert (answer.status, told["status"]) == (200, "ok")
    assert answer.headers["cache-control"] == "no-store"
    assert [(each["title"], each["database"], each["playing"]) for each in told["ladders"]] == [
        ("Courtisans", "ok", None),
        ("La Cour des Miracles", "ok", None),
    ]


def test_what_is_accepted_sends_at_once() -> None:
    """No answer on a kept connection waits for the acknowledgement of its first part."""
    with (
        listen_for_readers("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_a_folder_without_its_slash_is_found(ask: Ask) -> None:
    """An address without the last slash redirects to the one with it, so links work."""
    answer = ask("/courtisans-4")
    assert (answer.status, answer.headers["location"]) == (307, "/courtisans-4/")


def test_a_report_that_takes_long_is_asked_for_again(
    courtisans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is there a reader gets 503 and a page that asks again and is kept nowhere."""
    monkeypatch.setattr(app, "_REPORT_S", 0.0)
    with (
        Ladder.open(Home(courtisans)) as ladder,
        serving([ladder]) as address,
        closing(http.client.HTTPConnection(address, timeout=60)) as connection,
    ):
        connection.request("GET", "/report.html")
        answer = connection.getresponse()
        text = answer.read().decode()
    assert (answer.status, answer.headers["Refresh"]) == (503, "2")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "The report is being worked out" in text
