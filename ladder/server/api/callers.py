"""Authenticates the authors of requests.

A stranger's token costs a look into the database, so few of these looks are made at once; authors
whose tokens were good a moment ago do not wait behind strangers.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ladder.server.api.answers import Answers
from ladder.server.api.context import Served
from ladder.server.api.status import ApiRefusal
from ladder.server.bearer import is_cookie, is_from_here, is_overheard, token_of
from ladder.storage import tokens

_LOOKS_FOR_STRANGERS = 4
_MOST_KNOWN = 10_000

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Caller:
    """The author who made a request."""

    author: str
    served: Served
    """The ladder that issued the token."""
    token: str

    async def ask(self, question: Callable[[Answers], _T]) -> _T:
        """Ask without holding up other callers."""
        state = await self.served.feed.state()
        answers = Answers(self.served, state, self.author)
        return await run_in_threadpool(question, answers)

    async def is_known(self) -> bool:
        """Return whether the token is still valid."""
        return await asyncio.to_thread(tokens.author_of, self.served.ladder, self.token) is not None


class Callers:
    """Finds the authors of requests."""

    def __init__(self, served: Sequence[Served]) -> None:
        """Accept the tokens of these ladders."""
        self._served = served
        self._strangers = asyncio.Semaphore(_LOOKS_FOR_STRANGERS)
        self._known: dict[bytes, None] = {}
        """Digests of tokens that were good."""

    async def caller(self, request: Request) -> Caller:
        """Return who sent a request; raise `ApiRefusal` if that is no author of these ladders."""
        token = token_of(request)
        if not token:
            raise ApiRefusal("NO_TOKEN", "send the header Authorization: Bearer TOKEN")
        if is_cookie(request) and not is_from_here(request):
            raise foreign_site()
        return await self.of_token(request, token)

    async def of_token(self, request: Request, token: str) -> Caller:
        """Return whose token a request brought; raise `ApiRefusal` if it is not valid here."""
        if is_overheard(request):
            raise ApiRefusal(
                "NEEDS_TLS", "send tokens only over TLS: otherwise others could read them"
            )
        digest = hashlib.sha256(token.encode(errors="replace")).digest()
        if digest in self._known:
            found = await self._found(token)
        else:
            async with self._strangers:
                found = await self._found(token)
        if found is None:
            self._known.pop(digest, None)
            raise unknown_token()
        self._known[digest] = None
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        found.served.requests.take(found.author, 1)
        return found

    async def _found(self, token: str) -> Caller | None:
        for each in self._served:
            author = await asyncio.to_thread(tokens.author_of, each.ladder, token)
            if author is not None:
                return Caller(author, each, token)
        return None


def foreign_site() -> ApiRefusal:
    """Return the refusal of a request that a page of another site has sent."""
    return ApiRefusal("FOREIGN_SITE", "this request was sent by another site")


def unknown_token() -> ApiRefusal:
    """Return the refusal of an invalid token; it does not say why."""
    return ApiRefusal(
        "BAD_TOKEN",
        "the token is wrong, expired or revoked; ask the ladder's owner for another one",
    )
