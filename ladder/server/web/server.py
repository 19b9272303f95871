"""Runs the web server of pages and author API, and beside it the processes that play."""

import asyncio
import contextlib
import gc
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette

from ladder.model.addresses import joined
from ladder.model.errors import LadderError
from ladder.runner.interrupts import StopRequests, stop_signals
from ladder.runner.json_log import PAGES
from ladder.server.addresses import listen
from ladder.server.api.context import ApiSettings, Served
from ladder.server.api.routes import opened_api
from ladder.server.player_process import PlayerProcesses, player_processes
from ladder.server.public.follower import Following
from ladder.server.tables.client import TableClient
from ladder.server.tables.messages import TableSettings
from ladder.server.tables.supervisor import opened_tables
from ladder.server.web.app import make_app
from ladder.server.web.health import Health
from ladder.server.web.service_manager import notify
from ladder.storage.files.folder import Home
from referee.transports.connections import Connections, raise_file_limit, room

if TYPE_CHECKING:
    from ladder.runner.remote.gateway_process import GatewaySettings

from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.transports.connections import Claim, Slot

_OWN_WEB_SERVER = ["127.0.0.1", "::1"]
"""Whose word on a request's sender is taken: a proxy's elsewhere could make strangers local."""
_GRACE_S = 5
"""How long running requests may take once the server stops."""
_MOST_CONNECTIONS = 1024
_ACCEPTED_AT_ONCE = 128
"""The backlog of connections."""
_SHARE_OF_FILES = 0.5
"""The pages' share of the files that the process may open; the rest is for what plays."""


