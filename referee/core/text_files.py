"""Read text files as people save them: with a byte order mark or without, as Windows likes.

Read TOML from them, and locate mistakes in it.
"""

import codecs
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.errors import UsageError

UTF_8_MARK = codecs.BOM_UTF8
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(content: bytes) -> str:
    """Return a file's text without its byte order mark; raise `UnicodeDecodeError`.

    It is UTF-8, or UTF-16 if it has the mark of that: PowerShell 5 writes so.
    """
    return content.decode("utf-16" if content.startswith(_UTF_16_MARKS) else "utf-8-sig")


_LARGEST_BYTES = 64 * 1024
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*([\w.\"'-]+)\s*=")


class TomlFile(NamedTuple):
    """Text and parsed table of a file."""

    text: str
    table: Mapping[str, Any]


def read_toml(file: Path) -> TomlFile:
    """Read a file of at most 64 KiB; raise `UsageError` with one line."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_BYTES + 1)
        if len(content) > _LARGEST_BYTES:
            raise UsageError(f"{file}: larger than {_LARGEST_BYTES} bytes")
        text = decoded(content)
        return TomlFile(text, tomllib.loads(text))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not UTF-8 text") from None
    except (ValueError, RecursionError) as error:  # TOML is the first, so is too long a number
        raise UsageError(f"{file}: not valid TOML: {error}") from None


def line_of(keys: Sequence[str], text: str) -> int:
    """Return the line number of an entry, or else of its table, from 1; 0 if neither is found.

    `keys` is the path to the entry. Finds entries written the usual way: tables with headers, one
    entry per line.
    """
    table: tuple[str, ...] = ()
    lines: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _split(header[1])
            for depth in range(1, len(table) + 1):  # a table begins where its first part does
                lines.setdefault(table[:depth], number)
        elif match := _KEY.match(line):
            lines.setdefault((*table, *_split(match[1])), number)
    return lines.get(tuple(keys), lines.get(tuple(keys[:-1]), 0))


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
