"""Writes a ladder's public matches as one dataset: tables of matches, seats and decisions.

The tables are gzipped JSON lines, or Parquet. `datapackage.json` describes them as the standard
Data Package has it, with counts and digests; README.md tells people the same, and is written last:
without it a dataset is not whole. Equal public matches make equal bytes.
"""

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

from ladder.model.errors import LadderError, MissingPackageError
from ladder.model.matches import MatchLine
from ladder.results.match_rows import match_row, seat_rows
from ladder.server.public.matches import PublicMatches, StateRead
from ladder.server.public.reader import PublicReader
from ladder.storage.tables import matches
from ladder.storage.tables.records import unpack
from referee.games import game_named
from referee.match.record import REFEREE_VERSION
from referee.match.replay import why_unplayable
from referee.match.rows import Row, decision_rows

_AT_ONCE = 100
"""Matches whose rows are in memory at once."""


class Column(NamedTuple):
    """A column of a table."""

    type: str
    """In the words of the standard Data Package: string, integer or boolean."""
    about: str
    required: bool = True


_MATCH_ID = Column("string", "the match's id")
_FAULT = "the kind of fault with which the seat forfeited {}; null: none"
TABLES: Mapping[str, Mapping[str, Column]] = {
    "matches": {
        "match_id": _MATCH_ID,
        "game": Column("string", "the game's name"),
        "rules_version": Column(
            "string", "the version of the rules that played it", required=False
        ),
        "round": Column("integer", "the round in which it was scheduled, from 1"),
        "deal": Column("string", "the deal; matches of one deal have the same cards"),
        "seed": Column("string", "the seed of every random choice of the referee"),
        "decisions": Column("integer", "how many decisions it had"),
        "finished_at": Column("string", "when it ended, as ISO 8601"),
        "counts": Column("boolean", "whether it is rated"),
    },
    "seats": {
        "match_id": _MATCH_ID,
        "seat": Column("integer", "the seat, from 0"),
        "bot": Column("string", "the bot on it; null: the stand-in", required=False),
        "version": Column("integer", "which version of the bot, from 1", required=False),
        "place": Column("integer", "its place, from 1; ties share one, forfeits are last"),
        "points": Column("integer", "the game's points"),
        "forfeit": Column("string", _FAULT.format("the match"), required=False),
    },
    "decisions": {
        "match_id": _MATCH_ID,
        "number": Column("integer", "the decision's number in the match, from 0"),
        "seat": Column("integer", "the seat that decided"),
        "bot": Column("string", "the bot on it"),
        "action": Column("string", "the choice in words"),
        "choice": Column(
            "string", "the choice as a list in JSON: the index of the option taken at each step"
        ),
        "facts": Column("string", "what the seat knew, as JSON in the form of docs/facts"),
        "elapsed_us": Column("integer", "the time that its clock was charged, in microseconds"),
        "bank_left_us": Column("integer", "the time left in its bank, in microseconds"),
        "stand_in": Column("boolean", "whether the referee's stand-in decided"),
        "own_stand_in": Column("boolean", "whether a stand-in of the bot's own decided"),
        "fault": Column("string", _FAULT.format("here"), required=False),
    },
}
_KEYS = {
    "matches": ["match_id"],
    "seats": ["match_id", "seat"],
    "decisions": ["match_id", "number"],
}


class Wrote(NamedTuple):
    """What is in a dataset."""

    rows: Mapping[str, int]
    """The number of rows of each table."""
    unread: int
    """How many matches have no decisions here, as their rules are not installed."""


def write(
    reader: PublicReader, folder: Path, *, parquet: bool, advance: Callable[[], object]
) -> Wrote:
    """Write the matches that are public now into a new or empty folder.

    Call `advance` after each match. If anything stops it, nothing stays in the folder. Raise
    `LadderError` if the folder is not empty or cannot be written, or a record is damaged, and
    `MissingPackageError` without pyarrow, which Parquet needs.
    """
    opened = _parquet_table() if parquet else _JsonLines
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise LadderError(
                f"{folder}: the folder is not empty; choose a new one for the dataset"
            )
        try:
            return _write(reader, folder, opened, advance)
        except BaseException:
            for file in folder.iterdir():
                file.unlink()
            raise
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror or error}") from error


