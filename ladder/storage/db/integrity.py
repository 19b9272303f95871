"""Finds a database's problems: page by page, row by row, reference by reference.

It reads everything and trusts nothing: if it cannot read on in a table, it reads the next.
"""

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Table

from ladder.storage.db.access import address, obstacle
from ladder.storage.db.columns import Checked
from ladder.storage.db.engine import system_failure
from ladder.storage.db.schema import metadata

_TREE = re.compile(r"\bTree (\d+)")
_MOST_PAGES = 100


def problems(path: Path) -> Iterator[str]:
    """Yield the problems of the database in this file and their places, a line each."""
    try:
        reading = address(path) if obstacle(path) else f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(reading, uri=True)) as connection:
            # Report invalid UTF-8 like any other invalid value.
            connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
            if failure := _failure(connection, path):
                yield f"database: it cannot be read now: {failure}"
                return
            yield from _of_pages(connection)
            for table in metadata.sorted_tables:
                yield from _of_rows(connection, table)
            yield from _of_references(connection)
            yield from _of_results(connection)
    except (sqlite3.Error, OSError) as error:
        yield f"database: {error}"


def _failure(connection: sqlite3.Connection, path: Path) -> str:
    """Return what the machine lacks to read any of it, as on a full disk; empty if nothing."""
    try:
        connection.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.Error as error:
        return system_failure(path.parent, error)
    return ""


def _of_pages(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the errors that SQLite finds in its own structures, with table names."""
    try:
        named = connection.execute("select rootpage, name from sqlite_master").fetchall()
        found = connection.execute(f"pragma integrity_check({_MOST_PAGES})").fetchall()
    except sqlite3.Error as error:
        yield f"database: its pages cannot be read: {error}"
        return
    names = {str(page): f"{name} (tree {page})" for page, name in named}
    for line in "\n".join(text for (text,) in found).splitlines():
        # `_of_rows` tells more.
        if line != "ok" and not line.startswith(("***", "NULL value in", "CHECK constraint")):
            yield f"database: {_TREE.sub(lambda tree: names.get(tree[1], tree[0]), line)}"


def _of_rows(connection: sqlite3.Connection, table: Table) -> Iterator[str]:
    """Yield the invalid values of a table."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    row = 0
    try:
        for row, *values in connection.execute(f"select rowid, {names} from {table.name}"):  # noqa: S608 -- our own names
            for column, value in zip(table.columns, values, strict=True):
                if value is None and not column.nullable:
                    yield f"{table.name}, row {row}, {column.name}: the value is missing"
                elif value is not None and (problem := _problem(column, value)):
                    yield f"{table.name}, row {row}, {column.name}: {problem}"
    except sqlite3.Error as error:
        where = f"after row {row}" if row else "at all"
        yield f"{table.name}: it cannot be read {where}: {error}"


def _of_results(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the finished matches that lack a part of their results."""
    try:
        unfinished = connection.execute(
            "select rowid, id from matches "
            "where state = 'done' and (finished_at is null or decisions is null)"
        ).fetchall()
        loose = connection.execute(
            "select seats.rowid, match_id from seats join matches on matches.id = match_id "
            "where state = 'done' and (rank is null or points is null)"
        ).fetchall()
    except sqlite3.Error:  # the unreadable table is named already
        return
    for row, match in unfinished:
        yield f"matches, row {row}: match {match} is done, but has no time or no decisions"
    for row, match in loose:
        yield f"seats, row {row}: match {match} is done, but has no rank or no points"


def _problem(column: Column[Any], value: object) -> str:
    return column.type.problem(value) if isinstance(column.type, Checked) else ""


def _of_references(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the rows that refer to missing rows."""
    try:
        loose = connection.execute("pragma foreign_key_check").fetchall()
    except sqlite3.Error:  # the unreadable table is named already
        return
    for table, row, other, _ in loose:
        yield f"{table}, row {row}: it refers to a missing row of {other}"
