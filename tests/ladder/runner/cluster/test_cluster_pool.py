"""What a run does with its batches on a cluster, whatever Dask says of them."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.runner.cluster import pool as pool_module
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.link import Answered, Disconnected, Event, Lost, Member, Members
from ladder.runner.cluster.pool import ClusterPool
from ladder.runner.cluster.reach import Cluster
from ladder.runner.cluster.task import Batch, BatchEnded
from ladder.runner.host import host_at
from ladder.runner.worker import Failed, ThinkingTime
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level
from tests.ladder.runner.fake_run import Lines

ARES, HERA = Member("ares", 1), Member("hera", 2)


class FakeLink:
    """Stands in for the link: notes what is handed out, and tells what it is told to."""

    def __init__(self, *_: object) -> None:
        """Begin with nothing."""
        self.is_up = True
        self.given: dict[int, list[str]] = {}
        """The batches handed out and not answered: the matches' ids."""
        self.events: list[Event] = []
        self.wake, self.write = os.pipe()

    def submit(self, number: int, batch: Batch) -> None:
        """Note a batch."""
        self.given[number] = [spec.match_id for spec in batch.specs]

    def cancel(self, number: int) -> None:
        """Forget a batch."""
        del self.given[number]

    def take(self) -> list[Event]:
        """Return what is told."""
        told, self.events = self.events, []
        return told

    def close(self) -> None:
        """Close the pipe."""
        os.close(self.wake)
        os.close(self.write)


class Driven:
    """A pool whose link does what a test says."""

    def __init__(self, link: FakeLink, pool: ClusterPool) -> None:
        """Drive this pool."""
        self.link = link
        self.pool = pool

    def submit(self, *match_ids: str, alone: bool = False) -> None:
        """Hand in matches of the stand-in alone."""
        for match_id in match_ids:
            spec = MatchSpec(match_id, "courtisans", (None, None), "a seed")
            self.pool.submit(PlannedMatch(match_id, 1, 0, (None, None)), spec, alone=alone)

    def wait(self, *events: Event) -> list[Played | Failed]:
        """Let this happen, then let the pool hand out what follows; return what ended."""
        self.link.events += events
        ended = self.pool.wait(self.link.wake, 0)
        return ended + self.pool.wait(self.link.wake, 0)

    def ids(self) -> list[list[str]]:
        """Return the matches of each batch that is out."""
        return [*self.link.given.values()]

    def answer(
        self, number: int, seats: int = 2, name: str = "ares", seconds: float = 0.1
    ) -> Answered:
        """Return the answer that all matches of a batch were played."""
        match_ids = self.link.given.pop(number)
        result = SeatResult(1, 5, None)
        outcomes = tuple(Played(each, (result,) * seats, 3, b"a record") for each in match_ids)
        return Answered(number, BatchEnded(name, seconds, outcomes))


@pytest.fixture
def driven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[Driven]:
    """A pool with a worker of one core and another of two."""
    with closing(FakeLink()) as link:
        monkeypatch.setattr(pool_module, "ClusterLink", lambda *_: link)
        cluster = Cluster("tls://ares:8786", ClusterCertificates(tmp_path))
        pool = ClusterPool(
            cluster, Level.TRUSTED, host_at, Lines(), lambda _: False, Home(tmp_path)
        )
        driven = Driven(link, pool)
        driven.wait(Members({"tls://a": ARES, "tls://b": HERA}))
        yield driven


def test_few_matches_are_spread(driven: Driven) -> None:
    """Two batches for each core share what there is."""
    driven.submit(*"abcdefgh")
    driven.wait()
    assert driven.ids() == [["a", "b"], ["c", "d"], ["e"], ["f"], ["g"], ["h"]]


def test_many_cores_get_longer_batches(driven: Driven) -> None:
    """However many cores there are, the scheduler has about 100 batches a second to hand out."""
    driven.wait(Members({"tls://a": Member("ares", 1000)}))
    driven.submit(*map(str, range(25_000)))
    driven.wait()
    assert {len(ids) for ids in driven.ids()} == {10}


def test_long_batches_of_others_keep_nobody_waiting(driven: Driven) -> None:
    """When matches turn out to be slow, a worker that is done gets more at once."""
    driven.submit(*"abcdefghijklmnopqr")
    driven.wait()
    assert [len(ids) for ids in driven.ids()] == [3] * 6
    assert len(driven.wait(driven.answer(0, seconds=60))) == 3

    assert driven.pool.has_room
    driven.submit("s")
    driven.wait()
    assert driven.ids()[-1] == ["s"]


