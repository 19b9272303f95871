"""The current folder may be a stranger's, closed, or gone: commands neither use nor need it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.doctor import Tool
from ladder.storage.ladder import Ladder
from referee.core import safe_path
from referee.core.spawning import spawning
from referee.sandbox.toolchains import toolchains
from tests.support.lacking import need_linux, skip
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder

ROOT = Path(__file__).parents[2]
RANDOM = ROOT / "sample_bots" / "python" / "courtisans" / "random"
COMMANDS = Path(sys.executable).parent
PACKAGES = ("alembic", "distributed", "google", "grpc", "jinja2", "numpy", "orjson", "psycopg")
PROGRAMS = (
    *("bwrap", "cargo", "cat", "chmod", "chown", "gcc", "git", "go", "java", "javac", "jq"),
    *("make", "mvn", "node", "npm", "prlimit", "protoc", "rm", "rustc", "setarch", "setpriv", "sh"),
)

MODULE = """
import sys
if sys.argv[:1] != ["bot.py"]:  # a bot may import what is its own
    open({marker!r}, "a").write("{name} ")
raise ImportError("{name}")
"""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that whatever runs outside the sandbox leaves."""
    return tmp_path / "marker"


@pytest.fixture
def trap(tmp_path: Path, marker: Path) -> Path:
    """A stranger's folder with a module and a program of every name that anything may look for."""
    folder = tmp_path / "trap"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, *PACKAGES, "sitecustomize", "usercustomize"):
        (folder / f"{name}.py").write_text(MODULE.format(marker=str(marker), name=name))
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {marker}\n")
        (folder / name).chmod(0o755)
    return folder


