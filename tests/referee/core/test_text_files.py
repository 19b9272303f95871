"""Every text file that a person saves is read as Windows saves it, too."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.cli.remote.client import read_token
from ladder.storage.db.server import Server
from ladder.storage.files import known
from ladder.storage.files.folder import Home
from referee.core.text_files import read_toml
from referee.hosting.bot_files import Ignored
from referee.hosting.manifest import load_manifest
from referee.match.record import load_text

Save = Callable[[str], bytes]
SAVED: dict[str, Save] = {
    "Notepad": lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
    "PowerShell": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "big-endian": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "Unix": str.encode,
}
each_way = pytest.mark.parametrize("save", SAVED.values(), ids=SAVED)


@each_way
def test_a_bot_toml(tmp_path: Path, save: Save) -> None:
    """A bot.toml means the same however it is saved."""
    text = 'name = "eve"\ngames = ["courtisans"]\ncommand = ["./é"]\n'
    (tmp_path / "bot.toml").write_bytes(save(text))

    assert load_manifest(tmp_path).command == ("./é",)


@each_way
def test_data_of_a_game(tmp_path: Path, save: Save) -> None:
    """A file for --data means the same however it is saved."""
    (tmp_path / "data.toml").write_bytes(save("[cards]\nnoble = 2\n"))

    assert read_toml(tmp_path / "data.toml").table == {"cards": {"noble": 2}}


@each_way
def test_a_token(tmp_path: Path, save: Save) -> None:
    """A token that was pasted into an editor is the token."""
    (tmp_path / "token").write_bytes(save("courtyard_1_abc\n"))

    assert read_token(tmp_path / "token") == "courtyard_1_abc"


@each_way
def test_the_url_of_a_database(tmp_path: Path, save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database.url that an owner edited is the URL."""
    monkeypatch.setenv(known.VARIABLE, str(tmp_path))
    (tmp_path / "database.url").write_bytes(save("postgresql://localhost/ladder\n"))

    assert Home(tmp_path).place == Server("postgresql://localhost/ladder")


@each_way
def test_a_gitignore(tmp_path: Path, save: Save) -> None:
    """A .gitignore counts that `echo data > .gitignore` made in PowerShell."""
    (tmp_path / ".gitignore").write_bytes(save("data\n*.log\n"))
    ignored = Ignored(tmp_path)

    assert [name for name in ("data", "a.log", "bot.py") if ignored.has(name)] == ["data", "a.log"]


@each_way
def test_a_record(tmp_path: Path, save: Save) -> None:
    """A record that was printed to a file, as `ladder log --json` does, is the record."""
    (tmp_path / "record.json").write_bytes(save('{"seed": "é"}'))

    assert load_text(tmp_path / "record.json") == '{"seed": "é"}'