def most(reader: PublicReader) -> int:
    """Return how many matches a dataset has now at most."""
    with reader.ladder.database.read() as tx:
        return matches.planned(tx)


def _write(
    reader: PublicReader,
    folder: Path,
    opened: "Callable[[Path, Mapping[str, Column]], _Table]",
    advance: Callable[[], object],
) -> Wrote:
    settings = reader.ladder.settings
    about = _About(reader.ladder.title, settings.ladder_id, settings.game)
    rows = dict.fromkeys(TABLES, 0)
    unread = 0
    with ExitStack() as stack:
        tables = {
            name: stack.enter_context(opened(folder / name, columns))
            for name, columns in TABLES.items()
        }
        for batch in _batches(reader):
            made: dict[str, list[Row]] = {name: [] for name in TABLES}
            for line, packed in zip(batch, reader.records(batch), strict=True):
                record = unpack(packed)
                made["matches"].append(
                    {**match_row(line), "game": record.game, "seed": record.master_seed}
                )
                made["seats"] += seat_rows(line)
                if why_unplayable(record):
                    unread += 1
                else:
                    made["decisions"] += decision_rows(record)
                about.until = max(about.until, line.finished_at or "")
                advance()
            for name, table in tables.items():
                table.add(made[name])
                rows[name] += len(made[name])
    wrote = Wrote(rows, unread)
    files = {name: _File.of(table.path) for name, table in tables.items()}
    package = folder / "datapackage.json"
    _save(package, _package(about, wrote, files))
    _save(folder / "README.md", _card(about, wrote, files, _File.of(package)))
    return wrote


def _batches(reader: PublicReader) -> Iterator[Sequence[MatchLine]]:
    """Yield the matches that are public now, some at a time."""
    database = reader.ladder.database
    with database.read() as tx:
        moment = StateRead(matches.last_place(tx), matches.deals_in_play(tx))
    lines = iter(PublicMatches(database, moment, (), (), ()))
    while batch := list(islice(lines, _AT_ONCE)):
        yield batch


class _Table(Protocol):
    """A file of rows that grows."""

    path: Path

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


class _JsonLines:
    """A gzipped line of JSON for each row, without a time, which would change the bytes."""

    def __init__(self, path: Path, columns: Mapping[str, Column]) -> None:
        self.path = path.with_suffix(".jsonl.gz")
        self._columns = columns
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        file = self._stack.enter_context(self.path.open("xb"))
        self._packed = self._stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, rows: Sequence[Row]) -> None:
        for row in rows:
            line = {name: row[name] for name in self._columns}
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
            self._packed.write(f"{text}\n".encode())


def _parquet_table() -> "Callable[[Path, Mapping[str, Column]], _Table]":
    """Return what makes tables of Parquet; raise `MissingPackageError` without pyarrow."""
    try:
        import pyarrow as pa  # noqa: PLC0415 -- an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingPackageError("--parquet", error.name, "data") from error
    types = {"string": pa.string(), "integer": pa.int64(), "boolean": pa.bool_()}

    class ParquetTable:
        """A row group for each batch."""

        def __init__(self, path: Path, columns: Mapping[str, Column]) -> None:
            self.path = path.with_suffix(".parquet")
            self._schema = pa.schema(
                [
                    pa.field(name, types[column.type], not column.required, {"about": column.about})
                    for name, column in columns.items()
                ]
            )

        def __enter__(self) -> Self:
            self._writer = parquet.ParquetWriter(self.path, self._schema, compression="zstd")
            return self

        def __exit__(self, *_: object) -> None:
            self._writer.close()

        def add(self, rows: Sequence[Row]) -> None:
            self._writer.write_table(pa.Table.from_pylist(list(rows), self._schema))

    return ParquetTable


