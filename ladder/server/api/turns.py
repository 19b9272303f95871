"""Chooses the next submission: authors take turns, however many each has waiting."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from weakref import WeakValueDictionary


class _Author:
    """The submissions of one author."""

    def __init__(self, places: int) -> None:
        self.running = asyncio.Semaphore(places)
        self.next = asyncio.Lock()
        """Held by the one that waits for a place."""


class Turns:
    """Limits concurrent submissions; one of each author waits in line for a place.

    With more than one place no author gets all of them, so that slow submissions of one author
    do not lock the others out.
    """

    def __init__(self, places: int) -> None:
        """Allow this many submissions at once, at least one."""
        self._places = asyncio.Semaphore(places)
        self._most_an_author = max(1, places - 1)
        self._authors = WeakValueDictionary[str, _Author]()

    @contextlib.asynccontextmanager
    async def one(self, author: str, waits: Callable[[], object]) -> AsyncIterator[None]:
        """Hold a place as soon as it is the author's turn; call `waits` if that is not now."""
        own = self._authors.setdefault(author, _Author(self._most_an_author))
        if own.running.locked() or own.next.locked() or self._places.locked():
            waits()
        async with own.running:
            async with own.next:
                await self._places.acquire()
            try:
                yield
            finally:
                self._places.release()
