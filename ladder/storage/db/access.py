"""Whether this user may write to a database, and how to open one read-only.

SQLite in WAL mode writes beside the database even to read it, unless told that it may not. Then it
reads a database that others write to if it sees their files; without such files no process writes,
and the address tells SQLite that nothing changes.
"""

import errno
import os
from pathlib import Path


def obstacle(path: Path) -> str | None:
    """Return why this user cannot write to a database; None if this user can.

    Raise `OSError` if it is not even readable. This opens no file: with the first that a process
    closes, the system drops all its locks on the database, and another process may then remove the
    write-ahead log that this one uses.
    """
    path.stat()
    if not _may(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if not _may(path, os.W_OK):
        only_read = os.statvfs(path).f_flag & os.ST_RDONLY
        where = "it is in a place that can only be read"
        return where if only_read else "you have no permission to write to it"
    if _may(path.parent, os.W_OK | os.X_OK):
        return None
    return "you have no permission to write to its folder"


def address(path: Path) -> str:
    """Return the URI to read a database that is not writable."""
    changes = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if changes else '&immutable=1'}"


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)
