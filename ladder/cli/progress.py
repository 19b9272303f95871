"""Shows how far a run is: a bar on a terminal, a line now and then anywhere else."""

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

from ladder.model.progress import Progress
from ladder.runner.line_progress import LineProgress, rates, time_left
from referee.core.plain import plain


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
