"""Many tabs of one browser are at a table at once, behind a proxy that packs and holds answers.

A browser has six connections to a site that speaks HTTP/1.1.
"""

import gzip
import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.ladder.server.web.conftest import serving
from tests.support.new_ladder import new_ladder
from tests.support.waiting import until

CONNECTIONS = 6
PATIENCE_MS = 120_000
"""For a machine that has much else to do."""
HIDDEN = "Object.defineProperty(document, 'hidden', {get: () => true});"
WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
OWN = {"connection", "content-encoding", "content-length", "transfer-encoding"}
"""Headers that a proxy makes itself."""


class Proxy(BaseHTTPRequestHandler):
    """Speaks HTTP/1.1, packs everything, and answers no look before there is news."""

    protocol_version = "HTTP/1.1"

    def __init__(self, behind: str, *arguments: object) -> None:
        """Stand before the server at an address."""
        self.behind = behind
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Pass a request on."""
        self._pass_on()

    def do_POST(self) -> None:
        """Pass a form or an answer on."""
        self._pass_on()

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        after = re.search(r"/state\?after=(\d+)", self.path)
        answer, content = self._ask(body)
        while after and json.loads(content).get("version") == int(after[1]):
            answer, content = self._ask(body)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OWN:
                self.send_header(name, value)
        if answer.status not in WITHOUT_BODY:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _ask(self, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        sent = {**self.headers, "Accept-Encoding": "identity"}
        with closing(http.client.HTTPConnection(self.behind, timeout=60)) as wire:
            wire.request(self.command, self.path, body, sent)
            answer = wire.getresponse()
            return answer, answer.read()


class Front(ThreadingHTTPServer):
    """A server of the proxy; browsers hang up as they like."""

    def handle_error(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def proxied(address: str) -> Iterator[str]:
    """Stand before a server within the block; yield the proxy's address, with a slash."""
    with Front(("127.0.0.1", 0), partial(Proxy, urlsplit(address).netloc)) as front:
        threading.Thread(target=front.serve_forever).start()
        yield f"http://127.0.0.1:{front.server_port}/"
        front.shutdown()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The proxy's address of a server with tables."""
    home = tmp_path_factory.mktemp("tabs") / "ladder"
    new_ladder(home, "tabs", seats=3)
    with serving(home, options=("--tables", "2")) as address, proxied(address) as front:
        yield front


@contextmanager
def seated(browser: Browser, host: str, *scripts: str) -> Iterator[BrowserContext]:
    """Sit at a table within the block, in a browser each of whose pages first runs scripts."""
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        for script in scripts:
            context.add_init_script(script)
        page = context.new_page()
        page.goto(f"{host}play/")
        for seat in (1, 2):
            page.locator(f"#seat{seat}").select_option("stand-in")
        page.get_by_role("button", name="Open the table").click()
        yield context
        page.get_by_role("button", name="Leave the table").click()
        page.get_by_role("heading", name="No result").wait_for()


def answered(tab: Page, others: list[Page]) -> None:
    """Answer in a tab, and see that the others know the next question."""
    tab.locator(".option:not([aria-disabled])").last.click()
    tab.locator(".option:not([aria-disabled])").first.wait_for()
    words = tab.locator(".ask").inner_text()
    for other in others:
        until(partial(has_words, other, words))


def has_words(tab: Page, words: str) -> bool:
    """Whether a tab asks so."""
    return tab.locator(".ask").inner_text() == words


def play_in_all(context: BrowserContext, tabs: int) -> None:
    """Open more tabs at the table of the first one, and answer in some of them."""
    (first,) = context.pages
    first.locator(".option").first.wait_for()
    for _ in range(tabs - 1):
        context.new_page().goto(first.url)
    for tab in context.pages:
        tab.locator(".option").first.wait_for()
    for tab in context.pages[:4]:
        answered(tab, context.pages)


def test_a_dozen_hidden_tabs_play_at_once(browser: Browser, host: str) -> None:
    """They hold no connection, so each opens, answers, and learns what is new."""
    with seated(browser, host, HIDDEN) as context:
        play_in_all(context, 2 * CONNECTIONS)


def test_a_visible_tab_for_each_connection_plays(browser: Browser, host: str) -> None:
    """Each holds one until it answers, and lets go of it then."""
    with seated(browser, host) as context:
        play_in_all(context, CONNECTIONS)
