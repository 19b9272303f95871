"""The command `ladder verify`."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import LadderOption, console, in_matches, say, say_plainly
from ladder.model.errors import LadderError, StoreError
from ladder.model.matches import MatchState
from ladder.runner.line_progress import time_left
from ladder.storage.files.folder import Home, find_home

if TYPE_CHECKING:
    from rich.progress import Progress

    from ladder.storage.ladder import Ladder
    from ladder.storage.verify import MatchChecks

_MANY = 10_000
"""From this number of matches on it prints lines of progress outside a terminal, too."""
_LINES_EVERY_S = 10.0
_KEPT_EVERY_S = 10.0


def verify(
    *,
    go_on: Annotated[
        bool,
        typer.Option("--continue", help="Go on where the last check of this ladder was stopped."),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Replay only N matches, drawn at random."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Check a folder that `ladder export --records` wrote, instead."
        ),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Check everything: the database, the bots' files, the ratings, and every match and spar.

    Each match is replayed from its record, about 150 a second. Every problem gets a line that names
    its place; the rest is still checked. A match of other rules than those installed is not
    replayed, as a line reports: its seals, its commitment, its times and its forfeits are checked.

    Ctrl-C stops, and --continue goes on there: matches that were checked by the same version of
    Courtyard and the same rules are not replayed again, but read and compared with a digest of what
    was checked. If any of them, or its record, has changed since, all are checked anew. So a
    continued check promises the same as one that was never stopped. Spars are always replayed. With
    --sample all else is checked as ever. The status is 0 without problems, 1 with any and 130 after
    Ctrl-C.

    With --export it needs the folder alone: records are compared with their digests and replayed,
    and the standings computed anew from them. Compare the digest that it prints with the cited one.
    """
    if export and (go_on or sample):
        raise LadderError("--export checks a whole folder: leave --continue and --sample out")
    if export:
        _verify_export(export)
        return
    if go_on and sample:
        raise LadderError("--continue checks all matches: leave --sample out")
    home = find_home(ladder)
    from ladder.storage.ladder import Ladder

    try:
        opened = Ladder.open(home)
    except StoreError as error:
        for problem in _without_settings(home):
            say_plainly(problem)
        raise LadderError(f"{error}; ratings and settings could not be checked") from error
    with opened, _shown(_count(opened)) as course:
        check = _Check(opened, course, sample)
        for problem in check.problems(go_on=go_on):
            say_plainly(problem)
            check.wrong += 1
    check.report()


def _verify_export(folder: Path) -> None:
    """Check each ladder of an export; raise `LadderError` if there are problems."""
    from ladder.results import cited as citing
    from ladder.results.citation_check import CitationCheck

    files = sorted(folder.rglob(citing.NAME))
    if not files:
        raise LadderError(f"{folder}: no {citing.NAME}: `ladder export --records` writes it")
    wrong = 0
    for file in files:
        cited, digest = citing.read(file.parent)
        matches = len(cited.matches)
        with _shown(matches) as course:
            course.begin("the matches", matches)
            check = CitationCheck(file.parent, cited, course.advance)
            for problem in check.problems():
                say_plainly(problem if len(files) == 1 else f"{file.parent}: {problem}")
                wrong += 1
        _print_unreplayed(check.unreplayed)
        say(f"{file}: {in_matches(matches)}, SHA-256 {digest}")
    if wrong:
        raise LadderError(f"{wrong} problems found in {folder}")
    say("No problem found: the standings follow from the records.")


def _print_unreplayed(unreplayed: Mapping[str, int]) -> None:
    """Print the number of matches that could not be replayed, as other rules played them."""
    for others, number in unreplayed.items():
        say(
            f"Not replayed: {in_matches(number)} {others}. All that does not depend on the "
            "rules was checked."
        )


def _without_settings(home: Home) -> Iterator[str]:
    """Yield the problems of a ladder that cannot be opened, as far as they can be found."""
    from ladder.storage import verify as checking
    from ladder.storage.db.database import Database, problems

    try:
        database = Database.open(home.place)
    except StoreError:
        yield from problems(home.place)
        return
    with database:
        yield from checking.check_files(home, database)
        yield from checking.check_records(database)


def _count(ladder: "Ladder") -> int:
    """Return how many matches are done, spars included; 0 if that cannot be read."""
    from ladder.storage.tables import matches, spars

    try:
        with ladder.database.read() as tx:
            return matches.count(tx, MatchState.DONE) + spars.count(tx)
    except StoreError:
        return 0


