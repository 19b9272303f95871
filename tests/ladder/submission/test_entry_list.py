"""The entry list of a tournament, as spreadsheets write it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.errors import SettingsError
from ladder.submission.entry_list import FaultyListError, read
from tests.support.ladders import MakeBot

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a list beside the folders of three bots, and leave every ladder."""
    monkeypatch.chdir("/")
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    for name in ("ann", "bob", "cat"):
        make_bot(name)

    def written(*lines: str, encoding: str = "utf-8", end: str = "\n") -> Path:
        file = tmp_path / "sources" / "entries.csv"
        file.write_bytes("".join(f"{line}{end}" for line in lines).encode(encoding))
        return file

    return written


def told(file: Path) -> list[tuple[str, str, str]]:
    """Return each bot with its author and team, in the order of the seeds."""
    return [(one.bot, one.author, one.team) for one in read(file, None).entrants.each]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("between", [";", ",", "\t"])
def test_as_spreadsheets_write_it(write: Write, encoding: str, end: str, between: str) -> None:
    """Any usual delimiter, line end and mark of the encoding is read; seeds give the order."""
    rows = [
        ("Folder", "No.", "Name", "Club/City", "Rtg"),
        ("cat", "2", '"Müller, ""Jo"" "', "Zürich", "2100"),
        ("./ann", "1", "Ánna", "", ""),
        ("", "", "", "", ""),
        ("bob", "3.", "", '"a ; b"', "1"),
    ]
    file = write(*(between.join(row) for row in rows), encoding=encoding, end=end)

    listed = read(file, None)
    assert (listed.seeds, listed.ignored) == (True, ["Rtg"])
    assert told(file) == [
        ("ann", "Ánna", ""),
        ("cat", 'Müller, "Jo"', "Zürich"),
        ("bob", "", "a ; b"),
    ]


def test_without_seeds_the_rows_give_the_order(write: Write, tmp_path: Path) -> None:
    """Bots may be absolute folders and sample bots; a line that names the delimiter is no row."""
    file = write("sep=;", "bot;team", f"{tmp_path}/sources/bob;x", "python/courtisans/greedy;y")

    assert not read(file, None).seeds
    assert told(file) == [("bob", "", "x"), ("greedy", "", "y")]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((), "row 1: no column is named Bot or Folder"),
        (("who,seed", "ann,1"), "row 1: no column is named Bot or Folder"),
        (("bot,folder", "ann,ann"), "row 1: columns bot and folder would both be the bot"),
        (("bot",), "row 2: no bot: write one row for each"),
        (("bot,author", ",Ann"), "row 2, column bot: no bot: write its folder"),
        (("bot", "ann", "eve"), "row 3, column bot: "),
        (("bot", "ann", "", "./ann"), "row 4, column bot: ann is in row 2, too"),
        (("Bot,Seed", "ann,1", "bob,first"), "row 3, column Seed: 'first' is not a seed"),
        (("Bot,Seed", "ann,1", "bob,0"), "row 3, column Seed: '0' is not a seed"),
        (("Bot,Seed", "ann,1", "bob,"), "row 3, column Seed: no seed: give all bots one"),
        (("Bot,Seed", "ann,1", "bob,1"), "row 3, column Seed: seed 1 is row 2's, too"),
        (("bot,author", f"ann,{'x' * 65}"), "row 2, column author: write at most 64"),
        (("bot,author", "ann,a\x1b[2J"), "row 2, column author: write at most 64"),
        (("bot,author", "ann,Ann, B."), "row 2: 3 cells, and 2 headings"),
        (("bot,author", 'ann,"Ann', "bob,Bob"), "row 2: a quotation mark is missing"),
        (("bot,author", 'ann,"A" B'), "row 2: a quotation mark is missing"),
    ],
)
def test_a_fault_is_one_line(write: Write, lines: tuple[str, ...], fault: str) -> None:
    """A fault is one printable line with the file, the row, the column and what to do."""
    file = write(*lines)
    with pytest.raises(FaultyListError) as raised:
        read(file, None)

    assert str(raised.value).startswith(f"{file}: {fault}")
    assert str(raised.value).isprintable()


def test_all_faults_are_told_at_once(write: Write) -> None:
    """A file with several faults names all of them, in the order of the rows."""
    file = write("bot;seed;team", "ann;x;", "bob;1;2;3", ";4;")
    with pytest.raises(FaultyListError) as raised:
        read(file, None)

    rows = [fault.removeprefix(f"{file}: ")[:5] for fault in raised.value.faults]
    assert rows == ["row 2", "row 3", "row 4"]
    assert str(raised.value) == f"{file}: 3 faults, listed above: no bot is entered"


def test_another_encoding_is_named(write: Write) -> None:
    """A file that is not in UTF-8 says in which row, and how to save it."""
    file = write("bot,author", "ann,Ann", "bob,Jörg", encoding="cp1252")
    with pytest.raises(FaultyListError, match=r'row 3: not in UTF-8: save it as "CSV UTF-8"'):
        read(file, None)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and an endless file fail in one line."""
    for file, why in (
        (tmp_path / "x", "No such"),
        (tmp_path, "Is a"),
        (Path("/dev/zero"), "1 MiB"),
    ):
        with pytest.raises(FaultyListError, match=why):
            read(file, None)


def test_a_folder_is_sought_beside_the_file_alone(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder below the current one is not taken for one beside the file."""
    file = write("bot", "ann", "bob").rename(tmp_path / "entries.csv")
    monkeypatch.chdir(tmp_path / "sources")

    with pytest.raises(FaultyListError, match="2 faults"):
        read(file, None)


@given(st.binary(max_size=200) | st.text(alphabet='bot,;\t"\n\rsed1=\0', max_size=60))
def test_no_file_is_a_bug(tmp_path_factory: pytest.TempPathFactory, content: bytes | str) -> None:
    """Whatever a file holds, it is read, or refused in lines."""
    file = tmp_path_factory.getbasetemp() / "any.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with suppress(SettingsError):
        read(file, Path("/"))
