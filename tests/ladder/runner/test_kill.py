"""A ladder that is killed at any moment loses nothing and counts nothing twice."""

import os
import random
import select
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from sqlalchemy import text

from ladder.results import queries
from ladder.results.rerating import rerate
from ladder.results.standings import notes, standings, to_json
from ladder.results.strengths import rating_of_record
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.new_ladder import new_ladder

Run = subprocess.Popen[str]
Start = Callable[..., Run]
MakeBot = Callable[[str], Path]
Enter = Callable[..., object]

CONTENT = (
    "select id, round, position, deal, state, attempts, decisions, rated from matches order by id",
    "select * from seats order by match_id, seat",
    "select * from records order by match_id",
    "select * from ratings order by version_id",
)


@pytest.fixture
def make_ladder(tmp_path: Path, make_bot: MakeBot, enter: Enter) -> Callable[[str], Home]:
    """Make a ladder of five bots, always the same one, in a folder of this name."""

    def make(name: str) -> Home:
        home = new_ladder(tmp_path / name, "always the same")
        with Ladder.open(home) as ladder:
            for bot in ("ann", "bob", "cat", "dan", "eve"):
                enter(ladder, make_bot(bot))
        return home

    return make


def content(home: Home) -> list[object]:
    """Return the content of a ladder, except times, and its printed standings."""
    with Ladder.open(home) as ladder:
        rows = standings(queries.tallies(ladder), rating_of_record(ladder).strengths)
        with ladder.database.read() as tx:
            stored = [[tuple(row) for row in tx.execute(text(query))] for query in CONTENT]
    return [*stored, to_json(rows), notes(rows)]


def end(run: Run) -> None:
    """Let a run come to its end."""
    out, err = run.communicate()
    assert (run.returncode, err) == (0, "")
    assert out.splitlines()[-1].endswith("0 0 False")


def check_kills(
    make_ladder: Callable[[str], Home],
    start: Start,
    rounds: int,
    kills: Iterable[Callable[[Run], None]],
) -> None:
    """Kill several runs of a ladder, let the last one end, and compare with an undisturbed one."""
    home, undisturbed = make_ladder("killed"), make_ladder("undisturbed")
    for wait_for_the_moment in kills:
        run = start(rounds, at=home)
        wait_for_the_moment(run)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        assert run.returncode == -signal.SIGKILL
    end(start(rounds, at=home))
    end(start(rounds, at=undisturbed))

    assert content(home) == content(undisturbed)
    with Ladder.open(home) as ladder:
        assert rerate(ladder) == {}


def after(lines: int, seconds: float) -> Callable[[Run], None]:
    """Return what waits for so many lines of a run's report, then for some time more."""

    def wait(run: Run) -> None:
        assert run.stdout is not None
        for _ in range(lines):
            run.stdout.readline()
        descriptor = os.pidfd_open(run.pid)
        select.select([descriptor], [], [], seconds)
        os.close(descriptor)

    return wait


def test_killed_after_some_matches(make_ladder: Callable[[str], Home], start: Start) -> None:
    """A ladder killed again and again after a few results ends like an undisturbed one."""
    check_kills(make_ladder, start, 8, [after(lines, 0.0) for lines in (4, 9)])


@pytest.mark.proof
def test_killed_at_any_moment(
    make_ladder: Callable[[str], Home], start: Start, proof_cases: Callable[[int], int]
) -> None:
    """A ladder killed a hundred times at any moment loses nothing."""
    chance = random.Random(2)
    playing = [
        after(chance.randrange(1, 40), chance.uniform(0, 0.02)) for _ in range(proof_cases(80))
    ]
    starting = [after(0, chance.uniform(0, 0.5)) for _ in range(proof_cases(20))]
    kills = playing + starting
    chance.shuffle(kills)

    check_kills(make_ladder, start, 200, kills)


def test_workers_end_with_the_ladder(
    home: Home, gate: Home, start: Start, make_bot: MakeBot, enter: Enter
) -> None:
    """A worker ends, even during a match, when the run's process is killed."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("gate"))
    run = start(1, workers=1)
    worker = os.pidfd_open(int((gate.path / "started").read_text()))

    run.send_signal(signal.SIGKILL)
    ended, _, _ = select.select([worker], [], [], 10)
    if not ended:
        signal.pidfd_send_signal(worker, signal.SIGKILL)
    os.close(worker)

    assert ended == [worker]
