"""One match at a table of its own, without a ladder: the pages of `referee play --browser SEAT`.

They are served on the loopback interface. The link that is printed holds the secret of the seat.
After the match they stay for a while, so that the person can look back.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ladder.model.errors import LadderError
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.routes import ApiState
from ladder.server.tables.client import TableClient
from ladder.server.tables.messages import Leave, Order, TableError
from ladder.server.tables.messages import Request as TableRequest
from ladder.server.tables.process import NO_TABLE, answer_at
from ladder.server.tables.table import Table
from ladder.server.web.app import file_answer
from ladder.server.web.headers import HEADERS
from ladder.server.web.server import ApiServer, address_of, configured, listen_for_readers
from ladder.server.web.static_files import STATIC, static_files, table_files
from ladder.server.web.table_pages import TablePages, id_of, secret_of
from referee.games.base import Seat
from referee.hosting.match_runner import Ended, MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec

_HERE = "127.0.0.1"
LOOK_BACK_S = 600.0
"""How long the pages stay after the match, from their last reader on."""
_HOW_TO_END = "This is one match: for another, run the command again."
_LEFT = "You have left. The command has ended, and this page can be closed."


class OneTable(TableClient):
    """Asks one table in this process."""

    def __init__(self, table: Table) -> None:
        """Ask this table."""
        super().__init__(most=1)
        self.table = table
        self.asked = asyncio.Event()
        """Set by each request."""
        self.left = False
        """Whether the person has left, before or after the end."""

    async def _ask(self, request: TableRequest) -> Any:
        self.asked.set()
        if isinstance(request, Order) or request.table != self.table.id:
            raise TableError(NO_TABLE, 404)
        answer = await answer_at(self.table, request)
        self.left = self.left or isinstance(request, Leave)
        return answer

    async def read(self) -> None:
        """Wait until the person leaves, or until nothing was asked for a while."""
        while not self.left:
            self.asked.clear()
            async with asyncio.timeout(LOOK_BACK_S):
                await self.asked.wait()

    async def close(self) -> None:
        """End the table; those who look are told."""
        await self.table.close()


async def play_in_browser(
    runner: MatchRunner,
    spec: MatchSpec,
    seat: Seat,
    opened: Callable[[str], object],
    ended: Callable[[Ended], object],
    hints: BotSpec | None,
) -> Ended | None:
    """Play a match with a person in a browser on this seat, and the stand-in on the free ones.

    It begins when the person has taken the seat by the link, under the name given there.
    The bot of `hints`, if any, says what it would do when asked.
    Call `opened` with the person's link, and `ended` with the match once it is over. Return it when
    the person has left, or after a while without a reader; None if the person left before the end.
    Raise `LadderError` if the match has no result.
    """
    table = Table(Order("", spec, None, [seat], seat, "", "person", hints=hints))
    client = OneTable(table)
    with listen_for_readers(_HERE, 0) as listening:
        server = ApiServer(configured(_app(client)), [], client)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            table.begin(runner, lambda: None)
            opened(f"{address_of(listening)}play/{table.id}/join#{table.secret}")
            await table.over()
            if table.ended is not None:
                ended(table.ended)
                await _looked_back(client)
            elif not client.left:
                raise LadderError(table.why.removesuffix("."))
            return table.ended
        finally:
            server.should_exit = True
            await serving


async def _looked_back(client: OneTable) -> None:
    """Wait until the person has seen enough; Ctrl-C is as good."""
    with contextlib.suppress(TimeoutError, asyncio.CancelledError):
        await client.read()


def _app(client: OneTable) -> Starlette:
    """Return the pages of a table and what they load."""
    pages = TablePages(client, ApiState([], RateLimits(), Metrics()), lambda _: None)
    files = static_files() | table_files()

    def file(request: Request) -> Response:
        path = f"{STATIC}{request.path_params['path']}"
        if path not in files:
            return Response(status_code=404, headers=HEADERS)
        return file_answer(request, path, files[path])

    async def leave(request: Request) -> Response:
        await client.leave(id_of(request), secret_of(request))
        return pages.rendered(request, "play/one.html", words=_LEFT, table="")

    async def other(request: Request) -> Response:
        return pages.rendered(request, "play/one.html", words=_HOW_TO_END, table=client.table.id)

    return Starlette(
        routes=[
            Route(f"/{STATIC}{{path:path}}", file),
            Route("/play/{table}/leave", pages.page(leave), methods=["POST"]),
            *pages.routes(),
            Route("/{path:path}", pages.page(other)),
        ],
        middleware=[Middleware(GZipMiddleware)],
    )
