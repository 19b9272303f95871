"""What a `.gitignore` says of the folder that it is in: there it names what can be made again.

Understood is what Git understands, in the one file at the top of the folder: names and paths, the
wildcards `*`, `**`, `?` and `[...]`, `/` at the end for folders alone, and `!` for what is not
meant. The file may be a stranger's, so it is short, and no line has so many wildcards that it takes
long.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import UsageError

FILE_NAME = ".gitignore"
_LARGEST_BYTES = 16 * 1024
_MOST_STARS = 4


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line."""

    path: re.Pattern[str]
    folders_only: bool
    ignores: bool
    """Whether it names what is ignored, or what is not."""


class Ignored:
    """Tells what is ignored in one folder."""

    def __init__(self, root: Path) -> None:
        """Read the folder's file, if it has one; raise `UsageError` if it is not understood."""
        self._root = root
        file = root / FILE_NAME
        try:
            text = _read(file) if file.is_file() else ""
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None
        lines = enumerate(map(str.strip, text.splitlines()), start=1)
        self._rules = [_rule(line, f"{file}, line {i}") for i, line in lines if _says(line)]

    def has(self, name: str) -> bool:
        """Tell whether a path below the folder, with "/", is ignored; the last rule decides.

        What is in an ignored folder is ignored too, but the question is not for that.
        """
        is_folder = (self._root / name).is_dir() and not (self._root / name).is_symlink()
        ignored = False
        for rule in self._rules:
            if (is_folder or not rule.folders_only) and rule.path.fullmatch(name):
                ignored = rule.ignores
        return ignored

    def names(self, folder: str, names: Sequence[str]) -> set[str]:
        """Return which names in a folder are ignored, for `shutil.copytree`."""
        below = Path(folder).relative_to(self._root)
        return {name for name in names if self.has((below / name).as_posix())}


def _read(file: Path) -> str:
    with file.open("rb") as opened:
        content = opened.read(_LARGEST_BYTES + 1)
    if len(content) > _LARGEST_BYTES:
        raise UsageError(f"{file}: larger than {_LARGEST_BYTES} bytes")
    return content.decode(errors="replace")


def _says(line: str) -> bool:
    return bool(line.strip("!/")) and not line.startswith("#")


def _rule(line: str, where: str) -> _Rule:
    pattern = line.removeprefix("!")
    folders_only = pattern.endswith("/")
    anchored = "/" in pattern.rstrip("/")
    anywhere = "" if anchored else "(?:.*/)?"
    if len(_STARS.findall(pattern)) > _MOST_STARS:
        raise UsageError(f"{where}: more than {_MOST_STARS} wildcards")
    try:
        path = re.compile(anywhere + _expression(pattern.strip("/")), re.DOTALL)
    except re.error as error:
        raise UsageError(f"{where}: {error.msg}") from None
    return _Rule(path, folders_only, ignores=not line.startswith("!"))


_WILDCARDS = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
_STARS = re.compile(r"\*+")
_PART = re.compile(r"\*\*/|/\*\*$|\*|\?|\[!?[^\]/]+\]|\\.|.", re.DOTALL)


def _expression(pattern: str) -> str:
    """Return the regular expression of a pattern without a slash at either end."""
    return "".join(map(_piece, _PART.findall(pattern)))


def _piece(part: str) -> str:
    if part in _WILDCARDS:
        return _WILDCARDS[part]
    if part.startswith("[") and len(part) > 1:
        inside = part[1:-1]
        negated = inside.startswith("!")
        return (
            f"[{'^' if negated else ''}{re.escape(inside[negated:]).replace(chr(92) + '-', '-')}]"
        )
    return re.escape(part[1:] if part.startswith("\\") and len(part) > 1 else part)
