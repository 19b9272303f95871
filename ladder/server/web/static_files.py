"""The files that the pages of all ladders share."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from ladder.server.web.replay.bundle import bundles
from ladder.server.web.stripping import stripped

STATIC = "static/"
"""The path of the static files below the site."""
_VENDOR = f"{STATIC}vendor/"


def static_files() -> dict[str, bytes]:
    """Return the static files by their paths below the site."""
    replays = {f"{STATIC}{name}": content for name, content in bundles().items()}
    return {**dict(_below(files("ladder.server.web") / "static", STATIC)), **replays}


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{path}{entry.name}/")
        elif path.startswith(_VENDOR):
            yield f"{path}{entry.name}", entry.read_bytes()
        else:
            yield f"{path}{entry.name}", stripped(entry.name, entry.read_text(encoding="utf-8"))
