"""A ladder's pages and author API on the loopback, served in a thread, and its visitors."""

import asyncio
import concurrent.futures
import contextlib
import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from ladder.server.api.context import ApiSettings
from ladder.server.api.routes import PREFIX, opened_api
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.server.web.app import make_app
from ladder.server.web.health import Health
from ladder.server.web.server import ApiServer, listen_for_readers
from ladder.storage.ladder import Ladder


@dataclass(frozen=True)
class Tls:
    """The files with which a server speaks TLS."""

    cert: Path
    key: Path
    client_ca: Path | None = None
    """Whose certificates clients must show; None: they need none."""

    def options(self) -> dict[str, Any]:
        """Return uvicorn's options."""
        found: dict[str, Any] = {"ssl_certfile": self.cert, "ssl_keyfile": self.key}
        if self.client_ca is not None:
            found |= {"ssl_ca_certs": str(self.client_ca), "ssl_cert_reqs": ssl.CERT_REQUIRED}
        return found


@contextlib.contextmanager
def serving(
    ladders: list[Ladder], settings: ApiSettings | None = None, tls: Tls | None = None
) -> Iterator[str]:
    """Serve these ladders in a thread; yield HOST:PORT, and close at the end."""
    ready: concurrent.futures.Future[uvicorn.Server] = concurrent.futures.Future()
    listening = listen_for_readers("127.0.0.1", 0)

    async def serve() -> None:
        try:
            async with contextlib.AsyncExitStack() as stack:
                followed = [Following(PublicReader(ladder)) for ladder in ladders]
                for each in followed:
                    await stack.enter_async_context(each.running())
                opening = opened_api(followed, settings or ApiSettings())
                api, served = await stack.enter_async_context(opening)
                config = uvicorn.Config(
                    make_app(followed, Health(followed), api),
                    http="h11",
                    log_config=None,
                    lifespan="off",
                    timeout_graceful_shutdown=5,
                    **(tls.options() if tls else {}),
                )
                server = ApiServer(config, served)
                ready.set_result(server)
                await server.serve([listening])
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
                return
            raise

    with listening, concurrent.futures.ThreadPoolExecutor(1) as thread:
        ended = thread.submit(asyncio.run, serve())
        server = ready.result()
        host, port = listening.getsockname()
        try:
            yield f"{host}:{port}"
        finally:
            server.should_exit = True
            ended.result()


@dataclass(frozen=True)
class Answer:
    """An answer of the server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body as a value."""
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """The reason of a refusal."""
        assert self.headers["content-type"] == "application/problem+json", self
        found = self.json
        assert found["status"] == self.status
        return str(found["reason"])


@dataclass(frozen=True)
class Visitor:
    """A visitor with a token or without; each call has its own connection."""

    address: str
    token: str = ""

    @contextlib.contextmanager
    def opened(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[http.client.HTTPResponse]:
        """Ask, and yield the answer before its body is read; `path` is below the API's."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        with contextlib.closing(http.client.HTTPConnection(self.address, timeout=60)) as wire:
            wire.request(method, PREFIX + path, body, {**sent, **(headers or {})})
            yield wire.getresponse()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask and return the whole answer; "_" in names of headers stands for "-"."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with self.opened(method, path, body, named) as answer:
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())

    def get(self, path: str, **headers: str) -> Answer:
        """Get a path."""
        return self.ask("GET", path, **headers)
