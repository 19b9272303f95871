"""Follows a ladder: reads each new state once and hands it to all listeners.

Pages and the author API never wait for the database: they show the state read last. The longer a
reading takes, the less often it is done.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from ladder.model.errors import LadderError
from ladder.runner.json_log import PAGES
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot

_LOOK_EVERY_S = 1.0
_MOST_TIME_SPENT = 0.1
"""The largest share of time spent reading the ladder."""
_CURVES_S = 1.0
"""So long a reading works out past ratings; a long ladder's curves grow with the next readings."""

Listener = Callable[[Snapshot], Awaitable[None]]


class Following:
    """The newest state of one ladder."""

    def __init__(self, source: PublicReader) -> None:
        """Read the ladder now; `running` reads it again whenever it changes."""
        self.source = source
        self._stamp = source.stamp()
        self.newest = source.snapshot(_CURVES_S)
        self.listeners: list[Listener] = []
        """Called with each newer state, one after the other."""
        self._cost = 0.0
        self._told = False
        """Whether the log already says that the ladder cannot be read."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the ladder while the block runs."""
        task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _follow(self) -> None:
        while True:
            behind = self.source.behind
            await asyncio.sleep(
                _LOOK_EVERY_S if behind else max(_LOOK_EVERY_S, self._cost / _MOST_TIME_SPENT)
            )
            stamp = await asyncio.to_thread(self.source.stamp)  # a server may take its time
            if stamp != self._stamp or behind:
                try:
                    await self._refresh(stamp)
                    if self._told:
                        PAGES.warning("the ladder can be read again")
                    self._told = False
                except Exception as error:  # noqa: BLE001 - till it passes, all see what was read
                    self._tell(self.source.ladder.database.damage_behind(error) or error)

    def _tell(self, error: Exception) -> None:
        """Log once that the ladder cannot be read, until it can be again."""
        if not self._told:
            a_bug = None if isinstance(error, LadderError | OSError) else error
            level = logging.ERROR if a_bug else logging.WARNING
            PAGES.log(level, "the ladder cannot be read: %s", error, exc_info=a_bug)
        self._told = True

    async def _refresh(self, stamp: object) -> None:
        began = time.monotonic()
        self.newest = await asyncio.to_thread(self.source.snapshot, _CURVES_S)
        self._cost = time.monotonic() - began
        self._stamp = stamp
        for tell in self.listeners:
            await tell(self.newest)
