"""CSV for spreadsheets."""

import csv
from collections.abc import Iterable
from io import StringIO

_FORMULA = ("=", "+", "-", "@")
"""With which a spreadsheet takes a text for a formula."""


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; no spreadsheet runs a text of theirs as a formula."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
