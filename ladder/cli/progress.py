"""Shows the progress of a run: as a bar on a terminal, otherwise as occasional lines."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
)
from rich.progress import Progress as Bar
from rich.text import Text

from ladder.model.progress import Progress
from ladder.runner.line_progress import LineProgress, rates, time_left, workers_in_words
from referee.core.plain import plain

_TABLE_EVERY_S = 1.0
_MOST_TIME_SPENT = 0.05
"""The largest share of a run's time that the table below its bar may take."""

TableRows = Callable[[], Sequence[str]]
"""Works out the lines of a table as it is now."""


@contextmanager
def shown(console: Console, table: TableRows | None = None) -> Iterator[Progress]:
    """Show the progress of a run, in the form that suits the console.

    On a terminal a `table` stands below the bar, and moves as matches end.
    """
    if not console.is_terminal:
        yield LineProgress()
        return
    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), _Facts())
    with _TwoLines(*columns, console=console) as bar:
        yield BarProgress(bar, table)


class _TwoLines(Bar):
    """A progress bar, and below it a line and a table, if there are any."""

    below = ""
    table: Sequence[str] = ()

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the bar, the line and the table."""
        yield from super().get_renderables()
        for line in (*filter(None, [self.below]), *self.table):
            yield Text(plain(line), no_wrap=True, overflow="ellipsis")


class _Facts(ProgressColumn):
    """The remaining time if known, the status, and the speed, which a narrow terminal cuts off."""

    def render(self, task: Task) -> Text:
        """Return them as text."""
        ends = task.fields["ends"]
        until = None if ends is None else max(0.0, ends - time.monotonic())
        left = time_left(task.time_remaining, until)
        speed = rates(task.completed, task.fields["decisions"], task.elapsed or 0.0)
        facts = "; ".join(filter(None, [left, task.fields["status"], speed]))
        return Text(facts, overflow="ellipsis", no_wrap=True)


class BarProgress:
    """A progress bar that redraws in place."""

    def __init__(self, bar: _TwoLines, table: TableRows | None = None) -> None:
        """Add a task to a displayed bar, and a table below it."""
        self._bar = bar
        self._table = table
        self._table_due = 0.0
        self._decisions = 0
        self._task = bar.add_task("", total=None, decisions=0, status="", ends=None)

    def begin(self) -> None:
        """Empty the bar."""
        self._decisions = 0
        self._bar.reset(self._task, total=None, decisions=0, status="", ends=None)

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Set the bar's length and end time; without a length the bar only pulses."""
        ends = None if seconds is None else time.monotonic() + seconds
        self._bar.update(self._task, total=matches, ends=ends)

    def advance(self, decisions: int) -> None:
        """Advance the bar by one match."""
        self._decisions += decisions
        self._bar.update(self._task, advance=1, decisions=self._decisions)
        if time.monotonic() >= self._table_due:
            self.show_table()

    def show_table(self) -> None:
        """Work out the table anew, if there is one."""
        if self._table is not None:
            began = time.monotonic()
            self._bar.table = self._table()
            now = time.monotonic()
            self._table_due = now + max(_TABLE_EVERY_S, (now - began) / _MOST_TIME_SPENT)

    def tell(self, status: str) -> None:
        """Show a status after the remaining time."""
        self._bar.update(self._task, status=status)

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Show the cluster's workers below the bar."""
        self._bar.below = workers_in_words(played)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(Text(plain(text)))

    def warn(self, text: str) -> None:
        """Print a highlighted warning above the bar."""
        self._bar.console.print(Text(f"warning: {plain(text)}", style="bold yellow"))
