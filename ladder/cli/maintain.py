"""Checking a ladder and keeping it right."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli import tables
from ladder.cli.console import LadderOption, console, in_matches, open_ladder, say, say_plainly
from ladder.model.errors import LadderError, StoreError
from ladder.model.matches import MatchLine
from ladder.model.ratings import Rating
from ladder.results.report.tuning_text import tuning
from ladder.storage.folder import Home, find_home

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder


def verify(ladder: LadderOption = None) -> None:
    """Check everything: the database, the bots' files, the ratings, and every match.

    Each match is played again from its record. What is damaged is told with its place, a line each,
    and the rest is checked nevertheless.
    """
    from ladder.scheduling import contest
    from ladder.storage import verify as checking
    from ladder.storage.ladder import Ladder

    home = find_home(ladder, Path.cwd())
    try:
        opened = Ladder.open(home)
    except StoreError as error:
        for problem in _without_settings(home):
            say_plainly(problem)
        raise LadderError(f"{error}; ratings and settings could not be checked") from error
    wrong = 0
    with opened:
        lines, unread = _matches(opened)
        for problem in chain(
            checking.check_settings(opened),
            contest.problems(opened),
            checking.check_files(opened.home, opened.database),
            unread,
            checking.check_blocks(opened, lines),
            _checked(opened, lines),
            checking.check_ratings(opened),
        ):
            say_plainly(problem)
            wrong += 1
    if wrong:
        raise LadderError(f"{wrong} found wrong in {in_matches(len(lines))} and the files")
    say(f"Everything is as it should be: {in_matches(len(lines))}.")


def _without_settings(home: Home) -> Iterator[str]:
    """Yield what is wrong with a ladder that cannot be opened, as far as that can be said."""
    from ladder.storage import verify as checking
    from ladder.storage.database import Database
    from ladder.storage.integrity import problems

    try:
        database = Database.open(home.database)
    except StoreError:
        yield from problems(home.database)
        return
    with database:
        yield from checking.check_files(home, database)
        yield from checking.check_records(database)


def _matches(ladder: "Ladder") -> tuple[Sequence[MatchLine], Sequence[str]]:
    """Return the matches that can be checked, and why others cannot."""
    from ladder.storage import verify as checking

    try:
        return checking.finished_matches(ladder)
    except StoreError as error:
        return [], [f"the matches cannot be checked: {error}"]


def _checked(ladder: "Ladder", lines: Sequence[MatchLine]) -> Iterator[str]:
    """Yield what is wrong with each match, and show how far that is."""
    from rich.progress import track

    from ladder.storage import verify as checking

    silent = not console.is_terminal
    for line in track(lines, "Checking", console=console, disable=silent, transient=True):
        for problem in checking.check_match(ladder, line):
            yield f"match {line.match_id}: {problem}"


def void(
    match: Annotated[
        list[str], typer.Argument(metavar="MATCH...", help="Their ids, or how these begin.")
    ],
    reason: Annotated[
        str, typer.Option(help="Why; it is shown with the match.")
    ] = "taken out by the ladder's owner",
    ladder: LadderOption = None,
) -> None:
    """Take matches out that should not count, such as those that `ladder verify` names.

    So can matches that were given up and wait for the next run. They are void, with the others of
    the same deal, and all others are rated anew.
    """
    from ladder.runner import voiding

    with open_ladder(ladder) as opened:
        chosen = [opened.match(prefix) for prefix in match]
        changed = voiding.void(opened, chosen, reason)
    for line in chosen:
        say(f"Match {line.match_id} is void: it counts no more.")
    say(f"Ratings that differed: {changed}.")


def backup(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder, or that of an earlier backup.")
    ],
    ladder: LadderOption = None,
) -> None:
    """Copy the ladder, also while it is played, into a folder that is a ladder itself.

    Done again, the folder is brought up to date: only new files of bots are copied.
    """
    from ladder.storage.backup import back_up

    with open_ladder(ladder) as opened:
        done = back_up(opened, folder)
    bundles = "1 version" if done.bundles == 1 else f"{done.bundles} versions"
    say(f"{folder} holds {in_matches(done.matches)} and the files of {bundles}, {done.copied} new.")


def rerate(
    *,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="First measure how much luck and how many ties the results show; the rating goes "
            "by that from now on.",
        ),
    ] = False,
    ladder: LadderOption = None,
) -> None:
    """Rebuild the ratings match by match, and say whether anything differed.

    They are TrueSkill's, kept as matches are stored and taken in that order. What is shown is the
    rating by all matches at once, which this works out anew too.
    """
    from ladder.results import rerating

    with open_ladder(ladder) as opened:
        old = tuning(opened.settings.tuning)
        changed = rerating.rerate(opened, tune=tune)
        new = tuning(opened.settings.tuning)
    if tune:
        say(f"The rating match by match went by {old}, and now goes by {new}.")
    for version, (before, after) in changed.items():
        say(f"{version}: {_rating(before)} is now {_rating(after)}")
    say(f"Ratings that differed: {len(changed)}." if changed else "No rating differed.")


def _rating(rating: Rating | None) -> str:
    return "no rating" if rating is None else f"mu {rating.mu}, sigma {rating.sigma}"


def doctor() -> None:
    """Show what this machine can do, and how to get more."""
    from ladder.cli.doctor import findings

    tables.print_table(console, tables.findings_table(findings(Path.cwd())))
