"""The names in a ladder, for a shell that completes them: read without what takes long to import.

A shell asks at every press of a key, so there is no waiting for a lock, and what cannot be read has
no names.
"""

import contextlib
import sqlite3
from pathlib import Path

_MOST = 100


def bots(database: Path, beginning: str) -> list[str]:
    """Return the names of bots that begin so, in alphabetical order."""
    return _read(
        database, "SELECT name FROM bots WHERE instr(name, ?) = 1 ORDER BY name", beginning
    )


def matches(database: Path, beginning: str) -> list[str]:
    """Return the ids of matches that begin so, the newest first, at most a hundred."""
    query = "SELECT id FROM matches WHERE instr(id, ?) = 1 ORDER BY round DESC, position DESC"
    return _read(database, f"{query} LIMIT {_MOST}", beginning)


def _read(database: Path, query: str, beginning: str) -> list[str]:
    try:
        read_only = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
        with contextlib.closing(read_only) as connection:
            return [row[0] for row in connection.execute(query, (beginning,))]
    except sqlite3.Error:
        return []
