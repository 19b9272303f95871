"""The report: what the matches say, and how the standings come about."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.console import LadderOption, console, open_ladder
from ladder.cli.contest import write

_COLUMNS_IN_A_PIPE = 120
"""Enough for every column of the standings, whatever the bots are called."""


def report(
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write it as one page with plots, instead."),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Tell how the standings come about, and what else the matches show.

    Head to head, seats, table sizes, how much luck the deals hold, and who helps whom. All is
    worked out from the stored results alone, blocks that are complete.
    """
    from ladder.cli import report_text
    from ladder.results.report.facts import facts
    from ladder.server.web.report import page

    with open_ladder(ladder) as opened:
        found = facts(opened)
    if html is not None:
        write(html, page.page(found))
        return
    wide = console
    if not console.is_terminal:
        wide = Console(highlight=False, width=max(console.width, _COLUMNS_IN_A_PIPE))
    for part in report_text.printed(found, wide.width):
        wide.print(part)
