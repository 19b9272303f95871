"""How much one author, and all of them together, may ask of the door."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ladder.server.api.status import exhausted

Clock = Callable[[], float]
"""Tells seconds, as `time.monotonic` does."""

_MOST_BUCKETS = 10_000
_WAIT_FOR_A_PLACE_S = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What the door takes; the defaults suit a club."""

    requests: float = 60
    """Calls that one author may make at once."""
    requests_a_second: float = 5
    """How many come back each second."""
    submitted_bytes: float = 256 * 1024 * 1024
    """Bytes that one author may send at once."""
    submitted_bytes_a_second: float = 256 * 1024
    """How many come back each second: about 900 MiB an hour."""
    uploads: int = 16
    """Submissions under way at once, of all authors."""
    uploads_an_author: int = 2
    watchers: int = 200
    """Streams of `Watch` at once, of all authors."""
    watchers_an_author: int = 5
    silence_s: float = 60
    """How long an upload may pause."""
    kept_uploads_an_author: int = 3
    """Uploads that were cut and wait to go on."""
    kept_upload_s: float = 24 * 3600
    """How long they wait."""


class Buckets:
    """A token bucket for each author: full at first, refilled at a steady rate."""

    def __init__(
        self, what: str, capacity: float, a_second: float, clock: Clock = time.monotonic
    ) -> None:
        """Let so much pass at once, and so much a second later; `what` is it called."""
        self._what = what
        self._capacity = capacity
        self._a_second = a_second
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, author: str, amount: float) -> None:
        """Take from an author's bucket; raise `Refusal` if there is not so much in it."""
        now = self._clock()
        level, since = self._levels.pop(author, (self._capacity, now))
        level = min(self._capacity, level + (now - since) * self._a_second)
        enough = level >= amount
        self._levels[author] = (level - amount if enough else level, now)
        if len(self._levels) > _MOST_BUCKETS:  # the one that was not used for the longest time
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
    """How many may do something at once, in all and of each author."""

    def __init__(self, reason: str, what: str, in_all: int, an_author: int) -> None:
        """Keep these numbers of places; who finds none is refused for this reason."""
        self._reason = reason
        self._what = what
        self._in_all = in_all
        self._an_author = an_author
        self.taken: dict[str, int] = {}

    @contextlib.contextmanager
    def one(self, author: str) -> Iterator[None]:
        """Take a place; raise `Refusal` if there is none."""
        own = self.taken.get(author, 0)
        if own >= self._an_author:
            raise self._refusal(f"{author} has {own} {self._what} already", self._an_author)
        if sum(self.taken.values()) >= self._in_all:
            raise self._refusal(f"there are {self._in_all} {self._what} already", self._in_all)
        self.taken[author] = own + 1
        try:
            yield
        finally:
            self.taken[author] -= 1
            if not self.taken[author]:
                del self.taken[author]

    def _refusal(self, message: str, limit: int) -> Exception:
        return exhausted(self._reason, message, _WAIT_FOR_A_PLACE_S, limit=str(limit))
