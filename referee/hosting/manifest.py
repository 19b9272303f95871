"""`bot.toml`: the manifest in a bot's folder."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from referee.core.errors import UsageError
from referee.core.faults import STAND_IN_NAME
from referee.core.text_files import read_toml
from referee.games import game_names, single_games, unknown_game

FILE_NAME = "bot.toml"
REMOTE = "remote"
"""The transport of a bot that runs on its author's machine and joins a ladder from there."""
TRANSPORTS = ("grpc", "stdio", "stdio-json", REMOTE)

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""The names that a bot may have."""
_REQUIRED = ("name", "games", "command")
_OPTIONAL = ("build", "include", "transport", "language", "description", "release")
_REMOTE_REQUIRED = ("name", "games")
_REMOTE_OPTIONAL = ("transport", "language", "description", "release")
KEYS = frozenset(_REQUIRED + _OPTIONAL + _REMOTE_OPTIONAL)
"""All keys that a bot.toml may have."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checked `bot.toml`."""

    name: str
    """Lower-case letters, digits, "-" and "_"; at most 32; the bot's name on a ladder."""
    games: tuple[str, ...]
    """Names of the games that it plays; "*" stands for any text, so ["*"] plays all games."""
    command: tuple[str, ...]
    """Command that starts the bot in its own folder; `python3` is the Python that runs the referee.

    Empty for a remote bot, which its author starts.
    """
    directory: Path
    """The folder that holds it."""
    build: tuple[tuple[str, ...], ...] = ()
    """Build commands, in order, run in the bot's folder; often none."""
    include: tuple[str, ...] = ()
    """Files and folders that belong to the bot though its `.gitignore` names them."""
    transport: str = "grpc"
    """One of `TRANSPORTS`."""
    language: str = ""
    """Programming language; only shown."""
    description: str = ""
    """One line about it; only shown."""
    release: str = ""
    """The author's name for the current state of the bot; a new name makes a new version."""

    def plays(self, game: str) -> bool:
        """Return whether it plays the game of this name."""
        return any(fnmatchcase(game, pattern) for pattern in self.games)

    def installed_games(self) -> tuple[str, ...]:
        """Return the names of the installed games that it plays; of a family, those it names.

        Raise `UsageError` if there are none.
        """
        named = [game for game in self.games if "*" not in game]
        patterns = len(named) < len(self.games)
        found = dict.fromkeys((*named, *filter(self.plays, single_games() if patterns else ())))
        if not found:
            raise UsageError(f"{self.name} plays {', '.join(self.games)}: name a game with --game")
        return tuple(found)

    @property
    def is_remote(self) -> bool:
        """Whether it runs on its author's machine."""
        return self.transport == REMOTE


def load_manifest(path: Path) -> Manifest:
    """Read a manifest, given its folder or file; raise `UsageError` with one line."""
    file = path
    try:
        file = path / FILE_NAME if path.is_dir() else path
        file.stat()
    except FileNotFoundError:
        what = "no such file or folder" if file is path else f"no {FILE_NAME} in this folder"
        raise UsageError(f"{path}: {what}") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    table = read_toml(file).table
    try:
        return _manifest(table, file.parent)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None


def _manifest(table: Mapping[str, Any], directory: Path) -> Manifest:
    is_remote = table.get("transport") == REMOTE
    required = _REMOTE_REQUIRED if is_remote else _REQUIRED
    known = required + (_REMOTE_OPTIONAL if is_remote else _OPTIONAL)
    for key in table:
        if key not in known:
            what = " of a remote bot" if is_remote else ""
            raise UsageError(f'unknown key "{key}"; known keys{what}: {", ".join(known)}')
    for key in required:
        if key not in table:
            raise UsageError(f'the key "{key}" is missing')
    manifest = Manifest(
        name=_text(table, "name"),
        games=_texts(table, "games"),
        command=() if is_remote else _texts(table, "command"),
        directory=directory.resolve(),
        build=_commands(table, "build"),
        include=_paths(table, "include"),
        transport=_text(table, "transport", "grpc"),
        language=_text(table, "language", ""),
        description=_text(table, "description", ""),
        release=_text(table, "release", ""),
    )
    if not NAME.fullmatch(manifest.name):
        raise UsageError(
            f'name "{manifest.name}": use 1 to 32 of a-z, 0-9, "-" and "_", a letter or digit first'
        )
    if manifest.name == STAND_IN_NAME:
        raise UsageError(
            f'name "{manifest.name}": this is the name of the player on empty seats; use another'
        )
    names = game_names()
    for game in manifest.games:
        if "*" not in game and game.partition(":")[0] not in names:
            raise UsageError(unknown_game(game))
    if manifest.transport not in TRANSPORTS:
        raise UsageError(
            f'transport "{manifest.transport}" is not known; known: {", ".join(TRANSPORTS)}'
        )
    return manifest


def _text(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value.isprintable():
        raise UsageError(f'"{key}" must be one line of text')
    return value


def _commands(table: Mapping[str, Any], key: str) -> tuple[tuple[str, ...], ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, list) for item in value):
        raise UsageError(f'"{key}" must be a list of commands, such as [["make"], ["one", "two"]]')
    return tuple(_checked(item, key) for item in value)


def _paths(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    paths = _checked(table[key], key) if table.get(key, []) != [] else ()
    for path in map(PurePosixPath, paths):
        if path.is_absolute() or ".." in path.parts:
            raise UsageError(f'"{key}" names {path}: only paths in the bot\'s folder can be named')
    return paths


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return _checked(table[key], key)


def _checked(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise UsageError(f'"{key}" must be a list of texts, such as ["one", "two"]')
    if not all(isinstance(item, str) and item and "\0" not in item for item in value):
        raise UsageError(f'"{key}" must hold texts only, none of them empty')
    return tuple(value)
