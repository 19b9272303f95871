"""The command `ladder report`, which explains the standings and analyses the matches."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli import completion
from ladder.cli.console import LadderOption, console, open_ladder, say
from ladder.cli.contest import write
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach
from referee.core.console import SafeConsole
from referee.core.errors import UsageError

_COLUMNS_IN_A_PIPE = 120
"""Wide enough for every column of the standings and the longest names."""


def report(
    *,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page with plots to this file instead; it needs no other.",
        ),
    ] = None,
    incidents: Annotated[
        bool,
        typer.Option(
            "--incidents",
            help="List instead what happened to matches: lost workers, pauses, annulments.",
        ),
    ] = False,
    bot: Annotated[
        str | None,
        typer.Option(
            help="With --incidents: only matches of this bot.", autocompletion=completion.bots
        ),
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print JSON: cycles, who helps whom; or with --incidents these."
        ),
    ] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Explain the standings, and show what else the matches reveal.

    The report covers head-to-head results, seats, table sizes, deal variance and collusion. It uses
    only the stored results of complete blocks. With --url it is written by --html.
    """
    if url is not None:
        if html is None or incidents:
            raise UsageError("a remote ladder gives its report as a page: add --html FILE alone")
        with reach(url, token_file, ladder) as remote:
            write(html, remote.report())
        return
    if incidents:
        _list_incidents(ladder, bot, json=json)
        return
    if bot is not None:
        raise UsageError("--bot belongs to --incidents: add it, or leave it out")
    if json and html is not None:
        raise UsageError("--html writes a page: leave out --json")
    from ladder.cli import report_text
    from ladder.results.report.facts import facts, findings
    from ladder.server.web.report_page import report_file

    with open_ladder(ladder) as opened:
        found = facts(opened)
    if json:
        _print_json(findings(found))
        return
    if html is not None:
        write(html, report_file(found))
        return
    wide = console
    if not console.is_terminal:
        wide = SafeConsole(highlight=False, width=max(console.width, _COLUMNS_IN_A_PIPE))
    for part in report_text.printed(found, wide.width):
        wide.print(part)


def _print_json(found: object) -> None:
    import sys
    from json import dumps

    sys.stdout.write(f"{dumps(found, indent=2, ensure_ascii=False)}\n")


def _list_incidents(ladder: Path | None, bot: str | None, *, json: bool) -> None:
    """Print what happened to matches, the newest first."""
    from ladder.cli import tables
    from ladder.results import incidents

    with open_ladder(ladder) as opened:
        found = incidents.of_ladder(opened, bot)
    if json:
        listed = [
            {
                "match": line.match_id,
                "round": line.round,
                "bots": [seat.version.bot if seat.version else None for seat in line.seats],
                **incidents.to_data(incident),
            }
            for incident, line in found
        ]
        _print_json(listed)
    elif found:
        tables.print_table(console, tables.incidents_table(found))
    else:
        say("Nothing out of the ordinary happened to these matches.")
