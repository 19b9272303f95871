"""One rule says which files of a folder belong to its bot."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import load_manifest


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's folder."""
    return write(tmp_path / "bot")


def write(folder: Path, command: str = '"python3", "bot.py"', more: str = "") -> Path:
    """Write a bot's files."""
    folder.mkdir(exist_ok=True)
    lines = f'name = "eve"\ngames = ["courtisans"]\ncommand = [{command}]\n{more}'
    (folder / "bot.toml").write_text(lines)
    (folder / "bot.py").touch()
    return folder


def put(folder: Path, *names: str) -> None:
    """Make empty files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def belonging(folder: Path) -> list[str]:
    """Return the files that belong to the bot in a folder."""
    return sorted(walk(folder, "", LeftOut(load_manifest(folder))))


def walk(root: Path, below: str, skip: LeftOut) -> Iterator[str]:
    """Yield the paths of the files that are not left out."""
    for item in sorted((root / below).iterdir()):
        path = f"{below}/{item.name}".lstrip("/")
        if skip(path):
            continue
        if (root / path).is_dir():
            yield from walk(root, path, skip)
        else:
            yield path


BUILD = 'build = [["true"]]\n'


@pytest.mark.parametrize("manifest", ["", BUILD])
def test_what_gitignore_names_stays_out(bot: Path, manifest: str) -> None:
    """What .gitignore names stays out, with a build and without one."""
    write(bot, more=manifest)
    put(bot, "node_modules/a/index.js", "data/log.txt", "model.bin")
    (bot / ".gitignore").write_text("node_modules/\n/data\n")

    assert belonging(bot) == [".gitignore", "bot.py", "bot.toml", "model.bin"]


@pytest.mark.parametrize("place", [".venv", "env", "tools/python"])
def test_virtual_environments_stay_out(bot: Path, place: str) -> None:
    """A virtual environment stays out under any name and at any depth, without a .gitignore."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bot / place], check=True)

    assert belonging(bot) == ["bot.py", "bot.toml"]


def test_a_link_to_a_virtual_environment_stays_out(bot: Path, tmp_path: Path) -> None:
    """A link to a virtual environment beside the folder is not an error."""
    put(tmp_path, "shared/pyvenv.cfg")
    (bot / ".venv").symlink_to(tmp_path / "shared")

    assert belonging(bot) == ["bot.py", "bot.toml"]


@pytest.mark.parametrize("mark", ["ladder.db", "database.url"])
def test_ladders_stay_out(bot: Path, mark: str) -> None:
    """A ladder in a bot's folder, which may hold the bot itself, stays out."""
    put(bot, f"my-ladder/{mark}", "my-ladder/bots/x/bot.py")

    assert belonging(bot) == ["bot.py", "bot.toml"]


def test_caches_stay_out(bot: Path) -> None:
    """Caches of tools stay out at any depth."""
    put(bot, "__pycache__/bot.pyc", "src/__pycache__/a.pyc", "src/a.py", ".git/HEAD", ".DS_Store")

    assert belonging(bot) == ["bot.py", "bot.toml", "src/a.py"]


@pytest.mark.parametrize("mark", ["ladder.db", "database.url", "pyvenv.cfg"])
def test_a_bot_needs_a_folder_of_its_own(bot: Path, mark: str) -> None:
    """A folder that is a ladder or a virtual environment itself is refused in one line."""
    put(bot, mark)

    with pytest.raises(UsageError, match=r"this is a .*; give the bot a folder of its own"):
        belonging(bot)


@pytest.mark.parametrize("kept", ["data/best/model.bin", "data/best", "./data/best/"])
def test_include_keeps_what_gitignore_names(bot: Path, kept: str) -> None:
    """`include` keeps a file or folder; what lies beside it in an ignored folder stays out."""
    write(bot, more=f'include = ["{kept}"]\n')
    put(bot, "data/best/model.bin", "data/log.txt", "data/older/model.bin")
    (bot / ".gitignore").write_text("data/\n*.bin\n")

    assert belonging(bot) == [".gitignore", "bot.py", "bot.toml", "data/best/model.bin"]


def test_include_may_name_the_whole_folder(bot: Path) -> None:
    """`include = ["."]` makes .gitignore count for nothing, and the rest of the rule still."""
    write(bot, more='include = ["."]\n')
    put(bot, "a.bin", ".venv/pyvenv.cfg")
    (bot / ".gitignore").write_text("*\n")

    assert belonging(bot) == [".gitignore", "a.bin", "bot.py", "bot.toml"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("model.bin", r'"include" names model\.bin, which is not there'),
        (".venv/lib/x.py", r"which does not belong to the bot \(\.venv: a virtual environment\)"),
        ("src/__pycache__", r"\(src/__pycache__: a cache\)"),
        ("../secret", "only paths in the bot's folder"),
        ("/etc/passwd", "only paths in the bot's folder"),
    ],
)
def test_an_include_that_cannot_be_kept_is_refused(bot: Path, path: str, told: str) -> None:
    """A typing error in `include`, or what is never part of a bot, is refused in one line."""
    write(bot, more=f'include = ["{path}"]\n')
    put(bot, ".venv/pyvenv.cfg", ".venv/lib/x.py", "src/__pycache__/x.pyc", "../secret")

    with pytest.raises(UsageError, match=told):
        belonging(bot)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ('".venv/bin/python", "bot.py"', r"the command names \.venv/bin/python, .*virtual env"),
        ('"python3", "-u", "out/main.py"', r"names out/main\.py, .*\.gitignore\); name it in \"in"),
        ('"./out/main.py"', r"names out/main\.py"),
    ],
)
def test_a_command_that_needs_what_stays_out_is_refused(bot: Path, command: str, told: str) -> None:
    """The author hears at once that the command's file is not part of the bot, and what to do."""
    write(bot, command)
    put(bot, ".venv/pyvenv.cfg", ".venv/bin/python", "out/main.py")
    (bot / ".gitignore").write_text("out\n")

    with pytest.raises(UsageError, match=told):
        belonging(bot)


def test_a_build_may_make_what_the_command_needs(bot: Path) -> None:
    """With a build, the command may name what .gitignore names."""
    write(bot, '"out/bot"', BUILD)
    put(bot, "out/bot")
    (bot / ".gitignore").write_text("out\n")

    assert belonging(bot) == [".gitignore", "bot.py", "bot.toml"]


def test_what_is_left_out_is_told(bot: Path) -> None:
    """What was left out is told with the reason, but no caches; of many paths the first five."""
    put(bot, ".venv/pyvenv.cfg", ".git/HEAD", *(f"{number}.log" for number in range(7)))
    (bot / ".gitignore").write_text("*.log\n")
    skip = LeftOut(load_manifest(bot))

    list(walk(bot, "", skip))

    told = skip.summary()
    assert told.startswith(".venv (a virtual environment), 0.log (named by .gitignore), 1.log")
    assert told.endswith("3.log (named by .gitignore) and 3 more")


def test_a_remote_bot_is_its_bot_toml_alone(tmp_path: Path) -> None:
    """Of a remote bot only the bot.toml belongs to a submission, and nothing is told of it."""
    (tmp_path / "bot.toml").write_text(
        'name = "far"\ngames = ["courtisans"]\ntransport = "remote"\n'
    )
    put(tmp_path, "secret.py", "pyvenv.cfg")
    skip = LeftOut(load_manifest(tmp_path))

    assert list(walk(tmp_path, "", skip)) == ["bot.toml"]
    assert skip.summary() == ""
