"""A ladder that is killed at any moment loses nothing and counts nothing twice."""

import math
import os
import random
import re
import signal
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread

import pytest
from sqlalchemy import text

from ladder.model.matches import MatchState
from ladder.results import queries
from ladder.results.rerating import rerate
from ladder.results.standings import standings, to_json
from ladder.results.strengths import rating_of_record
from ladder.server.public.reader import PublicReader
from ladder.storage.backup import back_up
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from tests.support.new_ladder import new_ladder
from tests.support.postgresql import Cluster, NewServer
from tests.support.processes import Watched, children, is_python_child
from tests.support.waiting import until

Run = subprocess.Popen[str]
Start = Callable[..., Run]
MakeBot = Callable[[str], Path]
Enter = Callable[..., object]

CONTENT = (
    "select id, round, position, deal, state, decisions from matches order by id",
    "select * from seats order by match_id, seat",
    "select * from records order by match_id",
)
ATTEMPTS = "select id, attempts from matches order by id"
"""How often each match was void: as often as its worker was killed."""
ROUNDS_A_KILL = 8
"""More than a run reports between two kills, in at most 20 lines of three a round."""


@pytest.fixture
def make_ladder(
    tmp_path: Path, make_bot: MakeBot, enter: Enter, new_server: NewServer
) -> Callable[[str], Home]:
    """Make a ladder of five bots, always the same one, in a folder of this name."""

    def make(name: str) -> Home:
        home = new_ladder(tmp_path / name, "always the same", server=new_server())
        with Ladder.open(home) as ladder:
            for bot in ("ann", "bob", "cat", "dan", "eve"):
                enter(ladder, make_bot(bot))
        return home

    return make


def content(home: Home, *more: str) -> list[object]:
    """Return the content of a ladder, except times, its printed standings, and more rows."""
    with Ladder.open(home) as ladder:
        rows = standings(queries.tallies(ladder), rating_of_record(ladder).strengths)
        with ladder.database.read() as tx:
            stored = [
                [tuple(row) for row in tx.execute(text(query))] for query in (*CONTENT, *more)
            ]
    return [*stored, to_json(rows, ["1"])]


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
    end(start(rounds, workers=1, at=undisturbed))

    assert content(home, ATTEMPTS) == content(undisturbed, ATTEMPTS)
    with Ladder.open(home) as ladder:
        assert rerate(ladder) == {}


def after(lines: int, seconds: float) -> Callable[[Run], None]:
    """Return what waits for `lines` lines of a run's report, then for some time more."""

    def wait(run: Run) -> None:
        assert run.stdout is not None
        for _ in range(lines):
            run.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            run.wait(seconds)

    return wait


@pytest.mark.costly
@pytest.mark.both_engines
def test_killed_after_some_matches(make_ladder: Callable[[str], Home], start: Start) -> None:
    """A ladder killed after a few results ends like an undisturbed one."""
    check_kills(make_ladder, start, 5, [after(4, 0.0)])


@pytest.mark.proof
@pytest.mark.both_engines
def test_killed_at_any_moment(
    make_ladder: Callable[[str], Home], start: Start, proof_cases: Callable[[int], int]
) -> None:
    """A ladder killed a hundred times at any moment loses nothing."""
    chance = random.Random(2)
    playing = [
        after(chance.randrange(1, 20), chance.uniform(0, 0.02)) for _ in range(proof_cases(80))
    ]
    starting = [after(0, chance.uniform(0, 0.5)) for _ in range(proof_cases(20))]
    kills = playing + starting
    chance.shuffle(kills)

    check_kills(make_ladder, start, ROUNDS_A_KILL * (1 + len(kills)), kills)


@pytest.mark.proof
def test_workers_killed_at_any_moment(
    make_ladder: Callable[[str], Home], start: Start, proof_cases: Callable[[int], int]
) -> None:
    """A run whose workers are killed a hundred times ends like an undisturbed one."""
    chance = random.Random(3)
    home, undisturbed = make_ladder("killed"), make_ladder("undisturbed")
    kills = proof_cases(100)
    rounds = 4 * ROUNDS_A_KILL * (1 + kills)
    run = start(rounds, at=home)
    heard = Heard(run)
    for _ in range(kills):
        heard.wait_for(chance.randrange(5, 20))  # so that no match is killed again and again
        with suppress(subprocess.TimeoutExpired):
            run.wait(chance.uniform(0, 0.02))
        kill_a_worker(run, chance)
    heard.wait_for(math.inf)
    run.wait()
    assert [line for line in heard.lines if "given up" in line] == []
    end(start(rounds, at=undisturbed))

    assert run.returncode == 0
    assert content(home) == content(undisturbed)
    with Ladder.open(home) as ladder:
        assert rerate(ladder) == {}


class Heard:
    """Hears what a run reports, at once, however fast it plays."""

    def __init__(self, run: Run) -> None:
        """Begin to listen."""
        self.lines: list[str] = []
        self._results = 0
        self._over = False
        self._more = Condition()
        Thread(target=self._listen, args=[run.stdout], daemon=True).start()

    def _listen(self, said: Iterable[str]) -> None:
        for line in said:
            with self._more:
                self.lines.append(line)
                self._results += line.startswith("advance")
                self._more.notify()
        with self._more:
            self._over = True
            self._more.notify()

    def wait_for(self, results: float) -> None:
        """Wait for `results` more results, or for the end."""
        with self._more:
            most = self._results + results
            self._more.wait_for(lambda: self._over or self._results >= most)


def kill_a_worker(run: Run, chance: random.Random) -> None:
    """Kill one of the processes in which a run plays its matches, once there is one again."""

    def workers() -> list[int]:
        assert run.poll() is None, "the run ended before all kills"
        return [child for child in children(run.pid) if is_python_child(child)]

    os.kill(chance.choice(until(workers)), signal.SIGKILL)


