"""The pages of authors, below /me: own bots, uploads, logs, and replays from the own seats.

They answer what the author API answers, for readers who have only a browser, and need no scripts. A
token authenticates the author. A browser sends it once in a form and keeps it in a cookie that
scripts cannot read, that requests from other sites do not carry, and that travels only over TLS
where there is TLS. The cookie holds the token itself, so the server keeps no session, and a revoked
token is invalid at once. Tokens are never in URLs that a server sees: an invitation link has it
behind the "#".

Every answer is rendered for one request and never cached.
"""

import asyncio
import shutil
import tempfile
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.model import moments
from ladder.model.bots import VALIDATION_SEAT
from ladder.model.settings import LONGEST_DESCRIPTION
from ladder.results import spars
from ladder.server.api import encode, schemas, submissions
from ladder.server.api.answers import Answers
from ladder.server.api.bodies import body_of, valid
from ladder.server.api.callers import Caller, foreign_site
from ladder.server.api.routes import PREFIX, ApiState, answer_of, refusal_of
from ladder.server.api.status import ApiRefusal, invalid
from ladder.server.api.submission_queue import Job
from ladder.server.bearer import cookie_name, is_from_here, is_overheard, is_tls
from ladder.server.web.headers import HEADERS
from ladder.server.web.match_page import seat_page, seat_path
from ladder.server.web.render import render, ways
from ladder.server.web.site import LadderPages, Site
from ladder.storage.files.archive import pack
from ladder.submission import starter_kits
from ladder.submission.starter_kits import Template
from referee.hosting.manifest import NAME
from referee.wire.shown import answer_text

_HOME = "/me/"
_MOST_BYTES = 2000
"""Of a form without code."""
_MOST_BYTES_OF_NAMES = 64 * 1024
_MOST_PASTED_BYTES = 1 << 20
_MATCHES_SHOWN = 50
_LOOKED_BACK = 100
"""Matches of a bot in which its last fault is looked for."""
_NEWEST = "newest"
"""The template that is the newest version of the bot itself."""

_PRIVATE = {
    **HEADERS,
    "Cache-Control": "private, no-store",
    "Vary": "Authorization, Cookie",
}
_LOOKS_FOR_STRANGERS = 4
_NO_TOKEN, _BAD_TOKEN = "NO_TOKEN", "BAD_TOKEN"

