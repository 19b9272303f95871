"""The ways of a ladder's database on a PostgreSQL server."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from sqlalchemy import Connection, ForeignKey, Table, text

from ladder.model.errors import LockedError, StoreError
from ladder.storage.db import postgresql
from ladder.storage.db.columns import Checked
from ladder.storage.db.engine import reading
from ladder.storage.db.postgresql import RUNNER, Link, connect, failure, told
from ladder.storage.db.schema import metadata
from ladder.storage.db.server import Place, Server

__all__ = ["ServerDriver", "problems"]

_LOCK = "select pg_try_advisory_lock(%s::int, hashtext(current_schema()))"
_COLUMNS = text(
    "select relname, attname from pg_attribute join pg_class on pg_class.oid = attrelid "
    "where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 "
    "and not attisdropped"
)
_IDENTITY = text(
    "select (select system_identifier from pg_control_system()), oid, current_schema() "
    "from pg_database where datname = current_database()"
)


class ServerDriver:
    """For a database that other machines may use at the same time."""

    def __init__(self, server: Server) -> None:
        """Connect when it is needed."""
        self.place: Place = server
        self._server = server
        self.engine = postgresql.open_engine(server)
        self._lock: Link | None = None
        """The connection that has the lock of the process that plays or rates, if that is us."""

    def tables(self, transaction: Connection) -> set[str]:
        """Return the names of all tables."""
        return postgresql.tables(transaction)

    def obstacle(self, transaction: Connection) -> str | None:
        """Return what this role may not do; raise `StoreError` if a column is missing."""
        found = {tuple(row) for row in transaction.execute(_COLUMNS)}
        for table in metadata.sorted_tables:
            for column in table.columns:
                if (table.name, column.name) not in found:
                    raise StoreError(
                        f"{self._server}: the database is damaged: column {column} is missing"
                    )
        return postgresql.obstacle(transaction)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep processes on all machines from playing or rating; raise `LockedError`.

        The server releases the lock when this process or its connection ends.
        """
        with self._telling():
            link = postgresql.connect(self._server)
        with contextlib.closing(link):
            with self._telling():
                taken = link.execute(_LOCK, [RUNNER]).fetchone() == (True,)
            if not taken:
                raise LockedError(
                    f"another process, perhaps on another machine, is at work on the ladder in "
                    f"{self._server}; wait for it or stop it"
                )
            self._lock = link
            try:
                yield
            finally:
                self._lock = None

    def check_lock(self) -> None:
        """Raise `StoreError` if the connection that has the lock is gone."""
        if self._lock is not None:
            with self._telling():
                self._lock.execute("select 1")

    def problems(self) -> Iterator[str]:
        """Yield the problems of the rows and their references; reads all of them."""
        return problems(self._server)

    def stamp(self) -> object:
        """Return what a transaction would see: which earlier ones are committed."""
        with reading(self.engine) as tx:
            return tx.execute(text("select pg_current_snapshot()::text")).scalar()

    def identity(self) -> object:
        """Return the server's own number, and those of its database and schema."""
        with reading(self.engine) as tx:
            return tuple(tx.execute(_IDENTITY).one())

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Report an error of the server in a line."""
        try:
            yield
        except psycopg.Error as error:
            raise failure(self._server, error) from error


_AT_ONCE = 1000
_NO_END = (
    "select id from matches where state = 'done' and (finished_at is null or decisions is null)"
)
_NO_RESULT = (
    "select match_id, seat from seats join matches on matches.id = match_id "
    "where state = 'done' and (rank is null or points is null)"
)


def problems(server: Server) -> Iterator[str]:
    """Yield the problems of the database and their places, a line each."""
    try:
        with contextlib.closing(connect(server)) as link:
            for table in metadata.sorted_tables:
                yield from _of_rows(link, table)
            for table in metadata.sorted_tables:
                for key in table.foreign_keys:
                    yield from _of_references(link, table, key)
            for (match,) in _found(link, _NO_END):
                yield f"matches, id {match}: it is done, but has no time or no decisions"
            for match, seat in _found(link, _NO_RESULT):
                yield (
                    f"seats, match_id {match}, seat {seat}: the match is done, but has no rank "
                    "or no points"
                )
    except psycopg.Error as error:
        yield f"database: {told(error)}"


def _of_rows(link: Link, table: Table) -> Iterator[str]:
    """Yield the invalid values of a table."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    read = 0
    try:
        with link.transaction(), link.cursor("rows") as rows:
            rows.itersize = _AT_ONCE
            rows.execute(f"select {names} from {table.name}".encode())  # noqa: S608 -- our own names
            for values in rows:
                read += 1
                for column, value in zip(table.columns, values, strict=True):
                    if value is None and not column.nullable:
                        yield f"{_place(table, values)}, {column.name}: the value is missing"
                    elif (
                        value is not None
                        and isinstance(column.type, Checked)
                        and (problem := column.type.problem(value))
                    ):
                        yield f"{_place(table, values)}, {column.name}: {problem}"
    except psycopg.Error as error:
        where = f"after {read} rows" if read else "at all"
        yield f"{table.name}: it cannot be read {where}: {told(error)}"


def _of_references(link: Link, table: Table, key: ForeignKey) -> Iterator[str]:
    """Yield the rows that refer to missing rows, as after somebody dropped a constraint."""
    names = ", ".join(f't."{column.name}"' for column in table.columns)
    own, other = key.parent.name, key.column
    query = (
        f"select {names} from {table.name} t where t.{own} is not null "  # noqa: S608 -- the same
        f"and not exists (select from {other.table.name} o where o.{other.name} = t.{own})"
    )
    for values in _found(link, query):
        yield f"{_place(table, values)}: it refers to a missing row of {other.table.name}"


def _found(link: Link, query: str) -> Sequence[Any]:
    """Return the rows of a query; none if a table cannot be read, which is named already."""
    try:
        return link.execute(query.encode()).fetchall()
    except psycopg.Error:
        return []


def _place(table: Table, values: Sequence[Any]) -> str:
    """Return how a row is called: by its key."""
    row = dict(zip((column.name for column in table.columns), values, strict=True))
    return f"{table.name}, " + ", ".join(f"{c.name} {row[c.name]}" for c in table.primary_key)
