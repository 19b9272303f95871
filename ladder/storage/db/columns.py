"""The types of the database's columns, each with the values that a column may hold.

The database refuses values of another kind, and what breaks a `rule`, which becomes the column's
CHECK. A text that SQL cannot judge is read with `read`, because a stranger's file may
hold other tables than ours, and texts become paths and lines on a terminal.
`ladder.storage.db.integrity` asks both of every row.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Dialect,
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
)
from sqlalchemy.ext.compiler import compiles

_LONGEST_SHOWN = 40


class DamagedValueError(ValueError):
    """A column holds a value that it may not hold."""


def shown(value: object) -> str:
    """Return a value as it is shown in a message: in short."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


class Number(BigInteger):
    """A whole number from `low` on, to `high` if that is given."""

    stored = "integer"
    """SQLite's name of its kind."""
    expected = "a valid number"
    """The values of the column, as in "this is not ..."."""

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        """Take these limits."""
        super().__init__()
        self.low, self.high = low, high
        limits = [f"{{0}} {sign} {n}" for sign, n in ((">=", low), ("<=", high)) if n is not None]
        self.rule = " and ".join(limits)
        """The condition in SQL, with `{0}` for the column; empty: none."""


class TrueOrFalse(Boolean):
    """Yes or no, as 1 or 0."""

    stored = "integer"
    expected = "0 or 1"
    rule = "{0} in (false, true)"


class Bytes(LargeBinary):
    """Bytes, `lengths` of them if that is given."""

    stored = "blob"
    expected = "valid bytes"

    def __init__(self, lengths: tuple[int, ...] = ()) -> None:
        """Take any, or only of one of these lengths."""
        super().__init__()
        self.lengths = lengths
        self.rule = f"length({{0}}) in ({', '.join(map(str, lengths))})" if lengths else ""


class Packed(Bytes):
    """Bytes that zlib has packed; unpacking them shows damage."""

    def read(self, value: bytes) -> bytes:
        """Return them; raise `DamagedValueError` if they cannot be unpacked."""
        try:
            zlib.decompress(value)
        except zlib.error as error:
            raise DamagedValueError(f"the packed value is damaged: {error}") from error
        return value


class AnyText(TypeDecorator[str]):
    """A text of one line or many, ordered by its bytes."""

    impl = Text().with_variant(Text(collation="C"), "postgresql")
    cache_ok = True
    stored = "text"
    expected = "text"
    rule = ""

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Make a text fit to be stored: PostgreSQL takes no NUL."""
        return value and value.replace("\0", "\ufffd")

    def read(self, value: str) -> Any:
        """Return a text; raise `DamagedValueError` if it was not UTF-8."""
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise DamagedValueError(f"{shown(value)} is not {self.expected}") from error
        return value


class Form(AnyText):
    """A text of a form, which is checked when it is read, too."""

    cache_ok = True

    def __init__(
        self,
        expected: str,
        form: Callable[[str], object],
        rule: str = "",
        members: Mapping[str, Any] | None = None,
    ) -> None:
        """Take what `form` finds true, and what SQL can ask of it; read the names of `members`."""
        super().__init__()
        self.expected, self.form, self.rule = expected, form, rule
        self._members = members or {}

    def read(self, value: str) -> Any:
        """Return what the program makes of a text; raise `DamagedValueError`."""
        if isinstance(value, str) and self.form(value):
            return self._members.get(value, value)
        raise DamagedValueError(f"{shown(value)} is not {self.expected}")

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """Return what the program makes of a stored text; raise `DamagedValueError`."""
        return None if value is None else self.read(value)


def named(names: Iterable[str]) -> Form:
    """Take one of some texts; it is read as a member of their enumeration, if they are one.

    No CHECK holds it, so that another member asks for no other tables.
    """
    texts = [str(name) for name in names]
    members = {str(name): name for name in names} if isinstance(names, type) else None
    return Form(f"one of {', '.join(texts)}", frozenset(texts).__contains__, members=members)


def short_text(most: int) -> Form:
    """Take one line that can be shown, up to a number of characters."""
    return Form(
        "a line of text",
        lambda value: value.isprintable() and len(value) <= most,
        f"length({{0}}) <= {most}",
    )


def hexadecimal(digits: int | None = None) -> Form:
    """Take hexadecimal digits in lower case, of a given number if any."""
    size = f"= {digits}" if digits else "> 0"
    return Form(
        "a name of hexadecimal digits",
        re.compile(rf"[0-9a-f]{{{digits or '1,'}}}").fullmatch,
        f"ltrim({{0}}, '0123456789abcdef') = '' and length({{0}}) {size}",
    )


def timestamp() -> Form:
    """Take a time in UTC, in ISO 8601."""
    return Form("a time in ISO 8601", _is_time, "substr({0}, 11, 1) = 'T'")


def json_of(shape: str) -> Form:
    """Take an "object", "texts", which is a list of some, or "lists" of texts; read it as text."""
    return Form(f"JSON of the right shape ({shape})", partial(_is_json, shape))


def constrain(metadata: MetaData) -> None:
    """Let the database hold what the columns of all tables may be."""
    for table in metadata.tables.values():
        table.dialect_options["sqlite"]["strict"] = True
        for column in table.columns:
            if not column.foreign_keys and (rule := column.type.rule):  # type: ignore[attr-defined]
                table.append_constraint(CheckConstraint(rule.format(column.name), name=column.name))


@compiles(Number, "sqlite")
@compiles(TrueOrFalse, "sqlite")
def _integer(_type: object, _compiler: object, **_: object) -> str:
    """Return the one kind of whole number that SQLite's strict tables have."""
    return "INTEGER"


@lru_cache(maxsize=4096)  # the same few texts are read round after round
def _is_json(shape: str, text: str) -> bool:
    """Tell whether a text is JSON of a shape, as `Json` names it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if shape == "object":
        return isinstance(found, dict)
    if shape == "texts":
        return _is_texts(found)
    return isinstance(found, list) and all(_is_texts(each) and each for each in found)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
