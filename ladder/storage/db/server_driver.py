"""The ways of a ladder's database on a PostgreSQL server."""

import contextlib
from collections.abc import Iterator

import psycopg
from sqlalchemy import Connection, text

from ladder.model.errors import LockedError, StoreError
from ladder.storage.db import postgresql
from ladder.storage.db.engine import reading
from ladder.storage.db.postgresql import RUNNER, Link, failure
from ladder.storage.db.schema import metadata
from ladder.storage.db.server import Place, Server

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
