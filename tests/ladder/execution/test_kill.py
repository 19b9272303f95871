"""A ladder that is killed at any moment loses nothing and counts nothing twice."""

import os
import random
import select
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from ladder.home import Home
from ladder.ladder import Ladder, create
from referee.clock import ClockConfig

ROUNDS = 20
Run = subprocess.Popen[str]
Start = Callable[..., Run]
MakeBot = Callable[[str], Path]

CONTENT = (
    "select id, round, position, state, attempts, decisions, rated from matches order by id",
    "select * from seats order by match_id, seat",
    "select * from records order by match_id",
    "select * from ratings order by version_id",
)


@pytest.fixture
def make_ladder(tmp_path: Path, make_bot: MakeBot) -> Callable[[str], Home]:
    """Make a ladder of five bots, always the same one, in a folder of this name."""

    def make(name: str) -> Home:
        home = create(
            tmp_path / name,
            game="courtisans",
            seats=4,
            config={},
            clock=ClockConfig(),
            seed="always the same",
        )
        with Ladder.open(home) as ladder:
            for bot in ("ann", "bob", "cat", "dan", "eve"):
                ladder.submit(make_bot(bot))
        return home

    return make


def content(home: Home) -> list[list[tuple[object, ...]]]:
    """Return all that a ladder holds, but for the times."""
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        return [[tuple(row) for row in tx.execute(text(query))] for query in CONTENT]


def end(run: Run) -> None:
    """Let a run come to its end."""
    out, err = run.communicate()
    assert (run.returncode, err) == (0, "")
    assert out.splitlines()[-1].endswith("0 0 False")


def uninterrupted(
    make_ladder: Callable[[str], Home], start: Start
) -> list[list[tuple[object, ...]]]:
    """Return what the ladder holds when nobody disturbs it."""
    home = make_ladder("undisturbed")
    end(start(ROUNDS, at=home))
    return content(home)


def check_kills(
    make_ladder: Callable[[str], Home],
    start: Start,
    kill: Callable[[Run], None],
    times: int,
) -> None:
    """Kill runs of a ladder, let the last one end, and compare with one that was not killed."""
    home = make_ladder("killed")
    for _ in range(times):
        run = start(ROUNDS, at=home)
        kill(run)
        run.send_signal(signal.SIGKILL)
        run.communicate()
    end(start(ROUNDS, at=home))

    assert content(home) == uninterrupted(make_ladder, start)
    with Ladder.open(home) as ladder:
        assert ladder.rerate() == {}


def test_killed_after_some_matches(make_ladder: Callable[[str], Home], start: Start) -> None:
    """Killed again and again after a few results, the ladder ends as if nothing had happened."""
    chance = random.Random(1)

    def after_some_lines(run: Run) -> None:
        for _ in range(chance.randrange(1, 12)):
            if run.stdout is None or not run.stdout.readline():
                break

    check_kills(make_ladder, start, after_some_lines, times=3)


@pytest.mark.proof
def test_killed_at_any_moment(
    make_ladder: Callable[[str], Home], start: Start, proof_cases: Callable[[int], int]
) -> None:
    """Killed a hundred times at random moments, from its start on, the ladder loses nothing."""
    chance = random.Random(2)

    def after_some_time(run: Run) -> None:
        descriptor = os.pidfd_open(run.pid)
        select.select([descriptor], [], [], chance.uniform(0, 0.8))
        os.close(descriptor)

    check_kills(make_ladder, start, after_some_time, times=proof_cases(100))


def test_workers_end_with_the_ladder(
    home: Home, gate: Home, start: Start, make_bot: MakeBot
) -> None:
    """A worker in the middle of a match ends when the ladder's process is killed."""
    with Ladder.open(home) as ladder:
        ladder.submit(make_bot("gate"))
    run = start(1, workers=1)
    worker = os.pidfd_open(int((gate.path / "started").read_text()))

    run.send_signal(signal.SIGKILL)
    ended, _, _ = select.select([worker], [], [], 10)
    if not ended:
        signal.pidfd_send_signal(worker, signal.SIGKILL)
    os.close(worker)

    assert ended == [worker]
