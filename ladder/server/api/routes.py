"""The author API: HTTP and JSON at `/api/v1`, described by the OpenAPI that this code generates.

Each route authenticates its caller, then reads or changes the caller's ladder. A refusal is a
`Problem` with a reason for programs, whatever raised it. Answers have ETags, so that asking again
costs little.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from ladder.model.errors import SparBudgetError
from ladder.runner.json_log import API
from ladder.server.api import schemas, submissions
from ladder.server.api.answers import Answers
from ladder.server.api.bodies import sent, takes
from ladder.server.api.callers import Caller, Callers, unknown_token
from ladder.server.api.context import ApiSettings, Served, open_served
from ladder.server.api.feed import event
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.status import (
    DATABASE_UNREACHABLE,
    INTERNAL,
    SPAR_BUDGET,
    ApiRefusal,
    exhausted,
    invalid,
    reason_of,
    refusal_named,
)
from ladder.server.api.submission_queue import Job
from ladder.server.public.follower import Following
from ladder.server.public.tournament_lines import TournamentLine
from ladder.server.web.headers import HEADERS, is_current, tag_of
from ladder.server.web.report_page import report_file
from referee.core.errors import CourtyardError

VERSION = "1.3.0"
"""Of the API: the minor number counts what was added."""
PREFIX = "/api/v1"
_TOKEN_CHECK_S = 10.0
_SILENT_CHECKS = 4
"""Checks without news before a log says so: web servers end a stream silent for a minute or two."""
_LONGEST_WAIT_S = 30
_PRIVATE = {**HEADERS, "Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
_LIVE = {
    **HEADERS,
    # Neither store nor compress, which would hold back what comes slowly.
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "Vary": "Authorization, Cookie",
}
_JSON = "application/json"
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "Refused: the reason says why.",
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
}


class ApiState:
    """The state that the routes share."""

    def __init__(self, served: Sequence[Served], limits: RateLimits, metrics: Metrics) -> None:
        """Serve the authors of these ladders."""
        self.served = served
        self.callers = Callers(served)
        self.limits = limits
        self.metrics = metrics
        self.reports = asyncio.Lock()
        self.logged_unreachable = False
        """Whether the log already shows that a database cannot be reached."""


def make_api(state: ApiState | None = None, *, trusts_network: bool = False) -> FastAPI:
    """Return the API as an application to be mounted at `PREFIX`; without a state to describe it.

    `trusts_network` accepts tokens without TLS from other machines.
    """
    api = FastAPI(
        title="Courtyard",
        summary="A ladder, for the authors of its bots.",
        version=VERSION,
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        docs_url=None,
        redoc_url=None,
        responses=_PROBLEMS,
    )
    api.state.api, api.state.trusts_network = state, trusts_network
    api.add_exception_handler(HTTPException, _not_routed)
    api.include_router(_ROUTER)
    generated = api.openapi

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            schemas_there = generated()["components"]["schemas"]
            schemas_there["Problem"] = schemas.Problem.model_json_schema()
            for taken in (schemas.BotChange, schemas.SparRequest, schemas.SparChange):
                schemas_there[taken.__name__] = taken.model_json_schema()
        return generated()

    api.openapi = openapi  # type: ignore[method-assign] # as FastAPI's documentation has it
    return api


@contextlib.asynccontextmanager
async def opened_api(
    ladders: Sequence[Following], settings: ApiSettings
) -> AsyncIterator[tuple[FastAPI, Sequence[Served]]]:
    """Open the API of these followed ladders; a token gives access to the one that issued it.

    Call `Served.close` of each before the context ends.
    """
    metrics = Metrics(settings.registry)
    async with contextlib.AsyncExitStack() as stack:
        served = [
            await stack.enter_async_context(open_served(each, settings.limits, metrics))
            for each in ladders
        ]
        state = ApiState(served, settings.limits, metrics)
        yield make_api(state, trusts_network=settings.trusts_network), served


class _Route(APIRoute):
    """A route that counts its calls, tags its answers, and answers every error with a problem."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            state: ApiState = request.app.state.api
            with state.metrics.seconds.labels(self.name).time():
                try:
                    response = await answer(request)
                except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets a problem
                    response = _refused(state, self.name, error)
            state.metrics.calls.labels(self.name, str(response.status_code)).inc()
            if request.method == "GET" and response.status_code == HTTPStatus.OK:
                return _tagged(request, response)
            return response

        return handle


