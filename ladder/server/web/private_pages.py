"""Private pages, on which an author sees replays of the own seats in embargoed matches.

A token authenticates the author. It comes in an Authorization header, or from a browser once in a
form and then in a cookie that scripts cannot read, that requests from other sites do not carry, and
that travels only over TLS where there is TLS. The cookie holds the token itself, so the server
keeps no session, and a revoked token is invalid at once. Tokens are never put into URLs or logs.

Every answer is rendered from the store for one request and never cached. A page that the author may
not see gets the same answer as a missing page.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.model.matches import MatchLine
from ladder.server.bearer import cookie_name, is_from_here, is_overheard, is_tls, token_of
from ladder.server.public.reader import PublicReader
from ladder.server.web.headers import HEADERS
from ladder.server.web.match_page import seat_page
from ladder.server.web.render import render, ways
from ladder.server.web.site import LadderPages, Site

_MOST_BYTES = 1000
_PATH = "mine/index.html"

_PRIVATE = {
    **HEADERS,
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "form-action 'none'", "form-action 'self'"
    ),
    "Cache-Control": "no-store",
    "Vary": "Authorization, Cookie",
}


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """A seat of the author's bot in an embargoed match."""

    line: MatchLine
    seat: int
    bot: str
    href: str
    """Relative to the page that lists it."""


@dataclass(frozen=True, slots=True)
class OwnLadder:
    """An author's bots and seats in one ladder."""

    part: LadderPages
    author: str
    bots: Sequence[str]
    seats: Sequence[OwnSeat]


class Mine:
    """The private pages of authors, below mine/."""

    def __init__(self, sources: Sequence[PublicReader]) -> None:
        """Serve these ladders, in the order of the site's parts."""
        self._sources = sources

    def routes(self, site: Callable[[], Site]) -> list[Route]:
        """Return the routes; `site` returns the newest site."""

        def index(request: Request) -> Response:
            token = token_of(request)
            own = [*self._ladders(site(), token)] if token else []
            if token and not own:
                return _forget(_form(wrong=True, status=401), request)
            return _page("mine.html", own=own) if own else _form()

        async def enter(request: Request) -> Response:
            if refused := _refusal(request):
                return refused
            token = _field(await _body(request), "token")
            known = await run_in_threadpool(self._is_known, token)
            if not known:
                return _form(wrong=True, status=401)
            answer = RedirectResponse("../mine/", 303, _PRIVATE)
            answer.set_cookie(
                cookie_name(request),
                token,
                httponly=True,
                samesite="strict",
                secure=is_tls(request),
            )
            return answer

        async def leave(request: Request) -> Response:
            return _refusal(request) or _forget(
                RedirectResponse("../mine/", 303, _PRIVATE), request
            )

        def match(request: Request) -> Response:
            found = self._match(site(), token_of(request), request.path_params)
            if found is None:
                return Response(site().missing("mine/x/x"), 404, _PRIVATE, "text/html")
            return Response(found, headers=_PRIVATE, media_type="text/html")

        return [
            Route("/mine/", _by_token(index)),
            Route("/mine/in", enter, methods=["POST"]),
            Route("/mine/out", leave, methods=["POST"]),
            Route("/mine/{slug}/{match_id}-{seat:int}.html", _by_token(match)),
        ]

    def _is_known(self, token: str) -> bool:
        return any(source.author_of(token) is not None for source in self._sources)

    def _ladders(self, site: Site, token: str) -> Iterator[OwnLadder]:
        for source, part in zip(self._sources, site.parts, strict=True):
            author = source.author_of(token)
            if author is not None:
                seats = [
                    OwnSeat(line, seat, bot, f"{part.slug}/{line.match_id}-{seat}.html")
                    for line, seat, bot in source.embargoed_seats(author)
                ]
                yield OwnLadder(part, author, source.bots_of(author), seats)

    def _match(self, site: Site, token: str, wanted: Mapping[str, str | int]) -> bytes | None:
        for source, part in zip(self._sources, site.parts, strict=True):
            if part.slug != wanted["slug"]:
                continue
            author, seat = source.author_of(token), int(wanted["seat"])
            if author is None:
                return None
            found = source.embargoed_match(str(wanted["match_id"]), seat, author)
            return None if found is None else seat_page(part.frame, part.slug, *found, seat)
        return None


def _page(template: str, status: int = 200, **context: object) -> Response:
    page = render(template, **context, **ways(_PATH, ""))
    return Response(page, status, _PRIVATE, "text/html")


def _form(*, wrong: bool = False, status: int = 200) -> Response:
    return _page("mine_in.html", status, wrong=wrong)


def _refusal(request: Request) -> Response | None:
    """Return the refusal of a form from another site or over an unprotected connection."""
    if not is_from_here(request):
        return Response("this form was sent by another site", 403, _PRIVATE, "text/plain")
    return _overheard(request)


def _by_token(page: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Wrap a page so that it accepts a token only over a protected connection."""

    def answer(request: Request) -> Response:
        refused = _overheard(request) if token_of(request) else None
        return refused or page(request)

    return answer


def _overheard(request: Request) -> Response | None:
    """Return the refusal of a token that others could read in transit; None if it is protected."""
    if not is_overheard(request):
        return None
    why = "send tokens only over TLS: otherwise others could read them in transit"
    return Response(why, 403, _PRIVATE, "text/plain")


async def _body(request: Request) -> bytes:
    """Return the body of a form; empty if it is too long for a token, or never came whole."""
    body = b""
    with suppress(ClientDisconnect):
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                return b""
        return body
    return b""


def _field(body: bytes, name: str) -> str:
    return parse_qs(body.decode(errors="replace")).get(name, [""])[0].strip()


def _forget(answer: Response, request: Request) -> Response:
    answer.delete_cookie(
        cookie_name(request), httponly=True, samesite="strict", secure=is_tls(request)
    )
    return answer
