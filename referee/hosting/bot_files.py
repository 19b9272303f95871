"""Which files of a folder belong to its bot: one rule for every bot.

All do, except those that the folder's `.gitignore` names, and what is never part of a bot: caches
of tools, virtual environments and ladders. `include` in the bot.toml keeps paths that `.gitignore`
names. The bot.toml itself always belongs, as a digest of the files covers the bot's name, commands
and build steps. A remote bot is its bot.toml alone; its program stays with its author.

The syntax of `.gitignore` is Git's, in the one file at the top of the folder: names and paths, the
wildcards `*`, `**`, `?` and `[...]`, a final `/` for folders only, and `!` for exceptions. As in
Git, names are bytes. The file may be hostile, so its size is limited, and no line takes long to
match (see `referee.hosting.wildcards`).
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from referee.core.errors import UsageError
from referee.core.text_files import decoded
from referee.hosting.manifest import FILE_NAME, Manifest
from referee.hosting.wildcards import of_name, of_path

IGNORE_FILE = ".gitignore"
_LARGEST_BYTES = 16 * 1024
_SLASH = b"/"
CACHES = frozenset(
    {
        "__pycache__",
        ".DS_Store",
        ".git",
        ".hg",
        ".hypothesis",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
    }
)
_MARKS = {
    "pyvenv.cfg": "a virtual environment",
    "ladder.db": "a ladder",
    "database.url": "a ladder",
}
"""The kind of a folder with a file of this name."""
_IGNORED = f"named by {IGNORE_FILE}"
_CACHE = "a cache"
_SHOWN = 5


class LeftOut:
    """A filter of the paths below a bot's folder, with "/": true for what does not belong.

    Of a folder that is left out, do not ask for its contents.
    """

    def __init__(self, manifest: Manifest) -> None:
        """Read the rules of a bot's folder.

        Raise `UsageError` if the folder is a virtual environment or ladder, if its `.gitignore`
        cannot be read, or if what `include` or the command names is left out.
        """
        self._root = manifest.directory
        self._is_remote = manifest.is_remote
        self._include = [PurePosixPath(path) for path in manifest.include]
        self._ignored = Ignored(self._root)
        self._found: dict[str, str] = {}
        """The reason for each path left out so far."""
        if not self._is_remote:
            self._check(manifest)

    def __call__(self, name: str) -> bool:
        """Return whether to leave out a path."""
        reason = self._reason(name)
        if reason and reason != _CACHE:
            self._found[name] = reason
        return bool(reason)

    def summary(self) -> str:
        """Return the paths left out so far, with reasons, apart from caches; empty if none."""
        found = [] if self._is_remote else [f"{name} ({why})" for name, why in self._found.items()]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        return ", ".join(found[:_SHOWN]) + more

    def _reason(self, name: str) -> str:
        """Return why a path is left out; empty if it belongs to the bot."""
        if self._is_remote:
            return "" if name == FILE_NAME else "it stays with its author"
        path = PurePosixPath(name)
        if path.name in CACHES:
            return _CACHE
        if kind := _kind(self._root / path):
            return kind
        if name == FILE_NAME or self._is_included(path):
            return ""
        named = [path, *path.parents] if self._include else [path]  # an include may lie beside it
        is_ignored = any(self._ignored.has(each.as_posix()) for each in named)
        return _IGNORED if is_ignored else ""

    def _is_included(self, path: PurePosixPath) -> bool:
        """Return whether `include` names a path, a folder around it, or something in it."""
        return any(
            path == each or path in each.parents or each in path.parents for each in self._include
        )

    def _check(self, manifest: Manifest) -> None:
        if kind := _kind(self._root):
            raise UsageError(f"{self._root}: this is {kind}; give the bot a folder of its own")
        file = self._root / FILE_NAME
        for path in self._include:
            if not self._is_there(path):
                raise UsageError(f'{file}: "include" names {path}, which is not there')
            self._check_belongs(path, f'{file}: "include" names {path}')
        if not manifest.build:  # a build may make what the command needs
            for path in filter(self._is_there, map(PurePosixPath, manifest.command)):
                self._check_belongs(path, f"{file}: the command names {path}")

    def _is_there(self, path: PurePosixPath) -> bool:
        within = not path.is_absolute() and ".." not in path.parts
        try:
            return within and (self._root / path).exists()
        except (OSError, ValueError):  # no path at all
            return False

    def _check_belongs(self, path: PurePosixPath, what: str) -> None:
        for part in reversed([path, *path.parents][:-1]):
            if reason := self._reason(part.as_posix()):
                advice = '; name it in "include", too' if reason == _IGNORED else ""
                problem = f"{what}, which does not belong to the bot ({part}: {reason}){advice}"
                raise UsageError(problem)


def _kind(folder: Path) -> str:
    """Return what a folder is that is never part of a bot; empty if it may be."""
    return next((kind for mark, kind in _MARKS.items() if (folder / mark).is_file()), "")


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
        file = root / IGNORE_FILE
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
        rule = _without_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
        if rule and not rule.startswith(b"#"):
            yield rule


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
