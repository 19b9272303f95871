"""The newest public state of a ladder, and who waits for the next one."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from courtyard.v1 import ladder_pb2 as pb

from ladder.model.matches import MatchLine, MatchState
from ladder.results.standings import standings
from ladder.server.api.encode import match_message, standing_message
from ladder.server.api.status import stopping
from ladder.server.public.follower import Following
from ladder.server.public.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class State:
    """One public state of a ladder."""

    snapshot: Snapshot
    standings: pb.ListStandingsResponse
    watched: Mapping[str, MatchLine]
    """By id, the matches that are being played, and those that are public."""


@dataclass(frozen=True, slots=True)
class _News:
    """What is new in a state, for those who have seen another one before, or none."""

    before: State | None
    now: State
    messages: tuple[pb.WatchResponse, ...]


class Feed:
    """Tells of one ladder that is followed. Readers never wait for its database."""

    def __init__(self, following: Following) -> None:
        """Know what is known of the ladder now, and whatever is learned of it."""
        self._state = _state_of(following.newest)
        self._changed = asyncio.Condition()
        self._closed = False
        self._kept: list[_News] = []
        """For all who watch mostly the same is new, so it is made once."""
        following.listeners.append(self._take)

    async def state(self, after: State | None = None) -> State:
        """Return the newest state, waiting for another one than that which is known.

        Raise `Refusal` when the ladder stops.
        """
        async with self._changed:
            while self._state is after:
                if self._closed:
                    raise stopping()
                await self._changed.wait()
            return self._state

    async def news(self) -> AsyncGenerator[tuple[pb.WatchResponse, ...], None]:
        """Yield how the ladder stands, then what is new whenever something is.

        Who is slow misses states between two, but nothing that lasts.
        """
        before, now = None, await self.state()
        while True:
            yield self._between(before, now)
            before, now = now, await self.state(after=now)

    async def close(self) -> None:
        """Let nobody wait for what will not come."""
        self._closed = True
        async with self._changed:
            self._changed.notify_all()

    async def _take(self, snapshot: Snapshot) -> None:
        state = await asyncio.to_thread(_state_of, snapshot)
        async with self._changed:
            self._state = state
            self._changed.notify_all()

    def _between(self, before: State | None, now: State) -> tuple[pb.WatchResponse, ...]:
        for kept in self._kept:
            if kept.before is before and kept.now is now:
                return kept.messages
        news = _News(before, now, tuple(_messages(before, now)))
        self._kept = [news, *(kept for kept in self._kept if kept.now is now)]
        return news.messages


def _state_of(snapshot: Snapshot) -> State:
    active = [tally for tally in snapshot.tallies if tally.version.active]
    rows = [standing_message(row) for row in standings(active, snapshot.strengths)]
    running = [line for line in snapshot.waiting if line.state is MatchState.RUNNING]
    watched = {line.match_id: line for line in (*running, *snapshot.finished)}
    return State(snapshot, pb.ListStandingsResponse(standings=rows), watched)


def _messages(before: State | None, now: State) -> list[pb.WatchResponse]:
    """Return what is new: matches, then the standings. Matches that were public before are not."""
    seen = (
        before.watched
        if before
        else {id_: line for id_, line in now.watched.items() if _over(line)}
    )
    new = [
        line
        for match_id, line in now.watched.items()
        if match_id not in seen or seen[match_id].state is not line.state
    ]
    told = [pb.WatchResponse(match=match_message(line, (), public=_over(line))) for line in new]
    if before is None or now.standings != before.standings:
        told.append(pb.WatchResponse(standings=now.standings))
    return told


def _over(line: MatchLine) -> bool:
    return line.state is MatchState.DONE
