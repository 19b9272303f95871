"""A ladder as a folder of files that any browser opens and any host serves.

The folder remembers what was written into it. What is the same as before is not written again; the
page of a match never changes, so it is not even made again unless the program has changed. Files
that are no longer pages are removed, but only those that an export wrote.
"""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice, repeat
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine
from ladder.server.web.match_page import match_path
from ladder.server.web.page_workers import Task, match_pages
from ladder.server.web.site import Part, Site, static_files

MEMORY = ".courtyard-site.json"
"""The file that remembers which files an export wrote, and with which program."""

_READ_AT_ONCE = 50
"""Records that are read from the store together."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did, in files."""

    files: int
    """All that the site has."""
    written: int
    """New or changed."""
    removed: int


def export(site: Site, folder: Path, workers: int, advance: Callable[[], object]) -> Exported:
    """Write a site into a folder that is empty or holds an earlier export.

    The pages of matches are made by so many processes. `advance` is called `steps(site)` times.
    Raise `LadderError` if the folder holds anything else
    or cannot be written.
    """
    try:
        return _Export(folder, workers, advance).run(site)
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror}") from error


def steps(site: Site) -> int:
    """Return of how many steps an export consists."""
    return len(site.pages()) + sum(len(part.snapshot.finished) for part in site.parts)


class _Export:
    """Writes into one folder."""

    def __init__(self, folder: Path, workers: int, advance: Callable[[], object]) -> None:
        self._folder = folder
        self._workers = workers
        self._advance = advance
        self._program = _program()
        self._had, self._same_program = self._remembered()
        self._has: set[str] = set()
        self._folders: set[Path] = set()
        self._written = 0

    def run(self, site: Site) -> Exported:
        self._folder.mkdir(parents=True, exist_ok=True)
        # From now on the folder is ours, but what is in it may be another program's.
        self._remember(self._had, program="")
        for path, content in static_files().items():
            self._write(path, content)
        self._write_matches(site)
        for path, page in site.pages().items():  # last, so that they link to what is there
            self._write(path, page())
            self._advance()
        removed = self._remove(self._had - self._has)
        self._remember(self._has, self._program)
        return Exported(len(self._has), self._written, removed)

    def _write_matches(self, site: Site) -> None:
        """Write the pages of matches, but those that this program wrote before."""
        asked: deque[str] = deque()
        for page in match_pages(self._to_make(site, asked), self._workers):
            self._write(asked.popleft(), page)
            self._advance()

    def _to_make(self, site: Site, asked: deque[str]) -> Iterator[Task]:
        """Yield what has to be made, and note for each where it goes."""
        for part in site.parts:
            lines = iter(line for line in part.snapshot.finished if not self._kept(part, line))
            while batch := list(islice(lines, _READ_AT_ONCE)):
                asked.extend(_path(part, line) for line in batch)
                yield from zip(repeat(part.frame), batch, part.records(batch), strict=False)

    def _kept(self, part: Part, line: MatchLine) -> bool:
        """Return whether a match's page is there already; if so, it stays."""
        path = _path(part, line)
        kept = self._same_program and path in self._had and (self._folder / path).is_file()
        if kept:
            self._has.add(path)
            self._advance()
        return kept

    def _write(self, path: str, content: bytes) -> None:
        """Write a file unless it is there already, whole or not at all."""
        self._has.add(path)
        target = self._folder / path
        if path in self._had and target.is_file() and target.read_bytes() == content:
            return
        if target.parent not in self._folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(target.parent)
        draft = target.with_name(f"{target.name}.new")
        draft.write_bytes(content)
        draft.replace(target)
        self._written += 1

    def _remove(self, paths: Iterable[str]) -> int:
        removed = 0
        for path in sorted(paths):
            (self._folder / path).unlink(missing_ok=True)
            removed += 1
        return removed

    def _remembered(self) -> tuple[set[str], bool]:
        """Return what an earlier export wrote, and whether this program did."""
        try:
            memory = json.loads((self._folder / MEMORY).read_text())
            return set(map(str, memory["files"])), memory["program"] == self._program
        except FileNotFoundError:
            if self._folder.is_dir() and any(self._folder.iterdir()):
                raise LadderError(
                    f"{self._folder}: the folder is not empty and holds no earlier export; "
                    "choose another one"
                ) from None
            return set(), False
        except (ValueError, KeyError, TypeError):
            raise LadderError(
                f"{self._folder / MEMORY}: the file is damaged; remove the folder and export again"
            ) from None

    def _remember(self, paths: set[str], program: str) -> None:
        memory = {"program": program, "files": sorted(paths)}
        draft = self._folder / f"{MEMORY}.new"
        draft.write_text(json.dumps(memory, indent=0) + "\n")
        draft.replace(self._folder / MEMORY)


def _path(part: Part, line: MatchLine) -> str:
    return f"{part.prefix}{match_path(line)}"


def _program() -> str:
    """Return a digest of the code and templates that make the pages."""
    digest = hashlib.sha256()
    for path, content in sorted(_sources(files("ladder.server.web"), "")):
        digest.update(f"{path} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _sources(folder: Traversable, path: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry, f"{path}{entry.name}/")
        else:
            yield f"{path}{entry.name}", entry.read_bytes()
