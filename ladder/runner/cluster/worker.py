"""Runs a worker of a cluster, which plays what runs hand out, until it is asked to stop.

A worker of Dask ends when its scheduler is gone. This one begins anew as soon as there is a
scheduler again; its own worker processes stay.
"""

import asyncio
import os
import tempfile
from dataclasses import dataclass

from distributed import Worker

from ladder.model.addresses import bracketed, joined
from ladder.model.cores import cores as usable_cores
from ladder.runner.cluster import task
from ladder.runner.cluster.bot_store import BotStore
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import SchedulerUnreachableError, parsed, reach
from ladder.runner.cluster.serving import Say, configure, run_until_stopped

_PAUSE_S = 1.0
"""How long to wait before the next try to reach the scheduler."""
_SECONDS_TO_JOIN = 30.0


@dataclass(frozen=True, slots=True)
class ClusterWorker:
    """A worker of a cluster.

    While the scheduler still counts on another one of its name, perhaps itself from before its
    network was cut, it waits.
    """

    address: str
    """The scheduler's, "tls://HOST:PORT"."""
    certificates: ClusterCertificates
    name: str
    """Unique in the cluster."""
    cores: int
    """How many matches it plays at once."""
    store: BotStore
    """Where it keeps bots' files."""
    say: Say

    def serve(self) -> None:
        """Play until asked to stop; raise `LadderError` if the scheduler refuses this worker."""
        parsed(self.address)
        self.certificates.check()
        configure()
        task.this_machine(self.store, pinned=self.cores == usable_cores())
        with tempfile.TemporaryDirectory(prefix="courtyard-dask-") as folder:
            run_until_stopped(lambda stop: self._serve(stop, folder))
        os._exit(0)  # no thread waits for a match, and its process ends with this one

    async def _serve(self, stop: asyncio.Event, folder: str) -> None:
        stopped, is_told = asyncio.create_task(stop.wait()), False
        while not stop.is_set():
            try:
                own = await asyncio.to_thread(reach, self.address, self.certificates)
                worker = await self._worker(own, folder)
            except SchedulerUnreachableError as error:
                if not is_told:
                    self.say(f"Waiting for the scheduler: {error}.")
                is_told = True
                await asyncio.wait([stopped], timeout=_PAUSE_S)
                continue
            is_told = False
            self.say(f"Worker {self.name} plays for {self.address}; Ctrl-C ends it.")
            gone = asyncio.create_task(worker.finished())
            await asyncio.wait([gone, stopped], return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                await task.unregister(worker)
                await worker.close(nanny=False, executor_wait=False, reason="asked to stop")
            else:
                self.say(f"Disconnected from the scheduler at {self.address}.")

    async def _worker(self, own: str, folder: str) -> Worker:
        """Join the cluster with this address of ours."""
        place = joined(*parsed(self.address))
        worker = Worker(
            f"tls://{place}",
            name=self.name,
            host=bracketed(own),
            nthreads=self.cores,
            memory_limit=0,
            local_directory=folder,
            security=self.certificates.security(),
            preload=[task.__name__],
            dashboard_address="127.0.0.1:0",  # it serves nothing, see `configure`
            death_timeout=_SECONDS_TO_JOIN,
        )
        try:
            await worker
        except TimeoutError as error:
            raise SchedulerUnreachableError(f"{self.address}: {error}") from None
        except RuntimeError as error:
            cause = error.__cause__
            if isinstance(cause, OSError):
                raise SchedulerUnreachableError(f"{self.address}: {cause}") from None
            if isinstance(cause, ValueError) and "name taken" in str(cause):
                told = f"{self.address} has another worker of this name, {self.name}"
                raise SchedulerUnreachableError(told) from None
            raise
        return worker
