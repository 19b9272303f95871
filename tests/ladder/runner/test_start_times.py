"""A tournament's rounds begin at their times, which the director can move until then."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ladder.model import moments
from ladder.model.bots import Entry, ValidationResult
from ladder.model.matches import PlannedMatch, Played
from ladder.model.tournaments import Kind
from ladder.runner.planning import Planning
from ladder.scheduling import contest
from ladder.scheduling.tournament import directing
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.scheduling.tournament.start_times import times_of
from ladder.scheduling.tournament.timed_planner import TimedPlanner
from ladder.server.public.reader import PublicReader
from ladder.server.web.site import Site
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.ladder.runner.conftest import FAKE_CONTEST, ROOT
from tests.support.ladders import Command, MakeBot
from tests.support.new_ladder import new_ladder

MakePlayed = Callable[..., Played]
SIX = datetime.fromisoformat("2126-11-27T18:00:00+00:00")
SWISS = TournamentPlan(
    Kind.SWISS, (1, 2, 3, 4, 5), rounds=3, start=SIX.isoformat(), every_s=30 * 60
)


class Evening:
    """A tournament whose clock stands still until it is moved."""

    def __init__(self, ladder: Ladder, planning: Planning, played: MakePlayed) -> None:
        """Begin a minute before the first round may begin."""
        self.ladder = ladder
        self.now = SIX - timedelta(minutes=1)
        self.planning = planning
        self._played = played
        self._ended = 0

    def plan(self, minutes: int) -> Sequence[PlannedMatch]:
        """Return the matches planned some minutes after six."""
        self.now = SIX + timedelta(minutes=minutes)
        return self.planning.next(self._ended, None)

    def play(self, planned: Sequence[PlannedMatch], *ranks: int) -> None:
        """Store results of these matches."""
        assert planned
        with self.ladder.database.write() as tx:
            matches.finish(tx, *(self._played(match, *(ranks or (1, 2))) for match in planned))
        self._ended += len(planned)

    def pairings(self) -> Sequence[str]:
        """Return the pairings of the round that waits, if one does."""
        awaited = self.planning.awaited
        return () if awaited is None else awaited.pairings

    def minutes(self) -> float | None:
        """Return for how many minutes after six a round waits, if one does."""
        awaited = self.planning.awaited
        return None if awaited is None else (awaited.starts_at - SIX) / timedelta(minutes=1)


@contextmanager
def entered(folder: Path, plan: TournamentPlan) -> Iterator[Ladder]:
    """Make the ladder of a tournament in which nothing is planned."""
    home = new_ladder(folder, "a seed for an evening", seats=2)
    with Ladder.open(home) as ladder:
        with ladder.database.write() as tx:
            for number, name in zip(
                plan.entrants, ("ann", "bob", "cat", "dan", "eve"), strict=False
            ):
                entry = Entry(name, f"{number:064x}", ("./play",), "grpc", ())
                bots.enter(tx, entry, ValidationResult(rejected=None))
        contest.begin(ladder, plan)
        yield ladder


@pytest.fixture
def evening(
    tmp_path: Path,
    played: MakePlayed,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Evening]:
    """Make a tournament; without a plan of the test's a Swiss from six on, every half hour."""
    plan = getattr(request, "param", SWISS)
    with (
        entered(tmp_path / "cup", plan) as ladder,
        Planning(ladder, TimedPlanner(plan, 2)) as planning,
    ):
        made = Evening(ladder, planning, played)
        monkeypatch.setattr(moments, "now", lambda: made.now)
        yield made


def test_rounds_wait_for_their_times(evening: Evening) -> None:
    """The first round waits for the start, each other for the interval, and nothing is stored."""
    assert not evening.plan(-1)
    assert evening.pairings() == ("1 ann, cat", "2 bob, dan", "bye eve")
    with evening.ladder.database.read() as tx:
        assert matches.last_round(tx) == 0

    evening.play(evening.plan(4))
    waited = []
    for minutes in (5, 20, 33):
        assert not evening.plan(minutes)
        waited.append(evening.minutes())
    evening.play(evening.plan(34))
    assert not evening.plan(35)

    assert waited == [34, 34, 34]
    assert evening.minutes() == 64


def test_a_clock_that_jumps(evening: Evening) -> None:
    """A clock set back lets a round wait for its time; one set forward lets it begin at once."""
    evening.play(evening.plan(0))
    assert not evening.plan(-120)
    assert not evening.plan(29)
    evening.play(evening.plan(200))
    assert not evening.plan(201)
    assert evening.minutes() == 230


def test_the_director_moves_a_start(evening: Evening) -> None:
    """A decision lets the awaited round begin at once or later, once or again; others follow on."""
    assert not evening.plan(-1)
    assert directing.set_start(evening.ladder, SIX + timedelta(minutes=-1), None) == 1
    evening.play(evening.plan(-1))
    assert not evening.plan(0)
    for minutes in (70, 50):
        assert directing.set_start(evening.ladder, SIX + timedelta(minutes=minutes), "beer") == 2
        assert not evening.plan(40)
        assert evening.minutes() == minutes
    evening.play(evening.plan(50))

    assert not evening.plan(51)
    assert evening.minutes() == 80


def test_a_decision_changes_what_is_awaited(evening: Evening) -> None:
    """A bot that leaves before the start is not paired, and the pairings told change at once."""
    evening.plan(-1)
    assert evening.pairings() == ("1 ann, cat", "2 bob, dan", "bye eve")
    directing.leave(evening.ladder, "eve", None, disqualified=False)
    assert not evening.plan(-1)
    assert evening.pairings() == ("1 ann, cat", "2 bob, dan")
    assert len(evening.plan(0)) == 4
    assert evening.planning.awaited is None


