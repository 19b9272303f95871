"""The web application: pages with a strict content security policy, and the author API.

Requests never wait for the database. The newest `Site` answers them; it is rebuilt whenever a
followed ladder changes.
"""

import asyncio
import mimetypes
from collections.abc import Mapping, Sequence

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from ladder.model.errors import UnreachableError
from ladder.server.api.routes import PREFIX
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.tables.client import TableClient
from ladder.server.web.author_pages import AuthorPages
from ladder.server.web.headers import HEADERS, is_current, tag_of
from ladder.server.web.health import Health
from ladder.server.web.opening_pages import OpeningPages
from ladder.server.web.site import FILE, REPORT, Site
from ladder.server.web.static_files import static_files, table_files

_COMPRESSED_FROM_BYTES = 1000
_GZIP = Middleware(
    GZipMiddleware,
    minimum_size=_COMPRESSED_FROM_BYTES,
    # These come slowly, and compression would hold them back.
    exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "text/plain"),
)
_PAGES_KEPT = 256
_REPORT_S = 3.0
"""How long a reader waits for a report before a page says that it is being worked out."""
_DATABASE_BACK_S = "10"
_OLD_API = "/courtyard.v1.LadderService/{method}"
_UNIMPLEMENTED = "12"
_MOVED = "the author API speaks HTTP now: update Courtyard, and give the address of the pages"


class Newest:
    """The newest site of the served ladders, with a cache of its pages."""

    def __init__(self, ladders: Sequence[Following], *, tables: bool = False) -> None:
        """Build the site, and rebuild it after every change; with `tables`, people can play."""
        self._ladders = ladders
        self._tables = tables
        self._static = {**static_files(), **table_files()}
        self._make()
        for each in ladders:
            each.listeners.append(self._changed)
            each.tournaments.listeners.append(self._make)

    def file(self, path: str) -> bytes | None:
        """Return the file at a path; None if there is none."""
        if path in self._static:
            return self._static[path]
        site, kept = self.site, self._kept
        if path not in kept:
            page = site.page(path)
            if page is None:
                return None
            if len(kept) >= _PAGES_KEPT:
                kept.clear()
            kept[path] = page
        return kept.get(path)

    def answer(self, path: str, asked: Mapping[str, str]) -> bytes | None:
        """Return a page that answers a search; None if the page at the path has none."""
        return self.site.answer(path, asked)

    def missing(self, path: str) -> bytes:
        """Return the page for a missing path."""
        return self.site.missing(path)

    async def _changed(self, _: Snapshot) -> None:
        self._make()

    def _make(self) -> None:
        shown = [_shown(each) for each in self._ladders]
        tournaments = [
            {name: _shown(tournament) for name, tournament in each.tournaments.shown().items()}
            for each in self._ladders
        ]
        self.site = Site(shown, live=True, tournaments=tournaments, tables=self._tables)
        self._kept = dict[str, bytes]()


def _shown(following: Following) -> tuple[Snapshot, PublicReader]:
    return following.newest, following.source


def make_app(
    ladders: Sequence[Following],
    health: Health,
    api: FastAPI,
    tables: TableClient | None = None,
) -> Starlette:
    """Return the application that serves these ladders, their health, authors and tables."""
    newest, one_report = Newest(ladders, tables=tables is not None), asyncio.Lock()
    reports = set[asyncio.Task[Response]]()

    async def report(request: Request) -> Response:
        """Answer as `page`, or after a while with a page that asks again."""
        task = asyncio.create_task(worked_out(request))
        reports.add(task)
        task.add_done_callback(reports.discard)
        done, _ = await asyncio.wait([task], timeout=_REPORT_S)
        if done:
            return task.result()
        headers = {**HEADERS, "Cache-Control": "no-store", "Refresh": "2"}
        return Response(newest.site.waiting(_path(request)), 503, headers, "text/html")

    async def worked_out(request: Request) -> Response:
        """Answer as `page`, one at a time: who waits for a report takes no thread."""
        async with one_report:
            return await run_in_threadpool(page, request)

    def page(request: Request) -> Response:
        path = _path(request)
        if not path or path.endswith("/"):
            path += "index.html"
        asked = request.query_params
        content = (newest.answer(path, asked) if asked else None) or newest.file(path)
        if content is None:
            if newest.file(f"{path}/index.html") is not None:
                return RedirectResponse(f"/{path}/", headers=HEADERS)
            return Response(newest.missing(path), 404, HEADERS, "text/html")
        return file_answer(request, path, content)

    app = Starlette(
        routes=[
            health.route(),
            Mount(PREFIX, api),
            *AuthorPages(api.state.api, lambda: newest.site).routes(),
            *(OpeningPages(tables, api.state.api, lambda: newest.site).routes() if tables else ()),
            Route(_OLD_API, _moved, methods=["POST"]),
            Route(f"/{{path:path}}{REPORT}", report),
            Route("/{path:path}", page),  # GET and HEAD; anything else is refused with 405
        ],
        exception_handlers={UnreachableError: _unreachable},
        middleware=[_GZIP],
    )
    app.state.trusts_network = api.state.trusts_network
    return app


def _path(request: Request) -> str:
    path: str = request.scope["path"]
    return path.removeprefix("/")


def _moved(_: Request) -> Response:
    """Answer a client of the author API of before, which spoke gRPC, with a status of gRPC's."""
    status = {"grpc-status": _UNIMPLEMENTED, "grpc-message": _MOVED}
    return Response(headers=status, media_type="application/grpc")


def _unreachable(_: Request, __: Exception) -> Response:
    """Answer for a page that needs the database while its server is gone; the log has more."""
    why = "The ladder cannot reach its database. Please try again later."
    headers = {**HEADERS, "Cache-Control": "no-store", "Retry-After": _DATABASE_BACK_S}
    return Response(why, 503, headers, "text/plain")


def file_answer(request: Request, path: str, content: bytes) -> Response:
    """Return a file, or 304 if the reader's copy is current."""
    headers = {**HEADERS, "ETag": (tag := tag_of(content))}
    if path.endswith(FILE):  # its scripts are its own, which the policy of pages forbids
        headers["Content-Disposition"] = "attachment"
    if is_current(request, tag):
        return Response(status_code=304, headers=headers)
    kind, _ = mimetypes.guess_type(path)
    return Response(content, headers=headers, media_type=kind or "application/octet-stream")