class ApiServer(uvicorn.Server):
    """A server that leaves signals to `serve`."""

    def __init__(
        self, config: uvicorn.Config, authors: Sequence[Served], tables: TableClient | None = None
    ) -> None:
        """Serve authors and tables too, whose streams and looks end first."""
        super().__init__(config)
        self._authors = authors
        self._tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop submissions, streams and tables, which go on by themselves, then the rest."""
        for each in self._authors:
            await each.close()
        if self._tables is not None:
            await self._tables.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


@dataclass(frozen=True, slots=True)
class Playing:
    """How to play the served ladders."""

    homes: Sequence[Home]
    workers: int
    """Workers of each ladder."""
    json: bool
    """Whether to log in JSON lines."""
    gateway_settings: "GatewaySettings | None" = None
    """The gateway of remote bots, with a single ladder; None opens none."""


def serve(
    ladders: Sequence[Following],
    host: str,
    port: int,
    started: Callable[[str], object],
    playing: Playing | None = None,
    beside: contextlib.AbstractAsyncContextManager[object] | None = None,
    health: Health | None = None,
    api_settings: ApiSettings | None = None,
    tables: TableSettings | None = None,
) -> None:
    """Serve the pages of these ladders until Ctrl-C, SIGTERM or SIGHUP.

    Call `started` with the address, and notify the service manager of readiness and stopping.
    Port 0 takes any free port. People may play at `tables`, if any. Open `beside` before
    anything plays. The processes that play finish their running matches at the end; a second
    request to stop ends them at once.

    Raise `LadderError` if the address cannot be used, or if the ladders cannot be played.
    """
    health = health or Health(ladders)
    raise_file_limit()
    listening = listen_for_readers(host, port)
    with listening:
        announce = partial(started, address_of(listening))
        settings = api_settings or ApiSettings()
        asyncio.run(_serve(health, ladders, listening, announce, playing, beside, settings, tables))


def configured(app: Starlette) -> uvicorn.Config:
    """Return how a server of pages runs an application."""
    most = room(_MOST_CONNECTIONS, 1, _SHARE_OF_FILES)
    return uvicorn.Config(
        app,
        backlog=_ACCEPTED_AT_ONCE,
        http=_visitor_protocol(Connections(most, most, PAGES.log)),
        log_config=None,
        log_level="error",  # its warnings are of requests that strangers got wrong
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        workers=1,  # this and the next one would come from the environment
        forwarded_allow_ips=_OWN_WEB_SERVER,
    )


def listen_for_readers(host: str, port: int) -> socket.socket:
    """Return a listening socket whose connections send at once; raise `SettingsError` on failure.

    With Nagle's algorithm, the second packet of an answer would wait for the acknowledgement of the
    first, which takes some 40 ms on a reused connection.
    """
    listening = listen(host, port)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited on accept
    return listening


async def _serve(
    health: Health,
    ladders: Sequence[Following],
    listening: socket.socket,
    started: Callable[[], object],
    playing: Playing | None,
    beside: contextlib.AbstractAsyncContextManager[object] | None,
    api_settings: ApiSettings,
    tables: TableSettings | None,
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for each in ladders:
            await stack.enter_async_context(each.running())
        api, authors = await stack.enter_async_context(opened_api(ladders, api_settings))
        kept_tables = await stack.enter_async_context(opened_tables(tables)) if tables else None
        health.tables = kept_tables
        config = configured(make_app(ladders, health, api, kept_tables))
        server = ApiServer(config, authors, kept_tables)
        # It may fail to open, so it opens first; it closes before the running matches finish.
        opened = await stack.enter_async_context(contextlib.AsyncExitStack())
        if beside is not None:
            await opened.enter_async_context(beside)
        players = None
        if playing is not None:
            kept = player_processes(
                playing.homes,
                playing.workers,
                json=playing.json,
                gateway_settings=playing.gateway_settings,
                lost=partial(_end, server),
            )
            players = health.player_processes = await stack.enter_async_context(kept)
        loop = asyncio.get_running_loop()
        requests = StopRequests()
        for number in stop_signals():
            loop.add_signal_handler(number, _stop, number, requests, server, players)
        gc.freeze()  # else a flood would let all that is imported be searched again and again
        started()
        notify("READY=1")
        await server.serve(sockets=[listening])
        await opened.aclose()
    if players is not None and players.loss:
        raise LadderError(f"{players.loss}; its output above says why")


def _end(server: ApiServer) -> None:
    """Stop gracefully."""
    notify("STOPPING=1")
    server.should_exit = True


def _stop(
    number: int, requests: StopRequests, server: ApiServer, beside: PlayerProcesses | None
) -> None:
    """Stop gracefully; on a second request, at once."""
    if not requests.is_new(number):
        return
    server.force_exit = server.should_exit
    _end(server)
    if beside is not None:
        beside.stop()


def address_of(listening: socket.socket) -> str:
    """Return the address of the first page."""
    host, port = listening.getsockname()[:2]
    return f"http://{joined(host, port)}/"


_SECONDS_BETWEEN_LOOKS = 15.0
"""A connection without a request between two checks is ended."""


def _visitor_protocol(connections: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with connections limited by `connections`."""

    class Visitor(H11Protocol):
        """One connection of a browser."""

        _place: Slot | None = None
        _look: asyncio.TimerHandle | None = None
        _last: object = None
        """The last request at the previous check."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            """Take a place, or abort the connection."""
            super().connection_made(transport)
            host = self.client[0] if self.client else ""
            self._place = connections.take(host, self._end, partial(_claim, self))
            if self._place is None:
                transport.abort()
            else:
                self._look_later()

        def connection_lost(self, exc: Exception | None) -> None:
            """Release the place."""
            if self._look is not None:
                self._look.cancel()
            if self._place is not None:
                connections.leave(self._place)
            super().connection_lost(exc)

        def _look_later(self) -> None:
            self._look = self.loop.call_later(_SECONDS_BETWEEN_LOOKS, self._look_now)

        def _look_now(self) -> None:
            if not _has_request(self) and self.cycle is self._last:
                self.transport.abort()
                return
            self._last = self.cycle
            self._look_later()

        def _end(self, reason: str) -> None:
            connections.ended(reason)
            self.transport.abort()

    return Visitor


def _has_request(visitor: H11Protocol) -> bool:
    """Return whether a visitor has begun a request that is not answered yet."""
    return visitor.cycle is not None and not visitor.cycle.response_complete


def _claim(visitor: H11Protocol) -> Claim:
    """Return what a visitor has to lose. A request is being answered once all of it has come.

    Otherwise bodies that never come would keep their places, and visitors lose theirs. An upload
    that has to make room goes on where it was cut. What is not read yet counts, too: in a crowd of
    new connections the oldest one's request may wait behind the others' arrival.
    """
    if _has_request(visitor) and not visitor.cycle.more_body:
        return Claim.SERVED
    return Claim.UNREAD if _is_readable(visitor) else Claim.NOTHING


def _is_readable(visitor: H11Protocol) -> bool:
    """Return whether bytes of a visitor wait to be read."""
    looking = select.poll()
    looking.register(visitor.transport.get_extra_info("socket").fileno(), select.POLLIN)
    return bool(looking.poll(0))
