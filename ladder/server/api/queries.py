"""What an author may know of a ladder, call by call.

A match is public as the pages have it: when nothing is to be played with its deal any more. Before
that, an author sees of it what the author's own seats were told, and nothing that depends on more:
not when it ended, nor how long it was, nor how the others came out.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
from courtyard.v1 import ladder_pb2 as pb

from ladder.model.bots import Version
from ladder.model.errors import DealInPlayError, UnknownBotError
from ladder.model.matches import MatchLine, MatchState
from ladder.results import author_log
from ladder.results.author_log import Lived
from ladder.server.api import encode
from ladder.server.api.status import Refusal, invalid
from ladder.server.api.watch import Feed, State
from ladder.server.public.snapshot import About
from ladder.storage import bots, matches
from ladder.storage.archive import LARGEST_ARCHIVE_BYTES
from ladder.storage.bundles import LARGEST_BYTES, MOST_FILES
from ladder.storage.ladder import Ladder
from ladder.storage.records import unpack
from referee.view.frames import film_of_record, view

_MOST_MATCHES = 1000
_MOST_LOGS = 100
_USUAL = 20

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class _Seen:
    """A match as one author may see it."""

    line: MatchLine
    public: bool
    own: Sequence[str]
    """The author's bots."""

    @property
    def own_seats(self) -> list[int]:
        """The seats of the author's bots."""
        taken = enumerate(self.line.seats)
        return [n for n, seat in taken if seat.version and seat.version.bot in self.own]

    def message(self) -> pb.Match:
        """Return the match."""
        return encode.match_message(self.line, self.own, public=self.public)


