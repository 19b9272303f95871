"""Ladders whose database or files somebody edited, or the disk damaged."""

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any, Self

import pytest

from ladder.runner import pool
from ladder.storage.db.schema import metadata, strengths
from ladder.storage.files.folder import Home
from tests.support.ladders import Command, Ended
from tests.support.played_ladder import played_ladder

COMMANDS = (
    ("standings",),
    ("show", "ann"),
    ("matches",),
    ("bots",),
    ("settings",),
    ("rerate",),
    ("export", "site"),
    ("run", "--rounds", "1"),
    ("report",),
    ("log", "ann"),
    ("token", "list"),
    ("backup", "copy"),
)
COLUMNS = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    if table is not strengths  # empty until a rating is kept
    for column in table.c
]
VALUES: tuple[object, ...] = (
    None,
    "rubbish",
    -7,
    1 << 62,
    "",
    b"\xff\xfe",
    "[[1]]",
    '{"contest": "duel"}',
    float("inf"),
    "\ud800".encode("utf-8", "surrogatepass"),
)
MAY_BE_EMPTY = {("ladder", "sandbox")}
UNSEEN = {
    ("ladder", "created_at"),
    ("ladder", "title"),
    ("bots", "author"),
    ("versions", "rejected"),
    ("matches", "reason"),
    ("matches", "attempts"),
    ("tokens", "author"),
    ("tokens", "id"),
    ("trials", "record"),
    ("outputs", "seat"),
    ("begun_rounds", "number"),
    ("ladder", "generation"),
    ("incidents", "id"),
    ("incidents", "why"),
    ("directives", "id"),
    ("directives", "after_round"),
    ("directives", "why"),
    ("directives", "round"),
}
"""Columns in which any value of the right kind is valid."""


_NUMBERS = count(1)


class IdlePool:
    """Plays nothing: by then a run has read all that it needs."""

    busy = 0
    has_room = False

    def __init__(self, *_: object) -> None:
        """Start no worker."""

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


@dataclass
class Patient:
    """A ladder that a test damages again and again, and then mends."""

    home: Home
    whole: Home
    """The copies to damage."""
    command: Command

    def damage(self, table: str, column: str, value: object) -> bool:
        """Put a value into a table's first row; return whether SQLite took it."""
        shutil.rmtree(self.home.path.parent, ignore_errors=True)
        self.home = Home(self.whole.path.with_name(f"copy {next(_NUMBERS)}") / "ladder")
        shutil.copytree(self.whole.path, self.home.path)
        connection = sqlite3.connect(self.home.database)
        with contextlib.closing(connection), connection:
            connection.execute("pragma ignore_check_constraints = on")
            try:
                where = f"from {table} where rowid = (select min(rowid) from {table})"  # noqa: S608
                read = f"select hex({column}), typeof({column}) {where}"
                change = (
                    f"update {table} set {column} = ? where rowid = (select min(rowid) {where})"  # noqa: S608
                )
                before = connection.execute(read).fetchall()
                connection.execute(change, (value,))
                return connection.execute(read).fetchall() != before
            except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError):
                return False

    def ask(self, *words: object) -> Ended:
        """Run a command, which may fail in one line."""
        ended = self.command(*words, "--ladder", self.home.path)
        if ended.status:
            assert ended.status == 1, (words, ended)
            assert ended.err.startswith("error: "), (words, ended)
            assert ended.err.count("\n") == 1, (words, ended)
        return ended


@pytest.fixture
def patient(
    tmp_path: Path,
    command: Command,
    enter: Any,
    make_bot: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Patient:
    """Make a played ladder whose columns all accept anything."""
    monkeypatch.setattr(pool, "Pool", IdlePool)
    monkeypatch.chdir(tmp_path)
    home = played_ladder(tmp_path / "ladder", enter, make_bot)
    connection = sqlite3.connect(home.database)
    with contextlib.closing(connection), connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "update sqlite_master set sql = replace(replace(sql, ' NOT NULL', ''), 'STRICT', '')"
        )
    connection = sqlite3.connect(home.database)
    with contextlib.closing(connection):
        connection.execute("pragma wal_checkpoint(truncate)")
    patient = Patient(Home(tmp_path / "copy" / "ladder"), home, command)
    shutil.copytree(home.path, patient.home.path)
    assert patient.ask("verify").out == "No problem found in the files and 6 matches.\n"
    return patient


