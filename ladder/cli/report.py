"""The command `ladder report`, which explains the standings and analyses the matches."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.console import LadderOption, console, open_ladder
from ladder.cli.contest import write
from referee.core.console import SafeConsole

_COLUMNS_IN_A_PIPE = 120
"""Wide enough for every column of the standings and the longest names."""


def report(
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page with plots to this file instead."
        ),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Explain the standings, and show what else the matches reveal.

    The report covers head-to-head results, seats, table sizes, deal variance and collusion. It uses
    only the stored results of complete blocks.
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
        wide = SafeConsole(highlight=False, width=max(console.width, _COLUMNS_IN_A_PIPE))
    for part in report_text.printed(found, wide.width):
        wide.print(part)
