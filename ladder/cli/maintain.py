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
from ladder.storage.db.server import Server
from referee.core.errors import UsageError


def void(
    match: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATCH...", help="The matches' ids, or prefixes of them."),
    ] = None,
    *,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION", help="Drop all matches of this version of the game's rules instead."
        ),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="With --rules: let its dropped matches count again.")
    ] = False,
    reason: Annotated[
        str, typer.Option(help="The reason, shown with the match.")
    ] = "taken out by the ladder's owner",
    ladder: LadderOption = None,
) -> None:
    """Make matches void that should not count, such as those that `ladder verify` names.

    This also works for matches that were given up and wait for the next run. The other matches of
    the same deals no longer count either, and all ratings are computed anew.

    If you found a fault in the rules of a game and installed a version that mends it, `--rules`
    drops the matches of the old version: they keep their results and are shown, but do not count.
    `--rules VERSION --keep` lets them count again. `ladder standings` shows which versions count.
    """
    from ladder.results import queries
    from ladder.runner import voiding

    if bool(match) == (rules is not None):
        raise UsageError("name either matches, or a version of the rules by --rules")
    if keep and rules is None:
        raise UsageError("--keep belongs to --rules: a void match stays void")
    if rules is not None:
        with open_ladder(ladder) as opened:
            if keep:
                say(f"Kept: {in_matches(voiding.keep_rules(opened, rules))} of rules {rules}.")
            else:
                dropped = voiding.drop_rules(opened, rules, reason)
                say(f"Dropped: {in_matches(dropped)} of rules {rules}.")
            say(queries.rules_played(opened).summary or "All matches count.")
        return
    with open_ladder(ladder) as opened:
        chosen = [queries.match(opened, prefix) for prefix in match or ()]
        voiding.void(opened, chosen, reason)
    for line in chosen:
        say(f"Match {line.match_id} is void and no longer counts.")


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


def rerate(ladder: LadderOption = None) -> None:
    """Rate all bots anew by all stored results, and report any difference.

    The standings do not read all results at every look: of the rounds that are long over, what they
    say is kept in a short form. This command makes that again from the results themselves, and
    names each bot of the standings whose rating was another one. None differs unless stored results
    were edited by hand.
    """
    from ladder.results import rerating

    with open_ladder(ladder) as opened:
        changed = rerating.rerate(opened)
    for version, (before, after) in changed.items():
        say(f"{version}: {before} is now {after}")
    say(f"Ratings that differed: {len(changed)}." if changed else "No rating differed.")


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
    from referee.sandbox.contain import private_files

    made = private_files.make_image()
    say(f"Made {made}, of {made.stat().st_size / 1e9:.1f} GB.")
