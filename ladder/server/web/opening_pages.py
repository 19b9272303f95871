"""The page that opens tables, /play: a visitor chooses a ladder and who has each seat."""

import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ladder.server.api.rate_limits import Buckets
from ladder.server.api.routes import ApiState
from ladder.server.api.status import ApiRefusal
from ladder.server.bearer import token_of
from ladder.server.tables.client import TableClient
from ladder.server.tables.messages import Kind, Order, TableError
from ladder.server.tables.opponents import of_ladder, samples
from ladder.server.web.site import LadderPages, Site
from ladder.server.web.table_pages import TablePages, fields_of, seat_at, visitor_of, with_slash
from ladder.storage.ladder import Ladder
from referee.games import game_named
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec

_OPENED, _OPENED_A_SECOND = 40.0, 0.2
"""Of the tables that a visitor opens: each starts bots."""
_ME, _SAMPLE, _BOT = "me", "sample ", "bot "
"""How a form names who has a seat, besides `Kind`: these go before a bot's name."""
_SECRET_BYTES = 16
_CONDITION = re.compile("[A-Za-z0-9_-]{0,32}")


class OpeningPages:
    """The page that opens tables, and those of the tables."""

    def __init__(self, tables: TableClient, api: ApiState, site: Callable[[], Site]) -> None:
        """Ask the tables; `site` returns the newest site, its parts in the order of the API's."""
        self._tables = tables
        self._api = api
        self._site = site
        self._at_tables = TablePages(tables, api, self._part_of)
        self._opens = Buckets("tables", _OPENED, _OPENED_A_SECOND)

    def routes(self) -> list[Route]:
        """Return the routes."""
        page = self._at_tables.page
        return [
            Route("/play", with_slash),
            Route("/play/", page(self._new)),
            Route("/play/", page(self._open), methods=["POST"]),
            *self._at_tables.routes(),
        ]

    async def _new(self, request: Request) -> Response:
        part = self._part(request.query_params.get("ladder", ""))
        ladder = self._ladder(part)
        allowed = game_named(part.snapshot.game).seats
        wanted = request.query_params.get("seats")
        return self._at_tables.rendered(
            request,
            "play/new.html",
            part=part,
            parts=self._site().links("play/index.html"),
            slug=part.slug,
            condition=self._condition(request.query_params),
            title=part.snapshot.game_title,
            allowed=allowed,
            seats=next((seats for seats in allowed if str(seats) == wanted), part.snapshot.seats),
            samples=samples(part.snapshot.game),
            bots=await run_in_threadpool(of_ladder, ladder),
        )

    async def _open(self, request: Request) -> Response:
        fields = await fields_of(request)
        self._at_tables.check_consent(fields)
        part = self._part(fields.get("ladder", ""))
        ladder = self._ladder(part)
        asked = _asked_seats(fields)
        if len(asked) not in game_named(part.snapshot.game).seats:
            raise TableError("The game does not have so many or so few seats.", 400)
        self._opens.take(visitor_of(request), 1)
        settings = ladder.settings
        bots = await run_in_threadpool(of_ladder, ladder)
        seats = [_seated(one, samples(settings.game), bots) for one in asked]
        opened = await self._tables.open(
            Order(
                ladder=settings.ladder_id,
                spec=MatchSpec(
                    match_id=secrets.token_hex(_SECRET_BYTES),
                    game=settings.game,
                    seats=tuple(one if isinstance(one, BotSpec) else None for one in seats),
                    master_seed=secrets.token_hex(2 * _SECRET_BYTES),
                    config=settings.config,
                    clock=settings.clock,
                    patient=False,
                ),
                level=settings.sandbox,
                people=[seat for seat, one in enumerate(seats) if one is Kind.PERSON],
                own=asked.index(_ME),
                visitor=await self._opener(request),
                name=fields.get("name", ""),
                condition=self._condition(fields),
                hints=_hinting(fields.get("hints", ""), samples(settings.game)),
            )
        )
        return seat_at(request, opened.table, opened.secret)

    async def _opener(self, request: Request) -> str:
        """Return who opens a table: an author who is signed in, or else an address."""
        if token_of(request):
            with suppress(ApiRefusal):
                return f"author {(await self._api.callers.caller(request)).author}"
        return visitor_of(request)

    def _condition(self, given: Mapping[str, str]) -> str:
        """Return the condition of a study; empty without one."""
        condition = given.get("condition", "")
        if self._tables.study is None:
            return ""
        if not _CONDITION.fullmatch(condition):
            raise TableError(
                "The condition in the link has other letters than A to Z, a to z, digits, - and _, "
                "or more than 32.",
                HTTPStatus.BAD_REQUEST,
            )
        return condition

    def _part(self, slug: str) -> LadderPages:
        """Return the ladder of a slug, or the first one."""
        parts = self._site().parts
        return next((part for part in parts if part.slug == slug), parts[0])

    def _ladder(self, part: LadderPages) -> Ladder:
        return self._api.served[self._site().parts.index(part)].ladder

    def _part_of(self, ladder: str) -> LadderPages:
        """Return the ladder with an id, or the first one."""
        parts = self._site().parts
        return next((part for part in parts if part.snapshot.ladder_id == ladder), parts[0])


def _asked_seats(fields: Mapping[str, str]) -> list[str]:
    """Return who is to sit on each seat, in the words of the form."""
    asked: list[str] = []
    while (name := f"seat{len(asked)}") in fields:
        asked.append(fields[name])
    if asked.count(_ME) != 1:
        raise TableError("Take one seat yourself.", 400)
    return asked


def _hinting(asked: str, sample_bots: Mapping[str, BotSpec]) -> BotSpec | None:
    """Return the bot that gives hints; None without any."""
    if asked and asked not in sample_bots:
        raise TableError("There is no such sample bot to give hints.", HTTPStatus.BAD_REQUEST)
    return sample_bots.get(asked)


def _seated(
    asked: str, sample_bots: Mapping[str, BotSpec], bots: Mapping[str, BotSpec]
) -> BotSpec | Kind:
    if asked in (_ME, Kind.PERSON):
        return Kind.PERSON
    if asked == Kind.STAND_IN:
        return Kind.STAND_IN
    known = sample_bots if asked.startswith(_SAMPLE) else bots
    name = asked.removeprefix(_SAMPLE).removeprefix(_BOT)
    if name not in known:
        raise TableError("One of these bots does not play here any more.", 400)
    return known[name]
