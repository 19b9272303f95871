"""Whether a database may be written, and how one is opened that may only be read.

SQLite in WAL mode writes beside the database even to read it, unless it is told that it may not. It
reads a database that others write to then, if it sees their files; where there are none nobody
writes, and it is told that nothing changes.
"""

import errno
import os
from pathlib import Path


def obstacle(path: Path) -> str | None:
    """Return why this user cannot write to a database; None if nothing is in the way.

    Raise `OSError` if it cannot even be read.
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
    """Return the URI that reads a database which cannot be written."""
    changes = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if changes else '&immutable=1'}"


def _words(error: OSError) -> str:
    if error.errno == errno.EROFS:
        return "it is in a place that can only be read"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "you have no permission to write to it"
    return error.strerror or str(error)
