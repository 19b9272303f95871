"""A cluster of simulated workers: the real run, scheduler and database, and workers that only wait.

What is left is what a cluster costs: how much of their time the workers have a batch, and the CPU
time of the run and of the scheduler. All workers together would play `RATE` matches a second,
however many they are: a match takes the longer, the more workers there are. So the costs can be
compared, and one machine can pretend to be a large cluster.
`python -m tests.benchmarks.test_cluster WORKERS MATCHES SECONDS` measures one cluster.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from ladder.model.bots import Entry, ValidationResult
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import Cluster
from ladder.runner.run import run
from ladder.scheduling.planner import RunLimits
from ladder.storage.files.bundles import store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.benchmarks.pretended import SEATS, Meter, Tables
from tests.support.new_ladder import new_ladder

Batches = list[tuple[float, float]]
"""When batches began and ended."""

pytestmark = pytest.mark.bench

BOTS = 100
RATE = 30
"""Matches a second, of all workers."""
MATCHES = 1800
A_WORKER = 12
"""The fewest matches for each worker."""
SIZES = (1, 10, 50, 200, 500)
_A_PROCESS = 100
"""The workers that share a process."""


@dataclass(frozen=True)
class Measured:
    """What a run on a cluster cost."""

    workers: int
    matches: int
    seconds: float
    busy: float
    """The part of their time, while there were batches for all, in which workers had one."""
    a_second: float
    run_ms: float
    """CPU of the run's process a match."""
    scheduler_ms: float
    """CPU of the scheduler a match."""
    scheduler_mib: float

    def __str__(self) -> str:
        """Return a row."""
        return (
            f"{self.workers:5} workers, {self.matches} matches of {self.seconds:.2f} s: "
            f"efficiency {self.busy:.3f}, {self.a_second:.1f} matches/s; "
            f"CPU a match: run {self.run_ms:.2f} ms, scheduler {self.scheduler_ms:.2f} ms; "
            f"scheduler {self.scheduler_mib:.0f} MiB"
        )


class ClusterMeter(Meter):
    """Ignores who comes and goes."""

    def warn(self, _: str) -> None:
        """Do nothing: at the end, workers are told to go."""


def test_cluster(tmp_path: Path) -> None:
    """Print the efficiency of clusters, and the CPU time that a match costs the run."""
    print(f"\n{BOTS} bots, planned by a list; all on this machine")
    for workers in SIZES:
        folder = tmp_path / str(workers)
        matches = max(MATCHES, A_WORKER * workers)
        print(measure(folder, workers, matches, workers / RATE), flush=True)


def measure(folder: Path, workers: int, matches: int, seconds: float) -> Measured:
    """Play a number of matches on a new cluster."""
    folder.mkdir()
    home = ladder_of(folder, BOTS)
    certificates = ClusterCertificates(folder / "certificates")
    certificates.make()
    meter = ClusterMeter(matches)
    with scheduler(folder) as (address, process), Ladder.open(home) as ladder:
        with ladder.database.read() as tx:
            planner = Tables(bots.active(tx))
        with waiting(folder, address, workers, seconds) as hosts:
            before = cpu_s(process)
            cluster = Cluster(address, certificates)
            limits = RunLimits(matches=matches)
            run(ladder, planner, cluster, meter, limits=limits)
            scheduler_ms = 1000 * (cpu_s(process) - before) / matches
            mib = process.memory_info().rss / (1 << 20)
            times = [worker for host in hosts for worker in reported(host)]
    return Measured(
        workers,
        matches,
        seconds,
        efficiency(workers, times),
        meter.a_second,
        meter.cpu_ms,
        scheduler_ms,
        mib,
    )


def ladder_of(folder: Path, count: int) -> Home:
    """Make a ladder of `count` bots, whose files are as large as a small one's."""
    home = new_ladder(folder / "ladder", "a seed for clusters", seats=SEATS)
    source = folder / "source"
    source.mkdir()
    (source / "data").write_bytes(random.randbytes(20_000))
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        for number in range(count):
            name = f"bot-{number:04}"
            (source / "bot.toml").write_text(f'name = "{name}"\n')
            entry = Entry(name, store_bundle(source, home), ("./start",), "grpc", ())
            bots.enter(tx, entry, ValidationResult(rejected=None))
    return home


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Start `ladder scheduler`; yield its address and process."""
    command = [sys.executable, "-m", "ladder", "scheduler", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            (address,) = re.findall(r"tls://127\.0\.0\.1:\d+", process.stdout.readline())
            with (folder / "scheduler.log").open("w") as log:
                copying = subprocess.Popen(["cat"], stdin=process.stdout, stdout=log)
            yield address, psutil.Process(process.pid)
        finally:
            process.kill()
            copying.wait()


@contextmanager
def waiting(
    folder: Path, address: str, workers: int, seconds: float
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start a number of workers; yield their processes."""
    hosts = list[subprocess.Popen[str]]()
    try:
        for first in range(0, workers, _A_PROCESS):
            count = min(_A_PROCESS, workers - first)
            told = (address, folder / "certificates", folder / f"store-{first}", first, count)
            hosts.append(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.benchmarks.waiting_workers"]
                    + [str(argument) for argument in (*told, seconds)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for host in hosts:
            assert host.stdout is not None
            assert host.stdout.readline() == "joined\n"
        yield hosts
    finally:
        for host in hosts:
            with host:
                host.kill()


def reported(host: subprocess.Popen[str]) -> list[Batches]:
    """Ask a process of workers when the batches of each began and ended."""
    assert host.stdin is not None
    assert host.stdout is not None
    host.stdin.close()
    return [
        [(begin, end) for begin, end in batches] for batches in json.loads(host.stdout.readline())
    ]


def efficiency(workers: int, times: list[Batches]) -> float:
    """Return what part of their time workers had a batch, while there was enough for all."""
    since = max(batches[0][0] for batches in times)
    until = min(batches[-1][1] for batches in times)
    busy = sum(
        max(0.0, min(end, until) - max(begin, since)) for batches in times for begin, end in batches
    )
    return busy / (workers * (until - since))


def cpu_s(process: psutil.Process) -> float:
    """Return the CPU time that a process has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


def main() -> None:
    """Measure what the arguments say."""
    workers, matches, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        print(measure(Path(folder, "cluster"), workers, matches, seconds))
        print(f"{time.monotonic() - began:.0f} s in all")


if __name__ == "__main__":
    main()
