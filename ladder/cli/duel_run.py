"""Plays a duel and prints its result, for the command `ladder duel`.

It is a separate module so that other commands need not import numpy.
"""

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn
from rich.text import Text

from ladder.cli.console import command_line, console, program, say, say_plainly
from ladder.cli.contest import print_more, print_topics, write
from ladder.cli.play import play
from ladder.cli.seeds import chosen_secret
from ladder.model.errors import SettingsError
from ladder.model.progress import Progress
from ladder.scheduling.duel.planner import MATCHES_A_PAIR, DuelPlan, DuelPlanner, stored_matches
from ladder.scheduling.duel.sequential import SequentialTest
from ladder.scheduling.duel.summary import DuelSummary, pairs_text, summarize
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.submission import duels
from ladder.submission.contests import Wanted, check_same, make
from ladder.submission.entrants import Entrants
from referee.core.plain import plain
from referee.games import game_named

_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_BETWEEN_LINES = 5.0
_METER = 24


def terms(effect: float, alpha: float, beta: float, most: int) -> SequentialTest:
    """Return the sequential test; raise `SettingsError` for impossible parameters."""
    cap = most // MATCHES_A_PAIR
    try:
        return SequentialTest(effect, alpha, beta, min(SequentialTest().first, cap), cap)
    except ValueError as error:
        raise SettingsError(f"{error}") from error


def hold(
    named: Entrants,
    test: SequentialTest,
    wanted: Wanted,
    folder: Path | None,
    json: Path | None,
    workers: int | None,
    *,
    reproducible: bool,
) -> None:
    """Create, play or continue a duel of A and B, perhaps with a third bot; print the result."""
    home = Home(folder or duels.folder_of(named))
    if not home.holds_ladder:
        make(home.path, wanted, named, chosen_secret(wanted.seed, reproducible=reproducible))
    with Ladder.open(home) as opened:
        check_same(opened, wanted)
        to_go_on = f"continue with `{command_line('run', home)}`"
        plan = duels.begun(opened, test, named, say_plainly, to_go_on)
        _play(opened, plan, workers)
        _print_outcome(opened, plan, json)


def _play(ladder: Ladder, plan: DuelPlan, workers: int | None) -> None:
    """Print the terms of the duel, and play until the test decides."""
    show = summary_of(ladder, plan)
    path = ladder.home.path
    say(f"{game_named(ladder.settings.game).title}, {show.seats} seats, in {path}")
    print_topics(show.terms())
    if not show.progress.over:
        again = f"{program()} run --ladder {shlex.quote(str(path))}"
        shown = watched(lambda: progress_line(summary_of(ladder, plan)))
        play(ladder, DuelPlanner(plan, show.seats), workers, lambda _: again, shown)


def summary_of(ladder: Ladder, plan: DuelPlan) -> DuelSummary:
    """Return a summary of the duel so far."""
    with ladder.database.read() as tx:
        versions = bots.all_versions(tx)
        lines = stored_matches(tx)
    return summarize(plan, ladder.settings.seats, versions, lines)


def _print_outcome(ladder: Ladder, plan: DuelPlan, json: Path | None) -> None:
    """Print the answer and its evidence, and write the export."""
    show = summary_of(ladder, plan)
    console.print()
    console.print(Text(show.answer(), style="bold"), soft_wrap=True)
    print_topics(show.numbers())
    if json is not None:
        write(json, show.to_json())
    print_more(ladder)


def progress_line(show: DuelSummary) -> Text:
    """Return the progress of a duel in one line."""
    verdict = show.progress.verdict
    lower, upper = verdict.bounds
    place = (min(max(verdict.evidence, lower), upper) - lower) / (upper - lower)
    at = round(place * (_METER - 1))
    color = "green" if verdict.evidence > 0 else "yellow"
    text = Text(f"{lower:+.2f} ", style="dim")
    text.append("─" * at, style="dim").append("●", style=f"bold {color}")
    text.append("─" * (_METER - 1 - at), style="dim").append(f" {upper:+.2f}", style="dim")
    text.append(f"  evidence {verdict.evidence:+.2f}", style="bold")
    low, high = verdict.interval
    text.append(f"  score {verdict.score:.3f} ({low:.2f} to {high:.2f})")
    return text.append(f"  {pairs_text(verdict.pairs)}")


@contextmanager
def watched(line: Callable[[], Text]) -> Iterator[Progress]:
    """Show the state of a running search for an answer, in the form that suits the console."""
    if not console.is_terminal:
        yield _Watch(lambda: console.print(line(), soft_wrap=True), _SECONDS_BETWEEN_LINES)
        return
    columns = SpinnerColumn(), TextColumn("{task.description}")
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(line().markup)
        yield _Watch(lambda: bar.update(task, description=line().markup), _SECONDS_BETWEEN_LOOKS)


class _Watch:
    """Shows the state only now and then, as computing it takes all matches."""

    def __init__(self, show: Callable[[], None], every: float) -> None:
        self._show = show
        self._every = every
        self._shown = time.monotonic()

    def begin(self) -> None:
        """Do nothing: the duel's own line counts its matches."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Do nothing: the number of matches is unknown."""

    def advance(self, decisions: int) -> None:  # noqa: ARG002 - the protocol `Progress` has it
        """Show the state of the duel, if it is time for that."""
        if time.monotonic() - self._shown >= self._every:
            self._show()
            self._shown = time.monotonic()

    def tell(self, status: str) -> None:
        """Do nothing: the duel's own line shows more."""

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Do nothing: a duel is played on this machine."""

    def say(self, text: str) -> None:
        """Print a line."""
        say(plain(text))

    def warn(self, text: str) -> None:
        """Print a warning."""
        say(f"warning: {plain(text)}")
