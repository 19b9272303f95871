"""One ladder that the author API serves, with everything that serves its authors."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from ladder.runner.json_log import API
from ladder.server.api.metrics import Metrics
from ladder.server.api.queries import Answers
from ladder.server.api.rate_limits import Buckets, Places, RateLimits
from ladder.server.api.submission_queue import SubmissionQueue
from ladder.server.api.uploads import Uploads
from ladder.server.api.watch import Feed
from ladder.server.public.follower import Following
from ladder.storage.ladder import Ladder
from ladder.submission.submit import longest_s

_SWEEP_EVERY_S = 600


@dataclass(frozen=True, slots=True)
class Served:
    """One ladder and the state of its authors' calls. Each ladder has limits of its own."""

    ladder: Ladder
    feed: Feed
    answers: Answers
    submission_queue: SubmissionQueue
    uploads: Uploads
    requests: Buckets
    uploading: Places
    watching: Places

    async def close(self) -> None:
        """Stop submissions and streams, and tell their authors that the ladder is stopping."""
        await self.submission_queue.close()
        await self.feed.close()


@contextlib.asynccontextmanager
async def open_served(
    following: Following, limits: RateLimits, metrics: Metrics
) -> AsyncIterator[Served]:
    """Serve a followed ladder; call `Served.close` before the context ends."""
    ladder = following.source.ladder
    ladder.home.check_owner()
    feed = Feed(following)
    seconds = longest_s(ladder.settings.clock)
    submission_queue = SubmissionQueue(ladder.home, metrics, seconds)
    sent = Buckets("bytes", limits.submitted_bytes, limits.submitted_bytes_a_second)
    uploads = Uploads(ladder.home.uploads, limits, sent, held=submission_queue.job)
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
    """Remove old uploads every ten minutes; log a failure once until a sweep succeeds."""
    logged = False
    while True:
        try:
            await asyncio.to_thread(uploads.sweep)
            logged = False
        except OSError as error:
            if not logged:
                API.warning("cannot remove old uploads: %s: %s", error.filename, error.strerror)
            logged = True
        await asyncio.sleep(_SWEEP_EVERY_S)
