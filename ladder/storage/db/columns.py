"""What the columns of the database may hold.

SQLite takes any value in any column, from any writer. Each type here says what it may be,
and is asked whenever a value is read: what does not fit is told as damage and goes no further.
`ladder.storage.db.integrity` asks the same types of every row. No value at all is let through here,
as sums over nothing give none.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Boolean, Integer, LargeBinary, String
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles

_LONGEST_SHOWN = 40


class DamagedValueError(ValueError):
    """A column holds what it may not."""


def shown(value: object) -> str:
    """Return a value as it is shown in a message: in short."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


class Checked:
    """What the types share; `fits` and `expected` are theirs."""

    expected: str
    """What the column holds, as in "this is not ..."."""

    def fits(self, value: Any) -> bool:
        """Tell whether a value that is there may be there."""
        raise NotImplementedError

    def read(self, value: Any) -> Any:
        """Return what the program makes of a value that fits."""
        return value

    def problem(self, value: Any) -> str:
        """Return what is wrong with a value that is there; empty if nothing is."""
        return "" if self.fits(value) else f"{shown(value)} is not {self.expected}"

    def adapt(self, cls: type[Any], **kw: Any) -> Any:  # noqa: ARG002
        """Stay this type: a driver's own, which SQLAlchemy would take instead, checks nothing."""
        return super().adapt(type(self), **kw)  # type: ignore[misc]

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: ARG002
        """Return what SQLAlchemy hands every value of a column to."""
        return self.checked

    def checked(self, value: Any) -> Any:
        """Return what the program makes of a stored value; raise `DamagedValueError`."""
        if value is None:
            return None
        if self.fits(value):
            return self.read(value)
        raise DamagedValueError(f"{shown(value)} is not {self.expected}")


class Number(Checked, Integer):
    """A whole number from `low` on, to `high` if that is given."""

    expected = "a valid number"

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        """Take these limits."""
        super().__init__()
        self.low, self.high = low, high
        self._low = -(1 << 63) if low is None else low
        self._high = 1 << 63 if high is None else high

    def fits(self, value: Any) -> bool:
        """Tell whether it is a whole number within the limits."""
        return type(value) is int and self._low <= value <= self._high


class TrueOrFalse(Checked, Boolean):
    """Yes or no, as 1 or 0."""

    expected = "0 or 1"

    def fits(self, value: Any) -> bool:
        """Tell whether it is one of them."""
        return type(value) in (int, bool) and value in (0, 1)

    def read(self, value: Any) -> Any:
        """Return it as a truth value."""
        return bool(value)


class AnyText(Checked, String):
    """A text of one line or many."""

    expected = "text"

    def fits(self, value: Any) -> bool:
        """Tell whether it is a text in UTF-8."""
        return isinstance(value, str) and (value.isascii() or _is_unicode(value))

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:  # noqa: ARG002
        """Return what makes a value fit to be stored: PostgreSQL takes no NUL in a text."""
        return lambda value: value.replace("\0", "\ufffd") if isinstance(value, str) else value


class Named(AnyText):
    """One of some texts; it is read as a member of their enumeration, if they are one."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take these."""
        super().__init__()
        self.names = names if isinstance(names, type) else tuple(names)
        self._texts = tuple(map(str, self.names))
        self.expected = f"one of {', '.join(self._texts)}"

    def fits(self, value: Any) -> bool:
        """Tell whether it is one of them."""
        return value in self._texts

    def read(self, value: Any) -> Any:
        """Return the member, or the text."""
        return self.names(value) if isinstance(self.names, type) else value


class Matching(AnyText):
    """A text of one form."""

    def __init__(self, form: re.Pattern[str], expected: str) -> None:
        """Take this form, which makes it what is `expected`."""
        super().__init__()
        self.form = form
        self.expected = expected

    def fits(self, value: Any) -> bool:
        """Tell whether it has the form."""
        return isinstance(value, str) and self.form.fullmatch(value) is not None


class ShortText(AnyText):
    """A text of one line that can be shown, up to a number of characters."""

    expected = "a line of text"

    def __init__(self, most: int) -> None:
        """Take up to `most` characters."""
        super().__init__()
        self.most = most

    def fits(self, value: Any) -> bool:
        """Tell whether it is that."""
        return isinstance(value, str) and value.isprintable() and len(value) <= self.most


class Hex(AnyText):
    """Hexadecimal digits in lower case, of a given number if any."""

    expected = "a name of hexadecimal digits"

    def __init__(self, digits: int | None = None) -> None:
        """Take this number of digits; None takes any."""
        super().__init__()
        self.digits = digits

    def fits(self, value: Any) -> bool:
        """Tell whether it is that."""
        if not isinstance(value, str) or len(value) != (self.digits or len(value) or 1):
            return False
        return not value.strip("0123456789abcdef")


class Timestamp(AnyText):
    """A time in UTC, in ISO 8601."""

    expected = "a time in ISO 8601"

    def fits(self, value: Any) -> bool:
        """Tell whether it is that."""
        try:
            return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False


class Json(AnyText):
    """JSON of a shape; it is read as the text that it is."""

    def __init__(self, shape: str) -> None:
        """Take an "object", "texts", which is a list of some, or "lists" of texts."""
        super().__init__()
        self.shape = shape
        self.expected = f"JSON of the right shape ({shape})"

    def fits(self, value: Any) -> bool:
        """Tell whether it is of that shape."""
        return isinstance(value, str) and _is_json(self.shape, value)


class Bytes(Checked, LargeBinary):
    """Bytes, `length` of them if that is given."""

    expected = "valid bytes"

    def __init__(self, lengths: tuple[int, ...] = ()) -> None:
        """Take any, or only of one of these lengths."""
        super().__init__()
        self.lengths = lengths

    def fits(self, value: Any) -> bool:
        """Tell whether they are bytes, and as many as they must be."""
        return isinstance(value, bytes) and (not self.lengths or len(value) in self.lengths)


class Packed(Bytes):
    """Bytes that zlib has packed; that they can be unpacked is asked by `problem` alone."""

    def problem(self, value: Any) -> str:
        """Return what is wrong with it, also within."""
        try:
            if not (problem := super().problem(value)):
                zlib.decompress(value)
        except zlib.error as error:
            return f"the packed value is damaged: {error}"
        return problem


@compiles(Number, "postgresql")
def _number(_type: Number, _compiler: object, **_: object) -> str:
    """Return what PostgreSQL calls a number as wide as SQLite's."""
    return "BIGINT"


@compiles(AnyText, "postgresql")
def _words(_type: AnyText, _compiler: object, **_: object) -> str:
    """Return what PostgreSQL calls a text that is ordered by its bytes, as on SQLite."""
    return 'TEXT COLLATE "C"'


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


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
