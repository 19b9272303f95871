"""Finds a database's problems: page by page, row by row, reference by reference.

The database itself finds what breaks the declared constraints, as they may be missing in a
stranger's file, or a page may have decayed since they held. If it cannot read on in a table, it
reads the next.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    event,
    literal_column,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import NullType

from ladder.model.errors import StoreError
from ladder.model.matches import MatchState
from ladder.storage.db.columns import DamagedValueError, shown
from ladder.storage.db.engine import reading
from ladder.storage.db.schema import matches, metadata, seats

_TREE = re.compile(r"\bTree (\d+)")
_OF_A_ROW = re.compile(r"\*\*\*|NULL value in|CHECK constraint|(non-)?[A-Z]+ value in")
"""Lines about rows, which `_of_column` describes better."""
_MOST_PAGES = 100
_UNREADABLE = (StoreError, SQLAlchemyError)
_AT_ONCE = 1000


def problems(engine: Engine) -> Iterator[str]:
    """Yield the problems of a database and their places, a line each; take over the engine."""
    if engine.name == "sqlite":
        event.listen(engine, "connect", _read_any_text)
    try:
        yield from _problems(engine)
    finally:
        engine.dispose()


def _read_any_text(connection: Any, _record: object) -> None:
    """Let SQLite's invalid UTF-8 be reported like any other invalid value."""
    connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")


def _problems(engine: Engine) -> Iterator[str]:
    names: dict[str, str] = {}
    try:
        with reading(engine) as tx:
            if engine.name == "sqlite":
                pages = tx.execute(text("select rootpage, name from sqlite_master"))
                names = {str(row.rootpage): row.name for row in pages}
    except _UNREADABLE as error:
        yield f"database: it cannot be read now: {_line(error)}"
        return
    if names:
        yield from _of_pages(engine, names)
    for table in metadata.sorted_tables:
        yield from _of_table(engine, table)
    has_result = matches.c.state.in_((MatchState.DONE, MatchState.DROPPED))
    done = seats.c.match_id.in_(select(matches.c.id).where(has_result))
    for place in _places(engine, seats, done & seats.c.rank.is_(None)):
        yield f"{place}: the match is done, but has no rank"


def _of_table(engine: Engine, table: Table) -> Iterator[str]:
    """Yield the problems of a table's values and references, and why it cannot be read."""
    unreadable = ""
    for column in table.columns:
        try:
            with reading(engine) as tx:
                yield from _of_column(tx, table, column)
        except _UNREADABLE as error:
            if (line := f"{table.name}: it cannot be read: {_line(error)}") != unreadable:
                yield line
            unreadable = line
    for rule in table.constraints:
        if isinstance(rule, CheckConstraint) and "problem" in rule.info:
            for place in _places(engine, table, literal_column(f"not ({rule.sqltext})", Boolean)):
                yield f"{place}: {rule.info['problem']}"
    for key in table.foreign_keys:
        loose = key.parent.is_not(None) & key.parent.not_in(select(key.column))
        for place in _places(engine, table, loose):
            yield f"{place}: it refers to a missing row of {key.column.table.name}"


def _line(error: Exception) -> str:
    """Return an error in a line."""
    return str(getattr(error, "orig", error)).splitlines()[0]


def _of_pages(engine: Engine, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the errors that SQLite finds in its own structures, with table names."""
    try:
        with reading(engine) as tx:
            found = tx.execute(text(f"pragma integrity_check({_MOST_PAGES})")).scalars().all()
    except _UNREADABLE as error:
        yield f"database: its pages cannot be read: {_line(error)}"
        return
    for line in "\n".join(found).splitlines():
        if line != "ok" and not _OF_A_ROW.match(line):
            named = _TREE.sub(lambda tree: f"{names.get(tree[1], tree[1])} (tree {tree[1]})", line)
            yield f"database: {named}"


def _of_column(tx: Connection, table: Table, column: Column[Any]) -> Iterator[str]:
    """Yield the values that break what is declared, or that the program cannot read."""
    kind: Any = column.type
    name = f'{table.name}."{column.name}"'
    wrong = [] if column.nullable else [f"{name} is null"]
    if tx.dialect.name == "sqlite":
        wrong.append(f"typeof({name}) not in ('{kind.stored}', 'null')")
    if kind.rule:
        wrong.append(f"not ({kind.rule.format(name)})")
    broken = literal_column(f"({' or '.join(wrong) or 'false'})", Boolean)
    read = getattr(kind, "read", None)
    query = _keys(table).add_columns(type_coerce(column, NullType), broken)
    if read is None:
        query = query.where(broken)
    for *key, value, broke in tx.execute(query, execution_options={"yield_per": _AT_ONCE}):
        problem = f"{shown(value)} is not {kind.expected}" if broke else ""
        try:
            if not broke and value is not None and read is not None:
                read(value)
        except DamagedValueError as error:
            problem = str(error)
        if problem:
            missing = "the value is missing"
            yield (f"{_place(table, key)}, {column.name}: {missing if value is None else problem}")


def _places(engine: Engine, table: Table, condition: ColumnElement[bool]) -> Iterator[str]:
    """Yield how the rows of a condition are called; none of an unreadable table, named already."""
    with suppress(*_UNREADABLE), reading(engine) as tx:
        yield from (_place(table, key) for key in tx.execute(_keys(table).where(condition)))


def _keys(table: Table) -> Select[Any]:
    """Return the query for the primary keys of a table."""
    return select().add_columns(*(type_coerce(c, NullType) for c in table.primary_key))


def _place(table: Table, key: Sequence[Any]) -> str:
    """Return how a row is called: by its primary key."""
    named = zip(table.primary_key, key, strict=True)
    values = (f"{c.name} {v if str(v).isalnum() else shown(v)}" for c, v in named)
    return f"{table.name}, {', '.join(values)}"
