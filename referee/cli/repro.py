"""The options and the body that `referee repro` and `ladder repro` share."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.core.console import SafeConsole
from referee.core.errors import UsageError
from referee.core.plain import plain
from referee.hosting.manifest import FILE_NAME, REMOTE, TRANSPORTS, Manifest, load_manifest

if TYPE_CHECKING:
    from courtyard.v1 import record_pb2

    from referee.conformance.repro import LocalBot

_LOCAL = tuple(name for name in TRANSPORTS if name != REMOTE)
"""The transports of a bot started here; a remote bot uses one of them too."""
SeatOption = Annotated[int, typer.Option(help="The bot's seat in the match.")]
TransportOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"The bot's transport: {', '.join(_LOCAL)}. "
        "Default: from its bot.toml, else from the one in this folder, else grpc.",
    ),
]
CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BOT",
        help="The bot's folder, or -- and the command that starts it. Default: this folder.",
    ),
]


def repro_command(
    record: "record_pb2.Record", seat: int, bot: Sequence[str] | None, transport: str | None
) -> None:
    """Send a bot the recorded requests of a seat, and print where its answers differ.

    `bot` is a folder with a bot.toml or a command with its arguments. Raise `UsageError` if a
    request got no legal answer, or if the bot cannot be started.
    """
    from referee.conformance.repro import NotStartedError, reproduce
    from referee.view.transcript import transcript_of

    manifest = _folder(bot)
    program = _program(manifest, None if _is_folder(bot) else bot, transport)
    if program.transport not in _LOCAL:
        known = ", ".join(_LOCAL)
        raise UsageError(f"unknown transport {program.transport!r}; known: {known}")
    transcript = transcript_of(record, seat)
    _print_seat(record, seat, manifest)
    try:
        all_legal = reproduce(SafeConsole(), transcript, program)
    except NotStartedError as error:
        raise UsageError(f"{error}{build_hint(manifest, bot)}") from None
    if not all_legal:
        raise UsageError("the bot gave no legal answer to some requests: see above")


def repro_line(record: Path, seat: int, bot: Path) -> str:
    """Return the command line that sends the bot in a folder the recorded requests of a seat."""
    beside = Path(sys.argv[0]).with_name("referee")
    program = "referee" if shutil.which("referee") else str(beside)
    return shlex.join([program, "repro", str(record), "--seat", str(seat), str(bot)])


def build_hint(manifest: Manifest | None, bot: Sequence[str] | None) -> str:
    """Return a hint how to build a bot that did not start; empty if it has no build steps."""
    if manifest is None or not manifest.build:
        return ""
    folder = bot[0] if bot and _is_folder(bot) else "."
    return f"; is it built? Try: referee build {shlex.quote(folder)}"


def _is_folder(bot: Sequence[str] | None) -> bool:
    """Return whether the argument names a bot's folder or its bot.toml, and not a command."""
    if not bot:
        return False
    path = Path(bot[0])
    try:
        if path.name == FILE_NAME or (path / FILE_NAME).is_file():
            return True
        return path.is_dir() and shutil.which(bot[0]) is None
    except OSError:  # not a valid path
        return False


def _folder(bot: Sequence[str] | None) -> Manifest | None:
    """Return the manifest in the named folder, or in this one; None if there is none."""
    if bot and _is_folder(bot):
        if len(bot) > 1:
            raise UsageError(f"{bot[0]} is a bot's folder, which takes no arguments: {bot[1]!r}")
        return load_manifest(Path(bot[0]))
    return load_manifest(Path.cwd()) if Path(FILE_NAME).is_file() else None


def _program(
    manifest: Manifest | None, command: Sequence[str] | None, transport: str | None
) -> "LocalBot":
    """Return how to start the bot; a given command overrides the one in bot.toml."""
    from referee.conformance.repro import LocalBot

    if manifest is None or manifest.is_remote:
        if not command:
            raise UsageError(
                f"name the bot's folder, or the command that starts it: no {FILE_NAME} here has one"
            )
        return LocalBot(command, transport or "grpc")
    own = None if command else manifest.directory
    return LocalBot(command or manifest.command, transport or manifest.transport, own)


def _print_seat(record: "record_pb2.Record", seat: int, manifest: Manifest | None) -> None:
    """Print which bot had the seat, and which bot gets the requests if it is another one."""
    was = record.seats[seat]
    version = f" version {was.version}" if was.version else ""
    dialect = ", in the plain dialect" if was.plain else ""
    other = manifest is not None and was.name and manifest.name != was.name
    subject = f"; now asking {manifest.name}" if other and manifest else ""
    typer.echo(
        plain(
            f"Seat {seat} of match {record.match_id} was {was.name}{version} "
            f"({record.game}, {len(record.seats)} seats{dialect}){subject}."
        )
    )
