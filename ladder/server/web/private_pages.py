"""What an author sees of matches that are not public yet: each own seat's replay, by a token.

The token comes in an Authorization header, or, from a browser, once in a form and then in a cookie
that no script can read, that no other site's request bears, and that goes over TLS alone where
there is TLS. It is the cookie, so nothing has to be kept here, and a token that is revoked opens
nothing from that moment on. Tokens are neither put into addresses nor logged.

Every answer is made for the one request, from the store, and never kept. Whoever has no right to a
page gets just what an address without a page gets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.model.matches import MatchLine
from ladder.server.public.reader import Source
from ladder.server.web.headers import HEADERS
from ladder.server.web.match_page import seat_page
from ladder.server.web.render import render, ways
from ladder.server.web.site import Part, Site

_COOKIE = "courtyard"
_COOKIE_TLS = "__Host-courtyard"  # browsers take it over TLS alone, and from no subdomain
_MOST_BYTES = 1000
_LOOPBACK = ("127.0.0.1", "::1")
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
    """A seat of an author's in a match that is not public."""

    line: MatchLine
    seat: int
    bot: str
    href: str
    """Relative to the page that lists it."""


@dataclass(frozen=True, slots=True)
class OwnLadder:
    """What an author has in one ladder."""

    part: Part
    author: str
    bots: Sequence[str]
    seats: Sequence[OwnSeat]


class Mine:
    """The pages of authors, below mine/."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """Show what these hold, each the part of a site at the same place."""
        self._sources = sources

    def routes(self, site: Callable[[], Site]) -> list[Route]:
        """Return the routes; `site` is asked for the pages' newest state."""

        def index(request: Request) -> Response:
            token = _token(request)
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
                _name(request), token, httponly=True, samesite="strict", secure=_is_tls(request)
            )
            return answer

        async def leave(request: Request) -> Response:
            return _refusal(request) or _forget(
                RedirectResponse("../mine/", 303, _PRIVATE), request
            )

        def match(request: Request) -> Response:
            found = self._match(site(), _token(request), request.path_params)
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
                    for line, seat, bot in source.kept_seats(author)
                ]
                yield OwnLadder(part, author, source.bots_of(author), seats)

    def _match(self, site: Site, token: str, wanted: Mapping[str, str | int]) -> bytes | None:
        for source, part in zip(self._sources, site.parts, strict=True):
            if part.slug != wanted["slug"]:
                continue
            author, seat = source.author_of(token), int(wanted["seat"])
            if author is None:
                return None
            found = source.kept_match(str(wanted["match_id"]), seat, author)
            return None if found is None else seat_page(part.frame, part.slug, *found, seat)
        return None


def _page(template: str, status: int = 200, **context: object) -> Response:
    page = render(template, **context, **ways(_PATH, ""))
    return Response(page, status, _PRIVATE, "text/html")


def _form(*, wrong: bool = False, status: int = 200) -> Response:
    return _page("mine_in.html", status, wrong=wrong)


def _refusal(request: Request) -> Response | None:
    """Return the answer to a form that another site sent, or that others can read on its way."""
    if not _is_from_here(request):
        return Response("this form was sent by another site", 403, _PRIVATE, "text/plain")
    return _overheard(request)


def _by_token(page: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Return a page that takes a token, if there is one, only as it may come."""

    def answer(request: Request) -> Response:
        refused = _overheard(request) if _token(request) else None
        return refused or page(request)

    return answer


def _overheard(request: Request) -> Response | None:
    """Return the answer to a token that others could read on its way.

    Without TLS it may come from this machine alone, and through no web server: one that forwards
    requests says how it got them, and stands for readers elsewhere.
    """
    if _is_tls(request):
        return None
    here = request.client is None or request.client.host in _LOOPBACK
    if here and "X-Forwarded-Proto" not in request.headers:
        return None
    why = "a token is taken over TLS only: others could read it on its way"
    return Response(why, 403, _PRIVATE, "text/plain")


def _is_from_here(request: Request) -> bool:
    """Say whether this site's own page, or no browser at all, sent a form.

    Browsers say so themselves; those that are too old for that name the origin.
    """
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == "same-origin"
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("Host")


async def _body(request: Request) -> bytes:
    """Return what a form holds; as much of it as can be a token."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
            return b""
    return body


def _field(body: bytes, name: str) -> str:
    return parse_qs(body.decode(errors="replace")).get(name, [""])[0].strip()


def _token(request: Request) -> str:
    """Return the token of a request; empty if it has none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else request.cookies.get(_name(request), "")


def _forget(answer: Response, request: Request) -> Response:
    answer.delete_cookie(_name(request), httponly=True, samesite="strict", secure=_is_tls(request))
    return answer


def _is_tls(request: Request) -> bool:
    return request.url.scheme == "https"


def _name(request: Request) -> str:
    return _COOKIE_TLS if _is_tls(request) else _COOKIE