def _refused(state: ApiState, name: str, error: Exception) -> Response:
    refusal = refusal_of(state, name, error)
    state.metrics.refusals.labels(refusal.reason).inc()
    return answer_of(refusal)


def refusal_of(state: ApiState, name: str, error: Exception) -> ApiRefusal:
    """Return the refusal for an error; log what is our own fault."""
    match error:
        case ApiRefusal():
            return error
        case RequestValidationError():
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"][1:])
            return invalid("BAD_REQUEST", f"{where}: {first['msg']}")
        case SparBudgetError():
            return exhausted(SPAR_BUDGET, str(error), error.retry_after_s)
        case CourtyardError():
            reason = reason_of(error)
            if reason == INTERNAL:
                API.error("%s failed", name, exc_info=error)
            elif reason == DATABASE_UNREACHABLE and not state.logged_unreachable:
                API.warning("authors' calls are refused: %s", error)
            state.logged_unreachable = reason == DATABASE_UNREACHABLE
            return refusal_named(reason, str(error))
        case ClientDisconnect():  # the client is gone
            return invalid("UPLOAD_TRUNCATED", "the request was broken off")
        case _:
            API.error("%s failed", name, exc_info=error)
            return refusal_named(INTERNAL, "")


def problem(refusal: ApiRefusal) -> schemas.Problem:
    """Return a refusal as JSON."""
    return schemas.Problem(
        title=HTTPStatus(refusal.status).phrase,
        status=refusal.status,
        detail=str(refusal),
        reason=refusal.reason,
        metadata=refusal.metadata,
    )


def answer_of(refusal: ApiRefusal) -> Response:
    """Return the answer to a refused request."""
    headers = {**HEADERS, "Cache-Control": "no-store"}
    if refusal.retry_after_s is not None:
        headers["Retry-After"] = str(math.ceil(refusal.retry_after_s))
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        headers |= {"WWW-Authenticate": "Bearer", "Connection": "close"}  # a guess costs one
    body = problem(refusal).model_dump()
    return JSONResponse(body, refusal.status, headers, "application/problem+json")


def _tagged(request: Request, response: Response) -> Response:
    """Return an answer with its tag, or 304 if the reader's copy is current; streams have none."""
    if isinstance(response, StreamingResponse):
        return response
    headers = {**_PRIVATE, "ETag": (tag := tag_of(bytes(response.body)))}
    if is_current(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    response.headers.update(headers)
    return response


async def _not_routed(_: Request, error: Exception) -> Response:
    if getattr(error, "status_code", 0) == HTTPStatus.METHOD_NOT_ALLOWED:
        return answer_of(ApiRefusal("METHOD_NOT_ALLOWED", "this address takes another method"))
    return answer_of(
        ApiRefusal("NOT_FOUND", f"there is nothing here: {PREFIX}/openapi.json lists the addresses")
    )


_TOKEN = HTTPBearer(auto_error=False, description="The token that the ladder's owner gave you.")


async def _caller(request: Request, _: Annotated[Any, Depends(_TOKEN)]) -> Caller:
    state: ApiState = request.app.state.api
    found = await state.callers.caller(request)
    state.logged_unreachable = False
    return found


Author = Annotated[Caller, Depends(_caller)]
Bot = Annotated[str, Path(description="A bot's name.", max_length=64)]
Match = Annotated[str, Path(description="A match's id, or how that begins.", max_length=64)]
Spar = Annotated[int, Path(description="The number of a spar.", ge=1, le=2**53)]
Tournament = Annotated[str, Path(description="A tournament's name in the list.", max_length=255)]
Sha256 = Annotated[str, Path(description="SHA-256 of what is sent.", pattern="^[0-9a-f]{64}$")]

_ROUTER = APIRouter(route_class=_Route)


def _json(text: str | bytes) -> Response:
    return Response(text, media_type=_JSON)


def _content(kind: str, schema: dict[str, Any] | None = None) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {kind: {"schema": schema or {}}}}}


@_ROUTER.get("/ladder")
async def get_ladder(caller: Author) -> schemas.Ladder:
    """Return what the ladder is, and as whom it knows the caller."""
    return await caller.ask(Answers.ladder)


@_ROUTER.get("/standings")
async def list_standings(caller: Author) -> schemas.Standings:
    """Return the standings of the versions that play, the best first."""
    return (await caller.served.feed.state()).standings


@_ROUTER.get("/versions")
async def list_versions(
    caller: Author, bot: Annotated[str | None, Query(max_length=64)] = None
) -> list[schemas.Version]:
    """Return the versions of all bots, or of one, in the order of submission."""
    return await caller.ask(lambda answers: answers.versions(bot))


