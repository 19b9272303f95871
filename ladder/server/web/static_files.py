"""The files that the pages of all ladders share."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from ladder.server.web.replay.bundle import bundles, table_bundles
from ladder.server.web.stripping import stripped

STATIC = "static/"
"""The path of the static files below the site."""
_VENDOR = f"{STATIC}vendor/"


def static_files() -> dict[str, bytes]:
    """Return the static files by their paths below the site."""
    replays = {f"{STATIC}{name}": content for name, content in bundles().items()}
    return {**dict(_below(_folder(), STATIC)), **replays}


def table_files() -> dict[str, bytes]:
    """Return those that only the pages of tables load, which an exported site has not."""
    return {f"{STATIC}{name}": content for name, content in table_bundles().items()}


def static_file(name: str) -> bytes:
    """Return one of them by its name; only those of replays make bundles."""
    file = _folder() / name
    return stripped(name, file.read_text(encoding="utf-8")) if file.is_file() else bundles()[name]


def _folder() -> Traversable:
    return files("ladder.server.web") / "static"


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{path}{entry.name}/")
        elif path.startswith(_VENDOR):
            yield f"{path}{entry.name}", entry.read_bytes()
        else:
            yield f"{path}{entry.name}", stripped(entry.name, entry.read_text(encoding="utf-8"))
