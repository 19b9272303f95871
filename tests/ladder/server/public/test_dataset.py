"""`ladder export --data`: one dataset of a ladder."""

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.model.errors import LadderError
from ladder.results import queries
from ladder.results.match_rows import seat_rows
from ladder.server.public import dataset
from ladder.server.public.dataset import TABLES, Column
from ladder.server.public.reader import PublicReader
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from referee.match.rows import Row, decision_rows
from tests.support.lacking import need_module
from tests.support.played_ladder import played_ladder

KINDS = {"string": str, "integer": int, "boolean": bool}


@pytest.fixture
def played_home(tmp_path: Path, enter: Any, make_bot: Any) -> Home:
    """A ladder of three bots with two deals, and a fault in each."""
    return played_ladder(tmp_path / "club", enter, make_bot)


def write(home: Home, folder: Path, *, parquet: bool = False) -> dict[str, list[Row]]:
    """Write a dataset, and return the rows of its tables in JSON lines."""
    with Ladder.open(home) as ladder:
        dataset.write(PublicReader(ladder), folder, parquet=parquet, advance=lambda: None)
    return {} if parquet else {name: lines(folder / f"{name}.jsonl.gz") for name in TABLES}


def lines(file: Path) -> list[Row]:
    """Return the rows of a file."""
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def test_the_rows_are_what_the_records_say(played_home: Home, tmp_path: Path) -> None:
    """In the order of play, each match with its seats and decisions."""
    rows = write(played_home, tmp_path / "data")
    with Ladder.open(played_home) as ladder:
        with ladder.database.read() as tx:
            listed = match_lines.finished(tx, bots.all_versions(tx))
        records = [queries.public_record(ladder, line) for line in listed]

    assert [row["match_id"] for row in rows["matches"]] == [line.match_id for line in listed]
    assert [row["seed"] for row in rows["matches"]] == [one.master_seed for one in records]
    assert rows["seats"] == [row for line in listed for row in seat_rows(line)]
    assert rows["decisions"] == [row for record in records for row in decision_rows(record)]
    assert {row["fault"] for row in rows["decisions"]} > {None}


def test_the_rows_fit_the_schema(played_home: Home, tmp_path: Path) -> None:
    """Each has every column, with a value of its type; null only where the schema allows it."""

    def fits(value: object, column: Column) -> bool:
        return not column.required if value is None else type(value) is KINDS[column.type]

    rows = write(played_home, tmp_path / "data")
    for name, columns in TABLES.items():
        for row in rows[name]:
            assert row.keys() == columns.keys()
            assert all(fits(row[key], column) for key, column in columns.items()), row


def test_its_description_tells_counts_and_digests(played_home: Home, tmp_path: Path) -> None:
    """To programs; the README tells people the same."""
    rows = write(played_home, tmp_path / "data")
    package = json.loads((tmp_path / "data" / "datapackage.json").read_text())
    readme = (tmp_path / "data" / "README.md").read_text()

    assert [part["name"] for part in package["resources"]] == [*TABLES]
    for part in package["resources"]:
        body = (tmp_path / "data" / part["path"]).read_bytes()
        digest = hashlib.sha256(body).hexdigest()
        assert (part["bytes"], part["hash"]) == (len(body), f"sha256:{digest}")
        assert part["rows"] == len(rows[part["name"]]) > 0
        assert f"`{part['path']}` | {part['rows']} | {part['bytes']} | `{digest}`" in readme


def test_the_same_matches_make_the_same_bytes(played_home: Home, tmp_path: Path) -> None:
    """Whenever they are written."""
    for name in ("one", "other"):
        write(played_home, tmp_path / name)
    one, other = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()}
        for name in ("one", "other")
    )
    assert one == other


