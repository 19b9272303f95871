"""The migrations make the tables that the program uses."""

import hashlib
import re
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateTable

from ladder.model.errors import StoreError
from ladder.storage.db.database import Database
from ladder.storage.db.migrate import SCRIPTS, create
from ladder.storage.db.schema import REVISION, metadata
from ladder.storage.ladder import Ladder
from tests.ladder.storage.test_migrate import database_of

DECLARED = ("0027", "edcca49fce66e4b2")
"""The newest revision, and the digest of the tables that it declares."""


def statements(database: Database) -> dict[str, list[str]]:
    """Return the SQL of every table and index, its parts in alphabetical order."""
    query = text("select name, sql from sqlite_master where sql is not null")
    with database.read() as tx:
        found = {row.name: row.sql for row in tx.execute(query)}
    del found["alembic_version"]
    return {
        name: sorted(re.sub(r'[\s"]+', " ", sql.rstrip(")\n")).strip().split(", "))
        for name, sql in found.items()
    }


def test_migrated_schema_is_the_declared_one(tmp_path: Path) -> None:
    """Alembic finds no difference between a migrated database and the declared tables."""
    migrated = database_of(tmp_path, int(REVISION))

    with Database.open(migrated) as database, database.read() as tx:
        assert compare_metadata(MigrationContext.configure(tx), metadata) == []


def test_constraints_are_the_declared_ones(tmp_path: Path) -> None:
    """The statements agree too, with the checks that Alembic does not compare."""
    create(tmp_path / "new.db")
    with Database.open(tmp_path / "new.db") as database:
        declared = statements(database)

    with Database.open(database_of(tmp_path, int(REVISION))) as database:
        assert statements(database) == declared


def test_newest_revision_is_named() -> None:
    """The program knows the newest revision, and there is only one."""
    assert ScriptDirectory(str(SCRIPTS)).get_heads() == [REVISION]


def test_other_tables_are_another_revision() -> None:
    """A changed column, type or CHECK has a new revision, which brings older ladders up to date."""
    tables = [
        CreateTable(table).compile(dialect=sqlite.dialect()) for table in metadata.sorted_tables
    ]
    digest = hashlib.sha256("".join(map(str, tables)).encode()).hexdigest()[:16]

    assert (REVISION, digest) == DECLARED


@pytest.mark.both_engines
@pytest.mark.parametrize(
    "change",
    [
        "bots set name = ''",
        "versions set number = 0",
        "versions set digest = 'abc'",
        "versions set submitted_at = 'yesterday'",
        "versions set active = 7",
        "ladder set bank_ms = 'much'",
        "ladder set id = 2",
        "ladder set secret = null",
    ],
)
def test_the_database_refuses_what_no_ladder_stores(ladder: Ladder, change: str) -> None:
    """Neither engine stores a value of another kind, or one that a column may not hold."""
    with pytest.raises((SQLAlchemyError, StoreError)), ladder.database.write() as tx:
        tx.execute(text(f"update {change}"))
