"""The workers of a run start before it knows what to play."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ladder.runner import crew
from ladder.runner.crew import Crew
from ladder.runner.host import host_at
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.sandbox.program import Level
from tests.ladder.runner.fake_run import Lines
from tests.support.fake_workers import FakeCrew, FakePlayer

HEAVY = {"asyncio", "courtyard", "grpc", "numpy", "sqlalchemy", "referee.match.match"}


class Watched(Crew):
    """A crew whose processes a test knows."""

    def __init__(self, workers: int) -> None:
        """Note the processes."""
        super().__init__(workers)
        self.processes = [worker.child.process for worker in self.workers]
        self.folders = [worker.child.folder for worker in self.workers]
        crews.append(self)


crews: list[Watched] = []


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """Let the command `run` make watched crews; return them."""
    crews.clear()
    monkeypatch.setattr(crew, "Crew", Watched)
    return crews


def test_a_crew_starts_at_once() -> None:
    """What starts the workers imports nothing that they or the run need later."""
    code = "import sys; before = set(sys.modules); import ladder.runner.crew; "
    code += "print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not HEAVY & set(done.stdout.split())


def test_workers_start_before_the_ladder_is_opened(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    """`ladder run` has started them when it finds that there is no ladder, and then ends them."""
    ended = command("run", "--ladder", tmp_path, "--workers", 2)

    assert ended.status == 1
    ((first, second),) = [started.processes for started in crews]
    assert not first.is_alive()
    assert not second.is_alive()
    assert not any(folder.exists() for folder in crews[0].folders)


@pytest.mark.costly
def test_a_run_takes_the_started_workers(home: Home, make_bot: Any, enter: Any) -> None:
    """They play, and no others are started; they have ended when the run has."""
    with Ladder.open(home) as ladder, FakeCrew(1, partial(Noting, home.path)) as started:
        enter(ladder, make_bot("ann"))
        (worker,) = started.workers
        pid = worker.child.process.pid
        report = run(ladder, LadderPlanner(ladder, 2), started, Lines())

    assert report.matches > 0
    assert {int(line) for line in (home.path / "workers").read_text().split()} == {pid}
    assert not worker.child.process.is_alive()


class Noting(FakePlayer):
    """Plays, and notes in which process."""

    def play(self, spec: Any) -> Any:
        """Note the process."""
        with (self.folder / "workers").open("a") as notes:
            notes.write(f"{os.getpid()}\n")
        return super().play(spec)


def test_a_worker_tries_no_level_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run has proven its level with a program that does nothing; no worker starts another."""

    def prove(*_: object) -> None:
        raise AssertionError("a level is tried again")

    monkeypatch.setattr("referee.sandbox.host_checks.in_spawner", prove)

    with host_at(Level.STRICT):
        pass