def test_a_deal_in_play_is_left_out(
    played_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its matches are in no table."""
    rows = write(played_home, tmp_path / "all")
    secret = rows["matches"][0]["deal"]
    hidden = {row["match_id"] for row in rows["matches"] if row["deal"] == secret}
    monkeypatch.setattr(matches, "deals_in_play", lambda _: frozenset({secret}))

    shown = write(played_home, tmp_path / "public")
    for name in TABLES:
        assert shown[name] == [row for row in rows[name] if row["match_id"] not in hidden] != []


def test_a_match_whose_rules_are_not_installed_has_no_decisions_there(
    played_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The README says how many there are."""
    monkeypatch.setattr(dataset, "why_unplayable", lambda _: "other rules")
    rows = write(played_home, tmp_path / "data")
    assert rows["seats"]
    assert not rows["decisions"]
    assert (
        f"{len(rows['matches'])} matches have no decisions"
        in (tmp_path / "data" / "README.md").read_text()
    )


@pytest.mark.costly
def test_parquet_has_the_same_rows(played_home: Home, tmp_path: Path) -> None:
    """In the order and with the values of the JSON lines."""
    need_module("pyarrow", "pip install pyarrow")
    from pyarrow import parquet  # noqa: PLC0415 -- an extra

    rows = write(played_home, tmp_path / "lines")
    write(played_home, tmp_path / "data", parquet=True)
    for name in TABLES:
        assert parquet.read_table(tmp_path / "data" / f"{name}.parquet").to_pylist() == rows[name]


@pytest.mark.parametrize("parquet", [False, True], ids=["lines", "parquet"])
def test_what_is_interrupted_leaves_nothing(
    parquet: bool,  # noqa: FBT001 -- pytest's
    played_home: Home,
    tmp_path: Path,
) -> None:
    """So that no part passes for the whole, and the command can be repeated."""
    if parquet:
        need_module("pyarrow", "pip install pyarrow")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with Ladder.open(played_home) as ladder, pytest.raises(KeyboardInterrupt):
        dataset.write(PublicReader(ladder), tmp_path / "data", parquet=parquet, advance=interrupt)
    assert [*(tmp_path / "data").iterdir()] == []
    assert write(played_home, tmp_path / "data")["matches"]


def _file(path: Path) -> None:
    path.write_text("mine")


def _filled(path: Path) -> None:
    path.mkdir()
    _file(path / "thesis.txt")


@pytest.mark.parametrize(
    ("make", "said"),
    [(_file, "File exists"), (_filled, "the folder is not empty; choose a new one")],
    ids=["file", "filled"],
)
def test_nothing_is_written_over(
    make: Callable[[Path], None], said: str, played_home: Home, tmp_path: Path
) -> None:
    """What is there stays, and one line says so."""
    make(tmp_path / "data")
    with pytest.raises(LadderError, match=said):
        write(played_home, tmp_path / "data")
    assert [file.read_text() for file in _all_files(tmp_path / "data")] == ["mine"]


def _all_files(path: Path) -> Sequence[Path]:
    return [path] if path.is_file() else [*path.iterdir()]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name either a folder for the pages, or one for a dataset by --data"),
        (("site", "--data", "data"), "name either a folder for the pages"),
        (("site", "--parquet"), "--parquet belongs to --data"),
        (("--data", "data", "--ladder", "a", "--ladder", "b"), "a dataset is of one ladder"),
    ],
)
def test_pages_or_data(words: Sequence[str], said: str, command: Callable[..., Any]) -> None:
    """One command writes one of the two."""
    ended = command("export", *words)
    assert ended.status != 0
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


def test_the_command_says_what_it_wrote(
    played_home: Home, tmp_path: Path, command: Callable[..., Any]
) -> None:
    """The number of rows, and what is left to do."""
    ended = command("export", "--data", tmp_path / "data", "--ladder", played_home.path)
    assert ended.status == 0
    assert ended.out.startswith("6 matches, 18 seats, ")
    assert ended.out.endswith("README.md, and fill in its license\n")
