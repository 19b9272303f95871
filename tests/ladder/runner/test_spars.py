"""A run plays spars beside the rated matches, and nothing rated notices."""

import pickle
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.matches import MatchState, PlannedMatch, Played, SeatResult
from ladder.model.settings import Deals, SameAuthor, Scheduling
from ladder.model.spars import Spar
from ladder.results import queries
from ladder.results.standings import standings, to_json
from ladder.results.strengths import rating_of_record
from ladder.runner.line_progress import LineProgress
from ladder.runner.match_spec import match_spec
from ladder.runner.pace import Pace
from ladder.runner.report import Report
from ladder.runner.spars import SparQueue
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, spars
from ladder.submission.spars import ask
from tests.support.new_ladder import new_ladder

MakeBot = Callable[[str], Path]
Enter = Callable[..., object]
Start = Callable[..., subprocess.Popen[str]]
RATED = ("matches", "seats", "records", "incidents", "outputs")


def fill(home: Home, make_bot: MakeBot, enter: Enter, *names: str) -> None:
    """Enter bots of these names."""
    with Ladder.open(home) as ladder:
        for name in names:
            enter(ladder, make_bot(name))


def sparred(home: Home, bot: str, *opponents: str, matches: int) -> int:
    """Ask for a spar; return its id."""
    with Ladder.open(home) as ladder:
        return ask(ladder, None, bot, opponents, matches).id


def stored(home: Home, number: int) -> Spar:
    """Return a spar."""
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        found = spars.numbered(tx, number)
    assert found is not None
    return found


def rated(home: Home) -> list[object]:
    """Return all that is stored of rated matches but times, and the standings."""
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        rows = [tx.execute(text(f"select * from {each}")).all() for each in RATED]  # noqa: S608 - ours
        shown = standings(queries.tallies(ladder), rating_of_record(ladder).strengths)
    return [sorted(map(plain, each)) for each in rows] + [to_json(shown, ["1"])]


def plain(row: Iterable[object]) -> str:
    """Return a row as both engines store it, without times."""
    values = (int(value) if isinstance(value, bool) else value for value in row)
    return str([value for value in values if not str(value).startswith("20")])


def ended(run: subprocess.Popen[str]) -> str:
    """Let a run end; return what it printed."""
    out, err = run.communicate()
    assert (run.returncode, err) == (0, "")
    return out


@pytest.mark.costly
@pytest.mark.both_engines
def test_spars_change_nothing_that_is_rated(
    home: Home, tmp_path: Path, make_bot: MakeBot, enter: Enter, start: Start
) -> None:
    """The same rated matches are stored with spars and without; all spars are played."""
    calm = new_ladder(
        tmp_path / "calm",
        "a seed for tests",
        scheduler=Scheduling.BALANCED,
        deals=Deals.INDEPENDENT,
        same_author=SameAuthor.TOGETHER,
    )
    for each in (home, calm):
        fill(each, make_bot, enter, "first", "second", "third", "fourth")
    number = sparred(home, "fourth", "first", "third", matches=9)
    for each in (home, calm):
        assert ended(start(3, at=each)).splitlines()[-1].endswith("0 0 False")

    assert rated(home) == rated(calm)
    found = stored(home, number)
    assert {match.state for match in found.matches} == {MatchState.DONE}
    assert [found.seat(match) for match in found.matches] == [0, 1, 2, 3, 0, 1, 2, 3, 0]


@pytest.mark.costly
def test_a_killed_run_loses_no_spar(
    home: Home, make_bot: MakeBot, enter: Enter, start: Start
) -> None:
    """A match under way when the run is killed is played by the next run; none is played twice."""
    fill(home, make_bot, enter, "first", "second", "third", "fourth", "once-killer")
    number = sparred(home, "fourth", "first", "once-killer", matches=12)
    run = start(2)
    assert run.stdout is not None
    run.stdout.readline()
    run.send_signal(signal.SIGKILL)
    run.communicate()
    before = {m.match_id: m.finished_at for m in stored(home, number).matches if m.finished_at}
    ended(start(2))

    found = stored(home, number).matches
    assert [match.state for match in found] == [MatchState.DONE] * 12
    assert before.items() <= {match.match_id: match.finished_at for match in found}.items()


@pytest.mark.costly
def test_a_void_spar_is_given_up_without_stopping_the_run(
    home: Home, make_bot: MakeBot, enter: Enter, start: Start
) -> None:
    """A bot whose matches are always void costs its spar some attempts, and others nothing."""
    fill(home, make_bot, enter, "first", "second", "third", "voider")
    with Ladder.open(home) as ladder:
        number = ask(ladder, None, "first", ["voider"], 5).id
        ladder.retire("voider")
    out = ended(start(2))

    assert {m.state for m in stored(home, number).matches} == {MatchState.VOID}
    assert "is given up: the machine is tired" in out
    assert out.splitlines()[-1].endswith("0 0 False")


