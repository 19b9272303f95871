"""A cluster whose processes are killed and whose hosts are cut off plays on as if nothing were."""

import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acceptance.test_killed_ladder import (
    ENDLESS,
    LADDER,
    content,
    make,
    order,
    rows,
)
from tests.support import clusters
from tests.support.clusters import HOSTS, NAMES, SCHEDULER, RealCluster
from tests.support.processes import Watched, family
from tests.support.switched_hosts import SwitchedHosts

SHORT_S = (0.2, 12.0)
"""So long a cut costs nothing."""
LONG_S = (33.0, 40.0)
"""After so long everybody has given up who was cut off."""
STUCK_S = 180.0
MATCHES_A_MOMENT = 10
MOMENTS = {
    "kill the run": 6,
    "kill the scheduler": 6,
    "kill a worker": 9,
    "a worker's host loses power": 4,
    "cut off the ladder for a short time": 4,
    "cut off the scheduler for a short time": 4,
    "cut off a worker for a short time": 8,
    "cut off the ladder for a long time": 3,
    "cut off the scheduler for a long time": 2,
    "cut off a worker for a long time": 4,
}
"""What happens, and how often."""


class Disturbed:
    """A ladder that is played on a cluster whose hosts have a hard time; the run is restarted."""

    def __init__(
        self, ladder: Path, cluster: RealCluster, hosts: SwitchedHosts, chance: random.Random
    ) -> None:
        """Begin to play it."""
        self._ladder = ladder
        self._cluster = cluster
        self._hosts = hosts
        self._chance = chance
        self._begin()

    def disturb(self, what: str) -> None:
        """Let this happen after some more results; then wait until all are there again."""
        self.await_results(self._chance.randrange(4))
        self._rest(1.0)
        with self._log.open("a") as log:
            log.write(f"{time.strftime('%X')}, after {self.done()} matches: {what}\n")
        match what.split():
            case "kill", _, "run":
                self.end()
                self._begin()
            case "kill", _, "scheduler":
                clusters.kill(self._cluster.scheduler)
                self._cluster.restore()
            case "kill", _, "worker":
                self._kill(self._chance.choice(NAMES))
                self._cluster.restore()
            case *_, "power":
                self._lose_power(self._chance.choice(NAMES))
            case "cut", "off", _, who, *_, length, "time":
                name = self._chance.choice(NAMES) if who == "worker" else who
                self._cut_off(name, is_long=length == "long")

    def _kill(self, name: str) -> None:
        worker = self._cluster.workers[name]
        processes = [Watched(pid) for pid in family(worker.pid)]
        clusters.kill(worker)
        assert all(process.ends() for process in processes)

    def _lose_power(self, name: str) -> None:
        """End a host so that its connections stay open at the other end, and start it anew."""
        with self._hosts.cut(name, unplugged=False):
            self._kill(name)
            self._rest(LONG_S[1])
        self._cluster.restore()

    def _cut_off(self, name: str, *, is_long: bool) -> None:
        seconds = self._chance.uniform(*(LONG_S if is_long else SHORT_S))
        with self._hosts.cut(name, unplugged=self._chance.random() < 1 / 2):
            self._rest(seconds, seconds)
        if is_long and name != clusters.LADDER:
            self._cluster.await_return(*(NAMES if name == SCHEDULER else [name]))

    def await_results(self, number: int) -> None:
        """Wait until `number` more matches have ended."""
        wanted, until = number + self.done(), time.monotonic() + STUCK_S
        while self.done() < wanted:
            assert time.monotonic() < until, f"the run is stuck: {self._said()}"
            self._rest(0.1)

    def done(self) -> int:
        """Return how many matches have ended."""
        return len(rows(self._ladder, "select 1 from records"))

    def end(self) -> None:
        """Kill the run."""
        self._run.kill()
        self._run.communicate()

    def _begin(self) -> None:
        link = ["--cluster", self._cluster.address]
        link += ["--certificates", str(self._cluster.certificates.folder)]
        words = ["run", "--rounds", str(ENDLESS), "--ladder", str(self._ladder), *link]
        with self._log.open("a") as log:
            self._run = subprocess.Popen(
                self._cluster.on(clusters.LADDER, str(LADDER), *words), stdout=log, stderr=log
            )

    @property
    def _log(self) -> Path:
        return self._ladder.with_name("said")

    def _said(self) -> str:
        return self._log.read_text()

    def _rest(self, most: float, least: float = 0.0) -> None:
        """Wait for some time; begin again if the run ends as it found no scheduler."""
        until = time.monotonic() + self._chance.uniform(least, most)
        while (left := until - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                self._run.wait(left)
                assert self._said().splitlines()[-1].startswith("error: tls:"), self._said()
                self._begin()


@pytest.fixture
def hosts() -> Iterator[SwitchedHosts]:
    """The hosts of a cluster."""
    with SwitchedHosts(*HOSTS) as hosts:
        yield hosts


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.timeout(7200)
def test_500_matches_through_50_kills_and_cuts(
    hosts: SwitchedHosts, tmp_path: Path, proof_cases: Callable[[int], int]
) -> None:
    """Kills and cuts at 50 moments lose nothing, count nothing twice, and leave nothing stuck."""
    chance = random.Random(24)
    ladder = make(tmp_path / "disturbed", pause_s=0.05)
    undisturbed = make(tmp_path / "undisturbed", pause_s=0.05)
    moments = [what for what, times in MOMENTS.items() for _ in range(times)]
    chance.shuffle(moments)
    moments = moments[: proof_cases(len(moments))]
    with RealCluster(tmp_path / "cluster", hosts) as cluster:
        disturbed = Disturbed(ladder, cluster, hosts, chance)
        for what in moments:
            disturbed.disturb(what)
        while (left := MATCHES_A_MOMENT * len(moments) - disturbed.done()) > 0:
            disturbed.await_results(min(left, MATCHES_A_MOMENT))
        disturbed.await_results(1)
        disturbed.end()
    order("run", "--rounds", 0, "--ladder", ladder)  # what was planned
    ((rounds,),) = rows(ladder, "select max(round) from matches")
    order("run", "--rounds", rounds, "--workers", 8, "--ladder", undisturbed)

    assert content(ladder) == content(undisturbed)
    assert "No problem found" in order("verify", "--ladder", ladder)
    assert order("rerate", "--ladder", ladder) == "No rating differed.\n"
