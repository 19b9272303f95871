"""Prints command lines that replay a match's requests to a bot."""

import shlex
from pathlib import Path

from ladder.cli.console import command_line, program, say
from ladder.cli.tables import ID_SHOWN
from ladder.model.bots import VALIDATION_SEAT, Version
from ladder.storage.files.folder import Home
from referee.cli.repro import repro_line
from referee.core.errors import UsageError
from referee.hosting.manifest import FILE_NAME, load_manifest

_UNKNOWN = Path("FOLDER")


def print_validation_repro(version: Version, log: str, folder: Path | None = None) -> None:
    """Print how to replay the requests of a version's validation match.

    `log` is the command line that shows that match; `folder` is the bot's, if known.
    """
    folder = folder or _folder_of(version.bot)
    record = Path(f"{version.bot}-{version.number}.json")
    say(f"Save its record: {log} --json > {record}")
    say(f"Replay it:       {repro_line(record, VALIDATION_SEAT, folder)}{_where(folder)}")


def print_match_repro(bot: str, match_id: str, seat: int, home: Home) -> None:
    """Print how to replay a bot's requests in a match of a local ladder."""
    folder = _folder_of(bot)
    words = f"repro {match_id[:ID_SHOWN]} --seat {seat} {shlex.quote(str(folder))}"
    say(f"\nReplay it: {command_line(words, home)}{_where(folder)}")


def print_remote_repro(bot: str, match_id: str, seat: int, options: str) -> None:
    """Print how to replay a bot's requests in a match of a remote ladder.

    `options` name that ladder on a command line.
    """
    folder = _folder_of(bot)
    words = f"repro {match_id[:ID_SHOWN]} --seat {seat} {options} {shlex.quote(str(folder))}"
    say(f"\nReplay it, once it is public: {program()} {words}{_where(folder)}")


def there(url: str, token_file: Path | None) -> str:
    """Return the options that name a remote ladder."""
    token = [] if token_file is None else ["--token-file", str(token_file)]
    return shlex.join(["--url", url, *token])


def _folder_of(bot: str) -> Path:
    """Return the folder of the bot with this name, if nearby, or else a placeholder."""
    for folder in (Path(), Path(bot), Path("..", bot)):
        try:
            if (folder / FILE_NAME).is_file() and load_manifest(folder).name == bot:
                return folder
        except (OSError, UsageError):
            continue
    return _UNKNOWN


def _where(folder: Path) -> str:
    return "   (FOLDER: the bot's folder)" if folder is _UNKNOWN else ""