@_ROUTER.get("/bots/{bot}")
async def get_bot(caller: Author, bot: Bot) -> schemas.Bot:
    """Return a bot and its versions."""
    return await caller.ask(lambda answers: answers.bot(bot))


@_ROUTER.patch("/bots/{bot}", openapi_extra=takes(schemas.BotChange))
async def change_bot(caller: Author, bot: Bot, request: Request) -> schemas.Bot:
    """Retire the caller's bot, let it play again, describe it, or let others spar with it."""
    submissions.check_writable(caller)
    changed = await sent(request, schemas.BotChange)
    return await caller.ask(lambda answers: answers.change(bot, changed))


@_ROUTER.get("/bots/{bot}/versions/{number}")
async def get_validation(
    caller: Author, bot: Bot, number: Annotated[int, Path(ge=1)]
) -> schemas.Validation:
    """Return the outcome of building and validating a version of the caller's bot."""
    return await caller.ask(lambda a: a.validation(bot, number))


@_ROUTER.get("/bots/{bot}/versions/{number}/record", responses=_content(_JSON))
async def get_validation_record(
    caller: Author, bot: Bot, number: Annotated[int, Path(ge=1)]
) -> Response:
    """Return the record of a version's validation match, for `referee repro`."""
    return _json(await caller.ask(lambda a: a.validation_record(bot, number)))


@_ROUTER.get("/bots/{bot}/logs")
async def list_logs(
    caller: Author,
    bot: Bot,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    finished: Annotated[bool, Query(description="Only matches with a result.")] = False,  # noqa: FBT002 - of HTTP
) -> list[schemas.Log]:
    """Return how the caller's bot fared in its last matches, the newest first."""
    found: list[schemas.Log] = await caller.ask(lambda answers: answers.logs(bot, limit))
    return [log for log in found if log.seat is not None or not finished]


@_ROUTER.get("/bots/{bot}/logs/{match}")
async def get_log(caller: Author, bot: Bot, match: Match) -> schemas.Log:
    """Return how the caller's bot fared in one match, with what it printed."""
    return await caller.ask(lambda answers: answers.log(bot, match))


@_ROUTER.get("/matches")
async def list_matches(
    caller: Author,
    bot: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 20,
) -> list[schemas.Match]:
    """Return the last public matches, of all bots or of one, the newest first."""
    return await caller.ask(lambda answers: answers.matches(bot, limit))


@_ROUTER.get("/matches/{match}")
async def get_match(caller: Author, match: Match) -> schemas.Match:
    """Return one match that is public, is to be played, or has a seat of the caller's."""
    return await caller.ask(lambda answers: answers.match(match))


@_ROUTER.get("/matches/{match}/record", responses=_content(_JSON))
async def get_record(caller: Author, match: Match) -> Response:
    """Return the whole record of a public match, for `referee verify` and `referee replay`."""
    return _json(await caller.ask(lambda answers: answers.record(match)))


@_ROUTER.get("/matches/{match}/replay", responses=_content(_JSON))
async def get_replay(
    caller: Author, match: Match, seat: Annotated[int | None, Query(ge=0, le=100)] = None
) -> Response:
    """Return what a seat or the audience saw of a match: own seats before it is public."""
    return _json(await caller.ask(lambda answers: answers.replay(match, seat)))


@_ROUTER.get("/spars")
async def list_spars(caller: Author) -> list[schemas.Spar]:
    """Return the caller's last spars, the newest first."""
    return await caller.ask(lambda answers: answers.sparring.spars())


@_ROUTER.post("/spars", status_code=HTTPStatus.CREATED, openapi_extra=takes(schemas.SparRequest))
async def ask_for_spar(caller: Author, request: Request) -> schemas.Spar:
    """Ask for unrated matches of the caller's bot against others, which only the caller sees."""
    submissions.check_writable(caller)
    wanted = await sent(request, schemas.SparRequest)
    return await caller.ask(lambda answers: answers.sparring.ask_for_spar(wanted))


@_ROUTER.get("/spars/{spar}")
async def get_spar(caller: Author, spar: Spar) -> schemas.Spar:
    """Return the results so far of the caller's spar."""
    return await caller.ask(lambda answers: answers.sparring.spar(spar))


