"""Reads the `.gitignore` of a bot's folder, which names what does not belong to the bot.

The syntax is Git's, in the one file at the top of the folder: names and paths, the wildcards `*`,
`**`, `?` and `[...]`, a final `/` for folders only, and `!` for exceptions. As in Git, names are
bytes.

The file may be hostile, so its size is limited, and no line takes long to match (see
`referee.hosting.wildcards`).
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.core.errors import UsageError
from referee.core.text_files import decoded
from referee.hosting.wildcards import of_name, of_path

FILE_NAME = ".gitignore"
_LARGEST_BYTES = 16 * 1024
_SLASH = b"/"


@dataclass(frozen=True, slots=True)
class _Rule:
    """The rule of one line."""

    path: re.Pattern[bytes]
    anchored: bool
    """Whether the rule matches the whole path rather than the last name in it."""
    folders_only: bool
    ignores: bool
    """Whether the rule ignores matches, rather than excepting them."""


class Ignored:
    """The ignored paths of one folder."""

    def __init__(self, root: Path) -> None:
        """Read the folder's `.gitignore`, if any; raise `UsageError` if that fails."""
        self._root = root
        file = root / FILE_NAME
        try:
            content = _read(file) if file.is_file() else b""
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None
        rules = [_rule(line) for line in _lines(content)]
        self._last_first = [rule for rule in reversed(rules) if rule is not None]

    def has(self, name: str) -> bool:
        """Return whether a path below the folder, with "/", is ignored; the last match decides.

        The contents of ignored folders are ignored too; do not ask about them.
        """
        path = os.fsencode(name)
        last = path.rpartition(_SLASH)[2]
        for rule in self._last_first:
            if rule.path.fullmatch(path if rule.anchored else last) and (
                not rule.folders_only or self._is_folder(name)
            ):
                return rule.ignores
        return False

    def _is_folder(self, name: str) -> bool:
        return (self._root / name).is_dir() and not (self._root / name).is_symlink()


def _read(file: Path) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(_LARGEST_BYTES + 1)
    if len(content) > _LARGEST_BYTES:
        raise UsageError(f"{file}: larger than {_LARGEST_BYTES} bytes")
    try:
        return decoded(content).encode()
    except UnicodeError:  # names are bytes
        return content


def _lines(content: bytes) -> Iterator[bytes]:
    """Yield the lines with rules, without unescaped trailing spaces."""
    for line in content.split(b"\n"):
        said = _without_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
        if said and not said.startswith(b"#"):
            yield said


def _without_spaces(line: bytes) -> bytes:
    """Return a line without trailing spaces, except an escaped one."""
    kept = line.rstrip(b" ")
    escapes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + 1] if escapes % 2 else kept


def _rule(line: bytes) -> _Rule | None:
    """Return the rule of a line; None if it can match nothing."""
    pattern = line.removeprefix(b"!")
    named = pattern.removesuffix(_SLASH)
    anchored = _SLASH in named
    expression = (of_path if anchored else of_name)(named.removeprefix(_SLASH))
    if expression is None:
        return None
    return _Rule(
        path=re.compile(expression, re.DOTALL),
        anchored=anchored,
        folders_only=named != pattern,
        ignores=pattern == line,
    )