def test_nobody_waits_behind_a_slow_match(driven: Driven) -> None:
    """A match that is handed in alone is a batch of its own, which says nothing of others."""
    driven.submit("slow", alone=True)
    driven.submit(*"abcdefgh")
    driven.wait()
    assert ["slow"] in driven.ids()
    assert len(driven.ids()) == 3  # a core for each, and nothing behind them

    number = next(n for n, ids in driven.link.given.items() if ids == ["slow"])
    driven.wait(driven.answer(number, seconds=600.0))
    driven.submit(*"ijklmnop")
    for number in [*driven.link.given]:
        driven.wait(driven.answer(number))
    assert max(map(len, driven.ids())) > 1


def test_a_slow_match_whose_worker_left_is_handed_out_alone_again(driven: Driven) -> None:
    """No batch gets a match that was handed in alone, however often its worker leaves."""
    driven.submit("slow", alone=True)
    driven.submit(*"abcdef")
    driven.wait()
    numbers = [*driven.link.given]
    driven.link.given.clear()
    driven.wait(*(Lost(number, "its worker left", failed=False) for number in numbers))
    assert ["slow"] in driven.ids()


def test_who_thinks_long_is_told_before_the_match_is_over(driven: Driven) -> None:
    """What workers tell of seats in matches under way goes to the run, once."""
    so_far = ThinkingTime("a", 1, 2.5)
    driven.wait(so_far)

    assert driven.pool.thinking_times() == [so_far]
    assert driven.pool.thinking_times() == []


def test_results_come_back_once(driven: Driven) -> None:
    """A batch's results are taken once, even if they arrive again."""
    driven.submit("a", "b")
    driven.wait()
    first = driven.answer(0)
    assert [each.match_id for each in driven.wait(first, first)] == ["a"]
    assert driven.pool.busy == 1


def test_a_lost_batch_is_handed_out_again(driven: Driven) -> None:
    """A batch that nobody plays any more is no void attempt."""
    driven.submit("a")
    driven.wait()
    assert driven.wait(Lost(0, "its worker left")) == []
    assert driven.link.given[1] == ["a"]


def test_only_a_match_alone_kills_workers(driven: Driven) -> None:
    """Matches of a batch with which workers died go out alone; one that kills again is void."""
    driven.pool.wait(driven.link.wake, 0)
    driven.submit(*"abcdefg")
    driven.wait()
    assert driven.ids()[0] == ["a", "b"]
    assert driven.wait(Lost(0, "worker after worker died with it", failed=True)) == []
    assert driven.ids()[-1] == ["a"]
    (number,) = [number for number, ids in driven.link.given.items() if ids == ["a"]]
    (failed,) = driven.wait(Lost(number, "worker after worker died with it", failed=True))
    assert failed == Failed("a", "worker after worker died with it")


def test_who_refuses_is_named_once(driven: Driven, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason of a worker that refuses is told once, and its cores get no matches."""
    refuses = Member("ares", 2, "no sandbox here")
    for _ in range(2):
        driven.wait(Members({"tls://a": refuses, "tls://b": HERA}))
    assert "does not play" not in capsys.readouterr().out  # the same worker is still there
    for _ in range(2):
        driven.wait(Members({"tls://c": refuses, "tls://b": HERA}))
    told = capsys.readouterr().out
    assert told.count("warn worker ares does not play: no sandbox here") == 1
    driven.submit(*"abcdefgh")
    driven.wait()
    assert len(driven.ids()) == 2 * HERA.cores

    driven.wait(Members({"tls://d": ARES, "tls://b": HERA}))
    driven.submit("i")
    driven.wait()
    assert ["i"] in driven.ids()


def test_other_seats_are_no_result(driven: Driven) -> None:
    """A worker's result with other seats than the match has is void."""
    driven.submit("a")
    driven.wait()
    assert driven.wait(driven.answer(0, seats=3)) == [
        Failed("a", "its worker reported other seats")
    ]


def test_withdrawn_matches_are_unplayed(driven: Driven) -> None:
    """A run that stops gets back what nobody plays; what is played, it waits for."""
    driven.submit("a")
    driven.wait()
    driven.submit("b")
    driven.pool.withdraw()
    (given_back,) = driven.wait()
    assert given_back == Failed("b", "the run stops", unplayed=True)
    assert [each.match_id for each in driven.wait(driven.answer(0))] == ["a"]
    assert (driven.pool.busy, driven.pool.has_room) == (0, False)


@pytest.mark.parametrize("gone", [Disconnected(), Members({})])
def test_withdrawn_matches_of_nobody_are_unplayed(driven: Driven, gone: Event) -> None:
    """A run that stops does not wait for a scheduler or workers that are gone."""
    driven.submit("a")
    driven.wait()
    driven.pool.withdraw()
    assert driven.wait(gone) == [Failed("a", "the run stops", unplayed=True)]


def test_a_pool_without_workers_waits(driven: Driven) -> None:
    """Without workers there is room for some matches, so that a run waits for one."""
    driven.wait(Members({}))
    assert driven.pool.has_room
    driven.submit("a")
    driven.wait()
    assert driven.ids() == []
    driven.wait(Members({"tls://c": ARES}))
    assert driven.ids() == [["a"]]
