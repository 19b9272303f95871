"""What runs on Windows itself, and what says that it needs WSL 2."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import ladder.cli.app
import referee.cli.app
from referee.cli.unix_command import UnixCommand
from tests.support.windows import ENVIRONMENT

PROGRAMS = Path(sys.executable).parent
NATIVE = {"new-bot", "games", "mcp", "watch", "verify", "replay", "survey"}
"""Commands that need neither a ladder's folder nor a bot's process; here `referee replay`."""


def on_windows(program: str, *words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as on Windows."""
    return subprocess.run(
        [PROGRAMS / program, *words],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_imitation_lacks_what_windows_lacks(tmp_path: Path) -> None:
    """Neither modules nor calls nor signals that only a Unix has are there."""
    lacking = "import os, signal, socket\n" + "\n".join(
        f"assert not hasattr({module}, {name!r}), {name!r}"
        for module, name in (
            ("os", "fork"),
            ("os", "killpg"),
            ("os", "geteuid"),
            ("signal", "SIGKILL"),
            ("signal", "SIGHUP"),
            ("socket", "AF_UNIX"),
        )
    )
    missing = "from importlib.util import find_spec\nassert not any(map(find_spec, {names}))"
    code = f"{lacking}\n{missing.format(names=['fcntl', 'resource', 'pwd', 'uvloop', 'termios'])}"
    environment = {**os.environ, **ENVIRONMENT}
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, check=True)


def registered(app: typer.Typer, *group: str) -> Iterator[tuple[str, type | None]]:
    """Yield the name and the kind of each command, those within groups too."""
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        yield " ".join((*group, name)), command.cls
    for one in app.registered_groups:
        assert one.typer_instance is not None
        yield from registered(one.typer_instance, str(one.name))


def test_every_command_that_windows_cannot_run_says_so() -> None:
    """Whatever is not known to run there is of the kind that names WSL 2."""
    kinds = [*registered(ladder.cli.app.app), *registered(referee.cli.app.app)]

    assert len(kinds) > 30
    assert {name for name, kind in kinds if kind is not UnixCommand} == NATIVE


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("ladder", "token create ann"),
        ("ladder", "standings"),
        ("referee", "check my-bot"),
    ],
)
def test_a_command_that_cannot_run_names_wsl_in_one_line(
    program: str, words: str, tmp_path: Path
) -> None:
    """It says what does not run, what to use, and of a remote ladder that it is one way out."""
    done = on_windows(program, *words.split(), folder=tmp_path)

    name = f"{program} {words.removesuffix(' ann').removesuffix(' my-bot')}"
    instead = ", or name a remote ladder by --url" if words == "standings" else ""
    assert done.stderr == (
        f"error: `{name}` does not run on Windows itself: "
        f"use WSL 2 (`wsl --install`), where it runs as on Linux{instead}\n"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.costly
@pytest.mark.parametrize("language", ["python", "shell"])
def test_new_bot_makes_on_windows_what_it_makes_elsewhere(language: str, tmp_path: Path) -> None:
    """The same files, byte for byte; what to do next is to submit it."""
    far, near = tmp_path / "there", tmp_path / "here"
    far.mkdir()
    near.mkdir()
    there = on_windows("ladder", "new-bot", "eve", "--language", language, folder=far)
    command = (PROGRAMS / "ladder", "new-bot", "eve", "--language", language)
    subprocess.run(command, cwd=near, capture_output=True, check=True)

    assert (there.returncode, there.stderr) == (0, "")
    assert "submit eve --url URL" in there.stdout
    assert "referee" not in there.stdout.splitlines()[1]
    assert contents(far) == contents(near)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.costly
def test_records_are_verified_and_replayed(tmp_path: Path) -> None:
    """What a match was can be seen on Windows too."""
    record = tmp_path / "match.json"
    command = (PROGRAMS / "referee", "play", "--quiet", "--record", record)
    subprocess.run(command, capture_output=True, check=True)
    verified = on_windows("referee", "verify", record, folder=tmp_path)
    shown = on_windows("referee", "replay", record, folder=tmp_path)

    assert (verified.returncode, verified.stderr) == (0, "")
    assert (shown.returncode, shown.stderr) == (0, "")


def test_nothing_but_one_module_asks_whether_this_is_windows(
    committed_texts: dict[str, str],
) -> None:
    """`referee.core.system` decides, so that no command has its own idea of what runs where."""
    code = {
        name: text
        for name, text in committed_texts.items()
        if name.endswith(".py") and name.startswith(("ladder/", "referee/", "sample_bots/"))
    }
    assert len(code) > 200
    assert [name for name, text in code.items() if "win32" in text or "os.name" in text] == []
