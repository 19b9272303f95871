"""Opens a ladder's database and gives out transactions.

SQLite in WAL mode, so that readers never wait for the writer; every commit is on the disk before
it returns. A database that this user may only read is opened so. A transaction that will write says
so from its start (BEGIN IMMEDIATE): one that reads first and turns to writing later would fail at
once when another process writes in between.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DatabaseError, IntegrityError, ProgrammingError
from sqlalchemy.pool import NullPool

from ladder.model.errors import StoreError
from ladder.storage import integrity
from ladder.storage.access import address, obstacle
from ladder.storage.columns import DamagedValueError
from ladder.storage.schema import REVISION, metadata

Transaction = Connection
"""What the functions of the store are asked within; opaque to everybody else."""

SQLITE_VERSION = sqlite3.sqlite_version
_BUSY_MS = 30_000


class Database:
    """The database of one ladder. A context manager: leaving it closes every connection."""

    def __init__(self, engine: Engine) -> None:
        """Use an engine that `open_engine` has made."""
        self._obstacle = obstacle(Path(engine.url.database or ""))
        """Why it may only be read; None if it may be written."""
        self._reader = engine
        self._writer = engine.execution_options(courtyard_begin="BEGIN IMMEDIATE")

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a database that exists, bringing an older one up to date; raise `StoreError`."""
        try:
            empty = not path.stat().st_size
            obstacle(path)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from error
        if empty:  # SQLite would take it for a new database, and begin one
            raise StoreError(f"{path}: the database is damaged: the file is empty")
        database = cls(open_engine(path))
        try:
            if database._revision(path) != REVISION:
                # Alembic takes longer to import than most commands take to run.
                from ladder.storage.migrate import update  # noqa: PLC0415

                update(path)
            database._check_tables(path)
        except BaseException:
            database.close()
            raise
        return database

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        """Open a transaction that sees one state of the database and changes nothing."""
        with self._translated(), self._reader.begin() as transaction:
            yield transaction

    @contextlib.contextmanager
    def write(self, patience_ms: int = _BUSY_MS) -> Iterator[Transaction]:
        """Open the one transaction that may write now; it is all stored at its end, or nothing.

        Wait for others that write; raise `StoreError` if that takes longer than `patience_ms`, or
        if it may only be read.
        """
        if self._obstacle:
            raise StoreError(f"{self._reader.url.database}: it cannot be changed: {self._obstacle}")
        writer = self._writer.execution_options(courtyard_patience_ms=patience_ms)
        with self._translated(), writer.begin() as transaction:
            yield transaction

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Take a value that cannot be there for what it is: a damaged file."""
        path = self._reader.url.database
        try:
            yield
        except (UnicodeDecodeError, JSONDecodeError) as error:
            raise StoreError(f"{path}: the database is damaged: {error}") from error
        except DamagedValueError as error:
            raise StoreError(
                f"{path}: the database is damaged: {error}; `ladder verify` tells where"
            ) from error

    def close(self) -> None:
        """Close every connection."""
        self._reader.dispose()

    def __enter__(self) -> Self:
        """Return the database itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection."""
        self.close()

    def problems(self) -> list[str]:
        """Return what is wrong in the file, its rows and its references; reads all of it."""
        return list(integrity.problems(Path(self._reader.url.database or "")))

    def _revision(self, path: Path) -> str:
        with self.read() as transaction:
            if "alembic_version" not in _tables(transaction):
                raise StoreError(f"{path}: this is no ladder's database, or it is damaged")
            found = transaction.execute(text("select version_num from alembic_version")).scalar()
        if not isinstance(found, str):
            raise StoreError(f"{path}: the database is damaged: its revision is missing")
        return found

    def _check_tables(self, path: Path) -> None:
        with self.read() as transaction:
            missing = sorted(metadata.tables.keys() - _tables(transaction))
        if missing:
            raise StoreError(f"{path}: the database is damaged: table {missing[0]} is missing")


def open_engine(path: Path, *, foreign_keys: bool = True) -> Engine:
    """Return an engine for a file, its connections set up as the ladder needs them."""
    url = URL.create("sqlite", database=os.fspath(path))
    read_only = obstacle(path) is not None
    if read_only:  # each time it is found out anew whether others write to it
        engine = create_engine(url, poolclass=NullPool, creator=partial(_reading, path))
    else:
        engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where `begin` below says
        for pragma in (
            f"busy_timeout = {_BUSY_MS}",  # as long as no transaction says otherwise
            *([] if read_only else ["journal_mode = WAL"]),
            "synchronous = FULL",
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        patience_ms = options.get("courtyard_patience_ms", _BUSY_MS)
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience_ms}")
        connection.exec_driver_sql(options.get("courtyard_begin", "BEGIN"))

    @event.listens_for(engine, "handle_error")
    def translate(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if isinstance(error, IntegrityError) and "FOREIGN KEY" in str(error.orig):
            raise StoreError(
                f"{path}: the database is damaged: a row refers to nothing; "
                "`ladder verify` tells which"
            ) from error
        if isinstance(error, DatabaseError) and not isinstance(
            error, IntegrityError | ProgrammingError
        ):
            raise StoreError(f"{path}: the database cannot be used: {error.orig}") from error

    return engine


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(address(path), uri=True)


def copy(path: Path, target: Path) -> None:
    """Write one state of a database to another file, readable by its owner only.

    Nobody who uses the database has to wait. What the other file held is gone.
    """
    os.close(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    try:
        with (
            contextlib.closing(
                _reading(path) if obstacle(path) else sqlite3.connect(path)
            ) as source,
            contextlib.closing(sqlite3.connect(target)) as written,
        ):
            source.backup(written)
    except sqlite3.Error as error:
        raise StoreError(f"{path}: no copy can be made of it: {error}") from error


def _tables(transaction: Transaction) -> set[str]:
    names = transaction.execute(text("select name from sqlite_master where type = 'table'"))
    return set(names.scalars())
