"""A killed tournament or duel ends like an undisturbed one."""

import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.scheduling import contest
from ladder.scheduling.duel.planner import DuelPlan as Duel
from ladder.scheduling.duel.sequential import SequentialTest as Terms
from ladder.scheduling.tournament.planner import TournamentPlan as Tournament
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.ladder.runner.conftest import FAKE_CONTEST, ROOT
from tests.support.new_ladder import new_ladder

MakeBot = Callable[[str], Path]
Enter = Callable[..., object]
Make = Callable[[str, object], Home]

CONTENT = (
    "select id, round, position, state, deal, decisions from matches order by id",
    "select * from seats order by match_id, seat",
)
DUEL = Duel(1, 2, None, Terms(effect=0.1, cap=40))
SWISS = Tournament(Kind.SWISS, (1, 2, 3, 4, 5, 6), rounds=4)
GROUPS = Tournament(
    Kind.GROUPS, (1, 2, 3, 4, 5, 6), group_size=3, sudden_death=3, draw="a drawn seed"
)
ROUND_ROBIN = Tournament(Kind.ROUND_ROBIN, (1, 2, 3, 4, 5, 6))
GAUNTLET = Tournament(Kind.GAUNTLET, (1, 2, 3, 4, 5, 6), rounds=2)
KNOCKOUT = Tournament(Kind.KNOCKOUT, (1, 2, 3, 4, 5, 6), sudden_death=3, draw="a drawn seed")
DOUBLE = Tournament(
    Kind.DOUBLE_ELIMINATION, (1, 2, 3, 4, 5, 6), sudden_death=3, draw="a drawn seed"
)


@pytest.fixture
def make_ladder(tmp_path: Path, make_bot: MakeBot, enter: Enter) -> Make:
    """Make a ladder of six bots that is played for a plan, in a folder of this name."""

    def make(name: str, plan: object) -> Home:
        home = new_ladder(tmp_path / name, "always the same", seats=2)
        with Ladder.open(home) as ladder:
            for bot in ("ann", "bob", "cat", "dan", "eve", "fay"):
                enter(ladder, make_bot(bot))
            assert isinstance(plan, Duel | Tournament)
            contest.begin(ladder, plan)
        return home

    return make


def start(home: Home, workers: int) -> subprocess.Popen[str]:
    """Start a run."""
    command = [*FAKE_CONTEST, str(home.path), str(workers)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def kill(home: Home, lines: int) -> None:
    """Kill a run after `lines` lines of its report."""
    run = start(home, 2)
    assert run.stdout is not None
    for _ in range(lines):
        run.stdout.readline()
    run.send_signal(signal.SIGKILL)
    run.communicate()


def finish(home: Home, workers: int) -> list[list[tuple[object, ...]]]:
    """Let a run end, and return the content of the ladder, except times."""
    run = start(home, workers)
    _, err = run.communicate()
    assert (run.returncode, err) == (0, "")
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        assert len(bots.active(tx)) == 6
        return [[tuple(row) for row in tx.execute(text(query))] for query in CONTENT]


def check_kills(make_ladder: Make, plan: object, kills: Sequence[int]) -> None:
    """Kill a run after each number of lines, let the last one end, and compare."""
    killed = make_ladder("killed", plan)
    for lines in kills:
        kill(killed, lines)

    assert finish(killed, 1) == finish(make_ladder("undisturbed", plan), 2)


@pytest.mark.proof
def test_killed_in_a_tournament(make_ladder: Make) -> None:
    """A killed tournament ends with the matches and results of an undisturbed one."""
    check_kills(make_ladder, SWISS, [9])


@pytest.mark.proof
@pytest.mark.parametrize(
    "plan",
    [SWISS, GROUPS, KNOCKOUT, DOUBLE, ROUND_ROBIN, GAUNTLET, DUEL],
    ids=["swiss", "groups", "knockout", "double elimination", "round robin", "gauntlet", "duel"],
)
def test_killed_again_and_again(
    make_ladder: Make, plan: object, proof_cases: Callable[[int], int]
) -> None:
    """The same holds for any contest and for twenty kills, from its start to near its end."""
    check_kills(make_ladder, plan, [4, 5, *[1] * proof_cases(18)])


@pytest.mark.costly
def test_a_contest_waits_for_what_was_given_up(
    tmp_path: Path, make_bot: MakeBot, enter: Enter
) -> None:
    """A match that the machine voids is not a draw: the next run plays it and goes on."""
    home = new_ladder(tmp_path / "cup", "always the same", seats=2)
    with Ladder.open(home) as ladder:
        for bot in ("ann", "bob", "cat", "sick"):
            enter(ladder, make_bot(bot))
        plan = Tournament(Kind.KNOCKOUT, (1, 2, 3, 4), sudden_death=0, draw="a drawn seed")
        contest.begin(ladder, plan)

    out, _ = start(home, 1).communicate()

    assert out.splitlines()[-1] == "report 2 2 0 False"
    with Ladder.open(home) as ladder:
        found = [(str(line.state), line.attempts) for line in queries.latest(ladder, 99)]
    assert sorted(found) == [("done", 0)] * 2 + [("planned", 3)] * 2

    (home.path / "well").touch()
    start(home, 1).communicate()

    with Ladder.open(home) as ladder:
        assert {(line.round, str(line.state)) for line in queries.latest(ladder, 99)} == {
            (1, "done"),
            (2, "done"),
        }
