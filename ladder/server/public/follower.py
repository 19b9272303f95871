"""Follows a ladder and its tournaments: reads each new state once and hands it to all listeners.

Pages and the author API never wait for the database: they show the state read last. The longer a
reading takes, the less often it is done.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from ladder.model.errors import LadderError
from ladder.runner.json_log import PAGES
from ladder.scheduling import contest
from ladder.scheduling.tournament import planner
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder

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
        self.tournaments = Tournaments(source.ladder)
        self._cost = 0.0
        self._logged_failure = False
        """Whether the log already shows that the ladder cannot be read."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the ladder while the block runs."""
        await self.tournaments.look()
        task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await self.tournaments.close()

    async def _follow(self) -> None:
        while True:
            behind = self.source.behind
            await asyncio.sleep(
                _LOOK_EVERY_S if behind else max(_LOOK_EVERY_S, self._cost / _MOST_TIME_SPENT)
            )
            await self.tournaments.look()
            stamp = await asyncio.to_thread(self.source.stamp)  # a server may take its time
            if stamp != self._stamp or behind:
                try:
                    await self._refresh(stamp)
                    if self._logged_failure:
                        PAGES.warning("the ladder can be read again")
                    self._logged_failure = False
                except Exception as error:  # noqa: BLE001 - till it passes, all see what was read
                    self._log_failure(self.source.ladder.database.damage_behind(error) or error)

    def _log_failure(self, error: Exception) -> None:
        """Log once that the ladder cannot be read, until it can be again."""
        if not self._logged_failure:
            a_bug = None if isinstance(error, LadderError | OSError) else error
            level = logging.ERROR if a_bug else logging.WARNING
            PAGES.log(level, "the ladder cannot be read: %s", error, exc_info=a_bug)
        self._logged_failure = True

    async def _refresh(self, stamp: object) -> None:
        began = time.monotonic()
        self.newest = await asyncio.to_thread(self.source.snapshot, _CURVES_S)
        self._cost = time.monotonic() - began
        self._stamp = stamp
        for listener in self.listeners:
            await listener(self.newest)


class Tournaments:
    """The tournaments below a ladder, as they come and go."""

    def __init__(self, ladder: Ladder) -> None:
        """Begin without any; `look` finds them."""
        self._ladder = ladder
        self._open: dict[str, tuple[Following, contextlib.AsyncExitStack]] = {}
        self._others = set[str]()
        """The ladders there that are no tournaments, and will not become any."""
        self.listeners: list[Callable[[], None]] = []
        """Called after each change."""

    def shown(self) -> dict[str, Following]:
        """Return those that have begun, by their names in addresses."""
        return {name: following for name, (following, _) in self._open.items()}

    async def look(self) -> None:
        """Open those that have begun since the last look, and close those that are gone."""
        found = await asyncio.to_thread(_below, self._ladder)
        gone, new = self._open.keys() - found.keys(), found.keys() - self._open.keys()
        self._others &= found.keys()
        for name in gone:
            await self._close(name)
        opened = [await self._begin(name, found[name]) for name in sorted(new - self._others)]
        if gone or any(opened):
            self._notify()

    async def close(self) -> None:
        """Close all."""
        for name in [*self._open]:
            await self._close(name)

    async def _close(self, name: str) -> None:
        _, opened = self._open.pop(name)
        await opened.aclose()

    async def _begin(self, name: str, home: Home) -> bool:
        """Follow a tournament; return False if it has not begun, cannot be read, or is none."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                ladder = stack.enter_context(await asyncio.to_thread(Ladder.open, home))
                reader = await asyncio.to_thread(_reader, ladder)
                if reader is None:
                    self._others.add(name)
                    return False
                following = await asyncio.to_thread(Following, reader)
            except (LadderError, OSError):
                return False
            following.listeners.append(self._changed)
            await stack.enter_async_context(following.running())
            self._open[name] = following, stack.pop_all()
        return True

    async def _changed(self, _: Snapshot) -> None:
        self._notify()

    def _notify(self) -> None:
        for listener in self.listeners:
            listener()


@contextlib.contextmanager
def tournaments_of(ladder: Ladder) -> Iterator[dict[str, tuple[Snapshot, PublicReader]]]:
    """Read the tournaments below a ladder that have begun, by their names in addresses."""
    found: dict[str, tuple[Snapshot, PublicReader]] = {}
    with contextlib.ExitStack() as stack:
        for name, home in _below(ladder).items():
            with contextlib.suppress(LadderError, OSError):
                if reader := _reader(stack.enter_context(Ladder.open(home))):
                    found[name] = reader.snapshot(), reader
        yield found


def _below(ladder: Ladder) -> dict[str, Home]:
    """Return the ladders in folders directly below one that is no tournament or duel itself."""
    return ladder.home.ladders_below() if ladder.settings.contest is None else {}


def _reader(ladder: Ladder) -> PublicReader | None:
    """Return a reader of a tournament's ladder; None for another, or one of retired rules.

    Raise `SettingsError` if it has not begun.
    """
    plan = contest.read(ladder)
    shown = isinstance(plan, planner.TournamentPlan) and plan.rules == planner.RULES
    return PublicReader(ladder) if shown else None
