"""Opens a ladder's database, brings an older one up to date, and gives out transactions."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, Self

from sqlalchemy import Connection, Engine, Table, text

from ladder.model.errors import MissingPackageError, StoreError
from ladder.storage.db import engine, integrity
from ladder.storage.db.engine import BUSY_MS, obstacle, open_engine
from ladder.storage.db.schema import REVISION, metadata
from ladder.storage.db.server import Place, Server
from referee.core.errors import CourtyardError
from referee.games.base import ConfigError

Transaction = Connection
"""The context of the store's functions; opaque to all other code."""

_BY_DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors that a damaged value in the database may lead to."""

SQLITE_VERSION = sqlite3.sqlite_version


class Driver(Protocol):
    """The ways of one engine, SQLite or PostgreSQL."""

    place: Place
    engine: Engine

    def tables(self, transaction: Transaction) -> set[str]:
        """Return the names of all tables."""

    def obstacle(self, transaction: Transaction) -> str | None:
        """Return why the database is read-only, None if it is writable; raise `StoreError`."""

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep processes on other machines from playing or rating; raise `LockedError`."""

    def check_lock(self) -> None:
        """Raise `StoreError` if the lock of `locked` was lost meanwhile."""

    def stamp(self) -> object:
        """Return a value that changes whenever the database does; costs next to nothing."""

    def identity(self) -> object:
        """Return a value that only the same database has."""


class Database:
    """The database of one ladder. A context manager: leaving it closes every connection."""

    def __init__(self, driver: Driver) -> None:
        """Use a driver's engine; `open` also checks what is there."""
        self._driver = driver
        self._engine = driver.engine
        self._obstacle: str | None = None
        """Why it is read-only; None if it is writable."""

    @property
    def place(self) -> Place:
        """Where it is."""
        return self._driver.place

    @property
    def obstacle(self) -> str | None:
        """Why it is read-only; None if it is writable."""
        return self._obstacle

    def only_read(self, why: str) -> None:
        """Make every further `write` fail for this reason."""
        self._obstacle = why

    @classmethod
    def open(cls, place: Place) -> Self:
        """Open an existing database, upgrading an older one; raise `LadderError`."""
        database = cls(_driver(place))
        try:
            database._bring_up_to_date()
        except BaseException:
            database.close()
            raise
        return database

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        """Open a transaction that sees one state of the database and changes nothing."""
        with self._damage_reported(), engine.reading(self._engine) as transaction:
            yield transaction

    @contextlib.contextmanager
    def write(self, patience_ms: int = BUSY_MS) -> Iterator[Transaction]:
        """Open the only writing transaction; its end stores all of it, or nothing.

        Wait for other writers; raise `StoreError` if that takes longer than `patience_ms`, if the
        database is read-only, or if the lock of `locked` was lost.
        """
        if self._obstacle:
            raise StoreError(f"{self.place}: it cannot be changed: {self._obstacle}")
        with self._damage_reported(), engine.writing(self._engine, patience_ms) as transaction:
            self._driver.check_lock()
            yield transaction

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep processes on other machines from playing or rating; raise `LockedError`."""
        return self._driver.locked()

    def damage_behind(self, error: BaseException | None) -> StoreError | None:
        """Return the damage in the database that may have caused an error; None without any."""
        if not isinstance(error, _BY_DAMAGE) or isinstance(error, CourtyardError | ConfigError):
            return None
        found = next(problems(self.place), None)
        return StoreError(f"{self.place}: the database is damaged: {found}") if found else None

    @contextlib.contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if damage := self.damage_behind(error):
                raise damage from error
            raise

    def problems(self) -> list[str]:
        """Return the problems of the database, its rows and its references; reads all of it."""
        return list(problems(self.place))

    def stamp(self) -> object:
        """Return a value that changes whenever the database does; costs next to nothing."""
        return self._driver.stamp()

    def identity(self) -> object:
        """Return a value that only the same database has."""
        return self._driver.identity()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Return the database itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection."""
        self.close()

    def _bring_up_to_date(self) -> None:
        """Upgrade an older database, and check that all tables are there."""
        if self._revision() != REVISION:
            # Alembic takes longer to import than most commands take to run.
            from ladder.storage.db.migrate import update  # noqa: PLC0415

            update(self.place)
        with self.read() as transaction:
            missing = sorted(metadata.tables.keys() - self._driver.tables(transaction))
            if missing:
                raise StoreError(
                    f"{self.place}: the database is damaged: table {missing[0]} is missing"
                )
            self._obstacle = self._driver.obstacle(transaction)

    def _revision(self) -> str:
        with self.read() as transaction:
            if "alembic_version" not in self._driver.tables(transaction):
                raise StoreError(f"{self.place}: this is not a ladder's database, or it is damaged")
            found = transaction.execute(text("select version_num from alembic_version")).scalar()
        if not isinstance(found, str):
            raise StoreError(f"{self.place}: the database is damaged: its revision is missing")
        return found


