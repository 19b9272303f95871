"""The documents that come with the program."""

from pathlib import Path

from referee.games import game_named

_LADDER = Path(__file__).parents[2]
_PLACES = (_LADDER / "kit_files" / "docs", _LADDER.parent / "docs")
"""Where a wheel has them, and the source tree."""


def packaged_docs() -> Path:
    """Return the folder of the protocol, the rules and the facts."""
    return next(place for place in _PLACES if place.is_dir())


def rules_of(game: str) -> str:
    """Return the rules of a game as Markdown, empty if it brings none; raise `ConfigError`."""
    text = game_named(game).rules
    own = packaged_docs() / "rules" / f"{game}.md"
    return own.read_text("utf-8") if not text and own.is_file() else text
