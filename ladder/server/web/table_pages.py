"""The pages of a table, below /play/TABLE: people play with bots, without scripts, too.

A person's seat has a secret, which the browser keeps in a cookie of the table's pages alone. Who
comes without it is a spectator, and sees what everybody sees. An invitation has its secret behind
the "#" of a link, where no server sees it.

Every answer is made for one request and never cached.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.server.api.bodies import body_of
from ladder.server.api.callers import foreign_site
from ladder.server.api.rate_limits import Buckets, Places
from ladder.server.api.routes import ApiState, refusal_of
from ladder.server.bearer import is_from_here, is_tls
from ladder.server.tables.client import TableClient
from ladder.server.tables.log import log_of
from ladder.server.tables.messages import Seen, TableError
from ladder.server.tables.opponents import samples
from ladder.server.web.headers import HEADERS
from ladder.server.web.render import render, ways
from ladder.server.web.replay.bundle import drawing_of_game
from ladder.server.web.replay.file import replay_file, replay_parts
from ladder.server.web.site import LadderPages
from referee.games import game_named
from referee.match.record import Record, record_to_json
from referee.transports.connections import network

_COOKIE = "courtyard-seat"
_MOST_BYTES = 1024
"""Of an answer or a form."""
_MOST_LETTERS = 64
"""Of a table's id or a secret: more than any has."""
_MOST_DIGITS = 18
_PRIVATE = {**HEADERS, "Cache-Control": "private, no-store", "Vary": "Cookie"}
_UNLISTED = {**_PRIVATE, "X-Robots-Tag": "noindex, nofollow"}
_JSON = "application/json"
_BURST, _A_SECOND = 200.0, 20.0
"""Of a visitor's posts; a whole class may share an address."""
_LOOKS_A_TABLE = 16
"""How many viewers a table may have on average, and all of one visitor."""
_BACK = "back"
_YES = "yes"

Handle = Callable[[Request], Awaitable[Response]]


