"""The documents that come with the program."""

from pathlib import Path

_LADDER = Path(__file__).parents[2]
_PLACES = (_LADDER / "kit_files" / "docs", _LADDER.parent / "docs")
"""Where a wheel has them, and the source tree."""


def packaged_docs() -> Path:
    """Return the folder of the protocol, the rules and the facts."""
    return next(place for place in _PLACES if place.is_dir())
