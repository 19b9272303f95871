"""A remote bot that comes and goes keeps no bot waiting, and gains no time by it."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from ladder.model.bots import Version
from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.model.presence import Presence
from ladder.results import queries
from ladder.runner import pool
from ladder.runner.report import Report
from ladder.runner.run import SECONDS_TO_COME_BACK, run
from ladder.runner.waiting import Absence, Waiting
from ladder.runner.worker import Failed
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import RunLimits
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.storage.tables.records import pack
from referee.hosting.match_runner import MatchSpec
from tests.ladder.runner.remote.test_coming_and_going import Told
from tests.support.fake_workers import FakePlayer
from tests.support.ladders import Enter, MakeBot
from tests.support.new_ladder import new_ladder

HERE = Version(1, "here", 1, "0" * 64, ("true",), True, "")  # noqa: FBT003
EVE = Version(2, "eve", 1, "1" * 64, (), True, "", "remote")  # noqa: FBT003
ADA = Version(3, "ada", 1, "2" * 64, (), True, "", "remote")  # noqa: FBT003
A_MATCH_S = 2.0
PLAYED_S = 200.0
Flaps = Callable[[float], bool]


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        """Begin at no particular time."""
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class Waits:
    """Matches of Eve and Ada that wait, watched by a clock."""

    def __init__(self) -> None:
        """Begin with both connected, and no match."""
        self.clock, self.queue = Clock(), Waiting([])
        self.presence = Presence(self.clock)
        self.under_way: dict[str, PlannedMatch] = {}
        self.absence = Absence(self.presence, self.queue, self.under_way)
        self.see(EVE, here=True)
        self.see(ADA, here=True)

    def see(self, version: Version, *, here: bool) -> None:
        """Let a bot join or leave."""
        self.presence.update(version.gateway_name, int(here))

    def add(self, name: str, *others: Version) -> PlannedMatch:
        """Let a match of Eve and others wait from now on."""
        match = PlannedMatch(name, 1, len(self.queue), (EVE, *others))
        self.queue.add([match])
        self.absence.missing()
        return match

    def missed(self) -> dict[str, float]:
        """Return for how long each match misses somebody."""
        return {one.match.match_id: one.seconds for one in self.absence.missing()}


def test_absence_adds_up() -> None:
    """A bot that joins for a moment, and leaves, goes on where it was."""
    waits = Waits()
    waits.add("first", HERE)
    for seconds in (4.0, 5.0):
        waits.see(EVE, here=False)
        waits.clock.now += seconds
        waits.see(EVE, here=True)
        assert waits.missed() == {}
        waits.clock.now += 100
    waits.see(EVE, here=False)
    waits.clock.now += 3

    assert waits.missed() == {"first": 12.0}


def test_each_match_counts_from_when_it_waits() -> None:
    """What was missed before a match was planned does not count for it."""
    waits = Waits()
    waits.add("first", HERE)
    waits.see(EVE, here=False)
    waits.clock.now += 20
    waits.add("second", HERE)
    waits.clock.now += 5

    assert waits.missed() == {"first": 25.0, "second": 5.0}


def test_a_match_that_began_and_is_put_back_goes_on_counting() -> None:
    """A bot that lets a match begin and leaves gains no time."""
    waits = Waits()
    match = waits.add("first", HERE)
    waits.see(EVE, here=False)
    waits.clock.now += 20
    waits.see(EVE, here=True)
    waits.queue.remove(match)
    waits.under_way[match.match_id] = match
    assert waits.missed() == {}
    waits.see(EVE, here=False)
    del waits.under_way[match.match_id]
    waits.queue.put_back(match)
    waits.clock.now += 5

    assert waits.missed() == {"first": 25.0}


def test_who_holds_up_is_known_until_it_stays() -> None:
    """A bot that a match has missed for a second is intermittent until it has stayed for long."""
    waits = Waits()
    waits.add("first", HERE, ADA)
    waits.see(EVE, here=False)
    waits.clock.now += 0.9
    assert waits.missed()
    assert waits.absence.intermittent == frozenset()
    assert waits.absence.patience(30.0) == pytest.approx(0.1)

    waits.clock.now += 0.1
    assert waits.missed()
    assert waits.absence.intermittent == {EVE.id}
    assert waits.absence.patience(30.0) == pytest.approx(29.0)

    waits.see(EVE, here=True)
    waits.clock.now += 290
    assert waits.absence.intermittent == {EVE.id}
    waits.clock.now += 20
    assert waits.absence.intermittent == frozenset()
    assert waits.absence.patience(30.0) is None


def test_who_leaves_during_a_match_holds_up_too() -> None:
    """The match ends only when the bot's time is up, so no bot waits for that either."""
    waits = Waits()
    match = waits.add("first", HERE)
    waits.queue.remove(match)
    waits.under_way[match.match_id] = match
    waits.see(EVE, here=False)
    assert waits.absence.patience(30.0) == pytest.approx(1.0)
    waits.clock.now += 1

    assert waits.missed() == {}
    assert waits.absence.intermittent == {EVE.id}
    assert waits.absence.patience(30.0) is None