class Answers:
    """Answers the authors of one ladder."""

    def __init__(self, ladder: Ladder, feed: Feed) -> None:
        """Read from a ladder, and from its feed what is public anyhow."""
        self._ladder = ladder
        self._feed = feed

    async def get_ladder(self, _: pb.GetLadderRequest, author: str) -> pb.GetLadderResponse:
        """Return what the ladder is."""
        settings = self._ladder.settings
        return pb.GetLadderResponse(
            ladder_id=settings.ladder_id,
            game=settings.game,
            seats=settings.seats,
            clock=encode.clock_fields(settings.clock),
            author=author,
            largest_archive_bytes=LARGEST_ARCHIVE_BYTES,
            largest_bundle_bytes=LARGEST_BYTES,
            most_files=MOST_FILES,
            title=self._ladder.title,
        )

    async def list_versions(
        self, request: pb.ListVersionsRequest, author: str
    ) -> pb.ListVersionsResponse:
        """Return the versions of one bot or of all."""
        state = await self._feed.state()
        own = await self._own(author)

        def read() -> list[Version]:
            if request.bot:
                return self._ladder.versions(request.bot)
            with self._ladder.database.read() as tx:
                return list(bots.all_versions(tx).values())

        shown = [v for v in await _aside(read) if v.rejected is None or v.bot in own]
        return pb.ListVersionsResponse(versions=[_version(v, state, own) for v in shown])

    async def version(self, bot: str, number: int, author: str) -> pb.Version:
        """Return a version that was just submitted."""
        own = await self._own(author)
        version = await _aside(lambda: self._ladder.versions(bot)[number - 1])
        return _version(version, await self._feed.state(), own)

    async def list_standings(
        self, _: pb.ListStandingsRequest, _author: str
    ) -> pb.ListStandingsResponse:
        """Return the standings."""
        return (await self._feed.state()).standings

    async def list_matches(
        self, request: pb.ListMatchesRequest, author: str
    ) -> pb.ListMatchesResponse:
        """Return the last matches that are public."""
        limit = _limit(request.limit, _MOST_MATCHES)
        finished = (await self._feed.state()).snapshot.finished
        if request.bot:
            await _aside(lambda: self._ladder.versions(request.bot))
        of_bot = [line for line in finished if not request.bot or _has(line, request.bot)]
        own = await self._own(author)
        found = [encode.match_message(line, own, public=True) for line in of_bot[: -limit - 1 : -1]]
        return pb.ListMatchesResponse(matches=found)

    async def get_match(self, request: pb.GetMatchRequest, author: str) -> pb.GetMatchResponse:
        """Return a match that is public, to be played, or the author's."""
        seen = await self._seen(request.match_id, author)
        if not seen.public and not seen.own_seats and seen.line.state is MatchState.DONE:
            raise _in_play(seen)
        return pb.GetMatchResponse(match=seen.message())

    async def get_record(self, request: pb.GetRecordRequest, author: str) -> pb.GetRecordResponse:
        """Return the record of a match that is public."""
        seen = await self._seen(request.match_id, author)
        record = await self._record(seen, allowed=seen.public)
        return pb.GetRecordResponse(record=record)

    async def get_replay(self, request: pb.GetReplayRequest, author: str) -> pb.GetReplayResponse:
        """Return a match to look at: as the author's seat, or of a public one as anybody."""
        seen = await self._seen(request.match_id, author)
        seat = request.seat if request.HasField("seat") else None
        if seat is not None and seat >= len(seen.line.seats):
            raise invalid("BAD_REQUEST", f"there is no seat {seat} in this match")
        record = await self._record(seen, allowed=seen.public or seat in seen.own_seats)
        shown = await _aside(lambda: view(film_of_record(record), seat))
        return pb.GetReplayResponse(frames=json.dumps(shown).encode())

    async def list_logs(self, request: pb.ListLogsRequest, author: str) -> pb.ListLogsResponse:
        """Return how a bot lived through its last matches."""
        await self._check_own(request.bot, author)
        limit = _limit(request.limit, _MOST_LOGS)
        lives = await _aside(lambda: author_log.latest(self._ladder, request.bot, limit))
        return pb.ListLogsResponse(
            logs=[await self._log(lived, author, whole=False) for lived in lives]
        )

    async def get_log(self, request: pb.GetLogRequest, author: str) -> pb.GetLogResponse:
        """Return how a bot lived through a match."""
        await self._check_own(request.bot, author)
        lived = await _aside(
            lambda: author_log.lived(
                self._ladder, self._ladder.match(request.match_id), request.bot
            )
        )
        return pb.GetLogResponse(log=await self._log(lived, author, whole=True))

    async def get_trial(self, request: pb.GetTrialRequest, author: str) -> pb.GetTrialResponse:
        """Return what came of building and trying a version of the author's."""
        await self._check_own(request.bot, author)
        versions = await _aside(lambda: self._ladder.versions(request.bot))
        number = request.version or len(versions)
        if number > len(versions):
            raise UnknownBotError(
                f"{request.bot} has no version {number}: its versions are 1 to {len(versions)}"
            )
        version = versions[number - 1]
        trial = await _aside(lambda: self._ladder.trial(version))
        answer = pb.GetTrialResponse(version=await self.version(version.bot, number, author))
        if trial is not None:
            answer.tried_at.CopyFrom(encode.timestamp(trial.tried_at))
            answer.build_log, answer.printed = trial.build_log or "", trial.printed
            if trial.record is not None:
                answer.record.CopyFrom(unpack(trial.record))
        return answer

    async def _log(self, lived: Lived, author: str, *, whole: bool) -> pb.Log:
        seen = await self._seen(lived.match.match_id, author)
        return encode.log_message(lived, seen.message(), whole=whole)

    async def _own(self, author: str) -> Sequence[str]:
        def read() -> Sequence[str]:
            with self._ladder.database.read() as tx:
                return bots.of_author(tx, author)

        return await _aside(read)

    async def _check_own(self, bot: str, author: str) -> None:
        """Raise `Refusal` unless a bot is the author's, and if there is none of that name."""
        if bot not in await self._own(author):
            await _aside(lambda: self._ladder.versions(bot))
            raise Refusal(
                grpc.StatusCode.PERMISSION_DENIED,
                "NOT_YOUR_BOT",
                f"the bot {bot!r} is another author's; only they read its logs",
            )

    async def _seen(self, match_id: str, author: str) -> _Seen:
        def read() -> _Seen:
            line = self._ladder.match(match_id)
            with self._ladder.database.read() as tx:
                still = matches.open_of_deal(tx, line.deal)
                own = bots.of_author(tx, author)
            return _Seen(line, line.state is MatchState.DONE and not still, own)

        return await _aside(read)

    async def _record(self, seen: _Seen, *, allowed: bool) -> Any:
        if seen.line.state is MatchState.DONE and not allowed:
            raise _in_play(seen)
        return await _aside(lambda: self._ladder.record(seen.line))


async def _aside(read: Callable[[], _Found]) -> _Found:
    """Read the store without holding up other calls."""
    return await asyncio.to_thread(read)


def _version(version: Version, state: State, own: Sequence[str]) -> pb.Version:
    about = state.snapshot.about.get(version.id, About())
    return encode.version_message(version, about, own=version.bot in own)


def _has(line: MatchLine, bot: str) -> bool:
    return any(seat.version and seat.version.bot == bot for seat in line.seats)


def _limit(asked: int, most: int) -> int:
    if asked > most:
        raise invalid("BAD_REQUEST", f"at most {most} are listed, not {asked}", limit=str(most))
    return asked or _USUAL


def _in_play(seen: _Seen) -> DealInPlayError:
    own = ", ".join(map(str, seen.own_seats))
    what_else = f"; your seats, till then: {own}" if own else ""
    return DealInPlayError(
        f"match {seen.line.match_id} is kept secret until its deal is played on all seats"
        f"{what_else}"
    )
