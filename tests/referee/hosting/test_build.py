"""Builds, as real processes at every level of this machine."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.cli.app import app
from referee.core import folders
from referee.core.errors import UsageError
from referee.hosting import build as building
from referee.hosting.build import Bounds, Built, build
from referee.sandbox.levels import Sandbox, offered, open_sandbox
from referee.sandbox.program import Level
from tests.support.lacking import need_watching

Build = Callable[..., Built]


@pytest.fixture(params=offered())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each of this machine's sandboxes."""
    return open_sandbox(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder."""
    (tmp_path / "bot").mkdir()
    return tmp_path / "bot"


@pytest.fixture
def run(sandbox: Sandbox, folder: Path) -> Build:
    """Run shell commands as build steps."""

    def run_steps(*scripts: str, **options: object) -> Built:
        steps = [["sh", "-c", script] for script in scripts]
        on_command = options.pop("on_command", lambda _: None)
        return build(steps, folder, sandbox, network=False, on_command=on_command, **options)  # type: ignore[arg-type]

    return run_steps


def test_steps_run_in_order_in_the_folder(run: Build, folder: Path) -> None:
    """Each step sees the results of those before, and is named before it runs."""
    said: list[str] = []
    built = run("echo one > made", "cat made made", on_command=said.append)

    assert built == Built("", "$ sh -c 'echo one > made'\n\n$ sh -c 'cat made made'\none\none\n\n")
    assert said == ["sh -c 'echo one > made'", "sh -c 'cat made made'"]
    assert (folder / "made").stat().st_uid == os.getuid()


def test_the_first_step_that_fails_is_the_last(run: Build, folder: Path) -> None:
    """The error names the step and its end; its output is kept, and no step follows."""
    built = run("true", "echo no semicolon >&2; exit 3", "touch never")

    assert "step 2 of 3 of the build (sh -c" in built.failure
    assert built.failure.endswith("failed: its process exited with status 3")
    assert built.log.endswith("no semicolon\n\n")
    assert not (folder / "never").exists()


def test_a_step_that_cannot_be_started_says_so(sandbox: Sandbox, folder: Path) -> None:
    """A missing compiler is named."""
    steps = [["no-such-compiler", "-O2"]]
    built = build(steps, folder, sandbox, network=False, on_command=lambda _: None)

    assert "step 1 of 1 of the build (no-such-compiler -O2)" in built.failure
    assert "No such file or directory" in built.failure + built.log


def test_the_protocol_does_not_change_between_builds(run: Build) -> None:
    """The protocol's files keep path and times, so a second build remakes nothing."""
    script = (
        "import os, pathlib; root = pathlib.Path(os.environ['COURTYARD_PROTO']); "
        "print([(str(file), file.stat().st_mtime) for file in sorted(root.glob('*/v1/*.proto'))])"
    )
    first, second = (run(f'python3 -c "{script}"') for _ in range(2))

    assert "/courtyard/v1/referee.proto" in first.log
    assert first.log == second.log


def test_the_protocol_is_there(run: Build) -> None:
    """The .proto files lie where a protocol compiler looks for them."""
    built = run('grep -l "service Referee" "$COURTYARD_PROTO"/courtyard/v1/referee.proto')

    assert built.failure == ""
    assert "/courtyard/v1/referee.proto\n" in built.log


@pytest.mark.costly
def test_a_build_has_a_time_limit(run: Build) -> None:
    """A step that takes too long is stopped with all its children, and the error says so."""
    built = run("sleep 1000 & echo waiting; wait", bounds=Bounds(seconds=1))

    assert built.failure.endswith("was stopped: a build may take 1 s")
    assert built.log.endswith("waiting\n\n")


def test_a_build_cannot_fill_the_disk(run: Build, folder: Path) -> None:
    """A folder too large fails the build."""
    built = run("head -c 2000000 /dev/zero > large", bounds=Bounds(bytes=1024 * 1024))

    assert built.failure.endswith("was stopped: the folder may hold 1 MiB")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (": > seems-empty; fallocate -n -l 2000000 seems-empty", "may hold 1 MiB"),
        ("mkdir locked; head -c 2000000 /dev/zero > locked/large; chmod 0 locked", "look"),
        ("for i in 1 2 3 4 5 6; do : > $i; done", "may hold 5 files"),
        ("mkdir -p 1/2/3/4/5/6/7/8/9/10/11", "may hold folders that are 10 deep"),
    ],
)
def test_a_build_cannot_hide_what_it_fills(
    run: Build, monkeypatch: pytest.MonkeyPatch, folder: Path, script: str, reason: str
) -> None:
    """A build's size counts hidden blocks, locked folders, names alone and great depth."""
    monkeypatch.setattr(folders, "MOST_FILES", 5 if "files" in reason else 1000)
    monkeypatch.setattr(folders, "DEEPEST", 10)

    built = run(script, bounds=Bounds(bytes=1024 * 1024))
    folders.remove(folder)

    assert "was stopped: the folder " in built.failure
    assert reason in built.failure
    assert not folder.exists()


