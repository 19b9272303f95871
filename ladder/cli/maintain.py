"""Commands that repair and back up a ladder."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli import tables
from ladder.cli.console import (
    DatabaseOption,
    LadderOption,
    console,
    in_matches,
    open_ladder,
    say,
)
from ladder.model.ratings import Rating
from ladder.results.report.tuning_text import tuning
from ladder.storage.server import Server


def void(
    match: Annotated[
        list[str], typer.Argument(metavar="MATCH...", help="The matches' ids, or prefixes of them.")
    ],
    reason: Annotated[
        str, typer.Option(help="The reason, shown with the match.")
    ] = "taken out by the ladder's owner",
    ladder: LadderOption = None,
) -> None:
    """Make matches void that should not count, such as those that `ladder verify` names.

    This also works for matches that were given up and wait for the next run. The other matches of
    the same deals become void too, and all ratings are computed anew.
    """
    from ladder.results import queries
    from ladder.runner import voiding

    with open_ladder(ladder) as opened:
        chosen = [queries.match(opened, prefix) for prefix in match]
        changed = voiding.void(opened, chosen, reason)
    for line in chosen:
        say(f"Match {line.match_id} is void and no longer counts.")
    say(f"Ratings that differed: {changed}.")


def backup(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder, or an earlier backup's.")
    ],
    database: DatabaseOption = None,
    ladder: LadderOption = None,
) -> None:
    """Copy the ladder into a folder that is a ladder itself; this works while it plays.

    Repeat the command to update the backup: it copies only new files of bots. To move a ladder to
    a PostgreSQL server, or from one to a file, stop it, and play on in its backup.
    """
    from ladder.storage.backup import back_up

    with open_ladder(ladder) as opened:
        done = back_up(opened, folder, None if database is None else Server(database))
    bundles = "1 version" if done.bundles == 1 else f"{done.bundles} versions"
    say(f"{folder} holds {in_matches(done.matches)} and the files of {bundles}, {done.copied} new.")


def rerate(
    *,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="First estimate luck and ties from the results, and rate with these estimates "
            "from now on.",
        ),
    ] = False,
    ladder: LadderOption = None,
) -> None:
    """Rebuild the ratings match by match, and report any difference.

    These are TrueSkill ratings, updated with each stored match in order. The standings show the
    rating from all matches at once, which this command also computes anew.
    """
    from ladder.results import rerating

    with open_ladder(ladder) as opened:
        old = tuning(opened.settings.tuning)
        changed = rerating.rerate(opened, tune=tune)
        new = tuning(opened.settings.tuning)
    if tune:
        say(f"The rating match by match used {old}; it now uses {new}.")
    for version, (before, after) in changed.items():
        say(f"{version}: {_rating(before)} is now {_rating(after)}")
    say(f"Ratings that differed: {len(changed)}." if changed else "No rating differed.")


def _rating(rating: Rating | None) -> str:
    return "no rating" if rating is None else f"mu {rating.mu}, sigma {rating.sigma}"


def doctor() -> None:
    """Show what this machine offers, and how to install what it lacks."""
    from ladder.cli.doctor import findings

    tables.print_table(console, tables.findings_table(findings(Path())))


def image() -> None:
    """Make an image of the system's files, so that every bot has files of its own (as root).

    Bots then cannot tell each other anything by files that they share, such as /usr. Matches that
    start later use the image; it stays in memory while a ladder runs. Make it again after you have
    installed or updated programs. COURTYARD_IMAGES names another folder than /var/lib/courtyard.
    """
    from referee.sandbox import private_files

    made = private_files.make_image()
    say(f"Made {made}, of {made.stat().st_size / 1e9:.1f} GB.")