class FileDriver:
    """For a file of SQLite."""

    def __init__(self, path: Path) -> None:
        """Use a file, or make it when it is first written to."""
        self.place: Place = path
        self._path = path
        self.engine = open_engine(path)

    def tables(self, transaction: Transaction) -> set[str]:
        """Return the names of all tables."""
        names = transaction.execute(text("select name from sqlite_master where type = 'table'"))
        return set(names.scalars())

    def obstacle(self, transaction: Transaction) -> str | None:  # noqa: ARG002
        """Return why the file is read-only; None if it is writable."""
        return obstacle(self._path)

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Do nothing: no other machine can use a file."""
        return contextlib.nullcontext()

    def check_lock(self) -> None:
        """Do nothing: there is none."""

    def stamp(self) -> object:
        """Return a value that changes whenever the file does."""
        return stamp(self._path)

    def identity(self) -> object:
        """Return the file's path."""
        return self._path.resolve()


def problems(place: Place) -> Iterator[str]:
    """Yield the problems of a database that may be too damaged to be opened."""
    try:
        if isinstance(place, Server):
            yield from integrity.problems(_postgresql().ServerDriver(place).engine)
        else:
            yield from integrity.problems(open_engine(place, read_only=True))
    except OSError as error:
        yield f"database: {error}"


def create_on_server(server: Server, fill: Callable[[Transaction], object]) -> None:
    """Make the tables in a server's database and `fill` them; raise `LadderError`."""
    _postgresql()
    from ladder.storage.db.migrate import create_on  # noqa: PLC0415 - slow to import

    create_on(server, fill)


def _driver(place: Place) -> Driver:
    """Return the driver for a database that exists; raise `LadderError`."""
    if isinstance(place, Server):
        driver: Driver = _postgresql().ServerDriver(place)
        return driver
    try:
        empty = not place.stat().st_size
        obstacle(place)
    except OSError as error:
        raise StoreError(f"{place}: {error.strerror}") from error
    if empty:  # SQLite would take it for a new database, and begin one
        raise StoreError(f"{place}: the database is damaged: the file is empty")
    return FileDriver(place)


def _postgresql() -> ModuleType:
    """Return the module for servers; raise `LadderError` without the package that it needs."""
    try:
        from ladder.storage.db import postgresql as module  # noqa: PLC0415 - may be missing
    except ImportError as error:
        what = "a ladder on a PostgreSQL server"
        raise MissingPackageError(what, "psycopg", "postgresql") from error
    return module


def insert_or_update(tx: Transaction, table: Table) -> Any:
    """Return an insert into a table that has `on_conflict_do_update`, for a database's engine."""
    return import_module(f"sqlalchemy.dialects.{tx.dialect.name}").insert(table)


_LONGEST_TICK_NS = 50_000_000


def stamp(path: Path) -> object:
    """Return a value that changes whenever the database in a file does.

    A file's time is that of the clock's last tick, so a file that has just changed may change
    again within the same tick. Its stamp therefore equals no other.
    """
    found = [_of(path.with_name(path.name + suffix)) for suffix in ("", "-wal")]
    just_now = time.time_ns() - _LONGEST_TICK_NS
    changing = any(each is not None and each[0] > just_now for each in found)
    return (found, object()) if changing else found


def _of(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
