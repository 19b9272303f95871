"""Real clusters: a scheduler and workers, each a process of `ladder`, over TLS.

They are all on this machine, on loopback or each on a host of its own.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from ladder.runner.cluster.certificates import ClusterCertificates
from tests.support import fake_workers
from tests.support.fake_workers import MakePlayer, named
from tests.support.lacking import need_dask
from tests.support.switched_hosts import SwitchedHosts

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("ares", "hera", "zeus")
SCHEDULER, LADDER = "scheduler", "ladder"
HOSTS = (SCHEDULER, LADDER, *NAMES)
"""Those of a cluster whose processes are each on a host of its own."""
Process = subprocess.Popen[str]


class RealCluster:
    """A context manager with a scheduler and three workers, which tests may kill."""

    def __init__(
        self,
        folder: Path,
        hosts: SwitchedHosts | None = None,
        make: MakePlayer | None = None,
        **environment: str,
    ) -> None:
        """Keep everything in this folder, which is made; run on these `HOSTS`, or on loopback.

        The workers only pretend to play, with players that `make` makes, if it is given.
        """
        self._environment = environment
        self._folder = folder
        self._hosts = hosts
        self._make = make
        self._here = "127.0.0.1" if hosts is None else hosts.addresses[SCHEDULER]
        self.certificates = ClusterCertificates(folder / "certificates")
        self.address = f"tls://{self._here}:0"
        self.scheduler: Process
        self.workers: dict[str, Process] = {}
        self.addresses: dict[str, str] = {}
        """The last of each worker, as the scheduler says."""
        self._joined: set[str] = set()
        """The workers that the scheduler has, as far as it was heard."""

    def __enter__(self) -> Self:
        """Start all; skip the test where there can be no cluster."""
        need_dask()
        self.certificates.make()
        self.start_scheduler()
        for name in NAMES:
            self.start_worker(name)
        self._wait_for_workers()
        return self

    def __exit__(self, *_: object) -> None:
        """Kill all."""
        for process in (self.scheduler, *self.workers.values()):
            kill(process)

    def restore(self) -> None:
        """Start again what a test has killed, and nothing else."""
        if self.scheduler.poll() is not None:
            self.start_scheduler()
        for name in [*self.workers]:
            if name not in NAMES:
                kill(self.workers.pop(name))
        for name in NAMES:
            if self.workers[name].poll() is not None:
                self._joined.discard(name)
                self.start_worker(name)
        self._wait_for_workers()

    def refusal(self, of: str) -> str:
        """Wait until the scheduler says that it refused a peer; return what it says."""
        while not (said := self._heard()).startswith(f"Refused tls://{of}"):
            pass
        return said

    def await_return(self, *names: str) -> None:
        """Wait until the scheduler says that these workers have gone, and then has all again."""
        gone = set[str]()
        while not gone.issuperset(names):
            match self._heard().split():
                case ["Worker", name, "disconnected."]:
                    gone.add(name)
        self._wait_for_workers()

    def _wait_for_workers(self) -> None:
        while not self._joined.issuperset(NAMES):
            self._heard()

    def _heard(self) -> str:
        """Wait for the scheduler's next line."""
        said = line(self.scheduler)
        if said.startswith("Worker "):
            name, address = said.split()[1], said.rstrip(".\n").split()[-1]
            if " connected" in said:
                self.addresses[name] = address
            (self._joined.add if " connected" in said else self._joined.discard)(name)
        return said

    def start_scheduler(self) -> None:
        """Start the scheduler, at the port that it had before."""
        _, _, port = self.address.rpartition(":")
        words = "scheduler", "--host", self._here, "--port", port
        self.scheduler = self.command(*words, on=SCHEDULER)
        self._joined.clear()
        said = line(self.scheduler)
        self.address = said.split("listens at ")[1].split(";")[0]

    def start_worker(self, name: str, address: str = "", **environment: str) -> Process:
        """Start a worker with one core, perhaps with another address for the scheduler."""
        store = str(self._folder / f"store of {name}")
        words = "worker", address or self.address, "--cores", "1", "--name", name, "--store", store
        program = "ladder"
        if self._make is not None:
            program, environment = fake_workers.__name__, {**environment, **named(self._make)}
        self.workers[name] = self.command(*words, on=name, program=program, **environment)
        return self.workers[name]

    def on(self, host: str, *command: str) -> list[str]:
        """Return the command line to run a command on a host, if the cluster has hosts."""
        return [*command] if self._hosts is None else self._hosts.on(host, *command)

    def command(
        self, *words: str, on: str = LADDER, program: str = "ladder", **environment: str
    ) -> Process:
        """Start `ladder`, or what stands in for it, with the cluster's certificates, on a host."""
        folder = str(self.certificates.folder)
        return subprocess.Popen(
            self.on(on, sys.executable, "-m", program, *words, "--certificates", folder),
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self._environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def environment(self) -> Mapping[str, str]:
        """Return the environment of a pretended run here."""
        certificates = str(self.certificates.folder)
        return {**os.environ, "CLUSTER": self.address, "CERTIFICATES": certificates}


def line(process: Process, containing: str = "") -> str:
    """Wait for a line with this text, and return it."""
    assert process.stdout is not None
    before = []
    for said in process.stdout:
        if containing in said:
            return said
        before.append(said)
    raise AssertionError(f"it ended without saying {containing!r}: {''.join(before)}")


def kill(process: Process) -> None:
    """Kill a process at once, and wait for its end."""
    process.kill()
    if process.stdout is not None and not process.stdout.closed:
        process.communicate()
