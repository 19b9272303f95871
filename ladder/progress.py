"""Shows how far a run is: a bar on a terminal, a line now and then anywhere else."""

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
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from ladder.running import Progress
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

    _time = TimeRemainingColumn(compact=True)

    def render(self, task: Task) -> Text:
        """Return it as text."""
        if status := task.fields["status"]:
            return Text(status, overflow="ellipsis", no_wrap=True)
        return self._time.render(task) + " left"


class BarProgress:
    """A bar that is drawn again and again in one place."""

    def __init__(self, bar: Bar) -> None:
        """Draw on a bar that is shown."""
        self._bar = bar
        self._decisions = 0
        self._task = bar.add_task("", total=None, decisions=0, status="")

    def expect(self, matches: int) -> None:
        """Set the length of the bar."""
        self._bar.update(self._task, total=matches)

    def advance(self, decisions: int) -> None:
        """Move the bar on by a match."""
        self._decisions += decisions
        self._bar.update(self._task, advance=1, decisions=self._decisions)

    def tell(self, status: str) -> None:
        """Show the status instead of the time that is left."""
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
        self._expected = self._matches = self._decisions = 0
        self._status = ""

    def expect(self, matches: int) -> None:
        """Take notice of the total."""
        self._expected = matches

    def advance(self, decisions: int) -> None:
        """Print how far the run is, if it is time for that."""
        self._matches += 1
        self._decisions += decisions
        now = time.monotonic()
        if now - self._printed >= _SECONDS_BETWEEN_LINES:
            self._printed = now
            speed = rates(self._matches, self._decisions, now - self._began)
            if self._status:
                self.say(f"{self._matches} matches, {speed}; {self._status}")
                return
            left = (now - self._began) / self._matches * (self._expected - self._matches)
            self.say(f"{self._matches} of {self._expected} matches, {speed}, {left:.0f} s left")

    def tell(self, status: str) -> None:
        """Print the status instead of the time that is left."""
        self._status = status

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(Text(plain(text)), soft_wrap=True)
        self._console.file.flush()

    def warn(self, text: str) -> None:
        """Print a line where errors go."""
        print(f"warning: {plain(text)}", file=sys.stderr, flush=True)  # noqa: T201 -- it is for people


def rates(matches: float, decisions: int, seconds: float) -> str:
    """Return how fast matches are played, in words."""
    if not matches or not seconds:
        return ""
    return f"{matches / seconds:.1f} matches/s, {decisions / seconds:,.0f} decisions/s"
