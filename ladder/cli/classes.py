"""Commands for a class: a list of people who submit bots to one ladder."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from rich.table import Table
from rich.text import Text

from ladder.cli import tables
from ladder.cli.bots import submit
from ladder.cli.console import LadderOption, command_line, console, open_ladder, say, say_heading
from ladder.model.addresses import is_loopback
from ladder.model.errors import LadderError
from ladder.results.standings import percent, rating
from ladder.storage.files.folder import Home
from referee.cli.terminal import complete_game
from referee.cli.unix_command import UnixCommand
from referee.games import DEFAULT_GAME

if TYPE_CHECKING:
    from ladder.results.class_results import ClassResults, MemberResult

app = typer.Typer(
    help="Invite a class to a ladder, and show its results.",
    no_args_is_help=True,
)
LinkOption = Annotated[
    str,
    typer.Option(
        "--link",
        metavar="URL",
        help="The address of the ladder's pages, as the members open it.",
    ),
]
DaysOption = Annotated[
    int | None,
    typer.Option(min=1, max=36_500, help="The invitations' lifetime in days. Default: unlimited."),
]
_SHEETS = "invitations.html"


@app.command(
    cls=UnixCommand,
    epilog="Example: ladder class create 7b --names class.csv --link http://192.168.1.20:8000",
)
def create(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The ladder's folder; created if missing.")
    ],
    names: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="The names, one on each line, or a CSV file with a column name."
        ),
    ],
    link: LinkOption,
    days: DaysOption = None,
    game: Annotated[
        str,
        typer.Option(
            help="The game of a new ladder; `ladder games` lists them.",
            autocompletion=complete_game,
        ),
    ] = DEFAULT_GAME,
) -> None:
    """Create a ladder for a class, with sample bots as yardsticks, and write the invitations.

    The invitations are sheets to print, each with a name, an address, its QR code and three steps.
    A name that the class has already gets none: repeat the command when the list grows. Members are
    shown under a name made from theirs, such as zoe-muller; class.csv in the ladder's folder keeps
    both, and you may edit the names there. A ladder that DIR holds already is used as it is.
    """
    from ladder.cli.demo import demonstrations
    from ladder.submission import class_list

    listed = class_list.names_in(names)
    home = Home(folder)
    if not home.holds_ladder:
        (new,) = demonstrations(folder.parent, [game])
        home = replace(new, folder=folder).home()
        submit([str(bot) for bot in new.bots], ladder=folder)
    known = {member.name for member in class_list.known_members(home)}
    _invite(folder, [name for name in listed if name not in known], link, days)


@app.command(cls=UnixCommand, epilog='Example: ladder class invite "Zoë Müller" --link http://…')
def invite(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME", help="A name, new or of the class list.")
    ],
    link: LinkOption,
    days: DaysOption = None,
    ladder: LadderOption = None,
) -> None:
    """Write invitations for single members: those who come late, or have lost theirs.

    A member's earlier invitation stops working.
    """
    _invite(ladder, names, link, days)


def _invite(folder: Path | None, names: Sequence[str], link: str, days: int | None) -> None:
    """Invite these names, and write their sheets into the ladder's folder."""
    from ladder.server.web.class_pages import invitations
    from ladder.submission import class_list

    if not link.startswith(("http://", "https://")):
        raise LadderError(f"--link {link}: give the address of the pages, such as https://club.org")
    with open_ladder(folder) as opened:
        if names:
            lifetime = None if days is None else timedelta(days=days)
            invited = class_list.invite(opened, names, lifetime)
            sheets = [(member, f"{link.rstrip('/')}/me/#{token}") for member, token in invited]
            page = invitations(opened.title, sheets, opened.settings.closes_at)
            file = _written(opened.home, page)
            number = "1 invitation is" if len(sheets) == 1 else f"{len(sheets)} invitations are"
            say(f"{number} in {file}: print it, then delete it.")
        else:
            say("Everyone on the list is invited already.")
        say(f"Next: {command_line(f'serve --play{_reachable(link)}', opened.home)}")


def _reachable(link: str) -> str:
    """Return the options of `ladder serve` with which members reach a link without TLS."""
    address = urlsplit(link)
    if address.scheme != "http" or address.hostname is None or is_loopback(address.hostname):
        return ""
    return f" --host 0.0.0.0 --port {address.port or 80} --trusted-network"


def _written(home: Home, page: bytes) -> Path:
    """Write a page that only the owner may read; keep others that are not printed yet."""
    number = 1
    while (file := home.path / f"{number if number > 1 else ''}{_SHEETS}").exists():
        number += 1
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as opened:
        opened.write(page)
    return file


@app.command(cls=UnixCommand, epilog="Example: ladder class results --html results.html")
def results(
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header line.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page for the projector instead."),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Show the results of the class: each member's best bot, its place, and its mark.

    Under each bot of the house stands in how many of their matches the member's bot finished ahead
    of it, shared places counting half; the mark is the mean of these. Names are from class.csv in
    the ladder's folder.
    """
    from ladder.results.class_results import class_results
    from ladder.scheduling.tournament.cross_tables import csv_text
    from ladder.submission import class_list

    if csv and html:
        raise LadderError("choose either --csv or --html")
    with open_ladder(ladder) as opened:
        found = class_results(opened, class_list.members(opened.home))
    if html is not None:
        from ladder.server.web.class_pages import results as page

        try:
            html.write_bytes(page(found))
        except OSError as error:
            raise LadderError(f"{html}: {error.strerror}") from error
        say(f"Open {html}")
    elif csv:
        heading = ["place", "name", "author", "bot", "rating", "matches", *found.house, "mark"]
        sys.stdout.write(csv_text([heading, *(_values(one, found) for one in found.members)]))
    else:
        say_heading(found.heading)
        tables.print_table(console, _table(found))


def _table(found: "ClassResults") -> Table:
    """Return the results as people read them."""
    table = Table(box=None, pad_edge=False)
    for name in ("#", "name", "bot", "rating", "matches", *found.house, "mark"):
        table.add_column(name, justify="left" if name in {"name", "bot"} else "right")
    for one in found.members:
        row = one.standing
        table.add_row(
            str(one.place or "-"),
            Text(one.name),
            row.bot if row else "no bot yet",
            rating(row) if row else "-",
            str(row.matches) if row else "-",
            *map(percent, one.shares(found.house)),
            percent(one.mark),
        )
    return table


def _values(one: "MemberResult", found: "ClassResults") -> list[object]:
    """Return a member's line for a spreadsheet: shares from 0 to 1, nothing where there is none."""
    row = one.standing
    own = [row.bot, round(row.mu, 2), row.matches] if row else [None, None, None]
    return [one.place, one.name, one.author, *own, *one.shares(found.house), one.mark]