class Simulated:
    """A gateway and two workers in simulated time, in which remote bots come and go."""

    has_room = property(lambda self: self.busy < self.workers)
    busy = property(lambda self: len(self._under_way))
    workers = 2

    def __init__(self, remote: Sequence[Version], clock: Clock, is_there: Flaps) -> None:
        """Let each bot be there as `is_there` says of each moment, some seconds after another."""
        self.presence = Presence(clock)
        self._remote, self._clock, self._is_there = remote, clock, is_there
        self._began = clock.now
        self._under_way: dict[str, tuple[float, MatchSpec]] = {}
        self._player = FakePlayer()
        self._see_all()

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether its bots are connected."""
        return all(self.presence.capacity(version) for version in match.remote)

    def choose(self, ready: Iterator[PlannedMatch]) -> PlannedMatch | None:
        """Return the first match."""
        return next(ready, None)

    def submit(self, match: PlannedMatch, spec: MatchSpec, **_: object) -> None:
        """Begin a match."""
        self._under_way[match.match_id] = (self._clock.now + A_MATCH_S, spec)

    def withdraw(self) -> None:
        """Do nothing."""

    def wait(self, _: int, seconds: float) -> list[Played | Failed]:
        """Let time pass until something happens, at most `seconds`."""
        ends = [end for end, _ in self._under_way.values()]
        self._clock.now = min([*ends, self._clock.now + min(seconds, 0.1)])
        self._see_all()
        over = [name for name, (end, _) in self._under_way.items() if end <= self._clock.now]
        return [self._played(self._under_way.pop(name)[1]) for name in over]

    def _see_all(self) -> None:
        for number, version in enumerate(self._remote):
            there = self._is_there(self._clock.now - self._began + 3 * number)
            self.presence.update(version.gateway_name, int(there))

    def _played(self, spec: MatchSpec) -> Played:
        return pack(self._player.play(spec), {}, spec)


@pytest.fixture
def play(
    tmp_path: Path,
    make_bot: MakeBot,
    make_remote_bot: MakeBot,
    enter: Enter,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Flaps, int], tuple[Report, Ladder]]:
    """Play a new ladder of six bots and a flock of remote ones for a while of simulated time."""

    def play(is_there: Flaps, flock: int) -> tuple[Report, Ladder]:
        ladder = Ladder.open(new_ladder(tmp_path / "ladder", "a seed", seats=2))
        for bot in "abcdef":
            enter(ladder, make_bot(bot))
        for number in range(flock):
            enter(ladder, make_remote_bot(f"eve{number}"), author=f"author {number}")
        with ladder.database.read() as tx:
            remote = [version for version in bots.active(tx) if version.is_remote]
        clock = Clock()
        place: Any = Simulated(remote, clock, is_there)
        with monkeypatch.context() as patch:
            patch.setattr(pool, "Pool", lambda *_: place)
            patch.setattr(time, "monotonic", clock)
            planner = LadderPlanner(ladder, presence=place.presence)
            limits = RunLimits(seconds=PLAYED_S)
            report = run(ladder, planner, 0, Told(), gateway=place, limits=limits, enduring=True)
        return report, ladder

    return play


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("is_there", "flock"),
    [
        pytest.param(lambda _: True, 1, id="it stays"),
        pytest.param(lambda s: s % 2 < 0.3, 8, id="for a moment"),
        pytest.param(lambda s: s % 20 < 10, 1, id="half of the time"),
        pytest.param(lambda s: s % 50 < 15, 8, id="away longer than a match waits"),
        pytest.param(lambda s: s < 5, 1, id="it leaves for good"),
    ],
)
def test_a_bot_that_comes_and_goes_slows_no_other(
    play: Callable[[Flaps, int], tuple[Report, Ladder]], is_there: Flaps, flock: int
) -> None:
    """The workers play all the time, however it comes and goes, and few matches are void."""
    report, ladder = play(is_there, flock)

    assert report.matches >= 0.95 * Simulated.workers * PLAYED_S / A_MATCH_S
    with ladder:
        lines = queries.latest(ladder, 10_000)
    with_eve = [
        line
        for line in lines
        if any(seat.version and seat.version.is_remote for seat in line.seats)
    ]
    void = [line for line in with_eve if line.state is MatchState.VOID]
    assert len(void) <= 4 * flock * (1 + PLAYED_S / SECONDS_TO_COME_BACK)
