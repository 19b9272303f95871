"""What a process leaves on the disk that is killed: the next one removes it, and nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.core import scratch as scratch_module
from referee.core.scratch import scratch, short_folder

PROGRAM = """
import sys, tempfile
from pathlib import Path
from referee.core.scratch import scratch

with scratch():
    Path(tempfile.mkdtemp(), "file").touch()
    print(tempfile.gettempdir(), flush=True)
    sys.stdin.read()
"""
Begin = Callable[[], tuple["subprocess.Popen[str]", Path]]


@pytest.fixture
def above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, for this process and those that it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def begin(above: Path) -> Iterator[Begin]:
    """Start processes, each with a file in a folder of its own, that wait for the end of stdin."""
    started: list[subprocess.Popen[str]] = []

    def start() -> tuple["subprocess.Popen[str]", Path]:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == above
        return process, folder

    yield start
    for process in started:
        process.communicate()


@pytest.mark.costly
def test_what_a_killed_process_left_is_removed_by_the_next_command(
    above: Path, begin: Begin
) -> None:
    """What a living one needs stays, until that ends and takes it away itself."""
    (killed, left), (living, needed) = begin(), begin()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert [*left.rglob("file")]

    command = Path(sys.executable).with_name("referee")
    subprocess.run([command, "--help"], check=True, capture_output=True)

    assert [*above.iterdir()] == [needed]
    assert [*needed.rglob("file")]
    living.communicate()
    assert [*above.iterdir()] == []


def test_nothing_else_is_removed(above: Path) -> None:
    """A link, a file, a folder of another name, or one of another user's stays as it is."""
    others = above / "courtyard-others"
    (others / "inner").mkdir(parents=True)
    (above / "courtyard-run-link").symlink_to(others)
    (above / "courtyard-run-file").touch()
    foreign = above / "courtyard-run-foreign"
    foreign.mkdir()
    if os.geteuid() == 0:
        os.chown(foreign, 1, 1)
    else:
        foreign.rmdir()
    before = sorted(above.rglob("*"))

    with scratch():
        assert Path(tempfile.gettempdir()).parent == above

    assert sorted(above.rglob("*")) == before


def test_without_room_for_a_folder_a_command_runs_all_the_same(
    above: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many commands need no temporary files; who does says what is wrong."""
    monkeypatch.setattr(tempfile, "tempdir", str(above / "missing"))
    with scratch():
        assert tempfile.gettempdir() == str(above / "missing")


def test_where_what_one_makes_is_not_ones_own_a_command_runs_all_the_same(
    above: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a shared disk that gives root's files to another: nothing is left, nothing hangs."""
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with scratch():
        assert tempfile.gettempdir() == str(above)
    assert not list(above.iterdir())


def test_a_short_path_is_made_elsewhere_and_does_not_outlive_who_is_killed(
    above: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sockets have short names only; the next process removes what a killed one has left."""
    short = tmp_path_factory.mktemp("s")
    monkeypatch.setattr(scratch_module, "_SHORT", short)
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom referee.core import scratch\n"
        "scratch._SHORT = Path(sys.argv[1])\n"
        "with scratch.scratch(), scratch.short_folder(1) as folder:\n"
        "    (folder / 'seat.sock').touch()\n"
        "    print(folder, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(short)], stdout=subprocess.PIPE, text=True, check=False
    )
    left = Path(done.stdout.strip())
    assert left.parent == short
    assert (left / "seat.sock").exists()

    with short_folder(1) as folder:
        assert [*short.iterdir()] == [folder]
        with scratch():
            assert folder.exists()
    assert [*short.iterdir()] == []
    with short_folder(1000) as folder:
        assert folder.parent == above
    assert [*above.glob("courtyard-[!r]*")] == []
