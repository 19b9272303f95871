"""One ladder behind the door, with all that serves its authors."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from ladder.runner.json_log import DOOR
from ladder.server.api.metrics import Metrics
from ladder.server.api.queries import Answers
from ladder.server.api.rate_limits import Buckets, Limits, Places
from ladder.server.api.submission_queue import SubmissionQueue
from ladder.server.api.uploads import Uploads
from ladder.server.api.watch import Feed
from ladder.server.public.follower import Following
from ladder.storage.ladder import Ladder
from ladder.submission.submit import longest_s

_SWEEP_EVERY_S = 600


@dataclass(frozen=True, slots=True)
class Served:
    """One ladder and what is kept for its authors. Limits count for each ladder by itself."""

    ladder: Ladder
    feed: Feed
    answers: Answers
    submission_queue: SubmissionQueue
    uploads: Uploads
    requests: Buckets
    uploading: Places
    watching: Places

    async def close(self) -> None:
        """Stop submissions and streams; they are told that the ladder stops."""
        await self.submission_queue.close()
        await self.feed.close()


@contextlib.asynccontextmanager
async def open_served(
    following: Following, limits: Limits, metrics: Metrics, submitter: Sequence[str]
) -> AsyncIterator[Served]:
    """Serve a ladder that stays open and is followed; `Served.close` comes before the end."""
    ladder = following.source.ladder
    ladder.home.check_owner()
    folder = ladder.home.uploads
    feed = Feed(following)
    submission_queue = SubmissionQueue(
        ladder.home, folder, metrics, longest_s(ladder.settings.clock), submitter
    )
    sent = Buckets("bytes", limits.submitted_bytes, limits.submitted_bytes_a_second)
    uploads = Uploads(folder, limits, sent, held=submission_queue.job)
    sweeping = asyncio.create_task(_sweep(uploads))
    try:
        yield Served(
            ladder=ladder,
            feed=feed,
            answers=Answers(ladder, feed),
            submission_queue=submission_queue,
            uploads=uploads,
            requests=Buckets("requests", limits.requests, limits.requests_a_second),
            uploading=Places(
                "TOO_MANY_UPLOADS", "submissions", limits.uploads, limits.uploads_an_author
            ),
            watching=Places(
                "TOO_MANY_WATCHERS", "watchers", limits.watchers, limits.watchers_an_author
            ),
        )
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


async def _sweep(uploads: Uploads) -> None:
    """Sweep now and then for ever; a folder that cannot be swept is told of once, until it can."""
    told = False
    while True:
        try:
            await asyncio.to_thread(uploads.sweep)
            told = False
        except OSError as error:
            if not told:
                DOOR.warning("old uploads stay: %s: %s", error.filename, error.strerror)
            told = True
        await asyncio.sleep(_SWEEP_EVERY_S)
