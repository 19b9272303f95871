"""Runs the scheduler of a cluster, to which runs and workers connect."""

import asyncio
import logging
from typing import Any

from distributed import Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

from ladder.model.errors import LadderError
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.serving import Say, configure, run_until_stopped
from ladder.runner.log_limit import RateLimit, and_others


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

    run_until_stopped(serve)


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
    """Says in one line whom the scheduler refused, once a minute for each reason."""

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
