"""Ladders of bots that always take the first legal action, and what `ladder run` costs on them.

A ladder is made once and copied for each run, so that all runs play the same matches.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.processes import all_cpu_s, children, cpu_s, family, memory_mib

ROOT = Path(__file__).resolve().parents[2]
TRIVIAL = Path(__file__).with_name("trivial")
BUILD = ROOT / "build" / "trivial"
LADDER = Path(sys.executable).with_name("ladder")
BOTS = 4
PATIENT = ("--startup", "60", "--decision-limit", "60", "--bank", "600")
INTERVAL_S = 0.05
"""Between two samples of a run."""
_MEMORY_EVERY = 10
"""Samples: reading the memory of a process takes the kernel some time."""


@dataclass(frozen=True)
class Bot:
    """A kind of bot: what it is called, how it is carried and how its program is made."""

    name: str
    transport: str
    program: Callable[[], Path]
    command: str

    def write(self, folder: Path, name: str) -> None:
        """Write a bot of this name into a new folder."""
        folder.mkdir(parents=True)
        shutil.copy2(self.program(), folder)
        (folder / "bot.toml").write_text(
            f'name = "{name}"\ngames = ["courtisans"]\ncommand = {self.command}\n'
            f'transport = "{self.transport}"\n'
        )


@cache
def cpp_bot() -> Path:
    """Build the bot in C++ from its kit, if anything has changed; return its program."""
    shutil.copytree(ROOT / "sample_bots" / "cpp", BUILD, dirs_exist_ok=True)
    shutil.copy2(TRIVIAL / "first.cpp", BUILD / "strategy.cpp")
    environment = {**os.environ, "COURTYARD_PROTO": str(ROOT / "proto")}
    subprocess.run(["make", "-j2"], cwd=BUILD, env=environment, check=True, capture_output=True)
    return BUILD / "build" / "bot"


@cache
def cpp_echo() -> Path:
    """Compile the program that echoes; return it."""
    BUILD.mkdir(parents=True, exist_ok=True)
    subprocess.run(["g++", "-O2", "-o", BUILD / "echo", TRIVIAL / "echo.cpp"], check=True)
    return BUILD / "echo"


_PYTHON = '["python3", "first.py"]'
PYTHON_GRPC = Bot("Python, gRPC", "grpc", lambda: TRIVIAL / "first.py", _PYTHON)
PYTHON_STDIO = Bot("Python, stdio", "stdio", lambda: TRIVIAL / "first.py", _PYTHON)
CPP_STDIO = Bot("C++, stdio", "stdio", cpp_bot, '["./bot"]')


def make(folder: Path, bot: Bot) -> Path:
    """Make a ladder in a new folder, each time of the same deals; return it.

    Only its limits of time are not the defaults, so that no bot forfeits on a busy machine.
    """
    _order("init", folder / "ladder", "--seed", "benchmark", "--reproducible", *PATIENT)
    bots = [folder / f"first-{number}" for number in range(BOTS)]
    for one in bots:
        bot.write(one, one.name)
    _order("submit", *bots, "--ladder", folder / "ladder")
    return folder / "ladder"


def _order(*words: object) -> None:
    subprocess.run([LADDER, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


@dataclass(frozen=True)
class Cost:
    """What one run cost, from the start of its process to the end."""

    matches: int
    decisions: int
    seconds: float
    main_cpu_s: float
    all_cpu_s: float
    """Of the main process and its children; not of bots that ended with their sandbox."""


def played(ladder: Path, matches: int) -> Cost:
    """Play a number of matches on a copy of a ladder; return what they cost."""
    with _copy(ladder) as copied:
        began = time.perf_counter()
        process = _start(copied, matches)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its figures are still there
        seconds = time.perf_counter() - began
        own, everything = cpu_s(process.pid), all_cpu_s(process.pid)
        _check(process, copied, matches)
        with reading(copied) as database:
            (decisions,) = database.execute("select sum(decisions) from matches").fetchone()
        return Cost(matches, decisions, seconds, own, everything)


@dataclass(frozen=True)
class Sample:
    """A moment of a run."""

    seconds: float
    """Since its process was started."""
    done: int
    """How many matches were stored."""
    cpu_s: float
    memory_mib: tuple[float, float, float] | None
    """Of the main process, of its other processes, and of the bots; None: not looked at."""


def sampled(ladder: Path, matches: int) -> list[Sample]:
    """Play a number of matches on a copy of a ladder; return what was seen meanwhile."""
    samples: list[Sample] = []
    with _copy(ladder) as copied, reading(copied) as database:
        began = time.perf_counter()
        process = _start(copied, matches)
        while process.poll() is None:
            (done,) = database.execute("select count(*) from records").fetchone()
            memory = None if len(samples) % _MEMORY_EVERY else _memory(process.pid)
            now = time.perf_counter() - began
            samples.append(Sample(now, done, all_cpu_s(process.pid), memory))
            with suppress(subprocess.TimeoutExpired):
                process.wait(INTERVAL_S)
        _check(process, copied, matches)
    return samples


def _start(ladder: Path, matches: int) -> "subprocess.Popen[bytes]":
    command = [str(LADDER), "run", "--matches", str(matches), "--ladder", str(ladder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def _check(process: "subprocess.Popen[bytes]", ladder: Path, matches: int) -> None:
    """Stop the benchmark if a run failed, or a bot forfeited, which would make matches shorter."""
    with reading(ladder) as database:
        (done,) = database.execute("select count(*) from records").fetchone()
        lost = database.execute("select forfeit from seats where forfeit is not null").fetchall()
    if process.wait() or done != matches or lost:
        raise SystemExit(f"{done} matches, forfeits {lost}: the measurement is void")


@contextmanager
def _copy(ladder: Path) -> Iterator[Path]:
    copied = ladder.with_name("copy")
    shutil.copytree(ladder, copied)
    _order("trust", copied, "--yes")
    try:
        yield copied
    finally:
        shutil.rmtree(copied)


def reading(ladder: Path) -> "closing[sqlite3.Connection]":
    """Return a ladder's database, to be read only."""
    return closing(sqlite3.connect(f"file:{ladder / 'ladder.db'}?mode=ro", uri=True))


def _memory(pid: int) -> tuple[float, float, float]:
    others = set(children(pid))
    bots = set(family(pid)) - others - {pid}
    return _mib([pid]), _mib(others), _mib(bots)


def _mib(pids: Iterable[int]) -> float:
    total = 0.0
    for pid in pids:
        with suppress(OSError, ValueError):  # it has just ended
            total += memory_mib(pid)
    return total
