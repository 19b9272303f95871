"""Authenticates every call, enforces the author's rate limit, and turns errors into refusals.

The methods that it wraps receive the caller, and raise an error to refuse the call.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import grpc
import grpc.aio

from ladder.runner.json_log import API
from ladder.server.api.context import Served
from ladder.server.api.metrics import Metrics
from ladder.server.api.status import (
    DATABASE_UNREACHABLE,
    DETAILS_KEY,
    INTERNAL,
    ApiRefusal,
    reason_of,
    refusal_named,
)
from ladder.storage import tokens
from referee.core.errors import CourtyardError

Context = grpc.aio.ServicerContext[Any, Any]

_SCHEME = "bearer "


@dataclass(frozen=True, slots=True)
class Caller:
    """The author who made a call."""

    author: str
    served: Served
    """The ladder that issued the token."""
    token: str

    def name(self) -> str:
        """Return a name for the author that is unique across ladders."""
        return f"{self.author} of {self.served.ladder.settings.ladder_id}"

    async def is_known(self) -> bool:
        """Return whether the token is still valid."""
        found = await asyncio.to_thread(tokens.author_of, self.served.ladder, self.token)
        return found is not None


Unary = Callable[[Any, Caller], Awaitable[Any]]
Streaming = Callable[[Any, Caller], AsyncGenerator[Any, None]]


class Authenticator:
    """Wraps methods so that only authors with a valid token can call them."""

    def __init__(
        self, served: Sequence[Served], metrics: Metrics, know: Callable[[str, str], object]
    ) -> None:
        """Accept the tokens of these ladders; call `know(peer, author)` for each accepted call."""
        self._know = know
        self._served = served
        self._metrics = metrics
        self._told = False
        """Whether the log already says that a database cannot be reached."""

    def unary(self, name: str, method: Unary) -> Callable[[Any, Context], Awaitable[Any]]:
        """Return a unary method that authenticates its caller."""

        async def answer(request: Any, context: Context) -> Any:
            with self._metrics.seconds.labels(name).time():
                async with self._authenticated(name, context) as caller:
                    return await method(request, caller)

        return answer

    def streaming(
        self, name: str, method: Streaming
    ) -> Callable[[Any, Context], AsyncIterator[Any]]:
        """Return a streaming method that authenticates its caller."""

        async def answer(request: Any, context: Context) -> AsyncIterator[Any]:
            async with self._authenticated(name, context) as caller:
                with self._metrics.open.labels(name).track_inprogress():
                    async with contextlib.aclosing(method(request, caller)) as answers:
                        async for each in answers:
                            yield each

        return answer

    @contextlib.asynccontextmanager
    async def _authenticated(self, name: str, context: Context) -> AsyncIterator[Caller]:
        """Authenticate a call, and end it with the right status."""
        code = grpc.StatusCode.OK
        try:
            try:
                caller = await self._caller(context)
                self._told = False
                self._know(context.peer(), caller.name())
                caller.served.requests.take(caller.author, 1)
                yield caller
            except CourtyardError as error:
                reason = reason_of(error)
                if reason == INTERNAL:
                    API.exception("%s failed", name)
                elif reason == DATABASE_UNREACHABLE:
                    self._tell(error)
                raise refusal_named(reason, str(error)) from error
        except ApiRefusal as refusal:
            code = refusal.code
            self._metrics.refusals.labels(refusal.reason).inc()
            await _abort(context, refusal)
        except asyncio.CancelledError:
            code = grpc.StatusCode.CANCELLED
            raise
        except Exception:  # noqa: BLE001 - a bug of ours: the caller gets INTERNAL
            code = grpc.StatusCode.INTERNAL
            API.exception("%s failed", name)
            await _abort(context, refusal_named(INTERNAL, ""))
        finally:
            self._metrics.calls.labels(name, code.name).inc()

    def _tell(self, error: CourtyardError) -> None:
        """Log once that a database cannot be reached, until a call reaches it again."""
        if not self._told:
            API.warning("authors' calls are refused: %s", error)
        self._told = True

    async def _caller(self, context: Context) -> Caller:
        token = _token(context)
        for each in self._served:
            author = await asyncio.to_thread(tokens.author_of, each.ladder, token)
            if author is not None:
                return Caller(author, each, token)
        raise unknown_token()


def unknown_token() -> ApiRefusal:
    """Return the refusal of an invalid token; it does not say why."""
    return ApiRefusal(
        "BAD_TOKEN",
        "the token is wrong, expired or revoked; ask the ladder's owner for another one",
    )


def _token(context: Context) -> str:
    for key, value in context.invocation_metadata() or ():
        given = value if isinstance(value, str) else ""
        if key == "authorization" and given[: len(_SCHEME)].lower() == _SCHEME:
            return given[len(_SCHEME) :].strip()
    raise ApiRefusal(
        "NO_TOKEN",
        'the call has no token: send the metadata "authorization: Bearer TOKEN"',
    )


async def _abort(context: Context, refusal: ApiRefusal) -> NoReturn:
    trailer = ((DETAILS_KEY, refusal.details()),)
    await context.abort(refusal.code, str(refusal), trailer)
    raise AssertionError("context.abort returned")
