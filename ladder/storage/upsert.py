"""Inserts a row, or updates the one that is there."""

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite

from ladder.storage.database import Transaction


def insert_or_update(tx: Transaction, table: Table) -> Any:
    """Return an insert into a table that has `on_conflict_do_update`, for a database's engine."""
    return {"sqlite": sqlite, "postgresql": postgresql}[tx.dialect.name].insert(table)
