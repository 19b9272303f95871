"""TOML files are read, or refused in one line; entries are found in them."""

from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.core.text_files import line_of, read_toml

TEXT = """name = "a board"

[king]
# a comment: wrath = 3
final_space = 27
[king.wrath]
3 = "taverne"
"12" = "choice"
[ rogues . beggar ]
  coins=1
plots.drawn = 2
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("name",), 1),
        (("king",), 3),
        (("king", "final_space"), 5),
        (("king", "wrath"), 6),
        (("king", "wrath", "3"), 7),
        (("king", "wrath", "12"), 8),
        (("rogues", "beggar", "coins"), 10),
        (("rogues", "beggar", "plots", "drawn"), 11),
    ],
)
def test_an_entry_has_a_line(keys: tuple[str, ...], line: int) -> None:
    """Tables and entries are found by their keys."""
    assert line_of(keys, TEXT) == line


@pytest.mark.parametrize(
    ("keys", "line"), [(("king", "missing"), 3), (("queen", "missing"), 0), ((), 0)]
)
def test_what_is_missing_has_the_line_of_its_table(keys: tuple[str, ...], line: int) -> None:
    """Where an entry is missing, its table is shown; where that is missing too, nothing is."""
    assert line_of(keys, TEXT) == line


def test_a_file_is_read(tmp_path: Path) -> None:
    """A file gives its text and what that says."""
    (tmp_path / "a.toml").write_text(TEXT)
    read = read_toml(tmp_path / "a.toml")
    assert read.text == TEXT
    assert read.table["king"] == {"final_space": 27, "wrath": {"3": "taverne", "12": "choice"}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a = ", "not valid TOML: "),
        (b"a = 1\na = 2\n", "not valid TOML: "),
        (b"a = " + b"[" * 20_000, "not valid TOML: "),
        (b"a = " + b"9" * 5_000, "not valid TOML: "),
        (b"a = '\xff'", "not UTF-8 text"),
        (b"#" * 65_537, "larger than 65536 bytes"),
    ],
    ids=["cut off", "twice", "deep", "long number", "bytes", "large"],
)
def test_what_is_no_toml_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    """The error names the file and what is wrong with it."""
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as refusal:
        read_toml(file)
    assert str(refusal.value).startswith(f"{file}: {problem}")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder and a path to nothing are named with the reason."""
    with pytest.raises(UsageError, match=r": Is a directory$"):
        read_toml(tmp_path)
    with pytest.raises(UsageError, match=r"none\.toml: No such file or directory$"):
        read_toml(tmp_path / "none.toml")
