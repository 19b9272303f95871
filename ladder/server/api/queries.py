"""What an author may know of a ladder, call by call.

What an author may see of a match, `ladder.results.visibility` says.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from courtyard.v1 import ladder_pb2 as pb

from ladder.model.bots import Version
from ladder.model.errors import DealInPlayError, UnknownBotError
from ladder.model.incidents import Incident
from ladder.model.matches import MatchLine
from ladder.results import author_log, incidents, queries
from ladder.results.author_log import Lived
from ladder.results.visibility import Visible, visible
from ladder.server.api import encode
from ladder.server.api.status import ApiRefusal, invalid
from ladder.server.api.watch import Feed, PublicState
from ladder.server.public.snapshot import About
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES
from ladder.storage.files.bundles import LARGEST_BYTES, MOST_FILES
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import unpack
from referee.match.record import Record
from referee.view.frames import film_of_record, view

_MOST_MATCHES = 1000
_MOST_LOGS = 100
_USUAL = 20

_Found = TypeVar("_Found")


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
                return queries.versions(self._ladder, request.bot)
            return queries.all_versions(self._ladder)

        shown = [v for v in await _aside(read) if v.rejected is None or v.bot in own]
        return pb.ListVersionsResponse(versions=[_version(v, state, own) for v in shown])

    async def version(self, bot: str, number: int, author: str) -> pb.Version:
        """Return a version that was just submitted."""
        own = await self._own(author)
        version = await _aside(lambda: queries.versions(self._ladder, bot)[number - 1])
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
        snapshot = (await self._feed.state()).snapshot
        if request.bot:
            await _aside(lambda: queries.versions(self._ladder, request.bot))
        lines = await _aside(lambda: snapshot.finished.latest(limit, request.bot or None))
        own = await self._own(author)
        found = [encode.match_message(line, visible(line, snapshot.in_play, own)) for line in lines]
        return pb.ListMatchesResponse(matches=found)

    async def get_match(self, request: pb.GetMatchRequest, author: str) -> pb.GetMatchResponse:
        """Return a match that is public, to be played, or the author's."""
        line, may = await self._seen(request.match_id, author)
        if may.embargoed and not may.own_seats:
            raise _in_play(line, may)
        return pb.GetMatchResponse(match=encode.match_message(line, may))

    async def get_record(self, request: pb.GetRecordRequest, author: str) -> pb.GetRecordResponse:
        """Return the record of a match that is public."""
        line, may = await self._seen(request.match_id, author)
        record = await self._record(line, may)
        return pb.GetRecordResponse(record=record)

    async def get_replay(self, request: pb.GetReplayRequest, author: str) -> pb.GetReplayResponse:
        """Return a match to look at: as the author's seat, or of a public one as anybody."""
        line, may = await self._seen(request.match_id, author)
        seat = request.seat if request.HasField("seat") else None
        if seat is not None and seat >= len(line.seats):
            raise invalid("BAD_REQUEST", f"there is no seat {seat} in this match")
        record = await self._record(line, may, seat)
        shown = await _aside(lambda: view(film_of_record(record), seat))
        return pb.GetReplayResponse(frames=json.dumps(shown).encode())

    async def list_logs(self, request: pb.ListLogsRequest, author: str) -> pb.ListLogsResponse:
        """Return how a bot lived through its last matches, and what happened to them."""
        await self._check_own(request.bot, author)
        limit = _limit(request.limit, _MOST_LOGS)
        lives = await _aside(lambda: author_log.latest(self._ladder, request.bot, limit))
        found = await _aside(lambda: incidents.of_bot(self._ladder, request.bot, limit))
        return pb.ListLogsResponse(
            logs=[await self._log(lived, author, whole=False) for lived in lives],
            incidents=[
                await self._incidents(line, happened, author)
                for line, happened in found
                if happened
            ],
        )

    async def get_log(self, request: pb.GetLogRequest, author: str) -> pb.GetLogResponse:
        """Return how a bot lived through a match, and what happened to it."""
        await self._check_own(request.bot, author)
        line = await _aside(lambda: queries.match(self._ladder, request.match_id))
        lived = await _aside(lambda: author_log.lived(self._ladder, line, request.bot))
        happened = await _aside(lambda: incidents.for_author(self._ladder, line))
        return pb.GetLogResponse(
            log=await self._log(lived, author, whole=True) if lived else None,
            incidents=await self._incidents(line, happened, author),
        )

    async def get_trial(self, request: pb.GetTrialRequest, author: str) -> pb.GetTrialResponse:
        """Return the outcome of building and validating a version of the author's."""
        await self._check_own(request.bot, author)
        versions = await _aside(lambda: queries.versions(self._ladder, request.bot))
        number = request.version or len(versions)
        if number > len(versions):
            raise UnknownBotError(
                f"{request.bot} has no version {number}: its versions are 1 to {len(versions)}"
            )
        version = versions[number - 1]
        trial = await _aside(lambda: queries.trial(self._ladder, version))
        answer = pb.GetTrialResponse(version=await self.version(version.bot, number, author))
        if trial is not None:
            answer.tried_at.CopyFrom(encode.timestamp(trial.tried_at))
            answer.build_log, answer.printed = trial.build_log or "", trial.printed
            if trial.record is not None:
                answer.record.CopyFrom(unpack(trial.record))
        return answer

    async def _log(self, lived: Lived, author: str, *, whole: bool) -> pb.Log:
        match = encode.match_message(*await self._seen(lived.match.match_id, author))
        return encode.log_message(lived, match, whole=whole)

    async def _incidents(
        self, line: MatchLine, happened: Sequence[Incident], author: str
    ) -> pb.MatchIncidents:
        match = encode.match_message(*await self._seen(line.match_id, author))
        return encode.incidents_message(match, happened)

    async def _own(self, author: str) -> Sequence[str]:
        def read() -> Sequence[str]:
            with self._ladder.database.read() as tx:
                return bots.of_author(tx, author)

        return await _aside(read)

    async def _check_own(self, bot: str, author: str) -> None:
        """Raise `ApiRefusal` unless a bot is the author's, and if there is none of that name."""
        if bot not in await self._own(author):
            await _aside(lambda: queries.versions(self._ladder, bot))
            raise ApiRefusal(
                "NOT_YOUR_BOT",
                f"the bot {bot!r} is another author's; only they read its logs",
            )

    async def _seen(self, match_id: str, author: str) -> tuple[MatchLine, Visible]:
        """Return a match and what its author may see of it."""

        def read() -> tuple[MatchLine, Visible]:
            with self._ladder.database.read() as tx:
                line, own = queries.match_in(tx, match_id), bots.of_author(tx, author)
                return line, visible(line, matches.deals_in_play(tx), own)

        return await _aside(read)

    async def _record(self, line: MatchLine, may: Visible, seat: int | None = None) -> Record:
        """Return the record to show a seat's view of, or all; raise if that is not allowed."""
        if line.decisions is not None and not may.replay(seat):
            raise _in_play(line, may)
        return await _aside(lambda: queries.record(self._ladder, line))


async def _aside(read: Callable[[], _Found]) -> _Found:
    """Read the store without holding up other calls."""
    return await asyncio.to_thread(read)


def _version(version: Version, state: PublicState, own: Sequence[str]) -> pb.Version:
    about = state.snapshot.about.get(version.id, About())
    return encode.version_message(version, about, own=version.bot in own)


def _limit(asked: int, most: int) -> int:
    if asked > most:
        raise invalid("BAD_REQUEST", f"at most {most} are listed, not {asked}", limit=str(most))
    return asked or _USUAL


def _in_play(line: MatchLine, may: Visible) -> DealInPlayError:
    own = ", ".join(map(str, may.own_seats))
    what_else = f"; your seats, till then: {own}" if own else ""
    return DealInPlayError(
        f"match {line.match_id} is kept secret until its deal is played on all seats{what_else}"
    )
