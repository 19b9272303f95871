"""The names of code and commands that a Markdown page shows as code, and which exist."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from typer.main import get_group

from ladder.cli.app import app as ladder_app
from referee.cli.app import app as referee_app

PRIVATE_WORDS = re.compile(
    r"\b(?:h[a]ll|gate|g[a]te(?:house|keeper)|des[k]|compan[i]on|attend[a]nce"
    r"|door|crowd|trial|thought)s?\b",
    re.IGNORECASE,
)
"""Old words for ideas that have a name in the field; docs/glossary.md has that.

Some are spelled so that a search of the code for them does not find them here.
"""

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_SOURCES = {
    "ladder": "ladder",
    "referee": "referee",
    "tests": "tests",
    "courtyard_kit": "sample_bots/python/courtyard_kit",
}
"""Each package's folder, by its name."""
_APPS = {"ladder": ladder_app, "referee": referee_app}
_DOTTED = re.compile(rf"(?:{'|'.join(_SOURCES)})(?:\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"(?:ladder|referee|tests|docs|proto|sample_bots|scripts|\.ci)/[\w./-]*")
_PROGRAM = re.compile(r"(ladder|referee) ([a-z][a-z-]*)")
_MAKE = re.compile(r"make ([a-z][a-z-]*)")
_MODULE = re.compile(r"python -m ([\w.]+)")
_SELECTED = re.compile(r"-k (\w+)")


def code_of(page: str) -> list[str]:
    """Return a page's pieces of code within its text, in order."""
    return _CODE.findall(_FENCED.sub("", page))


def missing(root: Path, code: str) -> list[str]:
    """Return the names of ours in a piece of code that do not exist.

    These are modules, their definitions, paths, commands, make targets, and tests chosen by `-k`.
    """
    return [name for name, exists in _named(root, code) if not exists]


def _named(root: Path, code: str) -> Iterator[tuple[str, bool]]:
    if _DOTTED.fullmatch(code):
        yield code, defined(root, code)
        return
    for path in _PATH.findall(code):
        yield path, (root / path).exists()
    for module in _MODULE.findall(code):
        yield module, not _of_ours(module) or _source(root, module.split(".")) is not None
    for target in _MAKE.findall(code):
        yield target, f"\n{target}:" in (root / "Makefile").read_text()
    for words in _SELECTED.findall(code):
        yield words, any(words in name for name in _tests(root))
    if found := _PROGRAM.match(code):
        yield found[0], found[2] in _commands(found[1])


def _of_ours(module: str) -> bool:
    return module.partition(".")[0] in _SOURCES


@cache
def _tests(root: Path) -> Sequence[str]:
    files = (root / "tests").rglob("test_*.py")
    return [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text())]


@cache
def _commands(program: str) -> frozenset[str]:
    return frozenset(get_group(_APPS[program]).commands)


def defined(root: Path, name: str) -> bool:
    """Tell whether a dotted name is a module of ours, or defined in one or in a class."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if (source := _source(root, parts[:length])) is not None:
            return _defines(source, parts[length:])
    return False


def _source(root: Path, module: Sequence[str]) -> Path | None:
    """Return a module's file; None if there is no such module."""
    path = root.joinpath(_SOURCES.get(module[0], module[0]), *module[1:])
    files = (path.with_suffix(".py"), path / "__init__.py", path / "__main__.py")
    found = (file for file in files if file.is_file())
    return next(found, path if path.is_dir() else None)


def _defines(source: Path, names: Sequence[str]) -> bool:
    """Tell whether a module, or a class in it, defines a name."""
    if not names:
        return True
    if source.is_dir():
        return False
    body: Sequence[ast.stmt] = _parsed(source).body
    for name in names:
        found = next((node for node in body if name in _names(node)), None)
        if found is None:
            return False
        body = found.body if isinstance(found, ast.ClassDef) else ()
    return True


@cache
def _parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text())


def _names(node: ast.stmt) -> Iterator[str]:
    """Yield the names defined by a statement."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", ())
    yield from (target.id for target in targets if isinstance(target, ast.Name))
