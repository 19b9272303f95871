"""Parse and check the settings given on a command line."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from referee.core.errors import UsageError
from referee.core.text_files import line_of, read_toml
from referee.games import game_named
from referee.games.base import ConfigError


def game_settings(game: str, texts: Iterable[str], data: Path | None = None) -> Mapping[str, Any]:
    """Return the fields of a game's configuration from texts like `key=value` and a data file.

    A value is true, false or an integer; the TOML data file becomes the field `data`. The game
    checks all fields. Raises `UsageError` or `ConfigError`; an error in the data file names the
    file and, if known, the line.
    """
    fields: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"{text!r} is not a setting: write KEY=VALUE")
        fields[key] = _value(value)
    game_named(game).config(fields)
    return fields if data is None else {**fields, "data": _data(game, data)}


def _data(game: str, file: Path) -> Mapping[str, Any]:
    text, table = read_toml(file)
    try:
        game_named(game).config({"data": table})
    except ConfigError as error:
        line = line_of(error.path, text)
        where = f"{file}, line {line}" if line else file
        raise UsageError(f"{where}: {error}") from None
    return table


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def milliseconds(seconds: float) -> int:
    """Convert seconds to whole milliseconds; raise `UsageError` if not finite."""
    ms = seconds * 1000
    if not math.isfinite(ms):
        raise UsageError(f"{seconds} is not a time in seconds")
    return round(ms)
