"""Chooses the next submission: authors take turns, however many each has waiting."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any


class Turns:
    """Limits concurrent submissions; the author who has waited longest for a turn is next.

    With more than one place no author gets all of them, so that slow submissions of one author
    do not lock the others out.
    """

    def __init__(self, places: int) -> None:
        """Allow this many submissions at once, at least one."""
        self._places = places
        self._most_an_author = max(1, places - 1)
        self._running = Counter[str]()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Waiting submissions by author; the author at the front is next."""

    @contextlib.asynccontextmanager
    async def one(
        self, author: str, waits: Callable[[], Coroutine[Any, Any, None]]
    ) -> AsyncIterator[None]:
        """Hold a place as soon as it is the author's turn; call `waits` if that is not now."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(author, deque()).append(turn)
        self._go_on()
        try:
            if not turn.done():
                await waits()
            await turn
            yield
        finally:
            self._leave(author, turn)

    def _go_on(self) -> None:
        """Give free places to the next authors."""
        while self._running.total() < self._places:
            author = next((a for a in self._waiting if self._may(a)), None)
            if author is None:
                return
            queue = self._waiting.pop(author)
            self._running[author] += 1
            queue.popleft().set_result(None)
            if queue:
                self._waiting[author] = queue  # behind all others

    def _may(self, author: str) -> bool:
        return self._running[author] < self._most_an_author

    def _leave(self, author: str, turn: "asyncio.Future[None]") -> None:
        if turn.done() and not turn.cancelled():
            self._running[author] -= 1
        else:
            self._waiting[author].remove(turn)
            if not self._waiting[author]:
                del self._waiting[author]
        self._go_on()
