"""Connects to a ladder's database on a PostgreSQL server.

A transaction promises what it promises on SQLite. One that reads sees one state (repeatable read).
One that writes holds an advisory lock from its start, so there is only one, and each of its
statements sees all that was committed before. The lock is the schema's: several ladders may share a
database if the URL gives each a `search_path` of its own.

A machine that is gone must not keep its locks: both ends look every few seconds for the other.
"""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import conninfo, errors
from psycopg.types.numeric import NumericLoader
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import ExceptionContext

from ladder.model.errors import LockedError, StoreError, UnreachableError
from ladder.storage.db.engine import BUSY_MS, reading
from ladder.storage.db.schema import metadata
from ladder.storage.db.server import Place, Server

logging.getLogger("psycopg").setLevel(logging.ERROR)  # `reason` covers its warnings

Link = psycopg.Connection[Any]
"""A connection to a server, not SQLAlchemy's."""

CONNECT_S = 10
"""How long it may take to reach a server."""
_SETTINGS = {
    "application_name": "courtyard",
    "client_encoding": "UTF8",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""Settings of libpq unless the URL has others."""
_KEEP_ALIVE = (
    "set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; "
    "set tcp_keepalives_count = 3; set tcp_user_timeout = 60000"
)
"""The same for the server's end."""
_READ = "begin isolation level repeatable read read only"
_WRITE = (
    "begin isolation level read committed read write; set local lock_timeout = {patience_ms}; "
    "select pg_advisory_xact_lock({writer}, hashtext(current_schema()))"
)
_RIGHTS = text(
    "select pg_is_in_recovery(), current_user, has_table_privilege('matches', 'insert, update')"
)
_WRITER = 0x436F7501
RUNNER = 0x436F7502
"""Number of the lock of the process that plays or rates."""
_NOT_OURS = (errors.InsufficientPrivilege, errors.UndefinedTable, errors.ForeignKeyViolation)
_OURS = (psycopg.ProgrammingError, psycopg.IntegrityError)
"""Errors that a bug of Courtyard leads to, but for those above."""
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError)


class _Whole(NumericLoader):
    """Reads a sum of whole numbers, which PostgreSQL makes a `numeric`, as a whole number."""

    def load(self, data: Any) -> Any:
        """Return an int if there is no fraction."""
        value = super().load(data)
        return int(value) if value == value.to_integral_value() else value


def connect(server: Server, timeout_s: int = CONNECT_S) -> Link:
    """Connect to a server, with each statement a transaction; raise `psycopg.Error`."""
    try:
        given = conninfo.conninfo_to_dict(server.url)
    except psycopg.ProgrammingError:  # its message may repeat a password
        raise psycopg.OperationalError("libpq cannot read this URL") from None
    settings: dict[str, Any] = {**_SETTINGS, "connect_timeout": timeout_s, **given}
    link = psycopg.connect(**settings, autocommit=True)
    link.adapters.register_loader("numeric", _Whole)
    link.execute(_KEEP_ALIVE, prepare=False)
    return link


def open_engine(server: Server) -> Engine:
    """Return an engine whose transactions keep the promises above."""
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: connect(server),
        pool_pre_ping=True,
        use_native_hstore=False,
        execution_options={"courtyard_place": server},
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        patience_ms = options.get("courtyard_patience_ms", BUSY_MS)
        writes = options.get("courtyard_writes", False)
        link: Any = connection.connection.driver_connection
        try:
            link.execute(
                _WRITE.format(patience_ms=patience_ms, writer=_WRITER) if writes else _READ,
                prepare=False,
            )
        except psycopg.Error as error:
            if link.broken:  # else the pool would fail to reset it, and log that as a bug
                connection.invalidate(error)
            raise failure(server, error) from error

    @event.listens_for(engine, "handle_error")
    def translate(context: ExceptionContext) -> None:
        error = context.original_exception
        if isinstance(error, psycopg.Error) and (
            isinstance(error, _NOT_OURS) or not isinstance(error, _OURS)
        ):
            raise failure(server, error) from error

    return engine


def failure(server: Server, error: psycopg.Error) -> StoreError:
    """Return the ladder's error for one of the server: `UnreachableError` if waiting may help."""
    kind = UnreachableError if isinstance(error, _PASSING) else StoreError
    return kind(f"{server}: {reason(error)}")


def reason(error: psycopg.Error) -> str:
    """Return in one line why a database cannot be used."""
    if isinstance(error, errors.ForeignKeyViolation):
        return "the database is damaged: a row refers to a missing one; `ladder verify` shows which"
    if isinstance(error, errors.LockNotAvailable):
        return "the database cannot be used: another process is writing to it"
    message = (error.diag.message_primary or str(error)).strip() or "the connection is lost"
    first = message.splitlines()[0].removeprefix("connection failed: ")
    return f"the database cannot be used: {first}"


def tables(tx: Connection) -> set[str]:
    """Return the names of all tables in the schema of a connection."""
    names = text("select tablename from pg_tables where schemaname = current_schema()")
    return set(tx.execute(names).scalars())


def obstacle(tx: Connection) -> str | None:
    """Return why a ladder's database cannot be written to; None if it can."""
    standby, role, may_write = tx.execute(_RIGHTS).one()
    if standby:
        return "the server is a standby, which can only be read"
    return None if may_write else f"the role {role} has no permission to write to it"


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
        self.engine = open_engine(server)
        self._lock: Link | None = None
        """The connection that has the lock of the process that plays or rates, if that is us."""

    def tables(self, transaction: Connection) -> set[str]:
        """Return the names of all tables."""
        return tables(transaction)

    def obstacle(self, transaction: Connection) -> str | None:
        """Return what this role may not do; raise `StoreError` if a column is missing."""
        found = {tuple(row) for row in transaction.execute(_COLUMNS)}
        for table in metadata.sorted_tables:
            for column in table.columns:
                if (table.name, column.name) not in found:
                    raise StoreError(
                        f"{self._server}: the database is damaged: column {column} is missing"
                    )
        return obstacle(transaction)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep processes on all machines from playing or rating; raise `LockedError`.

        The server releases the lock when this process or its connection ends.
        """
        with self._telling():
            link = connect(self._server)
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
