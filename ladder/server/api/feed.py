"""The live feed: the newest public state of a ladder, and its changes for those who watch."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from ladder.model.matches import MatchLine, MatchState
from ladder.results.standings import standings
from ladder.results.visibility import visible
from ladder.server.api import encode, schemas
from ladder.server.api.status import stopping
from ladder.server.public.follower import Following
from ladder.server.public.snapshot import Snapshot


@dataclass(slots=True, eq=False)
class PublicState:
    """One public state of a ladder."""

    snapshot: Snapshot
    standings: schemas.Standings
    running: Mapping[str, MatchLine]
    """The running matches, by id."""
    newer: "PublicState | None" = None
    """The next state, once there is one: so a watcher that lags keeps what it has still to see."""


@dataclass(frozen=True, slots=True)
class _News:
    """The events that lead from one state to a newer one; `before` is None at the beginning."""

    before: PublicState | None
    now: PublicState
    events: bytes


class Feed:
    """Publishes the states of one followed ladder. Readers never wait for its database."""

    def __init__(self, following: Following) -> None:
        """Start from the newest snapshot and take every later one."""
        self._state = _state_of(following.newest)
        self._changed = asyncio.Condition()
        self._closed = False
        self._cached: list[_News] = []
        """Most watchers need the same events, so they are written once."""
        following.listeners.append(self._take)

    async def state(self, after: PublicState | None = None) -> PublicState:
        """Return the newest state; wait while it is still `after`.

        Raise `ApiRefusal` when the ladder stops.
        """
        async with self._changed:
            while self._state is after:
                if self._closed:
                    raise stopping()
                await self._changed.wait()
            return self._state

    async def news(self) -> AsyncGenerator[bytes, None]:
        """Yield the current state, then every change, as server-sent events.

        A slow watcher skips intermediate states, but misses nothing that lasts.
        """
        before, now = None, await self.state()
        while True:
            yield self._between(before, now)
            before, now = now, await self.state(after=now)

    async def close(self) -> None:
        """End every wait with a refusal."""
        self._closed = True
        async with self._changed:
            self._changed.notify_all()

    async def _take(self, snapshot: Snapshot) -> None:
        state = await asyncio.to_thread(_state_of, snapshot)
        async with self._changed:
            self._state.newer = state
            self._state = state
            self._changed.notify_all()

    def _between(self, before: PublicState | None, now: PublicState) -> bytes:
        for cached in self._cached:
            if cached.before is before and cached.now is now:
                return cached.events
        news = _News(before, now, b"".join(_events(before, now)))
        self._cached = [news, *(cached for cached in self._cached if cached.now is now)]
        return news.events


def event(name: str, data: bytes) -> bytes:
    """Return a server-sent event with this JSON, which has no line ends."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


def _state_of(snapshot: Snapshot) -> PublicState:
    active = [tally for tally in snapshot.tallies if tally.version.active]
    running = [line for line in snapshot.waiting if line.state is MatchState.RUNNING]
    return PublicState(
        snapshot,
        schemas.Standings(standings=standings(active, snapshot.strengths), rules=snapshot.rules),
        {line.match_id: line for line in running},
    )


def _events(before: PublicState | None, now: PublicState) -> list[bytes]:
    """Return new matches, then changed standings; at the beginning no match that was public."""
    seen = before.running if before else {}
    new = [line for match_id, line in now.running.items() if match_id not in seen]
    new += _made_public(before, now)
    in_play = now.snapshot.in_play
    events = [
        event(
            "match",
            encode.match(line, visible(line, in_play)).model_dump_json().encode(),
        )
        for line in new
    ]
    if before is None or now.standings != before.standings:
        events.append(event("standings", now.standings.model_dump_json().encode()))
    return events


def _made_public(before: PublicState | None, now: PublicState) -> list[MatchLine]:
    """Return the matches that became public after one state up to another."""
    found: list[MatchLine] = []
    while before is not None and before is not now:
        before = before.newer
        if before is not None:
            found += before.snapshot.fresh
    return found
