"""What a ladder was made with, and changing what may change."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from ladder.cli import tables
from ladder.cli.console import LadderOption, console, contained, open_ladder, say
from ladder.model.settings import (
    MOST_DISK_MIB,
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
    Settings,
    title_of,
)
from ladder.results.report.tuning_text import tuning
from referee.games import game_named
from referee.sandbox.program import Level

_OF_ONE_AUTHOR = {
    SameAuthor.APART: "never at one table",
    SameAuthor.TOGETHER: "may sit at one table",
}


_RATED_BY = {
    RatedBy.POINTS: "places, and points as far as they tell more",
    RatedBy.PLACES: "places alone",
}


class Containment(StrEnum):
    """How bots are contained from now on."""

    BEST = "best"
    STRICT_CG = Level.STRICT_CG
    STRICT = Level.STRICT
    TRUSTED = Level.TRUSTED


def settings(
    *,
    sandbox: Annotated[
        Containment | None,
        typer.Option(help="How bots are contained; best: as well as the machine can that plays."),
    ] = None,
    build_network: Annotated[
        BuildNetwork | None,
        typer.Option(help="Whose bots may use the network while they are built."),
    ] = None,
    scheduler: Annotated[
        Scheduling | None, typer.Option(help="How it is chosen who meets whom.")
    ] = None,
    aim: Annotated[
        Aim | None,
        typer.Option(help="What to find out: the order of all, or who the best three are."),
    ] = None,
    by: Annotated[
        RatedBy | None,
        typer.Option(help="What ratings go by: places alone, or points too as far as they help."),
    ] = None,
    author_disk: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_DISK_MIB, help="MiB of the disk that the bots of each author may take."
        ),
    ] = None,
    same_author: Annotated[
        SameAuthor | None,
        typer.Option(
            help="Whether bots of one author may sit at one table; those of the ladder's owner "
            "always may."
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(help='What people call the ladder; "": as its folder and its game are.'),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Show how the ladder is set up, after changing what is named.

    Game, seats, clock and deals stay: with others it would be another ladder.
    """
    from referee.sandbox.levels import open_sandbox

    changed: dict[str, Any] = {
        "build_network": build_network,
        "scheduler": scheduler,
        "aim": aim,
        "author_disk_mib": author_disk,
        "same_author": same_author,
        "rated_by": by,
    }
    changed = {name: value for name, value in changed.items() if value is not None}
    if title is not None:
        changed["title"] = title_of(title)
    if sandbox is not None:
        level = None if sandbox is Containment.BEST else Level(sandbox)
        say(contained(open_sandbox(level).level, level))
        changed["sandbox"] = level
    with open_ladder(ladder) as opened:
        if changed:
            opened.change(changed)
        shown = {"title": opened.title, **_shown(opened.settings)}
        tables.print_table(console, tables.settings_table(shown))


def _shown(of: Settings) -> dict[str, str]:
    """Return what people may see of the settings: all but the secret."""
    from ladder.submission.disk_quota import Quota

    clock = of.clock
    often = "on every seat in turn" if of.deals is Deals.DUPLICATE else "once"
    return {
        "ladder": of.ladder_id,
        "game": game_named(of.game).title,
        "seats": str(of.seats),
        **{f"set {key}": str(value) for key, value in sorted(of.config.items())},
        "decision limit": f"{clock.decision_limit_ms / 1000:g} s",
        "bank": f"{clock.bank_ms / 1000:g} s and {clock.increment_ms / 1000:g} s for each decision",
        "startup": f"{clock.startup_ms / 1000:g} s",
        "deals": f"played {often}",
        "same author": _OF_ONE_AUTHOR[of.same_author],
        "scheduler": str(of.scheduler or "one that is no longer there: choose another"),
        "aim": str(of.aim),
        "rated by": _RATED_BY[of.rated_by],
        "match by match": f"TrueSkill with {tuning(of.tuning)}",
        "sandbox": str(of.sandbox or Containment.BEST),
        "build network": str(of.build_network),
        "disk of each author": str(Quota(of.author_disk_mib)),
    }
