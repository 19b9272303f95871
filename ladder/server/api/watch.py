"""The live feed: the newest public state of a ladder, and its changes for those who watch."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from courtyard.v1 import ladder_pb2 as pb

from ladder.model.matches import MatchLine, MatchState
from ladder.results.standings import standings
from ladder.results.visibility import visible
from ladder.server.api.encode import match_message, rules_messages, standing_message
from ladder.server.api.status import stopping
from ladder.server.public.follower import Following
from ladder.server.public.snapshot import Snapshot


@dataclass(slots=True, eq=False)
class PublicState:
    """One public state of a ladder."""

    snapshot: Snapshot
    standings: pb.ListStandingsResponse
    running: Mapping[str, MatchLine]
    """The running matches, by id."""
    newer: "PublicState | None" = None
    """The next state, once there is one: so a watcher that lags keeps what it has still to see."""


@dataclass(frozen=True, slots=True)
class _News:
    """The messages that lead from one state to a newer one; `before` is None at the beginning."""

    before: PublicState | None
    now: PublicState
    messages: tuple[pb.WatchResponse, ...]


class Feed:
    """Publishes the states of one followed ladder. Readers never wait for its database."""

    def __init__(self, following: Following) -> None:
        """Start from the newest snapshot and take every later one."""
        self._state = _state_of(following.newest)
        self._changed = asyncio.Condition()
        self._closed = False
        self._cached: list[_News] = []
        """Most watchers need the same messages, so each list is built once."""
        following.listeners.append(self._take)

    async def state(self, after: PublicState | None = None) -> PublicState:
        """Return the newest state; wait while it is still `after`.

        Raise `Refusal` when the ladder stops.
        """
        async with self._changed:
            while self._state is after:
                if self._closed:
                    raise stopping()
                await self._changed.wait()
            return self._state

    async def news(self) -> AsyncGenerator[tuple[pb.WatchResponse, ...], None]:
        """Yield the current state, then every change.

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

    def _between(
        self, before: PublicState | None, now: PublicState
    ) -> tuple[pb.WatchResponse, ...]:
        for cached in self._cached:
            if cached.before is before and cached.now is now:
                return cached.messages
        news = _News(before, now, tuple(_messages(before, now)))
        self._cached = [news, *(cached for cached in self._cached if cached.now is now)]
        return news.messages


def _state_of(snapshot: Snapshot) -> PublicState:
    active = [tally for tally in snapshot.tallies if tally.version.active]
    rows = [standing_message(row) for row in standings(active, snapshot.strengths)]
    running = [line for line in snapshot.waiting if line.state is MatchState.RUNNING]
    return PublicState(
        snapshot,
        pb.ListStandingsResponse(standings=rows, rules=rules_messages(snapshot.rules)),
        {line.match_id: line for line in running},
    )


def _messages(before: PublicState | None, now: PublicState) -> list[pb.WatchResponse]:
    """Return new matches, then changed standings; at the beginning no match that was public."""
    seen = before.running if before else {}
    new = [line for match_id, line in now.running.items() if match_id not in seen]
    new += _made_public(before, now)
    in_play = now.snapshot.in_play
    messages = [pb.WatchResponse(match=match_message(line, visible(line, in_play))) for line in new]
    if before is None or now.standings != before.standings:
        messages.append(pb.WatchResponse(standings=now.standings))
    return messages


def _made_public(before: PublicState | None, now: PublicState) -> list[MatchLine]:
    """Return the matches that became public after one state up to another."""
    found: list[MatchLine] = []
    while before is not None and before is not now:
        before = before.newer
        if before is not None:
            found += before.snapshot.fresh
    return found