@dataclass(slots=True)
class _About:
    """The ladder of a dataset."""

    title: str
    ladder_id: str
    game: str
    until: str = field(default="")
    """When the last match ended; empty without one."""

    @property
    def program(self) -> str:
        return f"Courtyard {REFEREE_VERSION}"


class _File(NamedTuple):
    """A file of a dataset."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Self:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return cls(path.name, path.stat().st_size, digest)


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _package(about: _About, wrote: Wrote, files: Mapping[str, _File]) -> str:
    """Return the description for programs."""
    to_matches = {
        "fields": ["match_id"],
        "reference": {"resource": "matches", "fields": ["match_id"]},
    }
    package: dict[str, Any] = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "matches-of-a-ladder",
        "id": about.ladder_id,
        "title": about.title,
        "description": f"The public matches of a ladder of bots, by {about.program}.",
        "resources": [
            {
                "name": name,
                "path": file.name,
                "format": "parquet" if file.name.endswith(".parquet") else "jsonl",
                "bytes": file.size,
                "hash": f"sha256:{file.sha256}",
                "rows": wrote.rows[name],
                "schema": {
                    "fields": [
                        {
                            "name": column,
                            "type": kind.type,
                            "description": kind.about,
                            "constraints": {"required": kind.required},
                        }
                        for column, kind in TABLES[name].items()
                    ],
                    "primaryKey": _KEYS[name],
                    **({} if name == "matches" else {"foreignKeys": [to_matches]}),
                },
            }
            for name, file in files.items()
        ],
    }
    return f"{json.dumps(package, ensure_ascii=False, indent=2)}\n"


_CARD = """\
# Matches of {title}

{matches} matches of *{game}* between bots, with {decisions} decisions: what the seat knew, what it
chose, and how long it thought. Written by {program} from the ladder {ladder_id}. The last match
ended: {until}.

It holds what is public: no match whose deal was still in play, no bot's output, no unrated spar.
{unread}
| file | rows | bytes | SHA-256 |
|---|---:|---:|---|
{files}

```python
import pandas

decisions = pandas.{reading}
```

{tables}

`match_id` joins the tables. `datapackage.json` says the same to programs (https://datapackage.org).

## License

To be filled in by the ladder's owner; until then none is granted.

## How to cite

{title}. Ladder {ladder_id}, {matches} matches until {until}. {program}. SHA-256 of
`datapackage.json`: {digest}
"""


def _card(about: _About, wrote: Wrote, files: Mapping[str, _File], package: _File) -> str:
    """Return the README."""
    missing = f"\n{wrote.unread} matches have no decisions here: their rules were not installed.\n"
    decisions = files["decisions"].name
    is_parquet = decisions.endswith(".parquet")
    return _CARD.format(
        title=about.title,
        game=game_named(about.game).title,
        program=about.program,
        ladder_id=about.ladder_id,
        until=about.until[:10] or "none has",
        matches=wrote.rows["matches"],
        decisions=wrote.rows["decisions"],
        unread=missing if wrote.unread else "",
        files="\n".join(
            f"| `{file.name}` | {wrote.rows[name]} | {file.size} | `{file.sha256}` |"
            for name, file in files.items()
        ),
        reading=f'read_parquet("{decisions}")'
        if is_parquet
        else f'read_json("{decisions}", lines=True)',
        tables="\n\n".join(_described(name, columns) for name, columns in TABLES.items()),
        digest=package.sha256,
    )


def _described(name: str, columns: Mapping[str, Column]) -> str:
    lines = [f"| `{column}` | {kind.type} | {kind.about} |" for column, kind in columns.items()]
    return "\n".join([f"## {name}\n", "| column | type | is |", "|---|---|---|", *lines])