def check(
    patient: Patient,
    words: Iterator[tuple[str, ...]],
    table: str,
    column: str,
    values: Sequence[object] = VALUES,
) -> int:
    """Damage a column with these values; return how many SQLite took."""
    tried = 0
    for value in values:
        if not patient.damage(table, column, value):
            continue
        verified = patient.ask("verify")
        fits = (table, column) in UNSEEN | (MAY_BE_EMPTY if value is None else set())
        assert verified.status == 1 or fits, (table, column, value, verified)
        patient.ask(*next(words))
        tried += 1
    return tried


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("table", [table.name for table in metadata.sorted_tables])
def test_an_edited_value_is_told_in_a_line(patient: Patient, table: str) -> None:
    """`verify` finds every edited value, and no command shows a traceback.

    This tries one value a column, and then one command; the proof tries all.
    """
    words = cycle(COMMANDS)
    for number, (name, column) in enumerate(COLUMNS):
        if name == table:
            check(patient, words, name, column, VALUES[number % len(VALUES) :][:1])


@pytest.mark.proof
@pytest.mark.parametrize("words", COMMANDS)
def test_no_edited_value_leads_any_command_to_a_traceback(
    patient: Patient, words: tuple[str, ...], proof_cases: Callable[[int], int]
) -> None:
    """No edit of any column leads a command to a traceback."""
    chosen = COLUMNS[:: -(-len(COLUMNS) // proof_cases(len(COLUMNS)))]
    tried = [check(patient, cycle([words]), table, column) for table, column in chosen]

    assert all(tried)


@pytest.mark.costly
def test_every_damage_is_named_with_its_place(patient: Patient) -> None:
    """Each of several damages has its line, and `verify` still checks the rest."""
    assert patient.damage("seats", "points", "seven")
    connection = sqlite3.connect(patient.home.database)
    with contextlib.closing(connection), connection:
        connection.execute("update versions set transport = 'stdio' where id = 2")
        connection.execute("update records set body = x'00' where rowid = 4")
        connection.execute("update ladder set bank_ms = 1234")
    bundle = next(path.parent for path in patient.home.bots.glob("*/bot.py"))
    (bundle / "bot.py").chmod(0o644)
    (bundle / "bot.py").write_text("import this\n")

    ended = patient.ask("verify")
    lines = ended.out.splitlines()

    assert any(
        line.startswith("seats, match_id ")
        and line.endswith(", seat 0, points: 'seven' is not a valid number")
        for line in lines
    )
    assert any("its files were changed: " in line and line.endswith(": bot.py") for line in lines)
    assert any("bob version 1: its transport in the database is not that" in each for each in lines)
    assert any(": the stored record is damaged" in line for line in lines)
    assert sum(": clock.bank_ms: the record and the ladder" in line for line in lines) == 5
    assert ended.err == f"error: {len(lines)} problems found in 6 matches and the files\n"


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("table", ["records", "seats", "matches", "ladder", "versions"])
def test_a_damaged_page_is_told_with_its_table(patient: Patient, table: str) -> None:
    """`verify` names the table of a damaged SQLite page; no command breaks."""
    connection = sqlite3.connect(patient.home.database)
    with contextlib.closing(connection):
        query = "select rootpage from sqlite_master where name = ?"
        (page,) = connection.execute(query, (table,)).fetchone()
        (size,) = connection.execute("pragma page_size").fetchone()
    with patient.home.database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)

    verified = patient.ask("verify")
    assert verified.status == 1
    assert any(line.startswith(f"{table}: it cannot be read") for line in verified.out.splitlines())
    for words in COMMANDS:
        patient.ask(*words)


@pytest.mark.costly
def test_a_damaged_bot_toml_stops_no_command(patient: Patient) -> None:
    """`verify` names a broken stored bot.toml; every other command still works."""
    (manifest, *_) = patient.home.bots.glob("*/bot.toml")
    manifest.chmod(0o644)
    manifest.write_bytes(b"\xff\x00 = [[[")

    assert manifest.parent.name in patient.ask("verify").out
    for words in COMMANDS:
        patient.ask(*words)


@pytest.mark.costly
def test_without_its_settings_the_rest_of_a_ladder_is_checked(patient: Patient) -> None:
    """With unreadable settings, `verify` still checks rows, files and records."""
    assert patient.damage("ladder", "aim", "win")
    connection = sqlite3.connect(patient.home.database)
    with contextlib.closing(connection), connection:
        connection.execute("update records set body = x'00' where rowid = 4")
    shutil.rmtree(next(patient.home.bots.iterdir()))

    ended = patient.ask("verify")

    assert "ladder, id 1, aim: 'win' is not one of ranking, top" in ended.out
    assert "its files are missing: " in ended.out
    assert ": the stored record is damaged" in ended.out


@pytest.mark.costly
@pytest.mark.parametrize("column", ["finished_at", "decisions"])
def test_a_match_without_its_end_is_damage(patient: Patient, column: str) -> None:
    """`verify` names a finished match without time or decisions; `export` still works."""
    assert patient.damage("matches", column, None)

    patient.ask("export", "site")
    assert ": it is done, but has no time or no decisions" in patient.ask("verify").out
