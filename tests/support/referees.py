"""What the referee's tests share: scripted matches, and bots as real processes."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.cli.app import main
from referee.core.clock import ClockConfig
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.running_bot import BotSpec
from referee.match.match import Match, MatchSetup
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.support.lacking import need_proc
from tests.support.processes import Watched

__all__ = [
    "asked",
    "bots",
    "ends",
    "entrant",
    "host",
    "new_match",
    "patient",
    "processes",
    "random_bot",
    "referee",
    "referee_here",
    "waiting_bot",
]
"""The fixtures, for the conftest of a folder."""

ROOT = Path(__file__).parents[2]
PATIENT = ClockConfig(
    startup_ms=120_000, decision_limit_ms=120_000, bank_ms=1_200_000, increment_ms=0
)


@pytest.fixture(scope="session")
def new_match() -> Callable[..., Match]:
    """Begin a match of Courtisans; the keywords are those of its setup."""

    def begin(seats: int = 3, seed: str = "a seed", **more: object) -> Match:
        return Match(MatchSetup("a match", "courtisans", seats, seed, **more))  # type: ignore[arg-type]

    return begin


@pytest.fixture(scope="session")
def bots() -> Path:
    """The folder of the misbehaving bots, a folder each."""
    return ROOT / "tests" / "bots"


@pytest.fixture(scope="session")
def random_bot() -> Path:
    """A well-behaved bot's folder."""
    return ROOT / "sample_bots" / "python" / "courtisans" / "random"


@pytest.fixture(scope="session")
def patient() -> ClockConfig:
    """A clock under which no bot is late, however busy the machine is."""
    return PATIENT


@pytest.fixture(scope="session")
def entrant() -> Callable[[Path], BotSpec]:
    """Make an entrant of a bot's folder."""

    def make(folder: Path) -> BotSpec:
        manifest = load_manifest(folder)
        return BotSpec(
            manifest.name, manifest.directory, manifest.command, transport=manifest.transport
        )

    return make


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A host for the tests of a module."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as shared:
        yield shared


@pytest.fixture(scope="session")
def processes() -> Callable[[Host], set[int]]:
    """Find every living process that a host's bots started, wherever it is in the tree."""
    need_proc()

    def find(host: Host) -> set[int]:
        mark = f"COURTYARD_TOKEN_FILE={host._folder}/".encode()
        return {int(path.name) for path in Path("/proc").glob("[0-9]*") if mark in _environ(path)}

    return find


def _environ(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="session")
def ends() -> Callable[[int], bool]:
    """Wait until a process ends; False if it stays."""

    def wait(pid: int) -> bool:
        return Watched(pid).ends()

    return wait


_WAITING = """
import os
import time

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    with open("asked", "w") as pipe:
        print(os.getpid(), file=pipe)
    time.sleep(100_000)


run(choose, name="waiting")
"""


@pytest.fixture
def waiting_bot(tmp_path: Path) -> Path:
    """The folder of a bot that reports a request through a pipe, and then waits."""
    (tmp_path / "bot.py").write_text(_WAITING)
    (tmp_path / "bot.toml").write_text(
        'name = "waiting"\ngames = ["courtisans"]\ncommand = ["python3", "bot.py"]'
    )
    os.mkfifo(tmp_path / "asked")
    return tmp_path


@pytest.fixture(scope="session")
def asked() -> Callable[[Path], int]:
    """Wait until a waiting bot is asked; give its process."""

    def wait(folder: Path) -> int:
        pipe = os.open(folder / "asked", os.O_RDONLY | os.O_NONBLOCK)
        try:
            assert select.select([pipe], [], [], 120)[0], "the bot was never asked"
            return int(os.read(pipe, 100))
        finally:
            os.close(pipe)

    return wait


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Run the command `referee` with arguments, in an empty or the given folder."""
    command = Path(sys.executable).parent / "referee"
    empty = tmp_path_factory.mktemp("empty")

    def run(*arguments: object, cwd: Path = empty) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture
def referee_here(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Command:
    """Run the command `referee` as above, but in this process, which is far faster."""
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["referee", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        status = ended.value.code
        assert status is None or isinstance(status, int), status
        said = capsys.readouterr()
        return subprocess.CompletedProcess(sys.argv, status or 0, said.out, said.err)

    return run
