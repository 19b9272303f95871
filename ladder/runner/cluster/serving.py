"""Runs the scheduler and the workers of a cluster until they are asked to stop.

A worker of Dask ends when its scheduler is gone. Ours begins anew as soon as there is a scheduler
again; its own worker processes stay.
"""

import asyncio
import logging
import os
import signal
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import dask
from distributed import Scheduler, Worker
from distributed.diagnostics.plugin import SchedulerPlugin

from ladder.model.addresses import bracketed, joined
from ladder.model.cores import cores as usable_cores
from ladder.model.errors import LadderError
from ladder.runner.cluster import task
from ladder.runner.cluster.bot_store import BotStore
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import SchedulerUnreachableError, parsed, reach
from ladder.runner.interrupts import stop_signals
from ladder.runner.log_limit import RateLimit, and_others

_OTHERS = ("asyncio", "distributed", "tornado")
"""Loggers whose messages are not shown; asyncio's are of tasks that Dask leaves as it closes."""

Say = Callable[[str], None]

SECONDS_AWAY = 30.0
"""For how long a worker may be silent, as when its network is cut, before others get its work."""
MOST_DEATHS = 3
"""How often a batch is handed out again because its worker died."""


def configure() -> None:
    """Set Dask up in this process for the work of a cluster."""
    ignore_settings()
    dask.config.set(
        {
            "distributed.admin.low-level-log-length": 0,
            "distributed.comm.timeouts.tcp": f"{SECONDS_AWAY:g}s",
            "distributed.scheduler.allowed-failures": MOST_DEATHS,
            "distributed.scheduler.http.routes": [],  # nothing is shown without a certificate
            "distributed.scheduler.worker-ttl": f"{SECONDS_AWAY:g}s",
            "distributed.worker.http.routes": [],
            "distributed.worker.profile.enabled": False,  # a hundred times a second
        }
    )
    quieten()


def ignore_settings() -> None:
    """Drop Dask's settings from the environment and the files of this machine's user."""
    dask.config.refresh(paths=[], env={})


def quieten() -> None:
    """Keep Dask's own messages, which are tracebacks of what it survives, to itself."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] in _OTHERS and isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
    for name in _OTHERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _run_until_stopped(serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run a service until Ctrl-C, SIGTERM or SIGHUP sets the event that it is given."""

    async def served() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in stop_signals():
            loop.add_signal_handler(number, stop.set)
        await serve(stop)
        for number in stop_signals():
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)  # what is left takes a moment

    asyncio.run(served())


def serve_scheduler(host: str, port: int, certificates: ClusterCertificates, say: Say) -> None:
    """Serve until asked to stop; raise `LadderError` if the address cannot be had."""
    certificates.check()
    configure()
    _log_refusals(say)

    async def serve(stop: asyncio.Event) -> None:
        try:
            scheduler = await Scheduler(
                host=host,
                port=port,
                protocol="tls",
                security=certificates.security(),
                dashboard=False,
                dashboard_address="127.0.0.1:0",  # it serves nothing, see `configure`
                plugins=[_Lines(say)],
            )
        except RuntimeError as error:
            if not isinstance(cause := error.__cause__, OSError):
                raise
            raise LadderError(f"{host}:{port}: {cause.strerror or cause}") from None
        say(f"The scheduler listens at {scheduler.address}; Ctrl-C ends it.")
        await stop.wait()
        await scheduler.close()

    _run_until_stopped(serve)


class _Lines(SchedulerPlugin):
    """Says which workers come and go."""

    def __init__(self, say: Say) -> None:
        """Say it here."""
        self._say = say
        self._names: dict[str, str] = {}

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Say that a worker has come."""
        self._names[worker] = str(scheduler.workers[worker].name)
        self._say(f"Worker {self._names[worker]} connected, at {worker}.")

    def remove_worker(self, *, worker: str, **_: Any) -> None:  # type: ignore[override]
        """Say that a worker has gone."""
        self._say(f"Worker {self._names.pop(worker, worker)} disconnected.")


class _Refusals(logging.Handler):
    """Reports in one line which peer the scheduler refused, once a minute for each reason."""

    def __init__(self, say: Say) -> None:
        """Say it here."""
        super().__init__(logging.WARNING)
        self._say = say
        self._rate_limit = RateLimit()

    def emit(self, record: logging.LogRecord) -> None:
        """Say why Dask's listener refused a peer; its other warnings are no refusals."""
        match record.args:
            case (_, remote, reason) if "handshake failed" in record.msg:
                held = self._rate_limit.passes(str(reason))
                if held is not None:
                    self._say(and_others(f"Refused {remote}: {reason}", held))


def _log_refusals(say: Say) -> None:
    logger = logging.getLogger("distributed.comm")
    logger.setLevel(logging.WARNING)
    logger.addHandler(_Refusals(say))
    logger.propagate = False


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
            _run_until_stopped(lambda stop: self._serve(stop, folder))
        os._exit(0)  # no thread waits for a match, and its process ends with this one

    async def _serve(self, stop: asyncio.Event, folder: str) -> None:
        stopped, reported = asyncio.create_task(stop.wait()), False
        while not stop.is_set():
            try:
                own = await asyncio.to_thread(reach, self.address, self.certificates)
                worker = await self._worker(own, folder)
            except SchedulerUnreachableError as error:
                if not reported:
                    self.say(f"Waiting for the scheduler: {error}.")
                reported = True
                await asyncio.wait([stopped], timeout=_PAUSE_S)
                continue
            reported = False
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
                reason = f"{self.address} has another worker of this name, {self.name}"
                raise SchedulerUnreachableError(reason) from None
            raise
        return worker
