"""What a run does with its batches on a cluster, whatever Dask says of them."""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.runner.cluster import pool as pool_module
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.link import BatchFailedError, Member
from ladder.runner.cluster.pool import ClusterPool
from ladder.runner.cluster.reach import Cluster
from ladder.runner.cluster.task import Batch, BatchEnded
from ladder.runner.worker import Failed, MatchNews, ThinkingTime
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level
from tests.ladder.runner.fake_run import Lines

ARES, HERA = Member("ares", 1), Member("hera", 2)


class FakeLink:
    """Stands in for the link: notes what is handed out, and ends what it is told to."""

    def __init__(self, *_: object) -> None:
        """Begin with nothing."""
        self.members: Mapping[str, Member] | None = {}
        self.thinking: deque[ThinkingTime] = deque()
        self.done: deque[Future[BatchEnded]] = deque()
        self.given: dict[Future[BatchEnded], list[str]] = {}
        """The batches handed out and not ended: the matches' ids."""
        self.wake, self.write = os.pipe()
        os.set_blocking(self.wake, False)

    def submit(self, batch: Batch) -> Future[BatchEnded]:
        """Note a batch."""
        playing: Future[BatchEnded] = Future()
        self.given[playing] = [spec.match_id for spec in batch.specs]
        playing.add_done_callback(self._end)
        return playing

    def _end(self, playing: Future[BatchEnded]) -> None:
        self.done.append(playing)
        del self.given[playing]

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

    def wait(self) -> list[MatchNews]:
        """Let the pool note what happened and hand out what follows; return what ended."""
        return self.pool.wait(self.link.wake, 0) + self.pool.wait(self.link.wake, 0)

    def ids(self) -> list[list[str]]:
        """Return the matches of each batch that is out."""
        return [*self.link.given.values()]

    def batch(self, *match_ids: str) -> Future[BatchEnded]:
        """Return the batch with these matches."""
        return next(batch for batch, ids in self.link.given.items() if ids == [*match_ids])

    def join(self, **workers: Member) -> list[MatchNews]:
        """Let these be the workers that are there; return what ended."""
        self.link.members = workers
        return self.wait()

    def answer(self, *match_ids: str, seats: int = 2, seconds: float = 0.1) -> list[MatchNews]:
        """Let a worker answer that the matches of a batch were played; return what ended."""
        result = SeatResult(1, 5, None)
        outcomes = tuple(Played(each, (result,) * seats, 3, b"a record") for each in match_ids)
        self.batch(*match_ids).set_result(BatchEnded("ares", seconds, outcomes))
        return self.wait()

    def lose(self, *match_ids: str, error: Exception) -> list[MatchNews]:
        """Let a batch end by this error; return what ended."""
        self.batch(*match_ids).set_exception(error)
        return self.wait()


@pytest.fixture
def driven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[Driven]:
    """A pool with a worker of one core and another of two."""
    with closing(FakeLink()) as link:
        monkeypatch.setattr(pool_module, "ClusterLink", lambda *_: link)
        cluster = Cluster("tls://ares:8786", ClusterCertificates(tmp_path))
        pool = ClusterPool(cluster, Level.TRUSTED, Lines(), lambda _: False, Home(tmp_path))
        driven = Driven(link, pool)
        driven.join(a=ARES, b=HERA)
        yield driven


def test_few_matches_are_spread(driven: Driven) -> None:
    """Two batches for each core share what there is."""
    driven.submit(*"abcdefgh")
    driven.wait()
    assert driven.ids() == [["a", "b"], ["c", "d"], ["e"], ["f"], ["g"], ["h"]]


def test_many_cores_get_longer_batches(driven: Driven) -> None:
    """However many cores there are, the scheduler has about 100 batches a second to hand out."""
    driven.join(a=Member("ares", 1000))
    driven.submit(*map(str, range(25_000)))
    driven.wait()
    assert {len(ids) for ids in driven.ids()} == {10}


def test_no_worker_waits_for_the_long_batches_of_others(driven: Driven) -> None:
    """When matches turn out to be slow, a worker that is done gets more at once."""
    driven.submit(*"abcdefghijklmnopqr")
    driven.wait()
    assert [len(ids) for ids in driven.ids()] == [3] * 6
    assert len(driven.answer(*"abc", seconds=60)) == 3

    assert driven.pool.has_room
    driven.submit("s")
    driven.wait()
    assert driven.ids()[-1] == ["s"]


