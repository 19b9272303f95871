"""Creates a ladder's database, and upgrades one of an older ladder.

A new database begins with the tables as they are now. Of an older one, only the revisions run that
are newer than it: on SQLite from the first one on.

Revisions bring columns and rows up to date, and need not repeat constraints: after them, each table
gets those that `ladder.storage.db.schema` declares.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, Connection, Engine, Table, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateTable

from ladder.model.errors import SettingsError, StoreError
from ladder.storage.db.engine import copy, obstacle, open_engine, reading, writing
from ladder.storage.db.schema import REVISION, metadata
from ladder.storage.db.server import Place, Server

SCRIPTS = Path(__file__).parent / "migrations"
_STATEMENT = text("select sql from sqlite_master where name = :of_table")
_CHECKS = text(
    "select conname from pg_constraint where conrelid = to_regclass(:of_table) and contype = 'c'"
)


def create(path: Path) -> None:
    """Make an empty database, readable by its owner only; raise `FileExistsError`."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with _opened(path) as engine, writing(engine) as transaction:
        _make_tables(transaction)


def create_on(server: Server, fill: Callable[[Connection], object]) -> None:
    """Make all tables in a database of a server, and `fill` them, or do nothing.

    Raise `SettingsError` if tables of these names are there, `StoreError` if they cannot be made.
    """
    from ladder.storage.db.postgresql import tables  # noqa: PLC0415 - needs psycopg

    with _opened(server) as engine, writing(engine) as transaction:
        if metadata.tables.keys() & tables(transaction):
            raise SettingsError(
                f"{server}: there is a ladder in this database already; a folder whose file "
                "database.url holds this URL opens it"
            )
        _make_tables(transaction)
        fill(transaction)


def _make_tables(transaction: Connection) -> None:
    metadata.create_all(transaction, checkfirst=False)
    MigrationContext.configure(transaction).stamp(ScriptDirectory(os.fspath(SCRIPTS)), REVISION)


def update(place: Place, scripts: Path = SCRIPTS) -> None:
    """Upgrade a database to the newest revision; keep a copy of an old file beside it.

    Raise `StoreError` if its revision is unknown here: a newer ladder has made it.
    """
    config = _config(scripts)
    script = ScriptDirectory.from_config(config)
    revision = _revision(place)
    known = {step.revision for step in script.walk_revisions()}
    if revision not in known:
        raise StoreError(
            f"{place}: a newer version of Courtyard made this ladder (its schema is {revision!r}); "
            "update Courtyard to use it"
        )
    if revision != script.get_current_head():
        if why := _obstacle(place):
            raise StoreError(f"{place}: an older Courtyard made it; to bring it up to date, {why}")
        if isinstance(place, Path):
            copy(place, place.with_name(f"{place.name}.before-{script.get_current_head()}"))
        _upgrade(place, config)


def _obstacle(place: Place) -> str | None:
    """Return why this user cannot write to a database; None if this user can."""
    if isinstance(place, Path):
        return obstacle(place)
    from ladder.storage.db import postgresql  # noqa: PLC0415 - needs psycopg

    with _opened(place) as engine, reading(engine) as transaction:
        return postgresql.obstacle(transaction)


def _config(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", os.fspath(scripts).replace("%", "%%"))
    return config


def _revision(place: Place) -> str | None:
    with _opened(place) as engine, reading(engine) as transaction:
        return MigrationContext.configure(transaction).get_current_revision()


def _upgrade(place: Place, config: Config) -> None:
    """Run the missing steps in one transaction.

    SQLite's foreign keys are off meanwhile: recreating a table would take its references with it. A
    check precedes the commit.
    """
    with (
        _opened(place, foreign_keys=False) as engine,
        _refusals_reported(place),
        writing(engine) as transaction,
    ):
        config.attributes["connection"] = transaction
        command.upgrade(config, "head")
        if ScriptDirectory.from_config(config).get_heads() == [REVISION]:
            for table in metadata.sorted_tables:
                _declare(transaction, table)
        if isinstance(place, Server):
            return
        if transaction.execute(text("PRAGMA foreign_key_check")).first() is not None:
            raise StoreError(
                f"{place}: rows refer to missing rows; the database was left as it was"
            )


@contextlib.contextmanager
def _refusals_reported(place: Place) -> Iterator[None]:
    """Report a row of an older database that the tables as they are now refuse."""
    try:
        yield
    except IntegrityError as error:
        why = str(error.orig).splitlines()[0]
        raise StoreError(
            f"{place}: the database is damaged, and was left as it was: {why}; "
            "`ladder verify` shows where: mend these rows, or take a backup"
        ) from error


def _declare(tx: Connection, table: Table) -> None:
    """Give a table of a server the declared CHECKs, or make one of a file as it is declared."""
    if tx.dialect.name == "postgresql":
        found = tx.execute(_CHECKS, {"of_table": table.name}).scalars()
        changes = [f"drop constraint {name}" for name in found]
        changes += [
            f"add constraint {each.name} check ({each.sqltext})"
            for each in table.constraints
            if isinstance(each, CheckConstraint)
        ]
        if changes:
            tx.exec_driver_sql(f"alter table {table.name} {', '.join(changes)}")
        return
    declared = str(CreateTable(table).compile(tx))
    stored = tx.execute(_STATEMENT, {"of_table": table.name}).scalar_one()
    if stored.replace('"', "").split() == declared.split():
        return
    columns, new = ", ".join(table.columns.keys()), f"new_{table.name}"
    for statement in (
        declared.replace(table.name, new, 1),
        f"insert into {new} ({columns}) select {columns} from {table.name}",  # noqa: S608 -- ours
        f"drop table {table.name}",
        f"alter table {new} rename to {table.name}",
    ):
        tx.exec_driver_sql(statement)
    for index in table.indexes:
        index.create(tx)


@contextlib.contextmanager
def _opened(place: Place, *, foreign_keys: bool = True) -> Iterator[Engine]:
    if isinstance(place, Server):
        from ladder.storage.db import postgresql  # noqa: PLC0415 - needs psycopg

        engine = postgresql.open_engine(place)
    else:
        engine = open_engine(place, foreign_keys=foreign_keys)
    try:
        yield engine
    finally:
        engine.dispose()