@_ROUTER.patch("/spars/{spar}", openapi_extra=takes(schemas.SparChange))
async def change_spar(caller: Author, spar: Spar, request: Request) -> schemas.Spar:
    """Share the results of the caller's spar by a link, or no longer, or withdraw what waits."""
    submissions.check_writable(caller)
    changed = await sent(request, schemas.SparChange)
    return await caller.ask(lambda answers: answers.sparring.change_spar(spar, changed))


@_ROUTER.get("/spars/{spar}/matches")
async def list_spar_matches(caller: Author, spar: Spar) -> list[schemas.Match]:
    """Return the matches of the caller's spar, in order."""
    return await caller.ask(lambda answers: answers.sparring.spar_matches(spar))


@_ROUTER.get("/spars/{spar}/matches/{match}")
async def get_spar_log(caller: Author, spar: Spar, match: Match) -> schemas.Log:
    """Return how the caller's bot fared in a match of a spar, with what it printed."""
    return await caller.ask(lambda answers: answers.sparring.spar_log(spar, match))


@_ROUTER.get("/spars/{spar}/matches/{match}/replay", responses=_content(_JSON))
async def get_spar_replay(caller: Author, spar: Spar, match: Match) -> Response:
    """Return what the caller's bot saw of a match of a spar."""
    return _json(await caller.ask(lambda answers: answers.sparring.spar_replay(spar, match)))


@_ROUTER.get("/tournament", responses=_content(_JSON))
async def get_tournament(caller: Author) -> Response:
    """Return the tournament that the ladder is played for, as docs/tournament.schema.json."""
    return _json(await caller.ask(Answers.tournament))


@_ROUTER.get("/tournaments")
async def list_tournaments(caller: Author) -> list[TournamentLine]:
    """Return the tournaments in folders below the ladder's, the newest first."""
    return await caller.ask(Answers.tournaments)


@_ROUTER.get("/tournaments/{tournament}", responses=_content(_JSON))
async def get_listed_tournament(caller: Author, tournament: Tournament) -> Response:
    """Return one of these tournaments, as docs/tournament.schema.json."""
    return _json(await caller.ask(lambda answers: answers.tournament(tournament)))


@_ROUTER.get("/report", responses=_content("text/html", {"type": "string"}))
async def get_report(caller: Author, request: Request) -> Response:
    """Return the page that explains the standings."""
    state: ApiState = request.app.state.api
    async with state.reports:  # one at a time: a long ladder's takes seconds
        page = await run_in_threadpool(_report, caller.served)
    return Response(page, media_type="text/html")


def _report(served: Served) -> str:
    return report_file(served.source.report.facts())


@_ROUTER.get("/uploads/{sha256}")
async def get_upload(caller: Author, sha256: Sha256) -> schemas.Upload:
    """Return how many bytes of an upload are stored."""
    return schemas.Upload(offset=submissions.offset(caller, sha256))


@_ROUTER.head("/uploads/{sha256}", responses={200: {"headers": {"Upload-Offset": {}}}})
async def head_upload(caller: Author, sha256: Sha256) -> Response:
    """Return how many bytes of an upload are stored, in the header Upload-Offset."""
    offset = submissions.offset(caller, sha256)
    headers = {**_PRIVATE, "Cache-Control": "no-store", "Upload-Offset": str(offset)}
    return Response(headers=headers)


@_ROUTER.put(
    "/uploads/{sha256}",
    status_code=HTTPStatus.ACCEPTED,
    openapi_extra=submissions.REQUEST_BODY,
    responses={200: {"model": schemas.Upload, "description": "Stored; more is to come."}},
)
async def put_upload(caller: Author, sha256: Sha256, request: Request) -> schemas.Submission:
    """Send a bot, whole or by parts (Content-Range); with the last byte it is submitted.

    After an interruption HEAD says where to go on. Parts may have any size.
    """
    state: ApiState = request.app.state.api
    stored = await submissions.put(caller, state.limits, state.metrics, sha256, request)
    if isinstance(stored, schemas.Upload):
        return JSONResponse(stored.model_dump())  # type: ignore[return-value]
    return await _submission(caller, sha256, stored, after=0)


@_ROUTER.post(
    "/submissions", status_code=HTTPStatus.ACCEPTED, openapi_extra=submissions.REQUEST_BODY
)
async def submit(caller: Author, request: Request) -> schemas.Submission:
    """Submit a bot in one go: an archive (.tar.gz or .zip) as the body, or a form of its files."""
    state: ApiState = request.app.state.api
    sha256, job = await submissions.post(caller, state.limits, state.metrics, request.stream())
    return await _submission(caller, sha256, job, after=0)


