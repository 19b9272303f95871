"""A real ladder whose run and workers are killed ends like an undisturbed one."""

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ladder.storage.tables.records import unpack
from tests.support.processes import children, is_python_child

LADDER = Path(sys.executable).with_name("ladder")
BOTS = ("ann", "bob", "cat", "dan")
FIRST_ACTION = """
import time

from courtyard_kit.courtisans import run


def choose(position):
    time.sleep({pause_s})
    return position.actions[0]


run(choose, name="first")
"""
ROWS = (
    "select id, round, position, deal, state, decisions from matches order by id",
    "select * from seats order by match_id, seat",
)
RECORDS = "select match_id, body from records order by match_id"
MEASURED = ("elapsed_us", "bank_left_us", "wall_us", "cpu_us", "delay_us")
ENDLESS = 100_000


def order(*words: object) -> str:
    """Run a command of the ladder and return its output."""
    ended = subprocess.run([LADDER, *map(str, words)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def make(folder: Path, pause_s: float = 0.0) -> Path:
    """Make a ladder of four bots that always decide alike, after so long; each time the same."""
    order("init", folder / "ladder", "--seed", "killed", "--reproducible", "--deals", "duplicate")
    for name in BOTS:
        bot = folder / name
        bot.mkdir(parents=True)
        (bot / "bot.py").write_text(FIRST_ACTION.format(pause_s=pause_s))
        (bot / "bot.toml").write_text(
            f'name = "{name}"\ngames = ["courtisans"]\ntransport = "stdio"\n'
            'command = ["python3", "bot.py"]\n'
        )
    order("submit", *(folder / name for name in BOTS), "--ladder", folder / "ladder")
    return folder / "ladder"


def rows(ladder: Path, query: str) -> list[tuple[object, ...]]:
    """Return what the database holds."""
    with closing(sqlite3.connect(f"file:{ladder / 'ladder.db'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def content(ladder: Path) -> list[object]:
    """Return all that a ladder holds but what was measured: when, for how long, in what attempt."""
    return [
        *(rows(ladder, query) for query in ROWS),
        [(match_id, _unmeasured(body)) for match_id, body in rows(ladder, RECORDS)],
        re.sub(r"\d+ ms", "", order("standings", "--ladder", ladder)),
    ]


def _unmeasured(body: object) -> bytes:
    """Return a record without times, and without the seals, which cover them."""
    assert isinstance(body, bytes)
    record = unpack(body)
    record.ClearField("seals")
    record.ClearField("pauses_us")
    for decision in record.decisions:
        for field in MEASURED:
            decision.ClearField(field)
    return record.SerializeToString(deterministic=True)


class Killed:
    """A ladder that is run again whenever its run is killed."""

    def __init__(self, ladder: Path, chance: random.Random) -> None:
        """Begin to play it."""
        self._ladder = ladder
        self._chance = chance
        self._begin()

    def _begin(self) -> None:
        words = ["run", "--rounds", str(ENDLESS), "--ladder", str(self._ladder)]
        self._run = subprocess.Popen(
            [LADDER, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill_worker(self) -> None:
        """Kill a process in which matches are played, some time after another result."""
        self._await_results(1)
        self._rest(0.3)
        workers = [pid for pid in children(self._run.pid) if is_python_child(pid)]
        os.kill(self._chance.choice(workers), signal.SIGKILL)

    def kill_run(self) -> None:
        """Kill the run, while it starts or after some results, and begin the next."""
        self._await_results(self._chance.randrange(4))
        self._rest(1.0)
        self.end()
        self._begin()

    def end(self) -> None:
        """Kill the run."""
        assert self._run.poll() is None
        self._run.kill()
        self._run.wait()

    def _await_results(self, number: int) -> None:
        """Wait until `number` more matches have ended."""
        wanted = number + self._done()
        while self._done() < wanted:
            self._rest(0.1)

    def _done(self) -> int:
        return len(rows(self._ladder, "select 1 from records"))

    def _rest(self, most: float) -> None:
        """Wait for a random time, at most `most` seconds, or until the run has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._run.wait(self._chance.uniform(0, most))
        assert self._run.poll() is None


@pytest.mark.long
@pytest.mark.proof
def test_killed_at_any_moment(tmp_path: Path, proof_cases: Callable[[int], int]) -> None:
    """Kills at a hundred moments, of the run or of a worker, change nothing and lose nothing."""
    chance = random.Random(4)
    ladder, undisturbed = make(tmp_path / "killed"), make(tmp_path / "undisturbed")
    killed = Killed(ladder, chance)
    for number in range(proof_cases(100)):
        (killed.kill_worker if number % 2 else killed.kill_run)()
    killed.end()
    order("run", "--rounds", 0, "--ladder", ladder)  # what was planned
    ((rounds,),) = rows(ladder, "select max(round) from matches")
    order("run", "--rounds", rounds, "--ladder", undisturbed)

    assert content(ladder) == content(undisturbed)
    assert "No problem found" in order("verify", "--ladder", ladder)
    assert order("rerate", "--ladder", ladder) == "No rating differed.\n"
