"""Opening the database, and messages about a damaged one."""

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from ladder.model.errors import StoreError
from ladder.storage.db import database
from ladder.storage.db.database import Database
from ladder.storage.db.engine import open_engine
from ladder.storage.files.folder import Home


def test_settings_of_a_connection(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write-ahead log, every commit synced, foreign keys checked, waits for other writers."""
    monkeypatch.setattr(database, "open_engine", open_engine)
    with Database.open(home.database) as opened, opened.read() as tx:
        pragmas = {
            name: tx.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
    }


def test_only_the_owner_may_read_it(home: Home) -> None:
    """Only the owner may read the file, which holds the secret."""
    assert home.database.stat().st_mode & 0o777 == 0o600


def test_writers_take_turns_from_their_start(home: Home) -> None:
    """While one transaction writes, others can read but not write."""
    other = sqlite3.connect(home.database, timeout=0, isolation_level=None)
    with Database.open(home.database) as database, database.write():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        assert other.execute("select count(*) from ladder").fetchone() == (1,)
    other.close()


def test_failed_transaction_stores_nothing(home: Home) -> None:
    """A failed transaction stores nothing."""
    with Database.open(home.database) as database:
        with suppress(ZeroDivisionError), database.write() as tx:
            tx.execute(text("insert into bots (name) values ('ann')"))
            raise ZeroDivisionError
        with database.read() as tx:
            assert tx.execute(text("select count(*) from bots")).scalar() == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "damaged: the file is empty"),
        (b"This is no database. " * 300, "file is not a database"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "cannot be used"),
    ],
)
def test_what_is_no_database(tmp_path: Path, content: bytes, said: str) -> None:
    """A file that is no database fails in one line that names it."""
    path = tmp_path / "ladder.db"
    path.write_bytes(content)

    with pytest.raises(StoreError, match=said) as refused:
        Database.open(path)

    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_missing_file(tmp_path: Path) -> None:
    """A missing file is an error, and is not made."""
    with pytest.raises(StoreError, match="No such file"):
        Database.open(tmp_path / "ladder.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("drop table outputs", "damaged: table outputs is missing"),
        ("delete from alembic_version", "damaged: its revision is missing"),
    ],
)
def test_what_is_missing_in_a_database(home: Home, change: str, said: str) -> None:
    """A database without a table, or without its revision, counts as damaged."""
    with sqlite3.connect(home.database) as connection:
        connection.execute(change)
    connection.close()

    with pytest.raises(StoreError, match=said):
        Database.open(home.database)


def test_problems_of_a_whole_database(home: Home) -> None:
    """A whole database has no problems."""
    with Database.open(home.database) as database:
        assert database.problems() == []


def test_loose_reference_is_a_problem(home: Home) -> None:
    """A dangling reference is a problem."""
    with sqlite3.connect(home.database) as connection:
        connection.execute("insert into seats (match_id, seat) values ('abcd', 0)")
    connection.close()

    with Database.open(home.database) as database:
        assert database.problems() == [
            "seats, match_id abcd, seat 0: it refers to a missing row of matches"
        ]