class TablePages:
    """The pages below /play/TABLE."""

    def __init__(
        self, tables: TableClient, api: ApiState, part_of: Callable[[str], LadderPages | None]
    ) -> None:
        """Ask the tables; `part_of` returns the pages of the ladder with an id, if any."""
        self._tables = tables
        self._api = api
        self._part_of = part_of
        self._posts = Buckets("requests", _BURST, _A_SECOND)
        viewers = _LOOKS_A_TABLE * tables.most
        self._looks = Places("TOO_MANY_VIEWERS", "viewers", viewers, max(viewers // 2, 1))

    def routes(self) -> list[Route]:
        """Return the routes."""
        table = "/play/{table}/"
        return [
            Route(table.removesuffix("/"), with_slash),
            Route(table, self.page(self._table)),
            Route(f"{table}state", self._state),
            Route(f"{table}answer", self._answer, methods=["POST"]),
            Route(f"{table}hint", self.page(self._hint), methods=["POST"]),
            Route(f"{table}join", self.page(self._invited)),
            Route(f"{table}join", self.page(self._join), methods=["POST"]),
            Route(f"{table}leave", self.page(self._leave), methods=["POST"]),
            Route(f"{table}compare", self.page(self._compare)),
            Route(f"{table}replay.html", self.page(self._replay)),
            Route(f"{table}replay-file.html", self.page(self._replay_file)),
            Route(f"{table}record.json", self.page(self._record)),
        ]

    def page(self, answer: Handle) -> Handle:
        """Wrap a page: what is refused gets a page that says why, or JSON if that is asked for."""

        async def handle(request: Request) -> Response:
            try:
                if request.method == "POST":
                    self._check_post(request)
                return await answer(request)
            except Exception as error:  # noqa: BLE001 - whatever it is, the reader gets a page
                if request.headers.get("Accept") == _JSON:
                    return self._refused_json(request, error)
                status, words = self._refused(request, error)
                return self.rendered(request, "play/refused.html", status, words=words)

        return handle

    def check_consent(self, fields: Mapping[str, str]) -> None:
        """Raise `TableError` if a form lacks the consent to a study that asks for it."""
        study = self._tables.study
        if study is not None and study.consent and fields.get("consent") != _YES:
            raise TableError(
                f"Only those play here who agree to this: {study.consent}", HTTPStatus.BAD_REQUEST
            )

    def _check_post(self, request: Request) -> None:
        if not is_from_here(request):
            raise foreign_site()
        self._posts.take(visitor_of(request), 1)

    def _refused(self, request: Request, error: Exception) -> tuple[int, str]:
        """Return status and words of a refusal; log what is our own fault."""
        if isinstance(error, TableError):
            return error.status, str(error)
        refusal = refusal_of(self._api, request.url.path, error)
        words = str(refusal)
        return refusal.status, f"{words[:1].upper()}{words[1:].removesuffix('.')}."

    def rendered(
        self,
        request: Request,
        template: str,
        status: int = 200,
        part: LadderPages | None = None,
        **context: Any,
    ) -> Response:
        """Return a page, in the frame of a ladder's pages if there are any."""
        if part is not None:
            frame = part.frame
            context |= {"ladder": frame, "places": frame.places, "here": frame.play}
        found = ways(request.url.path[1:], part.prefix if part else "", live=True)
        context |= {"play": f"{found['root']}play/", "study": self._tables.study}
        page = render(template, **context, **found)
        return Response(page, status, _UNLISTED, "text/html")

    async def _look(self, request: Request, after: int = -1) -> Seen:
        with self._looks.one(visitor_of(request)):
            return await self._tables.look(id_of(request), secret_of(request), after)

    async def _table(self, request: Request) -> Response:
        seen = await self._look(request)
        state = orjson.loads(seen.state)
        join = str(request.url.replace(path=f"{request.url.path}join", query=""))
        return self.rendered(
            request,
            "play/table.html",
            part=self._part_of(seen.ladder),
            title=game_named(seen.game).title,
            drawing=drawing_of_game(seen.game),
            state=state,
            seat=seen.seat,
            condition=seen.condition,
            log=log_of(state),
            bots=samples(seen.game),
            invitations=[(seat, f"{join}#{key}") for seat, key in state["invitations"]],
            own_link=f"{join}#{secret_of(request)}" if seen.seat is not None else "",
        )

    async def _state(self, request: Request) -> Response:
        try:
            seen = await self._look(request, _number(request.query_params.get("after", "-1")))
        except Exception as error:  # noqa: BLE001 - whatever it is, the script gets an answer
            return self._refused_json(request, error)
        return Response(seen.state, headers=_PRIVATE, media_type=_JSON)

    def _refused_json(self, request: Request, error: Exception) -> Response:
        status, words = self._refused(request, error)
        return Response(orjson.dumps({"words": words}), status, _PRIVATE, _JSON)

    async def _answer(self, request: Request) -> Response:
        """Take an answer; whoever sent a form is led to the page, and asked there again."""
        is_script = request.headers.get("Content-Type", "").startswith(_JSON)
        try:
            self._check_post(request)
            question, option = await _given_answer(request, is_json=is_script)
            await self._tables.answer(id_of(request), secret_of(request), question, option)
        except Exception as error:  # noqa: BLE001 - as above
            if is_script:
                return self._refused_json(request, error)
            if not isinstance(error, TableError) or error.status != HTTPStatus.CONFLICT:
                status, words = self._refused(request, error)
                return self.rendered(request, "play/refused.html", status, words=words)
        if is_script:
            return Response(status_code=204, headers=_PRIVATE)
        return RedirectResponse("./", 303, _PRIVATE)

    async def _hint(self, request: Request) -> Response:
        await self._tables.hint(id_of(request), secret_of(request))
        if request.headers.get("Accept") == _JSON:
            return Response(status_code=204, headers=_PRIVATE)
        return RedirectResponse("./", 303, _PRIVATE)

    async def _invited(self, request: Request) -> Response:
        state = orjson.loads((await self._look(request)).state)
        return self.rendered(request, "play/join.html", hints=state["hints"])

    async def _join(self, request: Request) -> Response:
        fields = await fields_of(request)
        self.check_consent(fields)
        key = fields.get("invitation", "").rpartition("#")[2].strip()
        secret = await self._tables.join(id_of(request), key, fields.get("name", ""))
        return seat_at(request, id_of(request), secret)

    async def _leave(self, request: Request) -> Response:
        await self._tables.leave(id_of(request), secret_of(request))
        return RedirectResponse("./", 303, _PRIVATE)

    # After the end.

    async def _compare(self, request: Request) -> Response:
        bot = request.query_params.get("bot", "")[:_MOST_LETTERS]
        seen = await self._look(request)
        with self._looks.one(visitor_of(request)):
            compared = await self._tables.compare(id_of(request), secret_of(request), bot)
        return self.rendered(
            request,
            "play/compare.html",
            part=self._part_of(seen.ladder),
            title=game_named(seen.game).title,
            bots=samples(seen.game),
            bot=bot,
            compared=compared,
        )

    async def _replay(self, request: Request) -> Response:
        parts = await run_in_threadpool(replay_parts, await self._fetched(request))
        return self.rendered(request, "play/replay.html", **parts)

    async def _replay_file(self, request: Request) -> Response:
        page = await run_in_threadpool(replay_file, await self._fetched(request))
        # Its scripts are its own, which the policy of pages forbids.
        headers = {**_UNLISTED, "Content-Disposition": 'attachment; filename="replay.html"'}
        return Response(page, headers=headers, media_type="text/html")

    async def _record(self, request: Request) -> Response:
        record = await self._fetched(request)
        headers = {**_PRIVATE, "Content-Disposition": 'attachment; filename="record.json"'}
        return Response(record_to_json(record), headers=headers, media_type=_JSON)

    async def _fetched(self, request: Request) -> Record:
        return Record.FromString(await self._tables.record(id_of(request)))


async def with_slash(request: Request) -> Response:
    """Lead from an address without its last slash to the page."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{request.url.path}/{query}", headers=_PRIVATE)


def id_of(request: Request) -> str:
    """Return the id of the table that a request is for."""
    table: str = request.path_params["table"]
    return table[:_MOST_LETTERS]


def secret_of(request: Request) -> str:
    """Return the secret of the seat that a request comes from; empty for a spectator."""
    return request.cookies.get(_COOKIE, "")[:_MOST_LETTERS]


def visitor_of(request: Request) -> str:
    """Return who sends a request, as far as limits go: an address, or a network of IPv6."""
    return network(request.client.host if request.client else "")


def seat_at(request: Request, table: str, secret: str) -> Response:
    """Return the way to a table, with the cookie of a seat."""
    answer = RedirectResponse(f"/play/{table}/", 303, _PRIVATE)
    answer.set_cookie(
        _COOKIE,
        secret,
        path=f"/play/{table}/",
        httponly=True,
        samesite="strict",
        secure=is_tls(request),
    )
    return answer


async def fields_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form."""
    return _parsed(await body_of(request, _MOST_BYTES, "form"))


def _parsed(body: bytes) -> Mapping[str, str]:
    fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    return {name: values[0] for name, values in fields.items()}


async def _given_answer(request: Request, *, is_json: bool) -> tuple[int, int | None]:
    """Return the number of a question and the option taken; None takes a step back."""
    body = await body_of(request, _MOST_BYTES, "answer")
    try:
        given = orjson.loads(body) if is_json else _parsed(body)
        question, option = given["question"], given["option"]
    except (ValueError, TypeError, KeyError):
        raise TableError("An answer has a question and an option.", 400) from None
    return _number(question), None if option == _BACK else _number(option)


def _number(given: object) -> int:
    """Return a number that was sent as one, or as text."""
    try:
        return int(f"{given}"[:_MOST_DIGITS])
    except ValueError:
        raise TableError(f"{str(given)[:_MOST_DIGITS]!r} is not a whole number.", 400) from None
