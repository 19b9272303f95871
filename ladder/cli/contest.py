"""The parts that tournaments' and duels' commands share: options, exports, and next commands."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ladder.cli.console import command_line, console, say
from ladder.model.errors import SettingsError
from referee.cli.terminal import complete_game
from referee.games import DEFAULT_GAME
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder

GameOption = Annotated[
    str | None,
    typer.Option(
        help="The game; `ladder games` lists them. "
        f"Default: the standing ladder's game, or {DEFAULT_GAME}.",
        autocompletion=complete_game,
    ),
]
SeatsOption = Annotated[
    int | None,
    typer.Option(
        help="Seats at each table. Default: as in the standing ladder, or 4 or the nearest."
    ),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game's configuration."),
]
SandboxOption = Annotated[
    Level | None,
    typer.Option(help="The sandbox level. Default: the strongest that the machine offers."),
]

StandingOption = Annotated[
    Path | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="The standing ladder in which to find bots by name. Default: the nearest one.",
    ),
]
OutcomeOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the outcome to this file.")
]


def write(file: Path, text: str) -> None:
    """Write an export; raise `SettingsError` if it cannot be written."""
    try:
        file.write_text(text)
    except OSError as error:
        raise SettingsError(f"{error.filename or file}: {error.strerror}") from error
    say(f"Written: {file}")


def print_topics(lines: Mapping[str, str]) -> None:
    """Print texts, each after its topic."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for topic, text in lines.items():
        table.add_row(topic, Text(text))
    console.print(table)


def print_more(ladder: "Ladder", first: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print the commands that show more about a contest; `first` come before those of all."""
    commands = {
        **first,
        "report": "how strong the bots are, how sure that is, and why",
        "matches": "every match; `ladder replay` shows one turn by turn",
        "verify": "replay and check every match",
    }
    lines = {command_line(words, ladder.home): what for words, what in commands.items()}
    width = max(map(len, lines))
    say("\nTo see more:")
    for line, what in lines.items():
        say(f"  {line:{width}}  {what}")
