"""Command lines by which authors ask their bot again what it was asked in a match."""

import shlex
from pathlib import Path

from ladder.cli.console import command_line, program, say
from ladder.cli.tables import ID_SHOWN
from ladder.model.bots import Version
from ladder.storage.folder import Home
from referee.cli.repro import repro_line
from referee.core.errors import UsageError
from referee.hosting.manifest import FILE_NAME, load_manifest

_UNKNOWN = Path("FOLDER")


def tell_trial_again(version: Version, log: str, folder: Path | None = None) -> None:
    """Print how to ask a version again what it was asked in its validation match.

    `log` is the command line that shows that match; `folder` holds the bot, if that is known.
    """
    from ladder.submission.submit import SEAT

    folder = folder or _folder_of(version.bot)
    record = Path(f"{version.bot}-{version.number}.json")
    say(f"Its record:      {log} --json > {record}")
    say(f"To ask it again: {repro_line(record, SEAT, folder)}{_where(folder)}")


def tell_match_again(bot: str, match_id: str, seat: int, home: Home) -> None:
    """Print how to ask a bot again what it was asked in a match of a ladder here."""
    folder = _folder_of(bot)
    words = f"repro {match_id[:ID_SHOWN]} --seat {seat} {shlex.quote(str(folder))}"
    say(f"\nTo ask it again: {command_line(words, home)}{_where(folder)}")


def tell_match_again_there(bot: str, match_id: str, seat: int, options: str) -> None:
    """Print how to ask a bot again what it was asked in a match of a ladder elsewhere.

    `options` say where that ladder is.
    """
    folder, record = _folder_of(bot), Path(f"{match_id[:ID_SHOWN]}.json")
    shown = f"match {match_id[:ID_SHOWN]} --json {options}"
    say(f"\nIts record, once it is public: {program()} {shown} > {record}")
    say(f"To ask it again: {repro_line(record, seat, folder)}{_where(folder)}")


def there(url: str, token_file: Path | None) -> str:
    """Return the options that name a ladder elsewhere."""
    token = [] if token_file is None else ["--token-file", str(token_file)]
    return shlex.join(["--url", url, *token])


def _folder_of(bot: str) -> Path:
    """Return where the bot of this name is, here or near, or a word in its place."""
    for folder in (Path(), Path(bot), Path("..", bot)):
        try:
            if (folder / FILE_NAME).is_file() and load_manifest(folder).name == bot:
                return folder
        except (OSError, UsageError):
            continue
    return _UNKNOWN


def _where(folder: Path) -> str:
    return "   (FOLDER: the bot's own)" if folder is _UNKNOWN else ""
