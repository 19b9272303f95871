"""The ladders that this user has made or confirmed on this machine.

A ladder's folder may come from a stranger. All that it holds is checked; but whether its bots run
uncontained, its builds use the network and its database is on a server, its owner decides. So
that counts only in folders that are known here. The memory is a file for each, named by a hash of
the folder's path and of what the folder is: another ladder in its place is not known.
"""

import os
from contextlib import suppress
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.storage.files.user_files import place

VARIABLE = "COURTYARD_TRUST"
"""Names more folders, separated as in PATH; "*" stands for all."""


def is_known(folder: Path, identity: str) -> bool:
    """Return whether the ladder in a folder is known; `identity` is its id or its server's URL."""
    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    if "*" in named or any(name and _same(Path(name), folder) for name in named):
        return True
    try:
        return _file(folder, identity).is_file()
    except (OSError, RuntimeError):  # there is no home
        return False


def remember(folder: Path, identity: str) -> None:
    """Make a ladder known; raise `LadderError` if this user has no place for it."""
    try:
        file = _file(folder, identity)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(f"{folder.resolve()}\n", errors="surrogateescape")
    except (OSError, RuntimeError) as error:
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        raise LadderError(
            f"{why}; to confirm {folder} without a home, set {VARIABLE}={folder}"
        ) from error


def made(folder: Path, identity: str) -> None:
    """Make a new ladder known, if this user has a place for it."""
    with suppress(LadderError):
        remember(folder, identity)


def _file(folder: Path, identity: str) -> Path:
    named = os.fsencode(folder.resolve()) + b"\0" + identity.encode(errors="surrogateescape")
    return place("known", named)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
