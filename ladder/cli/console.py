"""What the commands share: the console, their common options, and how they speak."""

import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ladder.cli import completion
from ladder.model.errors import LadderError
from ladder.storage.folder import Home, find_home
from referee.core.plain import plain
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder

console = Console(highlight=False)
_LAST_LINES = 20

LadderOption = Annotated[
    Path | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="The ladder's folder. Default: this folder or the nearest above it with a ladder.",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Matches played at once. Default: one a core."),
]


class Log(StrEnum):
    """How a process that runs for long tells what it does."""

    TEXT = "text"
    JSON = "json"


LogOption = Annotated[
    Log, typer.Option(help="What is told: lines for people, or lines of JSON on stderr.")
]
LimitOption = Annotated[int, typer.Option(min=1, max=1_000_000, help="At most so many matches.")]
BotArgument = Annotated[
    str, typer.Argument(metavar="BOT", help="The bot.", autocompletion=completion.bots)
]
MatchArgument = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="Its id, or how that begins.",
        autocompletion=completion.matches,
    ),
]


def open_ladder(given: Path | None) -> "Ladder":
    """Open the ladder that was named, or the one that is nearest."""
    from ladder.storage.ladder import Ladder

    return Ladder.open(find_home(given, Path.cwd()))


def say(text: str) -> None:
    """Print a line as it is."""
    console.print(Text(text), soft_wrap=True)


def say_heading(heading: str) -> None:
    """Print which ladder the table below is of."""
    console.print(Text(plain(heading), style="bold"), soft_wrap=True)


def say_plainly(text: str) -> None:
    """Print a line that may hold a stranger's words, so that it steers no terminal."""
    say(plain(text))


def say_output(title: str, text: str, most_lines: int | None = None) -> None:
    """Print what a program has printed, or the last lines of it, so that it steers no terminal."""
    lines = text.strip("\n").splitlines() or ["(nothing)"]
    say(f"\n{title}")
    for line in lines if most_lines is None else lines[-most_lines:]:
        say(f"  {plain(line.expandtabs())}")


def say_last(who: str, text: str) -> None:
    """Print the last lines of what a bot or its build has printed."""
    say_output(f"The last that {who} printed:", text, _LAST_LINES)


def program() -> str:
    """Return how this command is called here."""
    return "ladder" if shutil.which("ladder") else shlex.quote(sys.argv[0])


def contained(level: Level, wanted: Level | None) -> str:
    """Return how bots run, and what that does not protect against."""
    from referee.sandbox.trusted import WARNING

    if level is Level.TRUSTED:
        best = "" if wanted else " This machine offers no better; `ladder doctor` tells why."
        return f"{WARNING}{best}"
    best = "" if wanted else ", the best that this machine offers"
    return f"Bots are contained at the level {level}{best}."


def command_line(words: str, home: Home) -> str:
    """Return a command line for this ladder, as short as it works from the current folder."""
    try:
        here = find_home(None, Path.cwd()).path.resolve() == home.path.resolve()
    except LadderError:
        here = False
    return f"{program()} {words}" + ("" if here else f" --ladder {shlex.quote(str(home.path))}")


def in_matches(count: int) -> str:
    """Return a number of matches in words."""
    return "1 match" if count == 1 else f"{count} matches"
