"""The names in a ladder, for a shell that completes them: read without what takes long to import.

A shell asks at every press of a key, so there is no waiting for a lock, and what cannot be read has
no names.
"""

import contextlib
import sqlite3
from pathlib import Path
from typing import LiteralString

from ladder.storage.db.server import Place, Server

_BOTS: LiteralString = "SELECT name FROM bots WHERE substr(name, 1, ?) = ? ORDER BY name"
_MATCHES: LiteralString = (
    "SELECT id FROM matches WHERE substr(id, 1, ?) = ? ORDER BY round DESC, position DESC LIMIT 100"
)
_PATIENCE_S = 2


def bots(place: Place, beginning: str) -> list[str]:
    """Return the names of bots that begin so, in alphabetical order."""
    return _read(place, _BOTS, beginning)


def matches(place: Place, beginning: str) -> list[str]:
    """Return the ids of matches that begin so, the newest first, at most a hundred."""
    return _read(place, _MATCHES, beginning)


def _read(place: Place, query: LiteralString, beginning: str) -> list[str]:
    if isinstance(place, Server):
        return _from_server(place, query.replace("?", "%s"), beginning)
    return _from_file(place, query, beginning)


def _from_server(server: Server, query: LiteralString, beginning: str) -> list[str]:
    try:
        import psycopg  # noqa: PLC0415 - may be missing
    except ImportError:
        return []
    try:
        with contextlib.closing(
            psycopg.connect(server.url, connect_timeout=_PATIENCE_S, autocommit=True)
        ) as connection:
            rows = connection.execute(query, (len(beginning), beginning))
            return [row[0] for row in rows]
    except psycopg.Error:
        return []


def _from_file(database: Path, query: str, beginning: str) -> list[str]:
    try:
        read_only = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
        with contextlib.closing(read_only) as connection:
            return [row[0] for row in connection.execute(query, (len(beginning), beginning))]
    except sqlite3.Error:
        return []