def run(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder, of which PATH has an empty entry and a dot before all others."""
    path = os.pathsep.join(("", ".", os.environ["PATH"]))
    return subprocess.run(
        [COMMANDS / str(words[0]), *map(str, words[1:])],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(
    "words",
    [
        ("ladder", "tournament", "round-robin", "{new}", "{bot}", "{other}", "--seats", "2"),
        ("ladder", "doctor"),
        ("referee", "survey", "--games", "60", "--seats", "2"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_runs_nothing_that_lies_in_the_current_folder(
    trap: Path, marker: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Neither its processes nor what it asks of others import a module or find a program there."""
    counter = RANDOM.with_name("counter")
    places = {"new": tmp_path / "new", "bot": RANDOM, "other": counter}

    ended = run(trap, *(word.format(**places) for word in words))

    assert not marker.exists(), marker.read_text()
    assert ended.returncode == 0, ended.stderr


@pytest.mark.costly
def test_a_received_bot_is_submitted_from_its_own_folder(
    trap: Path, marker: Path, tmp_path: Path
) -> None:
    """Its modules are imported by itself alone."""
    home = new_ladder(tmp_path / "club", "a seed", seats=2)
    for name in ("bot.toml", "bot.py"):
        (trap / name).write_bytes((RANDOM / name).read_bytes())

    ended = run(trap, "ladder", "submit", ".", "--ladder", home.path)

    assert not marker.exists(), marker.read_text()
    assert "Validating" in ended.stdout


def test_a_child_is_safe_whichever_process_is_its_parent(
    trap: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child of a process that is none of our commands, such as Dask's, imports nothing there."""
    monkeypatch.chdir(trap)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)

    child = spawning().Process(target=os.getpid)
    child.start()
    child.join()

    assert not marker.exists(), marker.read_text()
    assert child.exitcode == 0
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (":/usr/bin", "/usr/bin"),
        ("/usr/bin:.:bin:../bin:/bin", "/usr/bin:/bin"),
        (".", os.defpath),
        ("", os.defpath),
    ],
)
def test_programs_are_found_in_absolute_folders_alone(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    """What is relative in PATH, or empty, counts no more; an empty PATH would be the folder."""
    monkeypatch.setenv("PATH", before)
    monkeypatch.setenv("PYTHONSAFEPATH", "")

    safe_path.guard()

    assert os.environ["PATH"] == after
    assert os.environ["PYTHONSAFEPATH"]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a compiler of this PATH notes the folder that it was asked in."""
    noted, programs = tmp_path / "noted", tmp_path / "programs"
    programs.mkdir()
    (programs / "rustup").write_text(f"#!/bin/sh\npwd > {noted}\necho /nowhere 1.99\n")
    (programs / "rustup").chmod(0o755)
    (programs / "rustc").symlink_to("rustup")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return noted


def test_rustup_is_asked_where_no_stranger_names_its_toolchain(asked: Path) -> None:
    """It would run the compiler that a `rust-toolchain.toml` in the current folder names."""
    toolchains.__wrapped__(("rustc",))

    assert asked.read_text() == "/\n"


def test_a_tool_is_asked_where_no_stranger_configures_it(asked: Path) -> None:
    """Maven would load the agents that `.mvn/jvm.config` in the current folder names."""
    assert Tool("Rust", ("rustc", "--version"), "").version() == "1.99"
    assert asked.read_text() == "/\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot that Python finds by the name of its module, in its folder."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "strategy.py").write_bytes((RANDOM / "bot.py").read_bytes())
    (folder / "bot.toml").write_text(
        'name = "by-module"\ngames = ["courtisans"]\ncommand = ["python3", "-m", "strategy"]\n'
    )
    return folder


@pytest.mark.costly
def test_a_bot_still_imports_from_its_own_folder(tmp_path: Path, bot: Path) -> None:
    """What keeps our processes from a folder is not in a bot's environment, nor in a debugger's."""
    record = tmp_path / "record.json"

    played = run(tmp_path, "referee", "play", bot, "--seats", "2", "--record", record, "--quiet")
    again = run(tmp_path, "referee", "repro", record, "--seat", "0", bot)

    assert played.returncode == 0, played.stderr
    assert "FAILED" not in record.read_text()
    assert ", 0 wrongly" in again.stdout.replace("\n", " "), again.stderr


@pytest.fixture
def deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Go to a folder that is then deleted."""

    def leave() -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()

    with monkeypatch.context():
        monkeypatch.delenv("COURTYARD_LADDER", raising=False)
        yield leave


@pytest.mark.sweep
@pytest.mark.parametrize(
    "words",
    [
        ("standings", "--ladder", "{home}"),
        ("verify", "--ladder", "{home}"),
        ("run", "--matches", "1", "--ladder", "{home}"),
        ("export", "{new}", "--ladder", "{home}"),
        ("backup", "{new}", "--ladder", "{home}"),
        ("init", "{new}", "--seats", "2"),
        ("submit", "{bot}", "--ladder", "{home}"),
    ],
    ids=lambda words: words[0],
)
def test_whole_paths_need_no_current_folder(
    ladder: Ladder,
    make_bot: Callable[[str], Path],
    tmp_path: Path,
    command: Command,
    deleted: Callable[[], None],
    words: tuple[str, ...],
) -> None:
    """A command whose paths are absolute does its work, with all its processes."""
    places = {"home": ladder.home.path, "new": tmp_path / "new", "bot": make_bot("eve")}
    deleted()

    ended = command(*(word.format(**places) for word in words))

    assert ended.status == 0, ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("standings",),
        ("init", "club"),
        ("submit", "."),
        ("export", "site", "--ladder", "club"),
        ("tournament", "swiss", "cup", "ann", "bob"),
        ("demo",),
        ("repro", "3f9a", "--seat", "0"),
    ],
    ids=lambda words: words[0],
)
def test_a_relative_path_below_a_deleted_folder_is_refused_in_one_line(
    command: Command, deleted: Callable[[], None], words: tuple[str, ...]
) -> None:
    """A command that needs the folder says so, and shows no traceback."""
    deleted()

    ended = command(*words)

    assert ended.status == 1
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1


def test_the_referee_refuses_so_too(
    referee_here: Callable[..., Any], deleted: Callable[[], None]
) -> None:
    """It reads nothing below a folder that is gone, and starts processes all the same."""
    deleted()

    assert referee_here("check", ".").stderr == "error: .: no bot.toml in this folder\n"
    assert referee_here("survey", "--games", "60", "--seats", "2").returncode == 0


def test_a_folder_that_the_user_may_not_enter_is_not_needed(tmp_path: Path) -> None:
    """Run by `sudo -u` in the caller's home, a command still starts its processes."""
    need_linux()
    private = tmp_path / "private"
    private.mkdir(mode=0o700)

    ended = subprocess.run(
        [*_as_somebody_else(), CHILD],
        cwd=private,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stdout == "0\n", ended.stderr


def _as_somebody_else() -> list[str]:
    """Return the command that runs Python code as another user; skip this test without any."""
    if os.geteuid():
        skip("only root can become another user", "run this as root")
    for python in (sys.executable, "/usr/bin/python3"):
        become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", python, "-c"]
        if not subprocess.run([*become, PROBE], check=False, stderr=subprocess.DEVNULL).returncode:
            return become
    return skip("Python lies in a private home", "install one that all users can run")


PROBE = """
import subprocess, sys
assert sys.version_info >= (3, 11)
subprocess.run([sys.executable, "-c", ""], check=True)
"""
CHILD = """
import os
from referee.core.spawning import spawning
child = spawning().Process(target=os.getpid)
child.start()
child.join()
print(child.exitcode)
"""
