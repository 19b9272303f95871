"""Prints the progress of a run as lines, where no progress bar can be drawn."""

import math
import sys
import time
from collections.abc import Sequence

from referee.core.plain import plain

_SECONDS_BETWEEN_LINES = 5.0
_MOST_NAMED = 8
"""How many workers of a cluster are named."""


class LineProgress:
    """Prints a line of progress every few seconds."""

    def __init__(self) -> None:
        """Begin."""
        self._printed = time.monotonic()
        self._workers = ""
        self.begin()

    def begin(self) -> None:
        """Count from zero."""
        self._began = time.monotonic()
        self._matches = self._decisions = 0
        self._expected: int | None = None
        self._ends: float | None = None
        self._status = ""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Note the total and the time limit."""
        self._expected = matches
        self._ends = None if seconds is None else time.monotonic() + seconds

    def advance(self, decisions: int) -> None:
        """Count a match; print the progress if the last line is old enough."""
        self._matches += 1
        self._decisions += decisions
        now = time.monotonic()
        if now - self._printed >= _SECONDS_BETWEEN_LINES:
            self._printed = now
            self.say("; ".join(filter(None, [self._so_far(now), self._status, self._workers])))

    def _so_far(self, now: float) -> str:
        """Return the matches played so far, the time left and the speed."""
        lasted = now - self._began
        of = "" if self._expected is None else f" of {self._expected:,}"
        speed = rates(self._matches, self._decisions, lasted)
        left = None
        if self._expected is not None:
            left = lasted / self._matches * (self._expected - self._matches)
        until = None if self._ends is None else max(0.0, self._ends - now)
        parts = [f"{self._matches:,}{of} matches", time_left(left, until), speed]
        return ", ".join(filter(None, parts))

    def tell(self, status: str) -> None:
        """Print this status after the speed."""
        self._status = status

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Print the cluster's workers after the status."""
        self._workers = workers_in_words(played)

    def say(self, text: str) -> None:
        """Print a line."""
        print(plain(text), flush=True)  # noqa: T201 -- it is for people

    def warn(self, text: str) -> None:
        """Print a line of warning to stderr."""
        print(f"warning: {plain(text)}", file=sys.stderr, flush=True)  # noqa: T201 -- it is for people


def time_left(estimated: float | None, at_most: float | None) -> str:
    """Return the time left in words, given an estimate and a limit in seconds, if known."""
    known = [seconds for seconds in (estimated, at_most) if seconds is not None]
    if not known:
        return ""
    minutes, seconds = divmod(math.ceil(min(known)), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{'at most ' if estimated is None else ''}{clock} left"


def workers_in_words(played: Sequence[tuple[str, int]]) -> str:
    """Return the workers of a cluster, the first of them by name, with their matches."""
    if not played:
        return "no workers"
    named = [f"{name} {matches:,}" for name, matches in played[:_MOST_NAMED]]
    if len(played) > _MOST_NAMED:
        named.append(f"and {len(played) - _MOST_NAMED} more")
    return f"{len(played)} worker{'s' * (len(played) != 1)}: {', '.join(named)}"


def rates(matches: float, decisions: int, seconds: float) -> str:
    """Return the speed of matches and decisions in words."""
    if not matches or not seconds:
        return ""
    return f"{matches / seconds:.1f} matches/s, {decisions / seconds:,.0f} decisions/s"
