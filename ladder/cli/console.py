"""The console, the common options and the messages that the commands share."""

import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ladder.cli import completion
from ladder.model.errors import LadderError
from ladder.storage.files.folder import Home, find_home
from referee.core.console import SafeConsole
from referee.core.plain import plain
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.model.incidents import Incident
    from ladder.storage.ladder import Ladder

console = SafeConsole(highlight=False)
_LAST_LINES = 20

REQUEST_STEP = (
    "Send a match's requests at multiples of this many milliseconds only, so that the moment of an "
    "answer tells the next bot less; 0: at once."
)
LadderOption = Annotated[
    Path | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="The ladder's folder. Default: the current folder, or its nearest parent, with a "
        "ladder.",
    ),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="An empty PostgreSQL database, postgresql://USER@HOST/NAME. Default: a file in DIR.",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Concurrent matches. Default: one per core."),
]


class LogFormat(StrEnum):
    """The format of a long-running process's log."""

    TEXT = "text"
    JSON = "json"


LogOption = Annotated[
    LogFormat, typer.Option(help="The log's format: text for people, or JSON lines on stderr.")
]
LimitOption = Annotated[
    int, typer.Option(min=1, max=1_000_000, help="The maximum number of matches.")
]
BotArgument = Annotated[
    str, typer.Argument(metavar="BOT", help="The bot.", autocompletion=completion.bots)
]
MatchArgument = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="The match's id, or a prefix of it.",
        autocompletion=completion.matches,
    ),
]


def open_ladder(given: Path | None) -> "Ladder":
    """Open the given ladder, or else the nearest one."""
    from ladder.storage.ladder import Ladder

    return Ladder.open(find_home(given))


def say(text: str) -> None:
    """Print a line unchanged."""
    console.print(Text(text), soft_wrap=True)


def say_heading(heading: str) -> None:
    """Print the heading of the table below."""
    console.print(Text(plain(heading), style="bold"), soft_wrap=True)


def say_plainly(text: str) -> None:
    """Print a line with untrusted text, escaping terminal control characters."""
    say(plain(text))


def say_incidents(incidents: "Sequence[Incident]") -> None:
    """Print what happened to a match, a line each."""
    for incident in incidents:
        say_plainly(f"{incident.happened_at} {incident.kind}: {incident.why}")


def say_output(title: str, text: str, most_lines: int | None = None) -> None:
    """Print a program's output or its last lines, escaping terminal control characters."""
    lines = text.strip("\n").splitlines() or ["(nothing)"]
    say(f"\n{title}")
    for line in lines if most_lines is None else lines[-most_lines:]:
        say(f"  {plain(line.expandtabs())}")


def say_last(who: str, text: str) -> None:
    """Print the last lines of the output of a bot or a build."""
    say_output(f"Last output of {who}:", text, _LAST_LINES)


def program() -> str:
    """Return the name or path that runs this program here."""
    return "ladder" if shutil.which("ladder") else shlex.quote(sys.argv[0])


def contained(level: Level, wanted: Level | None) -> str:
    """Describe the sandbox level of bots, and the limits of its protection."""
    from referee.sandbox.trusted import WARNING

    if level is Level.TRUSTED:
        best = "" if wanted else " This machine offers no better level; `ladder doctor` says why."
        return f"{WARNING}{best}"
    best = "" if wanted else ", the best that this machine offers"
    return f"Bots are contained at the level {level}{best}."


def command_line(words: str, home: Home) -> str:
    """Return the shortest command line for this ladder that works in the current folder."""
    try:
        here = find_home(None).path.resolve() == home.path.resolve()
    except (LadderError, FileNotFoundError):  # the current folder may be gone
        here = False
    return f"{program()} {words}" + ("" if here else f" --ladder {shlex.quote(str(home.path))}")


def in_matches(count: int) -> str:
    """Return a number of matches with its noun."""
    return "1 match" if count == 1 else f"{count} matches"
