"""Opens a ladder's database, brings an older one up to date, and gives out transactions."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine, text

from ladder.model.errors import StoreError
from ladder.storage import engine, integrity
from ladder.storage.access import obstacle
from ladder.storage.engine import BUSY_MS, open_engine
from ladder.storage.schema import REVISION, metadata

Transaction = Connection
"""What the store's functions run in; opaque to all other code."""

SQLITE_VERSION = sqlite3.sqlite_version


class Database:
    """The database of one ladder. A context manager: leaving it closes every connection."""

    def __init__(self, opened: Engine) -> None:
        """Use an engine from `open_engine`."""
        self._obstacle = obstacle(Path(opened.url.database or ""))
        """Why the file is read-only; None if it is writable."""
        self._engine = opened

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing database, upgrading an older one; raise `StoreError`."""
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
        with engine.reading(self._engine) as transaction:
            yield transaction

    @contextlib.contextmanager
    def write(self, patience_ms: int = BUSY_MS) -> Iterator[Transaction]:
        """Open the only writing transaction; its end stores all of it, or nothing.

        Wait for other writers; raise `StoreError` if that takes longer than `patience_ms`, or if
        the database is read-only.
        """
        if self._obstacle:
            raise StoreError(f"{self._engine.url.database}: it cannot be changed: {self._obstacle}")
        with engine.writing(self._engine, patience_ms) as transaction:
            yield transaction

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Return the database itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection."""
        self.close()

    def problems(self) -> list[str]:
        """Return the problems of the file, its rows and its references; reads all of it."""
        return list(integrity.problems(Path(self._engine.url.database or "")))

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


def _tables(transaction: Transaction) -> set[str]:
    names = transaction.execute(text("select name from sqlite_master where type = 'table'"))
    return set(names.scalars())