Answer = Callable[[Request, Caller], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class OwnBot:
    """A bot of the author's, as the list shows it."""

    bot: schemas.Bot
    last_fault: tuple[str, str] | None
    """The kind of its last fault, and the match."""

    @property
    def plays(self) -> schemas.Version | None:
        """The version that plays."""
        return next((each for each in self.bot.versions if each.active), None)

    @property
    def rejected(self) -> schemas.Version | None:
        """Its newest version, if that was rejected."""
        newest = self.bot.versions[-1]
        return newest if newest.rejected is not None else None


class AuthorPages:
    """The pages below /me."""

    def __init__(self, api: ApiState, site: Callable[[], Site]) -> None:
        """Ask the author API's state; `site` returns the newest site, its parts in that order."""
        self._api = api
        self._strangers = asyncio.Semaphore(_LOOKS_FOR_STRANGERS)
        self._site = site

    def routes(self) -> list[Route]:
        """Return the routes."""
        bot, submission = "/me/bots/{bot}/", "/me/submissions/{sha256}/"
        spar = "/me/spars/{spar:int}/"
        return [
            Route("/me/", self._page(self._index)),
            Route("/me/in", self._form),
            Route("/me/in", self._enter, methods=["POST"]),
            Route("/me/out", self._leave, methods=["POST"]),
            Route("/me/submit", self._page(self._submit), methods=["POST"]),
            Route("/me/paste", self._page(self._template)),
            Route("/me/paste", self._page(self._paste), methods=["POST"]),
            Route(submission, self._page(self._submission)),
            Route(bot, self._page(self._bot)),
            Route(f"{bot}change", self._page(self._change), methods=["POST"]),
            Route(f"{bot}versions/{{number:int}}/", self._page(self._version)),
            Route(f"{bot}matches/{{match_id}}/", self._page(self._log)),
            Route("/me/replays/{match_id}-{seat:int}.html", self._page(self._replay)),
            Route("/me/spars/", self._page(self._spars)),
            Route("/me/spars/", self._page(self._ask), methods=["POST"]),
            Route(spar, self._page(self._spar)),
            Route(f"{spar}change", self._page(self._change_spar), methods=["POST"]),
            Route(f"{spar}matches/{{match_id}}/", self._page(self._spar_log)),
            Route(f"{spar}matches/{{match_id}}/replay.html", self._page(self._spar_replay)),
            Route("/spars/{token}/", self._shared),
        ]

    def _page(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a page: only for authors, and from here alone if it changes anything."""

        async def handle(request: Request) -> Response:
            try:
                if request.method == "POST":
                    _check_from_here(request)
                return await answer(request, await self._api.callers.caller(request))
            except Exception as error:  # noqa: BLE001 - whatever it is, the reader gets a page
                return self._refused(request, refusal_of(self._api, request.url.path, error))

        return handle

    def _refused(self, request: Request, refusal: ApiRefusal) -> Response:
        if refusal.reason == _NO_TOKEN:
            return self._sign_in(request)
        if refusal.reason == _BAD_TOKEN:
            return _forget(self._sign_in(request, wrong=True), request)
        page = self._rendered(request, "me/refused.html", refusal.status, refusal=refusal)
        page.headers.update(
            {name: of for name, of in answer_of(refusal).headers.items() if name == "retry-after"}
        )
        return page

    def _rendered(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> Response:
        part = context.get("part")
        if part is not None:
            context |= {"ladder": part.frame, "places": part.frame.places, "here": None}
        found = ways(request.url.path[1:], part.prefix if part else "", live=True)
        page = render(template, api=PREFIX, **context, **found)
        return Response(page, status, _PRIVATE, "text/html")

    def _shown(self, request: Request, caller: Caller, template: str, **context: Any) -> Response:
        """Render a page of an author whose token is valid."""
        part = self._part(caller)
        return self._rendered(request, template, caller=caller, part=part, **context)

    def _part(self, caller: Caller) -> LadderPages:
        return self._site().parts[[*self._api.served].index(caller.served)]

    # Signing in.

    async def _form(self, request: Request) -> Response:
        return self._sign_in(request)

    def _sign_in(self, request: Request, *, wrong: bool = False) -> Response:
        """Return the form for a token."""
        return self._rendered(
            request,
            "me/sign_in.html",
            401 if wrong else 200,
            wrong=wrong,
            overheard=is_overheard(request),
            came_from_elsewhere=not is_from_here(request),
        )

    async def _enter(self, request: Request) -> Response:
        try:
            _check_from_here(request)
            given = (await _fields(request)).get("token", "")
            token = given.rpartition("#")[2].strip()  # of an invitation link
            await self._api.callers.of_token(request, token)
        except Exception as error:  # noqa: BLE001 - whatever it is, the reader gets a page
            refusal = refusal_of(self._api, "sign in", error)
            if refusal.reason in (_BAD_TOKEN, "BAD_REQUEST"):
                return self._sign_in(request, wrong=True)
            return self._refused(request, refusal)
        answer = RedirectResponse(_HOME, 303, _PRIVATE)
        answer.set_cookie(
            cookie_name(request), token, httponly=True, samesite="strict", secure=is_tls(request)
        )
        return answer

    async def _leave(self, request: Request) -> Response:
        try:
            _check_from_here(request)
        except ApiRefusal as refusal:
            return self._refused(request, refusal)
        return _forget(RedirectResponse(_HOME, 303, _PRIVATE), request)

    # Own bots.

    async def _index(self, request: Request, caller: Caller) -> Response:
        own = await caller.ask(_own_bots)
        about = await caller.ask(Answers.ladder)
        sent = [(sha256, _progress(job)) for sha256, job in reversed(submissions.every(caller))]
        closed = caller.served.ladder.settings.closed(moments.now())
        return self._shown(
            request, caller, "me/index.html", own=own, about=about, sent=sent, closed=closed
        )

    async def _bot(self, request: Request, caller: Caller) -> Response:
        name = request.path_params["bot"]
        played = await caller.ask(lambda answers: answers.played(name, _MATCHES_SHOWN))
        bot = await caller.ask(lambda answers: answers.bot(name))
        return self._shown(request, caller, "me/bot.html", bot=bot, played=played)

    async def _change(self, request: Request, caller: Caller) -> Response:
        submissions.check_writable(caller)
        name, fields = request.path_params["bot"], await _fields(request)
        state, sparring = fields.get("state"), fields.get("sparring")
        description = fields.get("description", "").strip()[:LONGEST_DESCRIPTION]
        if sparring is not None:
            changed = schemas.BotChange(open_to_spars=sparring == "on")
        elif state is not None:
            changed = schemas.BotChange(active=state == "plays")
        else:
            changed = schemas.BotChange(description=description)
        await caller.ask(lambda answers: answers.change(name, changed))
        return RedirectResponse("./", 303, _PRIVATE)

    async def _version(self, request: Request, caller: Caller) -> Response:
        name, number = request.path_params["bot"], request.path_params["number"]
        tried = await caller.ask(lambda answers: answers.validation(name, number))
        seat = VALIDATION_SEAT
        return self._shown(request, caller, "me/version.html", bot=name, tried=tried, seat=seat)

    async def _log(self, request: Request, caller: Caller) -> Response:
        name, match_id = request.path_params["bot"], request.path_params["match_id"]
        log = await caller.ask(lambda answers: answers.log(name, match_id))
        replay = seat_path(log.match.match_id, log.seat or 0)
        return self._logged(request, caller, name, log, replay, None)

    def _logged(
        self,
        request: Request,
        caller: Caller,
        bot: str,
        log: schemas.Log,
        replay: str,
        spar: schemas.Spar | None,
    ) -> Response:
        """Show a match as the author's bot played it, perhaps one of a spar."""
        return self._shown(
            request,
            caller,
            "me/match.html",
            bot=bot,
            log=log,
            spar=spar,
            replay=replay,
            received=answer_text(b64decode(log.fault.received)) if log.fault else "",
        )

    async def _replay(self, request: Request, caller: Caller) -> Response:
        match_id, seat = request.path_params["match_id"], request.path_params["seat"]
        frame = self._part(caller).frame
        shown = await caller.ask(
            lambda answers: seat_page(
                frame, *answers.seat(match_id, seat), seat, seat_path(match_id, seat)
            )
        )
        return Response(shown, headers=_PRIVATE, media_type="text/html")

    # Spars.

    async def _spars(self, request: Request, caller: Caller) -> Response:
        own = await caller.ask(Answers.own_bots)
        return self._shown(
            request,
            caller,
            "me/spars.html",
            own=[each.name for each in own if each.active],
            opponents=await caller.ask(Answers.opponents),
            about=await caller.ask(Answers.ladder),
            spars=await caller.ask(lambda answers: answers.sparring.spars()),
            chosen=request.query_params.get("bot", ""),
        )

    async def _ask(self, request: Request, caller: Caller) -> Response:
        submissions.check_writable(caller)
        body = await body_of(request, _MOST_BYTES_OF_NAMES, "form")
        given = parse_qs(body.decode(errors="replace"))
        asked = {
            "bot": given.get("bot", [""])[0],
            "opponents": given.get("opponent", []),
            "matches": given.get("matches", [""])[0],
        }
        wanted = valid(schemas.SparRequest.model_validate, asked)
        spar = await caller.ask(lambda answers: answers.sparring.ask_for_spar(wanted))
        return RedirectResponse(f"{_HOME}spars/{spar.id}/", 303, _PRIVATE)

    async def _spar(self, request: Request, caller: Caller) -> Response:
        number = request.path_params["spar"]
        spar = await caller.ask(lambda answers: answers.sparring.spar(number))
        played = await caller.ask(lambda answers: answers.sparring.spar_matches(number))
        return self._shown(request, caller, "me/spar.html", spar=spar, played=played)

    async def _change_spar(self, request: Request, caller: Caller) -> Response:
        submissions.check_writable(caller)
        number, fields = request.path_params["spar"], await _fields(request)
        changed = schemas.SparChange(
            shared={"on": True, "off": False}.get(fields.get("shared", "")),
            withdrawn=True if "withdrawn" in fields else None,
        )
        await caller.ask(lambda answers: answers.sparring.change_spar(number, changed))
        return RedirectResponse("./", 303, _PRIVATE)

    async def _spar_log(self, request: Request, caller: Caller) -> Response:
        number, match_id = request.path_params["spar"], request.path_params["match_id"]
        spar = await caller.ask(lambda answers: answers.sparring.spar(number))
        log = await caller.ask(lambda answers: answers.sparring.spar_log(number, match_id))
        replay = f"me/spars/{number}/matches/{log.match.match_id}/replay.html"
        return self._logged(request, caller, spar.bot, log, replay, spar)

    async def _spar_replay(self, request: Request, caller: Caller) -> Response:
        number, match_id = request.path_params["spar"], request.path_params["match_id"]
        frame, path = self._part(caller).frame, request.url.path[1:]

        def shown(answers: Answers) -> bytes:
            line, record, seat = answers.sparring.spar_seat(number, match_id)
            return seat_page(frame, line, record, seat, path)

        return Response(await caller.ask(shown), headers=_PRIVATE, media_type="text/html")

    async def _shared(self, request: Request) -> Response:
        """Show the results of a spar to anyone who has its link."""
        token = request.path_params["token"]
        async with self._strangers:
            for part, served in zip(self._site().parts, self._api.served, strict=True):
                found = await run_in_threadpool(spars.shared, served.ladder, token)
                if found is not None:
                    return self._unlisted(request, "spar.html", spar=encode.spar(found), part=part)
        return self._unlisted(request, "missing.html", 404)

    def _unlisted(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> Response:
        """Render a page whose address alone admits its reader."""
        page = self._rendered(request, template, status, **context)
        page.headers["X-Robots-Tag"] = "noindex, nofollow"
        return page

    # Submitting.

    async def _submit(self, request: Request, caller: Caller) -> Response:
        return await self._submitted(caller, request.stream())

    async def _template(self, request: Request, caller: Caller) -> Response:
        name = request.query_params.get("bot", "")
        templates = await caller.ask(lambda answers: _templates(answers, name))
        kit = request.query_params.get("kit", next(iter(templates)))
        source = _source(templates, kit)
        file = source.folder / source.code
        code = await run_in_threadpool(file.read_text, "utf-8", "replace")
        shown = {"kits": templates, "kit": kit, "source": source, "code": code, "name": name}
        return self._shown(request, caller, "me/paste.html", **shown)

    async def _paste(self, request: Request, caller: Caller) -> Response:
        fields = await _fields(request, _MOST_PASTED_BYTES)
        name, kit, code = (fields.get(field, "") for field in ("name", "kit", "code"))
        if not NAME.fullmatch(name):
            raise invalid(
                "BAD_REQUEST",
                f'name {name!r}: use 1 to 32 of a-z, 0-9, "-" and "_", a letter or digit first',
            )
        templates = await caller.ask(lambda answers: _templates(answers, name))
        source, game = _source(templates, kit), caller.served.ladder.settings.game
        code = code.replace("\r\n", "\n")
        made = await run_in_threadpool(_made, name, source, game, code, is_kit=kit != _NEWEST)
        return await self._submitted(caller, _at_once(made))

    async def _submitted(self, caller: Caller, chunks: AsyncIterator[bytes]) -> Response:
        api = self._api
        sha256, _ = await submissions.post(caller, api.limits, api.metrics, chunks)
        return RedirectResponse(f"{_HOME}submissions/{sha256}/", 303, _PRIVATE)

    async def _submission(self, request: Request, caller: Caller) -> Response:
        sha256 = request.path_params["sha256"]
        job = submissions.found(caller, sha256)
        version = None
        with suppress(ApiRefusal):
            version = job.outcome().version if job.is_over else None
        return self._shown(
            request,
            caller,
            "me/submission.html",
            sha256=sha256,
            job=job,
            version=version,
            progress=_progress(job),
        )


def _progress(job: Job) -> str:
    return submissions.in_words(job) if job.is_over else "Under way. You may leave: it goes on."


def _own_bots(answers: Answers) -> list[OwnBot]:
    return [
        OwnBot(bot, _last_fault(answers.played(bot.name, _LOOKED_BACK), bot.name))
        for bot in answers.own_bots()
    ]


def _last_fault(played: list[schemas.Match], bot: str) -> tuple[str, str] | None:
    for match in played:
        for seat in match.seats:
            if seat.bot == bot and seat.outcome and seat.outcome.forfeit:
                return seat.outcome.forfeit, match.match_id
    return None


def _templates(answers: Answers, name: str) -> Mapping[str, Template]:
    """Return the templates whose code an author may replace: the newest version, and kits."""
    newest = answers.newest_files(name)
    own = starter_kits.newest_template(newest, name) if newest is not None else None
    kits = starter_kits.templates(answers.game)
    return {_NEWEST: own, **kits} if own is not None else kits


def _source(templates: Mapping[str, Template], kit: str) -> Template:
    if kit not in templates:
        raise invalid("BAD_REQUEST", f"there is no kit {kit!r} here, only {', '.join(templates)}")
    return templates[kit]


def _made(name: str, source: Template, game: str, code: str, *, is_kit: bool) -> bytes:
    """Return the archive of a bot that has its files from a template, and this code."""
    with tempfile.TemporaryDirectory() as parent, tempfile.TemporaryFile() as archive:
        folder = Path(parent) / name
        if is_kit:
            starter_kits.new_bot(folder, source.folder, game)
            shutil.rmtree(folder / starter_kits.REFERENCE)
        else:
            shutil.copytree(source.folder, folder)
        file = folder / source.code
        file.unlink()  # it may be read-only
        file.write_text(code, "utf-8", newline="\n")
        pack(folder, archive)
        archive.seek(0)
        return archive.read()


async def _at_once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _check_from_here(request: Request) -> None:
    if not is_from_here(request):
        raise foreign_site()


async def _fields(request: Request, most: int = _MOST_BYTES) -> Mapping[str, str]:
    body = await body_of(request, most, "form")
    fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    return {name: values[0] for name, values in fields.items()}


def _forget(answer: Response, request: Request) -> Response:
    answer.delete_cookie(
        cookie_name(request), httponly=True, samesite="strict", secure=is_tls(request)
    )
    return answer
