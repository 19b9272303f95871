"""The newest public state of a ladder, and who waits for the next one."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from ladder.api.refusals import stopping
from ladder.journal import DOOR
from ladder.ladder import Ladder
from ladder.models import MatchLine, MatchState
from ladder.standings import Standing, standings
from ladder.web.data import Snapshot, Source
from referee.errors import CourtyardError

_LOOK_EVERY_S = 1.0
_MOST_TIME_SPENT = 0.1
"""The part of the time that may go into reading the ladder anew."""


@dataclass(frozen=True, slots=True)
class State:
    """One public state of a ladder."""

    snapshot: Snapshot
    standings: tuple[Standing, ...]
    shown: Mapping[str, MatchLine]
    """By id, the matches that are watched: being played, or public."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is new in a state."""

    state: State
    standings: bool
    """Whether the standings are."""
    matches: tuple[MatchLine, ...]


class Feed:
    """Follows one ladder. Readers never wait for its database."""

    def __init__(self, ladder: Ladder) -> None:
        """Follow a ladder that stays open; `follow` reads it."""
        self._source = Source(ladder)
        self._stamp: object = None
        self._cost = 0.0
        self._state: State | None = None
        self._change: tuple[State, Change] | None = None
        """The last change, with the state before it."""
        self._changed = asyncio.Condition()
        self._closed = False

    async def state(self, after: State | None = None) -> State:
        """Return the newest state, waiting for another one than that which is known.

        Raise `Refusal` when the ladder stops.
        """
        async with self._changed:
            while self._state is None or self._state is after:
                if self._closed:
                    raise stopping()
                await self._changed.wait()
            return self._state

    async def changes(self) -> AsyncGenerator[Change, None]:
        """Yield how the ladder stands, then what is new whenever something is.

        Who is slow misses states between two, but nothing that lasts.
        """
        state = await self.state()
        running = (line for line in state.snapshot.waiting if line.state is MatchState.RUNNING)
        yield Change(state, standings=True, matches=tuple(running))
        while True:
            before, state = state, await self.state(after=state)
            yield self._between(before, state)

    async def follow(self) -> None:
        """Read the ladder whenever it has changed, until cancelled."""
        while True:
            stamp = self._source.stamp()
            if stamp != self._stamp:
                try:
                    await self._refresh(stamp)
                except CourtyardError:  # such as a database that is locked for long: it passes
                    DOOR.exception("the ladder cannot be read")
            await asyncio.sleep(max(_LOOK_EVERY_S, self._cost / _MOST_TIME_SPENT))

    async def _refresh(self, stamp: object) -> None:
        began = time.monotonic()
        state = await asyncio.to_thread(self._read)
        if self._stamp is not None:  # the first time costs more than any other
            self._cost = time.monotonic() - began
        self._stamp = stamp
        async with self._changed:
            self._state = state
            self._changed.notify_all()

    async def close(self) -> None:
        """Let nobody wait for what will not come."""
        self._closed = True
        async with self._changed:
            self._changed.notify_all()

    def _read(self) -> State:
        snapshot = self._source.snapshot()
        active = [tally for tally in snapshot.tallies if tally.version.active]
        running = [line for line in snapshot.waiting if line.state is MatchState.RUNNING]
        return State(
            snapshot,
            tuple(standings(active, snapshot.strengths)),
            {line.match_id: line for line in (*running, *snapshot.finished)},
        )

    def _between(self, before: State, now: State) -> Change:
        """Return what is new; most who ask have seen the same state before, so it is kept."""
        if (
            self._change is None
            or self._change[0] is not before
            or self._change[1].state is not now
        ):
            new = (
                line
                for match_id, line in now.shown.items()
                if match_id not in before.shown or before.shown[match_id].state is not line.state
            )
            self._change = before, Change(now, now.standings != before.standings, tuple(new))
        return self._change[1]
