"""Limits of the author API, for each author and for all authors together."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ladder.server.api.status import exhausted

Clock = Callable[[], float]
"""Returns seconds, as `time.monotonic` does."""

_MOST_BUCKETS = 10_000
_WAIT_FOR_A_PLACE_S = 10.0


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The author API's limits; the defaults suit a club."""

    requests: float = 60
    """The size of an author's burst of calls."""
    requests_a_second: float = 5
    """How fast the burst refills."""
    submitted_bytes: float = 256 * 1024 * 1024
    """The size of an author's burst of bytes sent."""
    submitted_bytes_a_second: float = 256 * 1024
    """How fast the burst refills: about 900 MiB an hour."""
    uploads: int = 16
    """Concurrent submissions of all authors."""
    uploads_an_author: int = 2
    watchers: int = 200
    """Concurrent `Watch` streams of all authors."""
    watchers_an_author: int = 5
    silence_s: float = 60
    """How long an upload may pause before it ends."""
    kept_uploads_an_author: int = 3
    """Interrupted uploads that an author can resume."""
    kept_upload_s: float = 24 * 3600
    """How long an interrupted upload can be resumed."""


class Buckets:
    """A token bucket for each author: initially full, refilled at a steady rate."""

    def __init__(
        self, what: str, capacity: float, a_second: float, clock: Clock = time.monotonic
    ) -> None:
        """Allow bursts of `capacity`, refilled at `a_second`; `what` names the unit in errors."""
        self._what = what
        self._capacity = capacity
        self._a_second = a_second
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, author: str, amount: float) -> None:
        """Take an amount from an author's bucket; raise `Refusal` if the bucket holds less."""
        now = self._clock()
        level, since = self._levels.pop(author, (self._capacity, now))
        level = min(self._capacity, level + (now - since) * self._a_second)
        enough = level >= amount
        self._levels[author] = (level - amount if enough else level, now)
        if len(self._levels) > _MOST_BUCKETS:  # the least recently used one
            del self._levels[next(iter(self._levels))]
        if not enough:
            wait = (amount - level) / self._a_second
            raise exhausted(
                "RATE_LIMITED",
                f"too many {self._what} of {author}: try again in {wait:.0f} s",
                wait,
                limit=self._what,
            )


class Places:
    """Limits concurrent use, by each author and in all."""

    def __init__(self, reason: str, what: str, in_all: int, an_author: int) -> None:
        """Set the limits; `reason` is the reason of refusals, `what` names what is limited."""
        self._reason = reason
        self._what = what
        self._in_all = in_all
        self._an_author = an_author
        self.taken: dict[str, int] = {}

    @contextlib.contextmanager
    def one(self, author: str) -> Iterator[None]:
        """Hold a place; raise `Refusal` if none is free."""
        self.check(author)
        self.taken[author] = self.taken.get(author, 0) + 1
        try:
            yield
        finally:
            self.taken[author] -= 1
            if not self.taken[author]:
                del self.taken[author]

    def check(self, author: str) -> None:
        """Raise `Refusal` if no place is free."""
        own = self.taken.get(author, 0)
        if own >= self._an_author:
            raise self._refusal(f"{author} already has {own} {self._what}", self._an_author)
        if sum(self.taken.values()) >= self._in_all:
            raise self._refusal(f"there are already {self._in_all} {self._what}", self._in_all)

    def _refusal(self, message: str, limit: int) -> Exception:
        return exhausted(self._reason, message, _WAIT_FOR_A_PLACE_S, limit=str(limit))