@pytest.mark.costly
def test_a_resting_ladder_plays_a_spar_that_is_asked_for(
    home: Home, make_bot: MakeBot, enter: Enter, start: Start
) -> None:
    """`--forever` wakes for a spar when nothing rated is left."""
    fill(home, make_bot, enter, "first", "third")
    run = start("forever")
    assert run.stdout is not None
    for _ in range(2):
        assert any("Nothing to play" in line for line in run.stdout)
        number = sparred(home, "first", "third", matches=3)
    assert any("Nothing to play" in line for line in run.stdout)
    run.send_signal(signal.SIGTERM)
    run.communicate()

    for each in (number - 1, number):
        assert [match.state for match in stored(home, each).matches] == [MatchState.DONE] * 3


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.now = 0.0

    def __call__(self) -> float:
        """Return the seconds."""
        return self.now


class OpenPool:
    """A pool of four workers, without a gateway."""

    workers = 4

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether a match has no remote bot."""
        return not match.remote


@pytest.fixture
def queued(ladder: Ladder, clock: Clock) -> SparQueue:
    """Ask for two spars of the bots there, one of them longer, and queue their matches."""
    for number in (40, 4):
        ask(ladder, None, "ann", ["bob"], number)
    return SparQueue(ladder, LineProgress(), Report(), clock)


@pytest.fixture
def clock() -> Clock:
    """A clock at 0."""
    return Clock()


def begun(queue: SparQueue, clock: Clock, *, seconds: int, takes: int) -> list[PlannedMatch]:
    """Return the spars that begin in some seconds of a busy run; each takes `takes` seconds."""
    pool: Any = OpenPool()
    found, under_way = list[PlannedMatch](), list[tuple[float, PlannedMatch]]()
    for _ in range(seconds):
        while (match := queue.next(pool, Pace(()), idle=False)) is not None:
            found.append(match)
            under_way.append((clock.now + takes, match))
        clock.now += 1
        for due in [each for each in under_way if each[0] <= clock.now]:
            under_way.remove(due)
            queue.end(due[1], played_now(due[1]), cut_short=False)
    return found


def played_now(match: PlannedMatch) -> Played:
    """Return some result."""
    return Played(match.match_id, (SeatResult(1, 0, None),) * len(match.seats), 1, b"x")


@pytest.mark.parametrize("takes", [1, 10])
def test_neither_queue_starves_the_other(queued: SparQueue, clock: Clock, takes: int) -> None:
    """Beside rated matches spars get a quarter of four workers, however long they last."""
    found = begun(queued, clock, seconds=40, takes=takes)

    assert len(found) * takes == 40


def test_spars_take_turns(queued: SparQueue, clock: Clock) -> None:
    """A long spar does not hold up a short one."""
    found = begun(queued, clock, seconds=8, takes=1)

    assert [(match.round, match.index) for match in found] == [
        (spar, index) for index in range(4) for spar in (1, 2)
    ]


def test_spars_have_all_workers_where_nothing_else_is_played(queued: SparQueue) -> None:
    """An idle run begins as many as it can."""
    pool: Any = OpenPool()

    assert all(queued.next(pool, Pace(()), idle=True) for _ in range(44))
    assert queued.next(pool, Pace(()), idle=True) is None


def test_a_withdrawn_spar_is_not_begun(ladder: Ladder, queued: SparQueue) -> None:
    """Its author may withdraw what waits at any time."""
    pool: Any = OpenPool()
    assert queued.next(pool, Pace(()), idle=True)
    with ladder.database.write() as tx:
        spars.withdraw(tx, 1)

    found = [queued.next(pool, Pace(()), idle=True) for _ in range(5)]

    assert [match and match.round for match in found] == [2, 2, 2, 2, None]


def test_the_processes_of_a_spar_play_nothing_else(ladder: Ladder) -> None:
    """What a bot has seen in a spar, it cannot print in a rated match."""
    with ladder.database.read() as tx:
        seats = tuple(bots.active(tx))
    specs = [
        match_spec(
            ladder.home,
            ladder.settings,
            PlannedMatch("a" * 32, 1, 0, seats, is_spar=is_spar),
            patient=True,
        )
        for is_spar in (False, True)
    ]

    for rated_bot, of_spar in zip(specs[0].seats, specs[1].seats, strict=True):
        assert rated_bot != pickle.loads(pickle.dumps(of_spar))  # noqa: S301 - ours
        assert of_spar == pickle.loads(pickle.dumps(of_spar))  # noqa: S301 - ours