class _Check:
    """One check of a ladder."""

    def __init__(self, ladder: "Ladder", course: "_Course", sample: int | None) -> None:
        self._ladder = ladder
        self._course = course
        self._sample = sample
        self._kept = time.monotonic()
        self._checks: MatchChecks | None = None
        self.wrong = 0

    def problems(self, *, go_on: bool) -> Iterator[str]:
        """Yield all problems."""
        from ladder.results import rerating
        from ladder.scheduling import contest
        from ladder.storage import verify as checking

        ladder = self._ladder
        yield from checking.check_settings(ladder)
        yield from contest.problems(ladder)
        self._course.begin("the database and the bots' files")
        yield from checking.check_files(ladder.home, ladder.database)
        try:
            yield from self._of_matches(go_on=go_on)
            yield from checking.check_deals(ladder)
        except StoreError as error:
            yield f"the matches cannot be checked: {error}"
        self._course.begin("the ratings")
        yield from rerating.problems(ladder)

    def report(self) -> None:
        """Print the result; raise `LadderError` if there are problems."""
        _print_unreplayed(self._checks.unreplayed if self._checks else {})
        matches = in_matches(self._checks.seen if self._checks else 0)
        if self._sample is not None:
            matches = f"{self._sample} of {matches}"
        skipped = self._checks.skipped if self._checks else None
        wrong, earlier = self.wrong, skipped.problems if skipped else 0
        before = f", {earlier} of them reported before" if earlier else ""
        if wrong + earlier:
            raise LadderError(
                f"{wrong + earlier} problems found in {matches} and the files{before}"
            )
        skipped_text = f", of which {skipped.matches:,} were checked before" if skipped else ""
        say(f"No problem found in the files and {matches}{skipped_text}.")

    def _of_matches(self, *, go_on: bool) -> Iterator[str]:
        from ladder.storage import verified
        from ladder.storage import verify as checking

        total = _count(self._ladder)
        drawn = None
        if self._sample is not None:
            self._sample = min(self._sample, total)
            drawn = frozenset(random.sample(range(total), self._sample))
        self._checks = checks = checking.MatchChecks(self._ladder, self._advance, drawn)
        self._course.begin("the matches", total)
        if go_on:
            self._skip(checks, total)
        try:
            yield from checks.problems()
        except (KeyboardInterrupt, GeneratorExit):
            if drawn is None and verified.remember(self._ladder, checks.checkpoint):
                checked = f"{checks.checkpoint.matches:,} of {in_matches(total)}"
                say(f"Checked {checked}; `ladder verify --continue` goes on there.")
            raise
        if drawn is None:
            verified.forget(self._ladder)

    def _skip(self, checks: "MatchChecks", total: int) -> None:
        """Skip the matches that were checked before, unless they have changed."""
        from ladder.storage import verified

        before = verified.read(self._ladder)
        if before is None:
            say("No earlier check is known: checking everything.")
        elif not checks.skip(before):
            self._course.begin("the matches", total)
            say("Checked matches, or the checks, have changed: checking everything again.")

    def _advance(self) -> None:
        """Count a match; every few seconds remember how far the check is."""
        self._course.advance()
        now = time.monotonic()
        if self._sample is None and self._checks and now - self._kept > _KEPT_EVERY_S:
            from ladder.storage import verified

            verified.remember(self._ladder, self._checks.checkpoint)
            self._kept = now


class _Course:
    """Shows what is being checked: as a bar on a terminal, else as lines if there is much."""

    def __init__(self, bar: "Progress", *, lines: bool) -> None:
        self._bar = bar
        self._task = bar.add_task("Checking")
        self._lines = lines

    def begin(self, what: str, total: int | None = None) -> None:
        """Show that something else is checked."""
        self._bar.reset(self._task, total=total, description=f"Checking {what}")
        self._total, self._done = total or 0, 0
        self._began = self._printed_at = time.monotonic()
        if self._lines:
            self._print_line(f"Checking {what}: {total:,}" if total else f"Checking {what}")

    def advance(self) -> None:
        """Count a match."""
        self._done += 1
        self._bar.advance(self._task)
        now = time.monotonic()
        if self._lines and now - self._printed_at > _LINES_EVERY_S:
            self._printed_at = now
            left = (now - self._began) / self._done * (self._total - self._done)
            self._print_line(f"{self._done:,} of {self._total:,} matches, {time_left(left, None)}")

    def _print_line(self, text: str) -> None:
        say(text)
        console.file.flush()


@contextmanager
def _shown(matches: int) -> Iterator[_Course]:
    """Show the progress while the block runs."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    silent = not console.is_terminal
    with Progress(*columns, console=console, disable=silent, transient=True) as bar:
        yield _Course(bar, lines=silent and matches >= _MANY)
