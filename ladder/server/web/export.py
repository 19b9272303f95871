"""Exports a ladder as a folder of files that any browser opens and any host serves.

The folder records the files of the last export. An export writes only changed files; the page of a
ladder's match depends on the match and on which are beside it, so it is rendered again only after
these or the program have changed. It removes
obsolete files, but only those that an export wrote. The record may be a stranger's, like all else
in the folder: nothing is written or removed where a path or a link leads out of it.
"""

import gc
import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain, islice
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine
from ladder.results.cited import NAME, record_path
from ladder.results.luck import remember
from ladder.server.web.match_page import Around, Frame, match_page, match_path, shown_luck
from ladder.server.web.site import LadderPages, Site
from ladder.server.web.static_files import static_files
from ladder.storage.tables.records import unpack
from referee.core.spawning import spawning
from referee.match.luck import MatchLuck
from referee.match.record import record_to_json

MEMORY = ".courtyard-site.json"
"""The file that lists the files of the last export, and the program that wrote them."""

_READ_AT_ONCE = 50
"""Records read from the store in one batch."""
_TOGETHER = 25
"""Matches handed to a process at once. Only what keeps the cores busy is read ahead, so that the
records of a large ladder never fill the memory."""
_FEW = 300
"""Up to this number the pages are rendered here, as starting processes would take longer."""
_Task = tuple[Frame, MatchLine, bytes, Around]
"""The arguments of `match_page` for one match."""
_Made = tuple[bytes, MatchLuck | None]
"""A page, and what luck gave the seats of its match."""
_Beside = tuple[MatchLine | None, MatchLine, MatchLine | None]
"""A match, and those before and after it."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export, in numbers of files."""

    files: int
    """All files of the site."""
    written: int
    """New or changed files."""
    removed: int
    digests: Mapping[str, str]
    """The SHA-256 of each `ladder.json`, by its path."""


def export(
    site: Site,
    folder: Path,
    workers: int,
    advance: Callable[[], object],
    *,
    records: bool = False,
) -> Exported:
    """Write a site into a folder that is empty or holds an earlier export.

    Render the pages of matches in `workers` processes, and call `advance` as often as `steps` says.
    With `records`, add those and a `ladder.json` of each ladder. Raise `LadderError` if the folder
    holds anything else or cannot be written.
    """
    try:
        return _Export(folder, workers, advance).run(site, records=records)
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror}") from error


def steps(site: Site, *, records: bool = False) -> int:
    """Return the number of steps of an export."""
    matches = sum(len(part.snapshot.finished) for part in site.every)
    return len(site.pages()) + (1 + records) * matches


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

    def run(self, site: Site, *, records: bool) -> Exported:
        self._folder.mkdir(parents=True, exist_ok=True)
        # Claim the folder, but do not trust pages that another version of the program wrote.
        self._remember(self._had, program="")
        for path, content in static_files().items():
            self._write(path, content)
        if self._same_program and self._lost(site):  # pages that are kept may link to it
            self._same_program = False
        self._write_matches(site)
        for path, page in site.pages().items():  # last, so that their links work
            self._write(path, page())
            self._advance()
        digests = dict(map(self._write_cited, site.every)) if records else {}
        removed = self._remove(self._had - self._has)
        self._remember(self._has, self._program)
        return Exported(len(self._has), self._written, removed, digests)

    def _lost(self, site: Site) -> bool:
        """Return whether a match has no page any more."""
        pages = (path for path in self._had if path.endswith(".html"))
        lost = {path for path in pages if path.split("/")[-2:-1] == ["matches"]}
        for part in site.every:
            lost.difference_update(_path(part, line) for line in part.snapshot.finished)
        return bool(lost)

    def _write_cited(self, part: LadderPages) -> tuple[str, str]:
        """Write a ladder's records and `ladder.json`; return its path and SHA-256."""
        lines, digests = iter(part.snapshot.finished), dict[str, str]()
        while batch := list(islice(lines, _READ_AT_ONCE)):
            for line, packed in zip(batch, part.records(batch), strict=True):
                record = record_to_json(unpack(packed)).encode()
                self._write(f"{part.prefix}{record_path(line.match_id)}", record)
                digests[line.match_id] = hashlib.sha256(record).hexdigest()
                self._advance()
        path, content = f"{part.prefix}{NAME}", part.cited(digests)
        self._write(path, content)
        return path, hashlib.sha256(content).hexdigest()

    def _write_matches(self, site: Site) -> None:
        """Write the pages of matches that this program has not written before."""
        asked: deque[str] = deque()
        for page in _match_pages(self._to_make(site, asked), self._workers):
            self._write(asked.popleft(), page)
            self._advance()

    def _to_make(self, site: Site, asked: deque[str]) -> Iterator[_Task]:
        """Yield the pages to render, and append their paths to `asked`."""
        for part in site.every:
            lines = iter(beside for beside in _beside(part) if not self._kept(part, beside))
            while batch := list(islice(lines, _READ_AT_ONCE)):
                asked.extend(_path(part, line) for _, line, _ in batch)
                records = part.records([line for _, line, _ in batch])
                for (before, line, after), record in zip(batch, records, strict=True):
                    yield part.frame, line, record, part.around(line, before, after)

    def _kept(self, part: LadderPages, beside: _Beside) -> bool:
        """Return whether a match's page exists already, with the same beside it; if so, keep it.

        The table or pair on a page of a contest comes with later matches.
        """
        path = _path(part, beside[1])
        known = all(each is None or _path(part, each) in self._had for each in beside)
        kept = (
            self._same_program
            and known
            and part.snapshot.contest is None
            and self._is_there(self._folder / path)
        )
        if kept:
            self._has.add(path)
            self._advance()
        return kept

    def _write(self, path: str, content: bytes) -> None:
        """Write a changed file atomically."""
        self._has.add(path)
        target = self._folder / path
        if path in self._had and target.is_file() and target.read_bytes() == content:
            return
        if target.parent not in self._folders:
            if not self._is_within(target.parent):
                link = self._first_link(target.parent)
                raise LadderError(f"{link}: this link leaves the folder of the site")
            target.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(target.parent)
        _replace(target, content)
        self._written += 1

    def _remove(self, paths: Iterable[str]) -> int:
        removed = 0
        for path in sorted(paths):
            if self._is_within((self._folder / path).parent):
                (self._folder / path).unlink(missing_ok=True)
                removed += 1
        return removed

    def _is_there(self, file: Path) -> bool:
        return file.is_file() and not file.is_symlink() and self._is_within(file.parent)

    def _first_link(self, folder: Path) -> Path:
        """Return the first link on the way from the site's folder to one below it."""
        names = folder.relative_to(self._folder).parts
        way = (self._folder.joinpath(*names[:n]) for n in range(1, len(names) + 1))
        return next(path for path in way if path.is_symlink())

    def _is_within(self, folder: Path) -> bool:
        return folder.resolve().is_relative_to(self._folder.resolve())

    def _remembered(self) -> tuple[set[str], bool]:
        """Return the files of an earlier export, and whether the same program wrote them."""
        try:
            memory = json.loads(_read(self._folder / MEMORY))
            paths = set(map(str, memory["files"]))
            return {path for path in paths if _is_ours(path)}, memory["program"] == self._program
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
        _replace(self._folder / MEMORY, f"{json.dumps(memory, indent=0)}\n".encode())