@_ROUTER.get("/submissions")
async def list_submissions(caller: Author) -> list[schemas.Submission]:
    """Return the caller's submissions: running, and the last that are over; without logs."""
    return [
        await _submission(caller, sha256, job, after=len(job.log))
        for sha256, job in submissions.every(caller)
    ]


@_ROUTER.get("/submissions/{sha256}")
async def get_submission(
    caller: Author,
    sha256: Sha256,
    after: Annotated[int, Query(ge=0)] = 0,
    wait: Annotated[float, Query(ge=0, le=_LONGEST_WAIT_S, description="Seconds.")] = 0,
) -> schemas.Submission:
    """Return how far a submission is, once its log is longer than `after` or it is over."""
    job = submissions.found(caller, sha256)
    if wait:
        with caller.served.watching.one(caller.author):
            await job.news(after, wait)
    return await _submission(caller, sha256, job, after=after)


@_ROUTER.get("/submissions/{sha256}/log", responses=_content("text/plain", {"type": "string"}))
async def follow_submission(caller: Author, sha256: Sha256) -> Response:
    """Stream the log of a submission as it grows, up to its outcome."""
    job = submissions.found(caller, sha256)
    if job.is_over:  # it is told at once, even while others hold all places of readers
        return Response(job.log + submissions.in_words(job), headers=_LIVE, media_type="text/plain")

    async def lines() -> AsyncGenerator[str, None]:
        sent, silent = 0, 0
        while not job.is_over or sent < len(job.log):
            await job.news(sent, _TOKEN_CHECK_S)
            if not await caller.is_known():
                return
            text, sent = job.log[sent:], len(job.log)
            silent = 0 if text else silent + 1
            if text or silent % _SILENT_CHECKS == 0:
                yield text or "Still under way.\n"
        yield submissions.in_words(job)

    return _Stream(caller, lines(), "text/plain")


@_ROUTER.get("/watch", responses=_content("text/event-stream", {"type": "string"}))
async def watch(caller: Author, request: Request) -> Response:
    """Stream standings and matches as they change (server-sent events), first how it stands.

    An event `standings` has all of them, `match` one that began or became public, `problem` says
    why the stream ends.
    """
    state: ApiState = request.app.state.api

    async def events() -> AsyncGenerator[bytes, None]:
        try:
            with state.metrics.open.labels("watch").track_inprogress():
                async for each in _news(caller):
                    yield each
        except (ApiRefusal, CourtyardError) as error:
            refusal = refusal_of(state, "watch", error)
            yield event("problem", problem(refusal).model_dump_json().encode())

    return _Stream(caller, events(), "text/event-stream")


async def _news(caller: Caller) -> AsyncIterator[bytes]:
    """Yield what is new, or a comment where nothing is, as long as the token is valid."""
    news = caller.served.feed.news()
    upcoming = asyncio.ensure_future(anext(news))
    try:
        while True:
            await asyncio.wait({upcoming}, timeout=_TOKEN_CHECK_S)
            if not await caller.is_known():
                raise unknown_token()
            if upcoming.done():
                yield upcoming.result()
                upcoming = asyncio.ensure_future(anext(news))
            else:
                yield b":\n\n"
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
        await news.aclose()


class _Stream(StreamingResponse):
    """An answer that comes bit by bit, and holds one of its reader's places meanwhile."""

    def __init__(self, caller: Caller, parts: AsyncGenerator[Any, None], kind: str) -> None:
        """Raise `ApiRefusal` if the reader has too many."""
        caller.served.watching.check(caller.author)
        super().__init__(parts, headers=_LIVE, media_type=kind)
        self._caller = caller
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with contextlib.AsyncExitStack() as held:
            await held.enter_async_context(contextlib.aclosing(self._parts))
            try:
                held.enter_context(self._caller.served.watching.one(self._caller.author))
            except ApiRefusal as refusal:  # the last place has gone since it was looked for
                await answer_of(refusal)(scope, receive, send)
            else:
                await super().__call__(scope, receive, send)


async def _submission(caller: Caller, sha256: str, job: Job, *, after: int) -> schemas.Submission:
    shown: dict[str, Any] = {"sha256": sha256, "log": job.log[after:], "next": len(job.log)}
    if not job.is_over:
        return schemas.Submission(state="running", **shown)
    try:
        done = job.outcome()
    except ApiRefusal as refusal:
        return schemas.Submission(state="refused", problem=problem(refusal), **shown)
    outcome = await caller.ask(lambda answers: answers.submitted(done))
    return schemas.Submission(state="over", **shown, **outcome)
