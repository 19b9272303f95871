"""The entry list of a tournament: a CSV file as spreadsheets and Swiss-Manager write it.

The first line names the columns; the bot's is needed, those of seed, author and team are not. All
faults of a file are collected, so that one look at it mends them all, and a faulty file enters
no bot. Rows are numbered as in a spreadsheet: the line of the headings is row 1.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from ladder.model.errors import SettingsError
from ladder.model.settings import LONGEST_AUTHOR
from ladder.submission.entrants import Entrants, bot_of, find, is_bot
from referee.core.errors import CourtyardError
from referee.core.plain import plain
from referee.hosting.sample_bots import sample_bot

_MOST_BYTES = 1 << 20
_DELIMITERS = ";,\t"
_SEPARATOR_LINE = re.compile(r"sep=.\r?\n", re.IGNORECASE)
"""With which some spreadsheets begin a file; it is no row."""
_SEED = re.compile(r"([1-9][0-9]{0,5})\.?")
_HEADINGS = {
    "bot": ("bot", "folder", "path", "program", "engine"),
    "seed": ("seed", "no", "no.", "nr", "nr.", "sno", "sno.", "snr", "#"),
    "author": ("author", "name", "player", "student"),
    "team": ("team", "club", "club/city", "class", "school"),
}
"""The headings of each column, in small letters."""


@dataclass(frozen=True, slots=True)
class EntryList:
    """The contents of a file."""

    entrants: Entrants
    """In the order of their seeds if it gives any, else of its rows."""
    seeds: bool
    """Whether it gives seeds."""
    ignored: Sequence[str]
    """The headings of the columns without a meaning here."""

    @property
    def words(self) -> list[str]:
        """The bots, as on the command line."""
        return [one.word for one in self.entrants.each]


class FaultyListError(SettingsError):
    """An entry list has faults; `faults` are all of them, a line each."""

    def __init__(self, file: Path, faults: Sequence[str]) -> None:
        """Say the only fault, or how many there are."""
        many = f"{file}: {len(faults)} faults, listed above: no bot is entered"
        super().__init__(faults[0] if len(faults) == 1 else many)
        self.faults = faults


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    """From 1, which is the line of the headings."""
    word: str
    seed: int | None
    author: str
    team: str


def read(file: Path, ladder: Path | None, game: str | None = None) -> EntryList:
    """Return the entry list in a file; raise `FaultyListError` with every fault.

    A bot is a folder, relative to the file's, the path of a sample bot, a name of the standing
    ladder in the folder `ladder`, by default the nearest one, or of a sample bot of the `game`.
    """
    reader = _Reader(file)
    rows = reader.rows()
    if not reader.faults:
        rows = [replace(row, word=reader.word(row, ladder, game)) for row in rows]
        reader.check_twice(rows)
    if reader.faults:
        raise FaultyListError(file, reader.faults)
    seeds = rows[0].seed is not None
    ordered = sorted(rows, key=lambda row: row.seed or 0)
    named = find([row.word for row in ordered], ladder, game)
    each = [
        replace(one, author=row.author or one.author, team=row.team)
        for one, row in zip(named.each, ordered, strict=True)
    ]
    return EntryList(replace(named, each=each), seeds, reader.ignored)


class _Reader:
    """One reading of a file, with the faults found so far."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.faults: list[str] = []
        self.ignored: list[str] = []
        self._headings: dict[str, str] = {}
        """The heading of each column, as the file writes it."""

    def rows(self) -> list[_Row]:
        """Return the rows with a bot; note the faults of each by itself and of all."""
        if (text := self._text()) is None:
            return []
        records = self._records(text)
        if not (columns := self._columns(records)):
            return []
        rows = [row for row in self._read(records, columns) if row is not None]
        if not rows and not self.faults:
            self._fault(2, "no bot: write one row for each bot below the headings")
        self._check_seeds(rows)
        return rows

    def word(self, row: _Row, ladder: Path | None, game: str | None) -> str:
        """Return a row's bot as the command line would name it; note why there is no such bot."""
        folder = self._file.parent / row.word
        try:
            if is_bot(folder):
                bot_of(word := str(folder.resolve()))
                return word
            if "/" in row.word or is_bot(Path(row.word)):
                return str(sample_bot(row.word))
            find([row.word], ladder, game)
        except CourtyardError as error:
            self._fault(row.number, f"{error}; folders begin where this file is", "bot")
        return row.word

    def check_twice(self, rows: Sequence[_Row]) -> None:
        """Note bots that are in the list twice."""
        if self.faults:
            return
        first: dict[str, int] = {}
        for row in rows:
            bot = row.word if "@" in row.word else bot_of(row.word)
            if (before := first.setdefault(bot, row.number)) != row.number:
                again = (
                    f"{bot} is in row {before}, too: remove a row, or rename one in its bot.toml"
                )
                self._fault(row.number, again, "bot")

    def _fault(self, row: int, what: str, column: str = "") -> None:
        at = f", column {self._headings[column]}" if column else ""
        self.faults.append(f"{self._file}: row {row}{at}: {what}")

    def _text(self) -> str | None:
        try:
            with self._file.open("rb") as opened:
                content = opened.read(_MOST_BYTES + 1)
        except OSError as error:
            self.faults.append(f"{self._file}: {error.strerror}")
            return None
        if len(content) > _MOST_BYTES:
            self.faults.append(f"{self._file}: more than 1 MiB: this is not an entry list")
            return None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            row = 1 + content.count(b"\n", 0, error.start)
            self._fault(row, 'not in UTF-8: save it as "CSV UTF-8" in the spreadsheet')
            return None
        return _SEPARATOR_LINE.sub("", text, count=1) if _SEPARATOR_LINE.match(text) else text

    def _records(self, text: str) -> list[list[str]]:
        """Return the cells of all rows, by the delimiter that makes most headings known."""
        most: list[list[str]] = []
        for delimiter in _DELIMITERS:
            records: list[list[str]] = []
            fault = ""
            try:
                found = csv.reader(StringIO(text, ""), delimiter=delimiter, strict=True)
                records.extend([" ".join(cell.split()) for cell in record] for record in found)
            except csv.Error:
                fault = 'a quotation mark is missing or too many: write "..." around a whole cell'
            if not most or _known(records) > _known(most):
                most, last = records, fault
        if last:
            self._fault(len(most) + 1, last)
        return most

    def _columns(self, records: Sequence[Sequence[str]]) -> list[str]:
        """Return the meaning of each column, "" if unknown; empty if the columns are unusable."""
        headings = records[0] if records else []
        columns = [_meaning(heading) for heading in headings]
        for column, heading in zip(columns, headings, strict=True):
            if column in self._headings:
                self._fault(
                    1,
                    f"columns {self._headings[column]} and {plain(heading)} would both be the "
                    f"{column}: rename one",
                )
            elif column:
                self._headings[column] = plain(heading)
            elif heading:
                self.ignored.append(plain(heading))
        if "bot" not in columns:
            self._fault(1, "no column is named Bot or Folder: name the one with the bots' folders")
        return columns if "bot" in columns else []

    def _read(
        self, records: Sequence[Sequence[str]], columns: Sequence[str]
    ) -> Iterator[_Row | None]:
        for number, record in enumerate(records[1:], start=2):
            if not any(record):
                continue
            if any(record[len(columns) :]):
                self._fault(
                    number,
                    f"{len(record)} cells, and {len(columns)} headings: remove cells, or quote "
                    "those that hold the separator",
                )
            cells = {c: cell for c, cell in zip(columns, record, strict=False) if c}
            seed = _SEED.fullmatch(written := cells.get("seed", ""))
            if written and not seed:
                what = (
                    f"{plain(written)!r} is not a seed: write 1 for the strongest, then 2, 3, ..."
                )
                self._fault(number, what, "seed")
            for column in ("author", "team"):
                cell = cells.get(column, "")
                if len(cell) > LONGEST_AUTHOR or plain(cell) != cell:
                    most = f"at most {LONGEST_AUTHOR} printable characters"
                    self._fault(number, f"write {most}, not {plain(cell)[:20]!r}...", column)
            if not cells.get("bot"):
                self._fault(number, "no bot: write its folder or name, or empty the row", "bot")
                continue
            yield _Row(
                number,
                cells["bot"],
                int(seed[1]) if seed else None,
                cells.get("author", ""),
                cells.get("team", ""),
            )

    def _check_seeds(self, rows: Sequence[_Row]) -> None:
        """Note seeds that are missing beside others, or given twice."""
        if self.faults or not any(row.seed for row in rows):
            return
        first: dict[int, int] = {}
        for row in rows:
            if row.seed is None:
                self._fault(row.number, "no seed: give all bots one, or none", "seed")
            elif first.setdefault(row.seed, row.number) != row.number:
                what = f"seed {row.seed} is row {first[row.seed]}'s, too: give each its own"
                self._fault(row.number, what, "seed")


def _known(records: Sequence[Sequence[str]]) -> int:
    """Return how many headings have a meaning."""
    return sum(bool(_meaning(heading)) for heading in records[0]) if records else 0


def _meaning(heading: str) -> str:
    """Return what a column with this heading holds; empty if unknown."""
    small = heading.casefold()
    return next((column for column, names in _HEADINGS.items() if small in names), "")
