"""`bot.toml`, right and wrong."""

import re
from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.hosting.manifest import Manifest, load_manifest
from referee.hosting.running_bot import bot_spec_of

WHOLE = """
name = "a-bot_2"
games = ["courtisans"]
command = ["python3", "bot.py"]
build = [["make"], ["strip", "a bot"]]
transport = "stdio"
language = "Python"
description = "Thinks long"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder with a full manifest."""
    (tmp_path / "bot.toml").write_text(WHOLE)
    return tmp_path


def test_a_manifest_is_read_from_the_folder_or_the_file(folder: Path) -> None:
    """Both paths give the same, and the command runs in the folder."""
    expected = Manifest(
        name="a-bot_2",
        games=("courtisans",),
        command=("python3", "bot.py"),
        directory=folder.resolve(),
        build=(("make",), ("strip", "a bot")),
        transport="stdio",
        language="Python",
        description="Thinks long",
    )

    assert load_manifest(folder) == load_manifest(folder / "bot.toml") == expected


def test_only_name_games_and_command_are_needed(folder: Path) -> None:
    """Everything else has a default."""
    (folder / "bot.toml").write_text('name = "b"\ngames = ["courtisans"]\ncommand = ["./b"]')

    assert load_manifest(folder) == Manifest("b", ("courtisans",), ("./b",), folder.resolve())


REMOTE = 'name = "far"\ngames = ["courtisans"]\ntransport = "remote"\n'


def test_a_remote_bot_has_no_command(folder: Path) -> None:
    """Only a remote bot's author starts it; its bot.toml may name a release."""
    (folder / "bot.toml").write_text(REMOTE + 'release = "2"\n')

    manifest = load_manifest(folder)

    assert (manifest.is_remote, manifest.command, manifest.release) == (True, (), "2")
    with pytest.raises(UsageError, match="far is a remote bot, which its author starts"):
        bot_spec_of(manifest)


def edited(old: str, new: str) -> str:
    """The full manifest with one text replaced."""
    assert old in WHOLE
    return WHOLE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (edited("name", "nane"), 'unknown key "nane"; known keys: name, games, command, build'),
        (edited('name = "a-bot_2"', ""), 'the key "name" is missing'),
        (edited('games = ["courtisans"]', ""), 'the key "games" is missing'),
        (edited('"a-bot_2"', "2"), '"name" must be one line of text'),
        (
            edited('"courtisans"', '"courtisan"'),
            "there is no game 'courtisan' (did you mean 'courtisans'?); installed: courtisans, m",
        ),
        (edited('"courtisans"', '"chess"'), "there is no game 'chess'; installed: courtisans, "),
        (edited("a-bot_2", "two\\nlines"), '"name" must be one line of text'),
        (edited("a-bot_2", "Upper"), 'name "Upper": use 1 to 32 of a-z'),
        (edited("a-bot_2", "-b"), 'name "-b": use 1 to 32 of a-z'),
        (edited("a-bot_2", "stand-in"), 'name "stand-in": this is the name of'),
        (edited("a-bot_2", ""), 'name "": use 1 to 32 of a-z'),
        (edited("a-bot_2", "x" * 33), "use 1 to 32 of a-z"),
        (edited('["python3", "bot.py"]', '"python3 bot.py"'), '"command" must be a list of texts'),
        (edited('["python3", "bot.py"]', "[]"), '"command" must be a list of texts'),
        (edited('"bot.py"', "1"), '"command" must hold texts only'),
        (edited('"bot.py"', '""'), '"command" must hold texts only'),
        (edited('"bot.py"', '"\\u0000"'), '"command" must hold texts only'),
        (edited('"stdio"', '"pigeon"'), 'transport "pigeon" is not known; known: grpc, stdio, '),
        (edited('[["make"], ["strip", "a bot"]]', '"make"'), '"build" must be a list of commands'),
        (edited('["make"]', '"make"'), '"build" must be a list of commands'),
        (edited('["make"]', "[]"), '"build" must be a list of texts'),
        (edited('["make"]', "[1]"), '"build" must hold texts only'),
        (edited('"Thinks long"', "true"), '"description" must be one line of text'),
        (REMOTE + 'command = ["x"]', 'unknown key "command"; known keys of a remote bot: name, '),
        (edited("language", "speech"), 'unknown key "speech"; known keys: name, '),
        ("name = ", "not valid TOML: Invalid value"),
        pytest.param("name = " + "[" * 20_000, "not valid TOML: ", id="too deep"),
        pytest.param("name = " + "9" * 5_000, "not valid TOML: ", id="too long a number"),
        pytest.param("# " + "x" * 65_536, "larger than 65536 bytes", id="too large"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, text: str, problem: str) -> None:
    """The error names the file and the fault."""
    (folder / "bot.toml").write_text(text)

    with pytest.raises(UsageError, match=re.escape(problem)) as caught:
        load_manifest(folder)
    assert str(caught.value).startswith(f"{folder / 'bot.toml'}: ")
    assert "\n" not in str(caught.value)


def test_a_manifest_is_utf_8(folder: Path) -> None:
    """Other encodings are errors."""
    (folder / "bot.toml").write_bytes(b'name = "caf\xe9"')

    with pytest.raises(UsageError, match="not UTF-8 text"):
        load_manifest(folder)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nowhere", "nowhere: no such file or folder"),
        ("empty", "empty: no bot.toml in this folder"),
        ("full/bot.toml/x", "x: Not a directory"),
        ("x" * 300, "File name too long"),
        ("folder_as_file", "folder_as_file/bot.toml: Is a directory"),
    ],
)
def test_a_path_without_a_manifest_says_so(tmp_path: Path, path: str, problem: str) -> None:
    """Errors distinguish missing folders, missing files and non-files."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "bot.toml").write_text(WHOLE)
    (tmp_path / "folder_as_file" / "bot.toml").mkdir(parents=True)

    with pytest.raises(UsageError, match=problem):
        load_manifest(tmp_path / path)
