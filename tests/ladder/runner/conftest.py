"""Runs of a ladder in a process of their own, with a player that needs no bots."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.model.settings import Deals, SameAuthor, Scheduling
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from tests.support.new_ladder import new_ladder

ROOT = Path(__file__).parents[3]
FAKE_RUN = (sys.executable, "-m", "tests.ladder.runner.fake_run")
FAKE_CONTEST = (sys.executable, "-m", "tests.ladder.runner.fake_contest")
"""The commands of such runs, within `ROOT`."""
Run = subprocess.Popen[str]
Start = Callable[..., Run]


@pytest.fixture
def home(tmp_path: Path, server: Server | None) -> Home:
    """Make an empty ladder for four seats in which all play equally often, each deal once."""
    return new_ladder(
        tmp_path / "ladder",
        "a seed for tests",
        scheduler=Scheduling.BALANCED,
        deals=Deals.INDEPENDENT,
        same_author=SameAuthor.TOGETHER,
        server=server,
    )


@pytest.fixture
def start(home: Home) -> Iterator[Start]:
    """Start a run up to a round, a number of matches, or for ever; it is ended with the test.

    What else is given is for `Popen`.
    """
    started: list[Run] = []

    def begin(
        rounds: int | str,
        workers: int = 2,
        at: Home = home,
        most: int | None = None,
        **more: Any,
    ) -> Run:
        command = [*FAKE_RUN, str(at.path), str(rounds), str(workers)]
        command += [] if most is None else [str(most)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
            **more,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def gate(home: Home) -> Home:
    """Make the pipes at which a bot called "gate" waits."""
    for name in ("started", "go"):
        os.mkfifo(home.path / name)
    return home
