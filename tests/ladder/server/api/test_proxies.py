"""Through the web servers of docs/operations.md, as they stand there, authors do all they do."""

import gzip
import http.client
import re
import socket
import ssl
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import shake_256
from pathlib import Path
from typing import Any

import pytest

from ladder.server.api.routes import PREFIX
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.test_submit import archive_of, sha256_of
from tests.support.lacking import need_program
from tests.support.ladders import MakeBot
from tests.support.remote_bots import Keys
from tests.support.waiting import until

PAGE = Path(__file__).parents[4] / "docs" / "operations.md"
LARGE = 3_000_000
"""More than nginx takes if it is not told to."""
AT = "127.0.0.1:8000"

NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    gzip on; gzip_proxied any; gzip_types *; gzip_min_length 1;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {keys.of_gate.chain}; ssl_certificate_key {keys.of_gate.key};
        {shown}
    }}
}}
"""
CADDY = """
{{
    admin off
    auto_https disable_redirects
}}
{shown}
"""
OWN_CADDY = "tls {keys.of_gate.chain} {keys.of_gate.key}\n    reverse_proxy"
"""What the test adds: a certificate that no authority has to give."""


def shown(begin: str) -> str:
    """Return the one example of the page that begins so."""
    (found,) = re.findall(rf"^```\n({begin}.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(found)


def nginx(folder: Path, keys: Keys, port: int) -> list[str]:
    """Return the command that starts nginx."""
    program = need_program("nginx", "apt-get install nginx-light")
    config = NGINX.format(folder=folder, keys=keys, port=port, shown=shown("location /"))
    (folder / "nginx.conf").write_text(config)
    return [program, "-c", str(folder / "nginx.conf"), "-p", str(folder)]


def caddy(folder: Path, keys: Keys, port: int) -> list[str]:
    """Return the command that starts Caddy."""
    program = need_program("caddy", "apt-get install caddy")
    site = shown("ladder.example.org").replace("ladder.example.org", f"https://localhost:{port}")
    site = site.replace("reverse_proxy", OWN_CADDY.format(keys=keys))
    (folder / "Caddyfile").write_text(CADDY.format(shown=site))
    return [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


Proxy = Callable[[Path, Keys, int], list[str]]


@dataclass(frozen=True)
class Visitor:
    """An author behind TLS, who takes compressed answers."""

    port: int
    keys: Keys
    token: str

    @contextmanager
    def opened(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """Ask, and yield the answer before its body is read."""
        context = ssl.create_default_context(cafile=str(self.keys.roots))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "gzip", **named}
        wire = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=60)
        with closing(wire):
            wire.request(method, path, body, sent)
            yield wire.getresponse()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[Any, bytes]:
        """Ask, and return the answer with its body as it was before it was compressed."""
        with self.opened(method, path, body, **headers) as answer:
            content = answer.read()
            packed = answer.headers["Content-Encoding"] == "gzip"
            return answer, gzip.decompress(content) if packed else content


@pytest.fixture(params=[nginx, caddy])
def visitor(
    api: str, token: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Visitor]:
    """Reach the ladder through a web server."""
    proxy: Proxy = request.param
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    keys, folder = Keys.made(tmp_path, "localhost"), tmp_path / "proxy"
    folder.mkdir()
    command = [part.replace(AT, api) for part in proxy(folder, keys, port)]
    for config in folder.iterdir():
        config.write_text(config.read_text().replace(AT, api))
    environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin"}
    with (
        (folder / "said").open("wb") as said,
        subprocess.Popen(command, stdout=said, stderr=said, env=environment) as running,
    ):
        try:
            until(lambda: _listens(port) or running.poll() is not None)
            assert running.poll() is None, (folder / "said").read_text()
            yield Visitor(port, keys, token)
        finally:
            running.terminate()


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("localhost", port)):
        return True
    return False


def news(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the events of a stream as they come, compressed or not."""
    packed = answer.headers["Content-Encoding"] == "gzip"
    unpack = zlib.decompressobj(31).decompress if packed else bytes
    waiting = b""
    while piece := answer.read1():
        *events, waiting = (waiting + unpack(piece)).split(b"\n\n")
        yield from filter(b":".__ne__, events)


@pytest.mark.costly
@pytest.mark.sweep
def test_authors_do_through_a_web_server_what_they_do_without(
    visitor: Visitor, make_bot: MakeBot, ladder: Ladder
) -> None:
    """A cut upload goes on, news comes as it happens, pages are compressed, cookies are for TLS."""
    bot = make_bot("eve")
    (bot / "book").write_bytes(shake_256(b"book").digest(LARGE))
    content = archive_of(bot)
    upload, half = f"{PREFIX}/uploads/{sha256_of(content)}", len(content) // 2
    rest = f"bytes {half}-{len(content) - 1}/{len(content)}"

    def cut() -> Iterator[bytes]:
        yield content[:half]
        until(lambda: int(visitor.ask("HEAD", upload)[0].headers["Upload-Offset"]) == half)
        raise ConnectionAbortedError

    page, html = visitor.ask("GET", "/")
    signed_in, _ = visitor.ask(
        "POST", "/me/in", f"token={visitor.token}", Sec_Fetch_Site="same-origin"
    )
    with pytest.raises(ConnectionAbortedError):
        visitor.ask("PUT", upload, cut(), Content_Length=str(len(content)))
    with visitor.opened("GET", f"{PREFIX}/watch") as watching:
        events = news(watching)
        assert next(events).startswith(b"event: standings")
        accepted, _ = visitor.ask("PUT", upload, content[half:], Content_Range=rest)
        log = visitor.ask("GET", f"{PREFIX}/submissions/{sha256_of(content)}/log")[1]
        assert b'"eve"' in next(events)

    assert page.headers["Content-Encoding"] == "gzip"
    assert b"</html>" in html
    assert signed_in.status == 303
    assert "secure" in signed_in.headers["Set-Cookie"].lower()
    assert accepted.status == 202
    assert log.decode().endswith("plays.\n")
    assert tokens.author_of(ladder, visitor.token) == "ann"