def test_no_match_waits_behind_a_slow_one(driven: Driven) -> None:
    """A match that is handed in alone is a batch of its own, which says nothing of others."""
    driven.submit("slow", alone=True)
    driven.submit(*"abcdefgh")
    driven.wait()
    assert ["slow"] in driven.ids()
    assert len(driven.ids()) == 3  # a core for each, and nothing behind them

    driven.answer("slow", seconds=600.0)
    driven.submit(*"ijklmnop")
    for match_ids in driven.ids():
        driven.answer(*match_ids)
    assert max(map(len, driven.ids())) > 1


def test_a_slow_match_whose_worker_left_is_handed_out_alone_again(driven: Driven) -> None:
    """No batch gets a match that was handed in alone, however often its worker leaves."""
    driven.submit("slow", alone=True)
    driven.submit(*"abcdef")
    driven.wait()
    for batch in [*driven.link.given]:
        batch.set_exception(ConnectionError("its worker left"))
    driven.wait()
    assert ["slow"] in driven.ids()


def test_who_thinks_long_is_told_before_the_match_is_over(driven: Driven) -> None:
    """What workers tell of seats in matches under way goes to the run, once."""
    so_far = ThinkingTime("a", 1, 2.5)
    driven.link.thinking.append(so_far)

    assert driven.wait() == [so_far]
    assert driven.wait() == []


def test_a_lost_batch_is_handed_out_again(driven: Driven) -> None:
    """A batch that no worker plays any more is no void attempt."""
    driven.submit("a")
    driven.wait()
    assert driven.lose("a", error=ConnectionError("its worker left")) == []
    assert driven.ids() == [["a"]]


def test_only_a_match_alone_kills_workers(driven: Driven) -> None:
    """Matches of a batch with which workers died go out alone; one that kills again is void."""
    died = BatchFailedError("worker after worker died with it")
    driven.submit(*"abcdefg")
    driven.wait()
    assert driven.lose("a", "b", error=died) == []
    assert driven.lose("a", error=died) == [Failed("a", "worker after worker died with it")]
    assert ["b"] in driven.ids()


def test_who_refuses_is_named_once(driven: Driven, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason of a worker that refuses is told once, and its cores get no matches."""
    for _ in range(2):
        driven.join(c=Member("zeus", 2, "no sandbox here"), b=HERA)
    told = capsys.readouterr().out
    assert told.count("warn worker zeus does not play: no sandbox here") == 1
    driven.submit(*"abcdefgh")
    driven.wait()
    assert len(driven.ids()) == 2 * HERA.cores

    driven.join(d=Member("zeus", 2), b=HERA)
    driven.submit("i")
    driven.wait()
    assert ["i"] in driven.ids()


def test_other_seats_are_no_result(driven: Driven) -> None:
    """A worker's result with other seats than the match has is void."""
    driven.submit("a")
    driven.wait()
    assert driven.answer("a", seats=3) == [Failed("a", "its worker reported other seats")]


def test_withdrawn_matches_are_unplayed(driven: Driven) -> None:
    """A run that stops gets back what no worker plays; what is played, it waits for."""
    driven.submit("a")
    driven.wait()
    driven.submit("b")
    driven.pool.withdraw()
    (given_back,) = driven.wait()
    assert given_back == Failed("b", "the run stops", unplayed=True)
    assert [each.match_id for each in driven.answer("a")] == ["a"]
    assert (driven.pool.busy, driven.pool.has_room) == (0, False)


@pytest.mark.parametrize("members", [None, {}])
@pytest.mark.parametrize("is_first", [True, False])
def test_withdrawn_matches_without_a_worker_are_unplayed(
    driven: Driven, members: Mapping[str, Member] | None, *, is_first: bool
) -> None:
    """A run that stops does not wait for a scheduler or workers that are gone."""
    driven.submit("a")
    driven.wait()
    ended = []
    for step in (0, 1):
        if is_first == bool(step):
            driven.pool.withdraw()
        else:
            driven.link.members = members
        ended += driven.wait()
    assert ended + driven.wait() == [Failed("a", "the run stops", unplayed=True)]


def test_a_pool_without_workers_waits(driven: Driven) -> None:
    """Without workers there is room for some matches, so that a run waits for one."""
    driven.join()
    assert driven.pool.has_room
    driven.submit("a")
    driven.wait()
    assert driven.ids() == []
    driven.join(c=ARES)
    assert driven.ids() == [["a"]]
