"""Copies all rows of a ladder's database into another, whatever their engines."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Table, delete, func, insert, select

from ladder.storage.database import Database, Transaction
from ladder.storage.schema import metadata, tokens

_AT_ONCE = 1000
"""Rows read and written at once."""


def write_file(source: Database, path: Path) -> None:
    """Write one state of a database to a new file of SQLite, readable by its owner only.

    No user of the database has to wait. The file replaces another.
    """
    from ladder.storage.migrate import create  # noqa: PLC0415 - slow to import

    path.unlink(missing_ok=True)
    create(path)
    with Database.open(path) as file, source.read() as state, file.write() as tx:
        fill(tx, state)


def fill(tx: Transaction, state: Transaction) -> None:
    """Put all rows that a transaction sees into the tables of another, which are empty."""
    for table in metadata.sorted_tables:
        for rows in _rows(state, table):
            tx.execute(insert(table), [dict(row._mapping) for row in rows])  # noqa: SLF001 -- public
    if tx.dialect.name == "postgresql":  # the next token gets a number that none of these had
        sequence = func.pg_get_serial_sequence(tokens.name, tokens.c.id.name)
        tx.execute(select(func.setval(sequence, func.max(tokens.c.id))))


def empty(tx: Transaction) -> None:
    """Delete all rows of all tables."""
    for table in reversed(metadata.sorted_tables):
        tx.execute(delete(table))


def _rows(tx: Transaction, table: Table) -> Iterator[Sequence[Row[Any]]]:
    """Yield the rows of a table, in the order of its key, many at a time."""
    query = select(table).order_by(*table.primary_key)
    yield from tx.execute(query, execution_options={"yield_per": _AT_ONCE}).partitions()
