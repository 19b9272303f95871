"""Connects to a ladder's database file.

SQLite in WAL mode, so that readers never wait for the writer; every commit is on the disk before
it returns. A database that this user may only read opens read-only. A transaction that will write
begins as a writer (BEGIN IMMEDIATE): one that reads first and writes later would fail at once if
another process wrote in between.

SQLite in WAL mode writes beside the database even to read it, unless that is forbidden. Then it
reads a database that others write to if it sees their files; without such files no process writes,
and the address lets SQLite assume that nothing changes.
"""

import contextlib
import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DatabaseError, IntegrityError, ProgrammingError
from sqlalchemy.pool import NullPool

from ladder.model.errors import StoreError
from ladder.storage.db.columns import DamagedValueError

BUSY_MS = 30_000
"""How long a transaction waits for other writers by default."""
_PRIMARY = 0xFF
"""The bits of SQLite's error code without its details."""
_OF_THE_SYSTEM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
_TRIED_BYTES = 64 * 1024
"""Twice what SQLite needs beside a database to open it."""


def open_engine(path: Path, *, foreign_keys: bool = True, read_only: bool = False) -> Engine:
    """Return an engine for a file, with connections set up for the ladder."""
    url = URL.create("sqlite", database=os.fspath(path))
    read_only = read_only or obstacle(path) is not None
    if read_only:  # each connection looks anew whether others write
        engine = create_engine(url, poolclass=NullPool, creator=partial(_read_only, path))
    else:
        engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin at `begin` below
        for pragma in (
            f"busy_timeout = {BUSY_MS}",  # unless a transaction sets another
            *([] if read_only else ["journal_mode = WAL"]),
            "synchronous = FULL",
            "trusted_schema = OFF",  # the file may be a stranger's
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        patience_ms = options.get("courtyard_patience_ms", BUSY_MS)
        if connection.info.get("courtyard_patience_ms", BUSY_MS) != patience_ms:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience_ms}")
            connection.info["courtyard_patience_ms"] = patience_ms
        writes = options.get("courtyard_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def translate(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if _refers_to_nothing(context.original_exception):
            raise StoreError(
                f"{path}: the database is damaged: a row refers to a missing one; "
                "`ladder verify` shows which"
            ) from error
        if isinstance(error, DatabaseError) and not isinstance(
            error, IntegrityError | ProgrammingError
        ):
            why = system_failure(path.parent, error.orig) or error.orig
            raise StoreError(f"{path}: the database cannot be used: {why}") from error

    return engine


def _refers_to_nothing(error: BaseException) -> bool:
    """Return whether SQLite refused a reference to a row that there is not."""
    code = sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
    return isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorcode == code


def system_failure(folder: Path, error: object) -> str:
    """Return the system's own reason where SQLite could not write; empty if it gives none.

    SQLite has one name for a full disk, a used-up quota, and a device that fails.
    """
    if getattr(error, "sqlite_errorcode", 0) & _PRIMARY not in _OF_THE_SYSTEM:
        return ""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIED_BYTES))
            file.flush()  # a buffer goes on after a write in part
    except OSError as failure:
        return failure.strerror or str(failure)
    return ""


@contextlib.contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that sees one state of the database."""
    with _values_checked(engine), engine.begin() as transaction:
        yield transaction


@contextlib.contextmanager
def writing(engine: Engine, patience_ms: int = BUSY_MS) -> Iterator[Connection]:
    """Open the only writing transaction; its end stores all of it, or nothing."""
    with _values_checked(engine), engine.connect() as connection:
        connection.execution_options(courtyard_writes=True, courtyard_patience_ms=patience_ms)
        with connection.begin():
            yield connection


@contextlib.contextmanager
def _values_checked(engine: Engine) -> Iterator[None]:
    """Report a value that no ladder stores as damage to the database."""
    place = engine.get_execution_options().get("courtyard_place", engine.url.database)
    try:
        yield
    except DamagedValueError as error:
        raise StoreError(
            f"{place}: the database is damaged: {error}; `ladder verify` shows where"
        ) from error


def _read_only(path: Path) -> sqlite3.Connection:
    reading = _address(path) if obstacle(path) else f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(reading, uri=True)


def copy(path: Path, target: Path) -> None:
    """Write one state of a database to another file, readable by its owner only.

    No user of the database has to wait. The copy replaces the other file.
    """
    os.close(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    try:
        with (
            contextlib.closing(
                _read_only(path) if obstacle(path) else sqlite3.connect(path)
            ) as source,
            contextlib.closing(sqlite3.connect(target)) as written,
        ):
            source.backup(written)
    except sqlite3.Error as error:
        why = system_failure(target.parent, error) or error
        raise StoreError(f"{path}: it cannot be copied: {why}") from error


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


def _address(path: Path) -> str:
    """Return the URI to read a database that is not writable."""
    changes = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if changes else '&immutable=1'}"


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)