def test_a_step_ends_whole(run: Build, folder: Path) -> None:
    """A step's processes have ended before the next, though a zombie of theirs may be left."""
    left = []

    def look(_: str) -> None:
        if (folder / "pipe").exists():
            left.append(_is_read(folder / "pipe"))

    built = run("mkfifo pipe; exec 3<>pipe; sleep 1000 & echo $! > pid", "true", on_command=look)

    assert built.failure == ""
    assert (folder / "pid").read_text()
    assert left == [False]


def _is_read(pipe: Path) -> bool:
    """Return whether a process has this pipe open; one that has ended has not."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return False
    return True


def test_the_end_of_the_output_is_kept(run: Build) -> None:
    """The output of an endless build is bounded."""
    built = run(*["seq 100000"] * 6)

    assert len(built.log) == building.LOG_KEPT
    assert built.log.endswith("\n99999\n100000\n\n")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, str]]:
    """Run `referee build` and return its output."""

    def call(*arguments: str) -> tuple[str, str]:
        app(["build", *arguments], standalone_mode=False)
        said = capsys.readouterr()
        return said.out, said.err

    return call


MANIFEST = 'name = "b"\ngames = ["courtisans"]\ncommand = ["./b"]\n'


def test_an_author_builds_in_place(
    command: Callable[..., tuple[str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command runs in the bot's own folder, with the author's environment."""
    (folder / "bot.toml").write_text(
        MANIFEST + 'build = [["sh", "-c", "echo $MY_COMPILER > made"]]'
    )
    monkeypatch.setenv("MY_COMPILER", "mine")

    out, _ = command(str(folder))

    assert out == "sh -c 'echo $MY_COMPILER > made'\nb is built.\n"
    assert (folder / "made").read_text() == "mine\n"


def test_an_author_sees_what_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command shows the output, safe for terminals, and the error names the step."""
    (folder / "bot.toml").write_text(
        MANIFEST + 'build = [["sh", "-c", "printf \'line 7\\\\033[2J\'; false"]]'
    )

    with pytest.raises(UsageError, match=r"step 1 of 1 .* status 1"):
        app(["build", str(folder)], standalone_mode=False)

    assert "line 7·[2J" in capsys.readouterr().err


def test_nothing_to_build(command: Callable[..., tuple[str, str]], folder: Path) -> None:
    """A bot without build steps stays as it is."""
    (folder / "bot.toml").write_text(MANIFEST)

    assert command(str(folder))[0] == "b has nothing to build.\n"


@pytest.mark.sweep
def test_a_build_has_so_much_cpu_time(
    run: Build, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPU time has its own limit; control groups count all that a build has started."""
    need_watching()
    monkeypatch.setattr(building, "_SECONDS_BETWEEN_LOOKS", 0.05)
    spin = "while :; do :; done"
    step = f"({spin}) & ({spin}) & wait" if sandbox.level is Level.STRICT_CG else spin

    built = run("true", step, bounds=Bounds(cpu_seconds=1.0))

    assert built.failure.startswith("step 2 of 2 of the build (sh -c")
    assert built.failure.endswith("was stopped: a build may use 1 s of CPU time")
