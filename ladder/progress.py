"""Shows how far a run is: a bar on a terminal, a line now and then anywhere else."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
)
from rich.progress import Progress as Bar
from rich.text import Text

from ladder.reporting import Progress
from referee.plain import plain

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def shown(console: Console) -> Iterator[Progress]:
    """Show the progress of a run in the way that the console can."""
    if not console.is_terminal:
        yield LineProgress(console)
        return
    columns = (
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        _Rates(),
        _Left(),
    )
    with Bar(*columns, console=console) as bar:
        yield BarProgress(bar)


class _Rates(ProgressColumn):
    """Matches and decisions per second since the start."""

    def render(self, task: Task) -> Text:
        """Return them as text."""
        speed = rates(task.completed, task.fields["decisions"], task.elapsed or 0.0)
        return Text(speed, no_wrap=True)


class _Left(ProgressColumn):
    """The time that is left, or, while nobody knows that, how far the question is answered."""

    def render(self, task: Task) -> Text:
        """Return it as text."""
        ends = task.fields["ends"]
        until = None if ends is None else max(0.0, ends - time.monotonic())
        said = [task.fields["status"], time_left(task.time_remaining, until)]
        return Text("; ".join(filter(None, said)), overflow="ellipsis", no_wrap=True)


class BarProgress:
    """A bar that is drawn again and again in one place."""

    def __init__(self, bar: Bar) -> None:
        """Draw on a bar that is shown."""
        self._bar = bar
        self._decisions = 0
        self._task = bar.add_task("", total=None, decisions=0, status="", ends=None)

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Set the length of the bar; without one it only moves."""
        ends = None if seconds is None else time.monotonic() + seconds
        self._bar.update(self._task, total=matches, ends=ends)

    def advance(self, decisions: int) -> None:
        """Move the bar on by a match."""
        self._decisions += decisions
        self._bar.update(self._task, advance=1, decisions=self._decisions)

    def tell(self, status: str) -> None:
        """Show the status before the time that is left, as far as that is known."""
        self._bar.update(self._task, status=status)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(Text(plain(text)))

    def warn(self, text: str) -> None:
        """Print a line above the bar that stands out."""
        self._bar.console.print(Text(f"warning: {plain(text)}", style="bold yellow"))


class LineProgress:
    """Lines, not more than one in some seconds."""

    def __init__(self, console: Console) -> None:
        """Print to a console that is no terminal."""
        self._console = console
        self._began = self._printed = time.monotonic()
        self._matches = self._decisions = 0
        self._expected: int | None = None
        self._ends: float | None = None
        self._status = ""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Take notice of the total, and of the end."""
        self._expected = matches
        self._ends = None if seconds is None else time.monotonic() + seconds

    def advance(self, decisions: int) -> None:
        """Print how far the run is, if it is time for that."""
        self._matches += 1
        self._decisions += decisions
        now = time.monotonic()
        if now - self._printed >= _SECONDS_BETWEEN_LINES:
            self._printed = now
            self.say("; ".join(filter(None, [self._so_far(now), self._status])))

    def _so_far(self, now: float) -> str:
        """Return what was played of what, how fast, and how long that will take yet."""
        lasted = now - self._began
        of = "" if self._expected is None else f" of {self._expected:,}"
        speed = rates(self._matches, self._decisions, lasted)
        left = None
        if self._expected is not None:
            left = lasted / self._matches * (self._expected - self._matches)
        until = None if self._ends is None else max(0.0, self._ends - now)
        said = [f"{self._matches:,}{of} matches", speed, time_left(left, until)]
        return ", ".join(filter(None, said))

    def tell(self, status: str) -> None:
        """Print the status behind the time that is left, as far as that is known."""
        self._status = status

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(Text(plain(text)), soft_wrap=True)
        self._console.file.flush()

    def warn(self, text: str) -> None:
        """Print a line where errors go."""
        print(f"warning: {plain(text)}", file=sys.stderr, flush=True)  # noqa: T201 -- it is for people


def time_left(estimated: float | None, at_most: float | None) -> str:
    """Return how long a run will take yet, in words: from two numbers of seconds, if known."""
    known = [seconds for seconds in (estimated, at_most) if seconds is not None]
    if not known:
        return ""
    minutes, seconds = divmod(math.ceil(min(known)), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{'at most ' if estimated is None else ''}{clock} left"


def rates(matches: float, decisions: int, seconds: float) -> str:
    """Return how fast matches are played, in words."""
    if not matches or not seconds:
        return ""
    return f"{matches / seconds:.1f} matches/s, {decisions / seconds:,.0f} decisions/s"
