"""Shows and changes a ladder's settings."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from ladder.cli import tables
from ladder.cli.console import REQUEST_STEP, LadderOption, console, contained, open_ladder, say
from ladder.model import moments
from ladder.model.settings import (
    LONGEST_STEP_MS,
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
from ladder.model.spars import MOST_MATCHES
from referee.games import game_named
from referee.sandbox.program import Level

_OF_ONE_AUTHOR = {
    SameAuthor.APART: "never at one table",
    SameAuthor.TOGETHER: "may sit at one table",
}


_RATED_BY = {
    RatedBy.POINTS: "places, and points as far as they help",
    RatedBy.PLACES: "places alone",
}


_TIMES = 'a time as in `ladder start`; "" removes it.'


class Containment(StrEnum):
    """The sandbox level of future matches."""

    BEST = "best"
    STRICT_CG = Level.STRICT_CG
    STRICT = Level.STRICT
    TRUSTED = Level.TRUSTED


def settings(
    *,
    sandbox: Annotated[
        Containment | None,
        typer.Option(help="The sandbox level; best: the strongest that the machine offers."),
    ] = None,
    build_network: Annotated[
        BuildNetwork | None,
        typer.Option(help="Whose bots may use the network during builds."),
    ] = None,
    scheduler: Annotated[
        Scheduling | None, typer.Option(help="How to choose which bots meet.")
    ] = None,
    aim: Annotated[
        Aim | None,
        typer.Option(help="What to determine: the order of all bots, or the best three."),
    ] = None,
    by: Annotated[
        RatedBy | None,
        typer.Option(help="What ratings use: places alone, or points too as far as they help."),
    ] = None,
    author_disk: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_DISK_MIB, help="Disk quota of each author, in MiB."),
    ] = None,
    same_author: Annotated[
        SameAuthor | None,
        typer.Option(
            help="Whether bots of one author may meet; bots of the ladder's owner always may."
        ),
    ] = None,
    request_step: Annotated[
        int | None, typer.Option(min=0, max=LONGEST_STEP_MS, metavar="MS", help=REQUEST_STEP)
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(help='The ladder\'s title; "" restores the default, its folder and game.'),
    ] = None,
    opens: Annotated[
        str | None,
        typer.Option(metavar="TIME", help=f"When authors may begin to submit bots; {_TIMES}"),
    ] = None,
    closes: Annotated[
        str | None,
        typer.Option(metavar="TIME", help=f"When submissions close for authors; {_TIMES}"),
    ] = None,
    spar_matches: Annotated[
        int | None,
        typer.Option(
            "--spar-matches-a-day",
            min=0,
            max=MOST_MATCHES,
            metavar="N",
            help="How many unrated matches each author may ask for in a day; 0: none.",
        ),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Show the ladder's settings, or change them.

    The game, the seats, the clock and the kind of deals cannot change: results would not compare.
    """
    from referee.sandbox.levels import open_sandbox

    changed: dict[str, Any] = {
        "build_network": build_network,
        "scheduler": scheduler,
        "aim": aim,
        "author_disk_mib": author_disk,
        "same_author": same_author,
        "rated_by": by,
        "request_step_ms": request_step,
        "spar_matches_a_day": spar_matches,
    }
    changed = {name: value for name, value in changed.items() if value is not None}
    if title is not None:
        changed["title"] = title_of(title)
    for name, time in (("opens_at", opens), ("closes_at", closes)):
        if time is not None:
            changed[name] = moments.moment_of(time, moments.now()).isoformat() if time else None
    if sandbox is not None:
        level = None if sandbox is Containment.BEST else Level(sandbox)
        say(contained(open_sandbox(level).level, level))
        changed["sandbox"] = level
    with open_ladder(ladder) as opened:
        if changed:
            opened.change(changed)
        rows = {"title": opened.title, **_described(opened.settings)}
        tables.print_table(console, tables.settings_table(rows))


def _described(of: Settings) -> dict[str, str]:
    """Return the settings as text, without the secret."""
    from ladder.submission.disk_quota import Quota

    clock = of.clock
    often = "once per rotation of the seats" if of.deals is Deals.DUPLICATE else "once"
    return {
        "ladder": of.ladder_id,
        "game": game_named(of.game).title,
        "seats": str(of.seats),
        **{f"set {key}": str(value) for key, value in sorted(of.config.items())},
        "decision limit": f"{clock.decision_limit_ms / 1000:g} s",
        "bank": f"{clock.bank_ms / 1000:g} s, plus {clock.increment_ms / 1000:g} s per decision",
        "startup": f"{clock.startup_ms / 1000:g} s",
        "requests": f"every {of.request_step_ms} ms" if of.request_step_ms else "at once",
        "deals": f"played {often}",
        "same author": _OF_ONE_AUTHOR[of.same_author],
        "scheduler": str(of.scheduler or "one that no longer exists: choose another"),
        "aim": str(of.aim),
        "rated by": _RATED_BY[of.rated_by],
        "sandbox": str(of.sandbox or Containment.BEST),
        "build network": str(of.build_network),
        "disk quota per author": str(Quota(of.author_disk_mib)),
        "spar matches per author": f"{of.spar_matches_a_day} a day",
        "submissions open": _local(of.opens_at, "from the beginning"),
        "submissions close": _local(of.closes_at, "never"),
    }


def _local(moment: str | None, without: str) -> str:
    """Return a stored time in the machine's time zone; words for none."""
    return moments.local(datetime.fromisoformat(moment)) if moment else without
