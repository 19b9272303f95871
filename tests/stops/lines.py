"""Ladders whose processes are stopped: a line of a table for each kind of stop.

The bots of this machine are one each in Python and in C++, over gRPC and over stdio, at one table.
"""

import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ladder.model.matches import MatchState
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission.submit import submit
from referee.core.clock import ClockConfig
from tests.stops.stopping import confirm, forfeits, make, play_and_stop, states
from tests.support.bot_clients import BotClients
from tests.support.remote_bots import HERE, Keys

_ROOT = Path(__file__).parents[2]
_PYTHON = _ROOT / "sample_bots" / "python" / "courtisans" / "random"
_CPP = _ROOT / "sample_bots" / "cpp"
_CPP_GRPC = _ROOT / "tests" / "bots" / "cpp_grpc"
CLOCK = ClockConfig(startup_ms=20_000, decision_limit_ms=2_000, bank_ms=60_000, increment_ms=500)
"""Shorter than any stop, so that each of them may make a bot late."""
STOPS = {
    "whole tree, 5 s": ("tree", 5.0),
    "worker alone, 10 s": ("workers", 10.0),
    "Ctrl-Z, 8 s, fg": ("Ctrl-Z", 8.0),
    "whole tree, 70 s": ("tree", 70.0),
}
REMOTE = "remote"
_NAMES = ("ann", "ben", "cat", "dan")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table, or a part of it that one ladder plays."""

    stop: str
    where: str
    """A level of containment, or `REMOTE`."""
    stops: int


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a ladder."""

    line: Line
    matches: int
    void: int
    forfeits: Sequence[str]


def python_bots(folder: Path, prefix: str = "python") -> list[Path]:
    """Make two bots in Python, named by this prefix and their transports."""
    made = []
    for name, transport in ((f"{prefix}-grpc", "grpc"), (f"{prefix}-stdio", "stdio")):
        shutil.copytree(_PYTHON, folder / name)
        made.append(_named(folder / name, transport, '["python3", "bot.py"]'))
    return made


def cpp_bots(folder: Path) -> list[Path]:
    """Build the bots in C++."""
    made = []
    for name, transport, source in (("cpp-grpc", "grpc", _CPP_GRPC), ("cpp-stdio", "stdio", _CPP)):
        built = folder / f"{name}-source"
        shutil.copytree(source, built, ignore=shutil.ignore_patterns("build"))
        proto = f"COURTYARD_PROTO={_ROOT / 'proto'}"
        # Optimised, the build takes twice as long; here, how fast a bot is does not matter.
        options = (proto, f"SAMPLE={_CPP}", "CXXFLAGS=-O0")
        subprocess.run(["make", "-s", "-C", built, *options], check=True)
        (folder / name).mkdir()
        shutil.copy(built / "build" / "bot", folder / name)
        made.append(_named(folder / name, transport, '["./bot"]'))
    return made


def _named(folder: Path, transport: str, command: str) -> Path:
    lines = [f'name = "{folder.name}"', 'games = ["courtisans"]', f'transport = "{transport}"']
    lines += [f"command = {command}"] if command else []
    (folder / "bot.toml").write_text("\n".join((*lines, "")))
    return folder


def made(folder: Path, level: str, local: Sequence[Path]) -> Path:
    """Make a ladder of bots of this machine at a level, and return where it is."""
    make(folder, level, CLOCK, local)
    return folder


def played(line: Line, folder: Path, fresh: Path) -> Found:
    """Play a copy of a fresh ladder, or one of remote bots, and stop it as the line says."""
    how, seconds = STOPS[line.stop]
    if line.where == REMOTE:
        with _remote(folder) as words:
            play_and_stop(folder / "ladder", how, line.stops, seconds, *words)
    else:
        shutil.copytree(fresh, folder / "ladder")
        confirm(folder / "ladder")
        play_and_stop(folder / "ladder", how, line.stops, seconds, "--workers", "1")
    found = states(folder / "ladder")
    blamed = forfeits(folder / "ladder")
    return Found(line, found[MatchState.DONE], found[MatchState.VOID], blamed)


@contextmanager
def _remote(folder: Path) -> Iterator[Sequence[str]]:
    """Make a ladder of remote bots, and send them; yield what opens its gate."""
    make(folder / "ladder", "trusted", CLOCK, [], "--same-author", "together")
    with Ladder.open(Home(folder / "ladder")) as ladder:
        token = tokens.create(ladder, "eve")
        for name in _NAMES:
            (folder / name).mkdir()
            submit(ladder, _named(folder / name, REMOTE, ""), lambda _: None, author="eve")
    keys = Keys.made(folder)
    with socket.create_server((HERE, 0)) as free:
        address = f"{HERE}:{free.getsockname()[1]}"
    certificate = ("--tls-cert", str(keys.of_gate.chain), "--tls-key", str(keys.of_gate.key))
    with BotClients(address, keys.roots, dict.fromkeys(_NAMES, token)):
        yield ("--remote", address, *certificate)
