"""Let a program with a user id of its own read its files and write in its folder.

Only root needs this: programs started by other users keep the same user outside the sandbox.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

from referee.core import folders
from referee.sandbox.program import Program

_FOR_ALL = stat.S_IROTH | stat.S_IXOTH


def hand_over(program: Program, user: int, kept: contextlib.ExitStack) -> Program:
    """Return the program with files that this user may use until the stack closes.

    Gives the user the program's place, and its folder if writable; closing the stack gives the
    folder back. Copies a read-only folder that other users may not read.
    """
    if program.place is not None:
        for path in (program.place, *program.place.iterdir()):
            os.chown(path, user, user, follow_symlinks=False)
    owner = program.directory.stat()
    if program.writable:
        kept.callback(folders.give, program.directory, owner.st_uid, owner.st_gid)
        folders.give(program.directory, user, user)
    elif owner.st_mode & _FOR_ALL != _FOR_ALL:
        return replace(program, directory=_copy(program.directory, kept))
    return program


def _copy(folder: Path, kept: contextlib.ExitStack) -> Path:
    """Return a world-readable copy of a folder, without special files."""
    above = Path(tempfile.mkdtemp(prefix="courtyard-copy-"))
    kept.callback(shutil.rmtree, above, ignore_errors=True)
    copy = above / "bot"

    def left_out(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if not _is_to_copy(Path(parent, name), above)]

    shutil.copytree(folder, copy, symlinks=True, ignore=left_out)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))
    return copy


def _is_to_copy(path: Path, copy: Path) -> bool:
    """Return whether this is a file, folder or link, and not the copy itself."""
    mode = path.lstat().st_mode
    return any(kind(mode) for kind in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)) and path != copy