@pytest.mark.parametrize(
    "evening",
    [TournamentPlan(Kind.KNOCKOUT, (1, 2), draw="x", start=SIX.isoformat(), every_s=600)],
    indirect=True,
)
def test_sudden_death_does_not_wait(evening: Evening) -> None:
    """A table that is level plays on at once, by any clock: it is the same round."""
    evening.play(evening.plan(0), 1, 1)

    assert evening.plan(-5)


@pytest.mark.parametrize(
    "evening", [TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3), every_s=600)], indirect=True
)
def test_a_pause_goes_before_the_clock(evening: Evening) -> None:
    """A paused tournament begins no round at its time; after the pause it begins at once."""
    evening.play(evening.plan(0))
    directing.set_paused(evening.ladder, None, paused=True)
    assert not evening.plan(11)
    assert evening.planning.paused
    directing.set_paused(evening.ladder, None, paused=False)

    assert evening.plan(11)


def test_the_start_is_told(evening: Evening, command: Command, tmp_path: Path) -> None:
    """Terminal, JSON and pages say when the next round starts."""
    cup, file = evening.ladder.home.path, tmp_path / "cup.json"
    shown = command("tournament", "swiss", cup, "--until-round", 0, "--json", file)
    told = json.loads(file.read_text())
    source = PublicReader(evening.ladder)
    site = Site([(source.snapshot(), source)], live=False)

    assert f"Pairings of round 1, which starts at {moments.local(SIX)}" in shown.out
    assert told["pairings"]["starts_at"] == SIX.isoformat()
    assert told["options"]["every_s"] == 1800
    assert "starts at 2126-11-27 18:00 UTC, each later round at least 30m" in told["rules"]["times"]
    for page in ("tournament.html", "pairings.html"):
        text = (site.page(page) or b"").decode()
        assert f'starts at <time datetime="{SIX.isoformat()}">2126-11-27 18:00 UTC</time>' in text


def test_a_start_is_told_to_the_second(tmp_path: Path) -> None:
    """Rules and pages keep the seconds of a start that is not at a whole minute."""
    later = (SIX + timedelta(seconds=5)).isoformat()
    with entered(tmp_path / "later", replace(SWISS, start=later)) as ladder:
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)

    assert "starts at 2126-11-27 18:00:05 UTC" in times_of(replace(SWISS, start=later))
    for page in ("tournament.html", "pairings.html", "screen.html"):
        assert ">2126-11-27 18:00:05 UTC</time>" in (site.page(page) or b"").decode()


def test_the_same_command_continues(evening: Evening, command: Command) -> None:
    """The times with which a tournament began are accepted on other days, others are refused."""
    words = ("tournament", "swiss", evening.ladder.home.path, "--until-round", 0)
    evening.now = SIX + timedelta(days=3, hours=-2)
    at_six = f"{SIX.astimezone():%H:%M}"

    assert command(*words, "--start", at_six, "--every", "1800s").status == 0
    for option, value in (("--start", "18:01"), ("--every", "31m"), ("--start", "soon")):
        refused = command(*words, option, value)
        assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "'soon' is not a time" in refused.err


def test_the_command_starts_a_round(evening: Evening, command: Command) -> None:
    """`start` says which round starts when, and is refused once no round is to come."""
    at = ("--ladder", evening.ladder.home.path)

    later = command("start", "2126-11-27T19:00+00:00", "--why", "the train is late", *at)
    assert f"Round 1 starts at {moments.local(SIX + timedelta(hours=1))}, in the run" in later.out
    assert "Round 1 starts now, in the run" in command("start", "now", *at).out
    assert "not a time" in command("start", "later", *at).err
    for _ in range(3):
        evening.play(evening.plan(1000))
        command("start", "now", *at)
    assert evening.plan(1000) == ()
    assert "no round follows" in command("start", "now", *at).err
    shown = command("tournament", "swiss", evening.ladder.home.path).out
    assert "round 1 starts at 2126-11-27T19:00:00+00:00: the train is late" in " ".join(
        shown.split()
    )


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a run and return it once it has said who will play; it is ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def begin() -> subprocess.Popen[str]:
        words = [*FAKE_CONTEST, str(tmp_path / "cup"), "1"]
        run = subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        started.append(run)
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("tell round 1 starts at"):
                return run
        raise AssertionError("it does not wait")

    yield begin
    for run in started:
        run.kill()
        run.communicate()


@pytest.mark.costly
def test_a_run_waits_and_goes_on(
    tmp_path: Path,
    command: Command,
    make_bot: MakeBot,
    enter: Callable[..., object],
    waiting: Callable[[], subprocess.Popen[str]],
) -> None:
    """A run tells for what it waits, can be stopped meanwhile, and follows the director's word."""
    far = (moments.now() + timedelta(days=2)).isoformat()
    home = new_ladder(tmp_path / "cup", "a seed for an evening", seats=2)
    with Ladder.open(home) as ladder:
        for name in ("ann", "bob"):
            enter(ladder, make_bot(name))
        contest.begin(ladder, TournamentPlan(Kind.ROUND_ROBIN, (1, 2), start=far))
    stopped = waiting()
    stopped.send_signal(signal.SIGINT)
    out, _ = stopped.communicate()
    assert out.splitlines()[-1] == "report 0 0 0 True"

    going_on = waiting()
    command("start", "now", "--ladder", home.path)
    out, err = going_on.communicate()

    assert err == ""
    assert out.splitlines()[-1] == "report 2 0 0 False"
