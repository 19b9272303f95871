"""A worker has its next match already when a short one ends."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.runner.crew import Crew
from ladder.runner.pool import Pool
from ladder.runner.worker import Failed, MatchNews, ThinkingTime
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.sandbox.program import Level
from tests.support.fake_workers import FakeCrew, FakePlayer

BOT = Version(1, "bot", 1, "1", ("true",), True, "")  # noqa: FBT003


class Giver:
    """Gives matches to a pool of one worker."""

    def __init__(self, crew: Crew, folder: Path) -> None:
        """Nothing is given yet."""
        self.crew = crew
        self.pool = Pool(crew, Level.TRUSTED)
        self._folder = folder
        self._wake, _ = os.pipe()

    def can_give(self) -> bool:
        """Return whether the pool takes a match."""
        return self.pool.can_start(PlannedMatch("any", 1, 1, (BOT,)))

    def give(self, match_id: str, bot: str = "bot") -> None:
        """Give the pool a match of this bot."""
        seat = BotSpec(bot, self._folder, ("true",))
        spec = MatchSpec(match_id, "courtisans", (seat,), master_seed=match_id)
        self.pool.submit(PlannedMatch(match_id, 1, 1, (BOT,)), spec)

    def let_matches_last(self, seconds: float) -> None:
        """Let it be that the workers' last matches took so long."""
        for worker in self.crew.workers:
            worker.lasted_s = seconds

    def ended(self, matches: int) -> list[Played | Failed]:
        """Wait until `matches` matches have ended; return how."""
        ended = list[Played | Failed]()
        while len(ended) < matches:
            told = self.pool.wait(self._wake)
            ended += [one for one in told if not isinstance(one, ThinkingTime)]
        return ended


@pytest.fixture
def giver(gate: Home) -> Iterator[Giver]:
    """Start a pool of one worker, which has just played a match."""
    with FakeCrew(1, partial(FakePlayer, gate.path)) as crew:
        giver = Giver(crew, gate.path)
        giver.give("played")
        giver.ended(1)
        yield giver


def begin_long_match(giver: Giver, gate: Home) -> int:
    """Begin a match that takes until there is HOME/go; return the process of its worker."""
    giver.give("long", bot="gate")
    return int((gate.path / "started").read_text())


def test_one_match_waits_behind_another(giver: Giver, gate: Home) -> None:
    """Behind the match under way a worker gets one more, which it then plays by itself."""
    giver.let_matches_last(0.05)
    begin_long_match(giver, gate)

    assert giver.can_give()
    giver.give("next")
    assert giver.pool.busy == 2
    assert not giver.can_give()

    (gate.path / "go").write_text("")
    assert [one.match_id for one in giver.ended(2)] == ["long", "next"]
    assert giver.pool.busy == 0


@pytest.mark.parametrize(("seconds", "wait"), [(0.013, 3), (0.0001, 8)])
def test_the_shorter_matches_are_the_more_wait(
    giver: Giver, gate: Home, seconds: float, wait: int
) -> None:
    """As many wait as last for a moment together, up to a bound; they are played in their order."""
    giver.let_matches_last(seconds)
    begin_long_match(giver, gate)

    names = "abcdefgh"[:wait]
    for name in names:
        assert giver.can_give()
        giver.give(name)
    assert giver.pool.busy == 1 + wait
    assert not giver.can_give()

    (gate.path / "go").write_text("")
    assert [one.match_id for one in giver.ended(1 + wait)] == ["long", *names]
    assert giver.pool.busy == 0


def test_nothing_waits_behind_long_matches(giver: Giver, gate: Home) -> None:
    """A worker whose last match took long gets the next one when it is free."""
    giver.let_matches_last(0.2)
    begin_long_match(giver, gate)

    assert not giver.can_give()
    assert not giver.pool.has_room

    (gate.path / "go").write_text("")
    giver.ended(1)
    assert giver.can_give()


@pytest.mark.costly
def test_matches_wait_behind_the_worker_that_has_the_fewest(gate: Home) -> None:
    """No worker gets a second one in hand before every other one has its first."""
    with FakeCrew(2, partial(FakePlayer, gate.path)) as crew:
        giver = Giver(crew, gate.path)
        giver.give("first")
        giver.give("second")
        giver.ended(2)
        giver.let_matches_last(0.001)

        workers = [begin_long_match(giver, gate) for _ in range(2)]
        for number in range(4):
            giver.give(str(number))
        assert [len(worker.given) for worker in crew.workers] == [3, 3]

        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        giver.ended(6)


@pytest.mark.costly
def test_idle_workers_come_first(gate: Home) -> None:
    """No match waits behind another while a worker is idle."""
    with FakeCrew(2, partial(FakePlayer, gate.path)) as crew:
        giver = Giver(crew, gate.path)
        giver.give("played")
        giver.ended(1)
        giver.let_matches_last(0.001)

        begin_long_match(giver, gate)
        giver.give("next")

        assert [one.match_id for one in giver.ended(1)] == ["next"]
        (gate.path / "go").write_text("")
        giver.ended(1)


@pytest.mark.costly
def test_what_waited_behind_a_dead_worker_is_unplayed(giver: Giver, gate: Home) -> None:
    """If a worker dies, its match is void; those behind it never began, and count as open."""
    giver.let_matches_last(0.001)
    worker = begin_long_match(giver, gate)
    giver.give("next")
    giver.give("last")

    os.kill(worker, signal.SIGKILL)
    ended = [one for one in giver.ended(3) if isinstance(one, Failed)]

    assert [(one.match_id, one.unplayed) for one in ended] == [
        ("long", False),
        ("next", True),
        ("last", True),
    ]
    giver.give("next")
    assert [type(one) for one in giver.ended(1)] == [Played]


def test_what_waits_is_withdrawn(giver: Giver, gate: Home) -> None:
    """A run that stops takes back all behind the match under way; the worker plays on after."""
    giver.let_matches_last(0.001)
    begin_long_match(giver, gate)
    giver.give("next")
    giver.give("last")

    giver.pool.withdraw()
    (gate.path / "go").write_text("")
    played, *unplayed = giver.ended(3)

    assert isinstance(played, Played)
    assert unplayed == [
        Failed("last", "it was withdrawn", unplayed=True),
        Failed("next", "it was withdrawn", unplayed=True),
    ]
    assert giver.pool.busy == 0
    giver.give("next")
    assert [type(one) for one in giver.ended(1)] == [Played]


class Thinker(FakePlayer):
    """Thinks for a second in each match."""

    def play(self, spec: MatchSpec) -> Any:
        """Tell of the decision, and play."""
        assert self.on_decision is not None
        self.on_decision(spec.match_id, 0, 1_000_000)
        return super().play(spec)


@pytest.mark.costly
def test_who_thinks_long_is_told_before_the_end(gate: Home) -> None:
    """News of a seat that thinks long comes from the worker before how the match ended."""
    wake, _ = os.pipe()
    with FakeCrew(1, Thinker) as crew:
        thinking = Giver(crew, gate.path)
        thinking.give("long")
        told = list[MatchNews]()
        while len(told) < 2:
            told += thinking.pool.wait(wake)

    assert told[0] == ThinkingTime("long", 0, 1.0)
    assert isinstance(told[1], Played)
