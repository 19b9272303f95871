"""What `referee repro` and `ladder repro` share: their options, and what these mean by default."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from referee.errors import UsageError
from referee.manifest import FILE_NAME, REMOTE, TRANSPORTS, Manifest, load_manifest

if TYPE_CHECKING:
    from courtyard.v1 import record_pb2

_LOCAL = tuple(name for name in TRANSPORTS if name != REMOTE)
"""How a bot talks that is started here, a remote one too."""
SeatOption = Annotated[int, typer.Option(help="The seat that the bot had.")]
TransportOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"How its messages travel: {', '.join(_LOCAL)}. "
        "Default: as the bot.toml in this folder says, or else grpc.",
    ),
]
CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="COMMAND",
        help="What starts the bot, after --. Default: the command of the bot.toml in this folder.",
    ),
]


def repro_command(
    record: "record_pb2.Record", seat: int, command: Sequence[str] | None, transport: str | None
) -> None:
    """Ask a bot in the current folder what a seat was asked, and print where it differs.

    Raise `UsageError` if an answer was not legal, or if it cannot be asked.
    """
    from referee.repro import reproduce
    from referee.transcript import transcript_of

    here = load_manifest(Path.cwd()) if Path(FILE_NAME).is_file() else None
    command = command or _commanded(here)
    transport = transport or (here.transport if here and not here.is_remote else "grpc")
    if transport not in _LOCAL:
        raise UsageError(f"transport {transport!r} is not known; known: {', '.join(_LOCAL)}")
    if not reproduce(Console(), transcript_of(record, seat), command, transport):
        raise UsageError("not every answer was legal")


def _commanded(here: Manifest | None) -> Sequence[str]:
    if here is None or here.is_remote:
        raise UsageError(f"name the command that starts the bot: no {FILE_NAME} here has one")
    return here.command
