"""Real bots play on a real cluster, which has their files from the ladder alone, as elsewhere."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.acceptance.test_killed_ladder import LADDER, content, make, order, rows
from tests.support.clusters import HOSTS, NAMES, RealCluster, kill
from tests.support.processes import Watched, family
from tests.support.switched_hosts import SwitchedHosts

_OWN = 3
"""Processes of a worker without bots: its own, a helper of Python's, and the one that plays."""


@pytest.fixture(params=["on loopback", "on hosts of their own"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RealCluster]:
    """A scheduler and three workers, each a process, or each with an own address as well."""
    with ExitStack() as stack:
        apart = request.param == "on hosts of their own"
        hosts = stack.enter_context(SwitchedHosts(*HOSTS)) if apart else None
        yield stack.enter_context(RealCluster(tmp_path / "cluster", hosts))


def play(cluster: RealCluster, ladder: Path, rounds: int) -> str:
    """Play on a cluster, up to a round; return what the run says."""
    link = ["--cluster", cluster.address, "--certificates", str(cluster.certificates.folder)]
    words = ["run", "--rounds", str(rounds), "--ladder", str(ladder), *link]
    command = cluster.on("ladder", str(LADDER), *words)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


Undisturbed = Callable[[int], Path]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Play the ladder here, up to a round; return its folder."""

    @cache
    def played(rounds: int) -> Path:
        ladder = make(tmp_path_factory.mktemp("undisturbed"))
        order("run", "--rounds", rounds, "--ladder", ladder)
        return ladder

    return played


def check_equal(cluster: RealCluster, folder: Path, rounds: int, local: Path) -> int:
    """Play the ladder on a cluster; compare it with one played here; return how many matches."""
    clustered = make(folder)
    said = play(cluster, clustered, rounds)

    assert {f"Worker {name} connected, with 1 core." for name in NAMES} <= {*said.splitlines()}
    assert content(clustered) == content(local)
    return len(rows(clustered, "select 1 from records"))


@pytest.mark.proof
def test_real_bots_play_on_a_cluster_as_on_one_machine(
    cluster: RealCluster, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    """Results, ratings and standings of real bots are the same; none outlives its worker."""
    check_equal(cluster, tmp_path, 2, undisturbed(2))
    processes = [Watched(pid) for worker in cluster.workers.values() for pid in family(worker.pid)]
    for worker in cluster.workers.values():
        kill(worker)

    assert len(processes) > len(cluster.workers) * _OWN
    assert all(process.ends() for process in processes)


@pytest.mark.proof
def test_500_matches_on_a_cluster_are_those_of_one_machine(
    cluster: RealCluster,
    tmp_path: Path,
    undisturbed: Undisturbed,
    proof_cases: Callable[[int], int],
) -> None:
    """So are those of 500 matches of real bots."""
    rounds = proof_cases(125)

    assert check_equal(cluster, tmp_path, rounds, undisturbed(rounds)) == 4 * rounds
