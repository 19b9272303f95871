"""Whether this user may write to a database, and how to open one read-only.

SQLite in WAL mode writes beside the database even to read it, unless told that it may not. Then it
reads a database that others write to if it sees their files; without such files nobody writes, and
the address tells SQLite that nothing changes.
"""

import errno
import os
from pathlib import Path


def obstacle(path: Path) -> str | None:
    """Return why this user cannot write to a database; None if this user can.

    Raise `OSError` if it is not even readable.
    """
    os.close(os.open(path, os.O_RDONLY))
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError as error:
        return _words(error)
    if os.access(
        path.parent, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        return None
    return "you have no permission to write to its folder"


def address(path: Path) -> str:
    """Return the URI to read a database that is not writable."""
    changes = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if changes else '&immutable=1'}"


def _words(error: OSError) -> str:
    if error.errno == errno.EROFS:
        return "it is in a place that can only be read"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "you have no permission to write to it"
    return error.strerror or str(error)