def _replace(target: Path, content: bytes) -> None:
    """Put a file in place whole; follow no link that is there instead."""
    draft = target.with_name(f"{target.name}.new")
    draft.unlink(missing_ok=True)
    with draft.open("xb") as file:
        file.write(content)
    draft.replace(target)


def _read(file: Path) -> bytes:
    """Return what a file holds; nothing of a pipe, which may never end."""
    return file.read_bytes() if file.stat().st_size else b""


def _is_ours(path: str) -> bool:
    """Return whether an export may have written a file of this path."""
    return "\0" not in path and not {"..", "", "."} & {*path.split("/")}


def _beside(part: LadderPages) -> Iterator[_Beside]:
    """Yield each match with those before and after it."""
    before: MatchLine | None = None
    line: MatchLine | None = None
    for after in chain(part.snapshot.finished, [None]):
        if line is not None:
            yield before, line, after
        before, line = line, after


def _path(part: LadderPages, line: MatchLine) -> str:
    return f"{part.prefix}{match_path(line)}"


def _program() -> str:
    """Return a digest of the code and templates of the pages."""
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


def _match_pages(tasks: Iterable[_Task], workers: int) -> Iterator[bytes]:
    """Yield the pages of matches in order; raise a page's error at its turn."""
    waiting = iter(tasks)
    first = list(islice(waiting, _FEW))
    if len(first) < _FEW or workers == 1:
        yield from (match_page(*task) for task in chain(first, waiting))
        return
    yield from _on_cores(_batches(first, waiting), workers)


def _on_cores(batches: Iterator[Sequence[_Task]], workers: int) -> Iterator[bytes]:
    # Rendering makes no reference cycles, so the garbage collector would only cost time.
    with ProcessPoolExecutor(workers, spawning(), initializer=gc.disable) as pool:
        due: deque[tuple[Sequence[_Task], Future[list[_Made]]]] = deque()
        try:
            for batch in batches:
                due.append((batch, pool.submit(_pages, batch)))
                if len(due) > 2 * workers:
                    yield from _received(*due.popleft())
            while due:
                yield from _received(*due.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _received(batch: Sequence[_Task], made: Future[list[_Made]]) -> Iterator[bytes]:
    """Yield pages; keep the effects of luck, which bots' pages and the report show, too."""
    for (_, _, record, _), (page, luck) in zip(batch, made.result(), strict=True):
        if luck:
            remember(record, luck)
        yield page


def _batches(first: Sequence[_Task], rest: Iterator[_Task]) -> Iterator[Sequence[_Task]]:
    for start in range(0, len(first), _TOGETHER):
        yield first[start : start + _TOGETHER]
    while batch := list(islice(rest, _TOGETHER)):
        yield batch


def _pages(tasks: Sequence[_Task]) -> list[_Made]:
    return [(match_page(*task), shown_luck(task[2])) for task in tasks]
