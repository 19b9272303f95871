"""Settings given on a command line, checked."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from referee.errors import UsageError
from referee.games import game_named


def game_settings(game: str, texts: Iterable[str]) -> Mapping[str, Any]:
    """Return the fields of a game's configuration from texts like `key=value`.

    A value is true, false or an integer; the game checks key and value.
    """
    fields: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"{text!r} is no setting: write it as KEY=VALUE")
        fields[key] = _value(value)
    game_named(game).config(fields)
    return fields


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def milliseconds(seconds: float) -> int:
    """Return a time given in seconds as whole milliseconds."""
    ms = seconds * 1000
    if not math.isfinite(ms):
        raise UsageError(f"{seconds} is no time in seconds")
    return round(ms)
