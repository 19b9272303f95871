"""One ladder that the author API serves, with everything that serves its authors."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from ladder.model.errors import LadderError
from ladder.runner.json_log import API
from ladder.server.api.feed import Feed
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import Buckets, Places, RateLimits
from ladder.server.api.submission_queue import SubmissionQueue
from ladder.server.api.uploads import Uploads
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.storage.ladder import Ladder
from ladder.submission.submit import longest_s

_SWEEP_EVERY_S = 600


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """How to serve the author API."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    """Where its metrics are counted."""
    trusts_network: bool = False
    """Whether to accept tokens without TLS from other machines."""
    limits: RateLimits = field(default_factory=RateLimits)


@dataclass(frozen=True, slots=True)
class Served:
    """One ladder and the state of its authors' calls. Each ladder has limits of its own."""

    following: Following
    obstacle: str | None
    """Why bots cannot be submitted or changed here; None if they can."""
    feed: Feed
    submission_queue: SubmissionQueue
    uploads: Uploads
    requests: Buckets
    uploading: Places
    watching: Places

    @property
    def source(self) -> PublicReader:
        """The reader of its public state."""
        return self.following.source

    @property
    def ladder(self) -> Ladder:
        """The ladder itself."""
        return self.source.ladder

    async def close(self) -> None:
        """Stop submissions and streams; their authors get a message."""
        await self.submission_queue.close()
        await self.feed.close()


@contextlib.asynccontextmanager
async def open_served(
    following: Following, limits: RateLimits, metrics: Metrics
) -> AsyncIterator[Served]:
    """Serve a followed ladder; call `Served.close` before the context ends."""
    ladder = following.source.ladder
    feed = Feed(following)
    seconds = longest_s(ladder.settings.clock)
    submission_queue = SubmissionQueue(ladder.home, metrics, seconds)
    sent = Buckets("bytes", limits.submitted_bytes, limits.submitted_bytes_a_second)
    obstacle = ladder.database.obstacle or _not_owner(ladder)
    uploads = Uploads(ladder.home.uploads, limits, sent, held=submission_queue.job)
    sweeping = asyncio.create_task(_sweep(uploads, obstacle))
    try:
        yield Served(
            following=following,
            obstacle=obstacle,
            feed=feed,
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


def _not_owner(ladder: Ladder) -> str | None:
    """Return why this user must leave no files in a ladder's folder; None if this user may."""
    try:
        ladder.home.check_owner()
    except LadderError as error:
        return str(error)
    return None


async def _sweep(uploads: Uploads, obstacle: str | None = None) -> None:
    """Remove old uploads every ten minutes; log a failure once until a sweep succeeds."""
    logged = False
    while not obstacle:
        try:
            await asyncio.to_thread(uploads.sweep)
            logged = False
        except OSError as error:
            if not logged:
                API.warning("cannot remove old uploads: %s: %s", error.filename, error.strerror)
            logged = True
        await asyncio.sleep(_SWEEP_EVERY_S)
