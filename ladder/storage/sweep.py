"""Removes unneeded files from a ladder's folder; records and logs stay in the database.

The build of a version is needed while the version plays, sits in a match that is still to be
played, or is being tried. It can be made again from the stored files, which stay with every version
that was entered. Files of no version, and what a killed process left half-made, are not needed.

A folder is renamed before it is removed: whenever this is killed, there is all of it or nothing.
"""

import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.storage.files.bundles import REMOVED
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches, spars
from referee.core import folders

_STORED = ".new-"
"""The prefix of a bundle that is being stored (`ladder.storage.files.bundles`)."""
_BUILT = ".build-"
"""The prefix of a build under way (`ladder.storage.files.builds`), before its digest."""


def sweep(ladder: Ladder) -> None:
    """Remove what nothing needs, unless another process needs all files to stay as they are.

    It is not worth an error: what cannot be removed now is removed by a later call.
    """
    with suppress(OSError, LadderError):
        with ladder.home.removing() as allowed:
            for folder in list(_needless(ladder)) if allowed else []:
                folder.rename(ladder.home.bots / f"{REMOVED}{secrets.token_hex(8)}")
        for folder in ladder.home.bots.glob(f"{REMOVED}*"):
            with suppress(OSError):  # another process may be at it
                folder.unlink() if folder.is_symlink() or folder.is_file() else folders.remove(
                    folder
                )


def _needless(ladder: Ladder) -> Iterator[Path]:
    """Yield the folders that nothing needs; no process may begin to use files meanwhile."""
    home = ladder.home
    # Before the versions are read: a process that stops using files has entered their version then.
    unused = [folder for folder in home.bots.iterdir() if not home.is_used(_digest(folder))]
    with ladder.database.read() as tx:
        versions = bots.all_versions(tx).values()
        seated = matches.seated(tx) | spars.seated(tx)
    entered = {version.digest for version in versions}
    needed = {v.digest for v in versions if v.active or v.id in seated}
    for folder in unused:
        if folder.name.startswith(REMOVED):
            continue
        digest = _digest(folder)
        keepers = entered if folder.name == digest else needed
        if folder.name.startswith((_STORED, _BUILT)) or digest not in keepers:
            yield folder


def _digest(folder: Path) -> str:
    """Return the digest of the files that a folder holds, or that are built in it."""
    return folder.name.removeprefix(_BUILT).removesuffix(".build")