def check_commits(
    make_ladder: Callable[[str], Home], start: Start, rounds: int, moments: Iterable[str]
) -> None:
    """Kill runs at moments of their commits, let the last one end, and compare.

    The runs have three workers, the last one two, and the undisturbed run one.
    """
    home, undisturbed = make_ladder("killed"), make_ladder("undisturbed")
    for moment in moments:
        run = start(rounds, workers=3, at=home, env={**os.environ, "KILLED_AT": moment})
        _, err = run.communicate()
        assert run.returncode == -signal.SIGKILL, err
    end(start(rounds, workers=2, at=home))
    end(start(rounds, workers=1, at=undisturbed))

    assert content(home) == content(undisturbed)


@pytest.mark.costly
@pytest.mark.long
def test_killed_within_a_commit(make_ladder: Callable[[str], Home], start: Start) -> None:
    """Killed within a commit of several results, a ladder ends like an undisturbed one."""
    check_commits(make_ladder, start, 12, ["within 1"])


@pytest.mark.proof
def test_killed_at_a_hundred_commits(
    make_ladder: Callable[[str], Home], start: Start, proof_cases: Callable[[int], int]
) -> None:
    """The same holds for a hundred kills before, within or after commits."""
    chance = random.Random(3)
    moments = [
        f"{chance.choice(['before', 'within', 'after'])} {chance.randrange(1, 4)}"
        for _ in range(proof_cases(100))
    ]
    check_commits(make_ladder, start, 20 + 12 * len(moments), moments)


@pytest.mark.costly
@pytest.mark.parametrize("moment", ["before 3", "within 3"])
def test_what_is_reported_is_stored(
    make_ladder: Callable[[str], Home], start: Start, moment: str
) -> None:
    """A run reports a result after its commit: when it is killed, all that it reported is there."""
    home = make_ladder("reported")

    out, _ = start(200, workers=3, at=home, env={**os.environ, "KILLED_AT": moment}).communicate()

    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        assert matches.count(tx, MatchState.DONE) == out.count("advance") > 0


def check_lost_server(
    make_ladder: Callable[[str], Home],
    start: Start,
    cluster: Cluster,
    rounds: int,
    moments: Iterable[Callable[[Run], None]],
) -> None:
    """Kill the server during several runs; compare with an undisturbed ladder in a file."""
    home, undisturbed = make_ladder("first"), make_ladder("undisturbed")
    with Ladder.open(home) as ladder:
        home = Home(home.path.with_name("on server"))
        back_up(ladder, home.path, cluster.new_database())
    for wait_for_the_moment in moments:
        run = start(rounds, at=home)
        wait_for_the_moment(run)
        cluster.stop()
        _, err = run.communicate()
        cluster.start()
        assert run.returncode == 1
        assert re.match(
            r"ladder.model.errors.UnreachableError: postgresql://.*", err.splitlines()[-1]
        )
    end(start(rounds, at=home))
    end(start(rounds, at=undisturbed))

    assert content(home) == content(undisturbed)
    with Ladder.open(home) as ladder:
        assert rerate(ladder) == {}


@pytest.mark.proof
def test_the_server_is_killed_at_any_moment(
    make_ladder: Callable[[str], Home],
    start: Start,
    own_cluster: Cluster,
    proof_cases: Callable[[int], int],
) -> None:
    """Killing the server fifty times loses no result, and stores none twice."""
    chance = random.Random(3)
    moments = [
        after(chance.randrange(1, 40), chance.uniform(0, 0.02)) for _ in range(proof_cases(50))
    ]

    check_lost_server(make_ladder, start, own_cluster, 3 * ROUNDS_A_KILL * len(moments), moments)


@pytest.mark.proof
@pytest.mark.both_engines
def test_runs_submissions_and_pages_at_once(
    make_ladder: Callable[[str], Home], start: Start, make_bot: MakeBot, enter: Enter
) -> None:
    """While a ladder is played, bots enter and pages are read; each sees a whole state."""
    home = make_ladder("busy")
    run = start(12, at=home)

    def submit(name: str) -> None:
        with Ladder.open(home) as ladder:
            enter(ladder, make_bot(name))

    def look(ladder: Ladder, source: PublicReader) -> None:
        """Check that a state has all seats of what is finished, and no match twice."""
        newest = source.snapshot()
        ids = [line.match_id for line in (*newest.finished, *newest.waiting)]
        assert len(ids) == len(set(ids))
        assert all(seat.result for line in newest.finished for seat in line.seats)

    with ThreadPoolExecutor() as threads, Ladder.open(home) as ladder:
        entering = [threads.submit(submit, name) for name in ("fay", "gil", "hal")]
        source = PublicReader(ladder)
        while run.poll() is None and not all(each.done() for each in entering):
            look(ladder, source)
        for each in entering:
            each.result()
        end(run)
        look(ladder, source)
        assert ladder.database.problems() == []
        assert rerate(ladder) == {}
        assert {version.bot for version in queries.playing(ladder)} >= {"fay", "gil", "hal"}


@pytest.mark.costly
def test_workers_end_with_the_ladder(
    home: Home, gate: Home, start: Start, make_bot: MakeBot, enter: Enter
) -> None:
    """A worker ends, even during a match, when the run's process is killed."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("gate"))
    run = start(1, workers=1)
    pid = int((gate.path / "started").read_text())
    worker = Watched(pid)

    run.send_signal(signal.SIGKILL)
    ended = worker.ends(10)
    if not ended:
        os.kill(pid, signal.SIGKILL)

    assert ended
