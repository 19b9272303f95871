"""A run's link to a cluster: it has batches played, sends bots' files, and knows the workers.

Dask's client runs in a thread of its own. The run reads what it finds, and can wait for a pipe that
reports news. When the scheduler is gone, everything handed out is cancelled; the link tries until
there is a scheduler again.
"""

import asyncio
import os
import threading
from collections import defaultdict, deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from distributed import Client, KilledWorker

from ladder.model.addresses import joined
from ladder.model.errors import BundleError, LadderError
from ladder.runner.cluster.bot_store import pack
from ladder.runner.cluster.reach import Cluster, SchedulerUnreachableError, parsed, reach
from ladder.runner.cluster.task import (
    REPORT,
    THINKING,
    Batch,
    BatchEnded,
    FilesLacking,
    play_batch,
    refusal,
    resource,
    take_files,
)
from ladder.runner.worker import ThinkingTime
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOOK_EVERY_S = 1.0
"""How often the link asks the scheduler for its workers, or tries to reach it."""
_SECONDS_TO_CONNECT = 10.0


@dataclass(frozen=True, slots=True)
class Member:
    """A worker of the cluster."""

    name: str
    cores: int
    """How many batches it plays at once."""
    refusal: str = ""
    """Why it plays nothing for this run; empty if it plays."""


class BatchFailedError(LadderError):
    """A batch failed where it was, as when worker after worker died with it."""


class ClusterLink:
    """A context manager that keeps up the link to a cluster's scheduler."""

    def __init__(self, cluster: Cluster, level: Level, home: Home) -> None:
        """Prepare; bots are contained at this level, and their files are in this ladder."""
        self._cluster = cluster
        self._level = level
        self._home = home
        self.members: Mapping[str, Member] | None = None
        """The workers by their addresses; None: the scheduler is gone."""
        self.thinking: deque[ThinkingTime] = deque()
        """How long seats think that think long."""
        self.done: deque[Future[BatchEnded]] = deque()
        """The batches that ended, or that no worker plays any more."""
        self._client: Client | None = None
        self._playing: set[asyncio.Task[Any] | None] = set()
        self._sending: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held, by digest, while a bot's files are sent."""
        self._wanting: defaultdict[str, set[str]] = defaultdict(set)
        """The addresses of workers that are to be sent files, by digest."""
        self._sent: set[tuple[str, str]] = set()
        """To which addresses which files have been sent, or are just now."""
        self.wake, self._write = os.pipe()
        os.set_blocking(self._write, False)
        os.set_blocking(self.wake, False)
        self._loop = asyncio.new_event_loop()
        self._began: Future[None] = Future()
        """Whether the scheduler was reached at all."""
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)

    def __enter__(self) -> Self:
        """Connect; raise `LadderError` if there is no scheduler of this cluster."""
        self._thread.start()
        self._serving = asyncio.run_coroutine_threadsafe(self._serve(), self._loop)
        try:
            self._began.result()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Take back all batches, and leave."""
        self._serving.cancel()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS_TO_CONNECT)
        os.close(self.wake)
        write, self._write = self._write, -1
        os.close(write)

    def submit(self, batch: Batch) -> Future[BatchEnded]:
        """Have a batch played; `BatchFailedError` is its fault, any other error is not."""
        playing = asyncio.run_coroutine_threadsafe(self._play(batch), self._loop)
        playing.add_done_callback(self._note_done)
        return playing

    def _note_done(self, playing: Future[BatchEnded]) -> None:
        self.done.append(playing)
        self._wake()

    def _wake(self) -> None:
        with suppress(OSError):  # the pipe is full, or the run is over
            os.write(self._write, b"!")

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop), suppress(asyncio.CancelledError):
            self._loop.run_forever()

    async def _serve(self) -> None:
        """Keep a client of the scheduler, and get a new one when that is gone."""
        while True:
            try:
                await self._look_after(await self._connected())
            except Exception as error:  # noqa: BLE001 -- of Dask or the network: try again
                if not self._began.done():
                    self._began.set_exception(error)
                    return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _connected(self) -> Client:
        """Return a client of the scheduler; raise `LadderError` if there is none."""
        address, certificates = self._cluster.address, self._cluster.certificates
        await asyncio.to_thread(reach, address, certificates)
        try:
            client: Client = await Client(
                f"tls://{joined(*parsed(address))}",
                asynchronous=True,
                security=certificates.security(),
                timeout=_SECONDS_TO_CONNECT,
                set_as_default=False,
                direct_to_workers=False,
                name="courtyard",
            )
        except OSError as error:
            raise SchedulerUnreachableError(f"{address}: {error}") from None
        return client

    async def _look_after(self, client: Client) -> None:
        """Keep the list of workers, until the scheduler is gone; then all that it had is lost."""
        try:
            while client.status == "running":
                found = await client.run_on_scheduler(_there)
                self.members = {
                    address: Member(name, cores, refusal(report, self._level))
                    for address, (name, cores, report) in found.items()
                }
                client.subscribe_topic(THINKING, self._hear)  # it may have connected anew
                self._client = client
                if not self._began.done():
                    self._began.set_result(None)
                self._wake()
                await asyncio.sleep(_LOOK_EVERY_S)
        finally:
            self._client = self.members = None
            for playing in self._playing:
                if playing is not None:
                    playing.cancel()
            self._wake()
            try:
                with suppress(Exception):
                    await client.close(timeout=2)
            finally:
                # Else its finalizer would close it again, by a coroutine that nothing awaits.
                client.status = "closed"

    def _hear(self, event: tuple[float, Any]) -> None:
        """Note a seat that thinks long, perhaps in a match of another run."""
        match_id, seat, seconds = event[1]
        self.thinking.append(ThinkingTime(match_id, seat, seconds))
        self._wake()

    async def _play(self, batch: Batch) -> BatchEnded:
        playing = asyncio.current_task()
        self._playing.add(playing)
        try:
            while True:
                match await self._played(batch):
                    case BatchEnded() as ended:
                        return ended
                    case FilesLacking(address, digests):
                        await self._send(batch, address, digests)
                    case _:
                        raise ConnectionError("its worker left")
        except BundleError as error:
            raise BatchFailedError(str(error)) from None
        finally:
            self._playing.discard(playing)

    async def _played(self, batch: Batch) -> object:
        """Return what a worker answers to a batch."""
        if self._client is None:
            raise ConnectionError("the scheduler is gone")
        future = self._client.submit(
            play_batch,
            batch,
            key=f"courtyard-{uuid4()}",
            resources={resource(self._level): 1},
            pure=False,
        )
        try:
            return await future
        except Exception as error:
            if future.status == "error":
                raise BatchFailedError(_why(error)) from None
            raise
        finally:
            future.release()

    async def _send(self, batch: Batch, address: str, digests: tuple[str, ...]) -> None:
        """Send a worker the bots' files that it lacks; raise `BundleError` if it cannot have them.

        All that wait for a bot's files get them at once. If they were sent before, the worker may
        have answered before they arrived; if it has removed them, it will ask again.
        """
        fresh = {digest for digest in digests if (address, digest) not in self._sent}
        for digest in fresh:
            self._wanting[digest].add(address)
        for digest in digests:
            async with self._sending[digest]:
                if digest not in fresh:
                    self._sent.discard((address, digest))
                elif address in self._wanting[digest] and (client := self._client):
                    there = (self.members or {}).keys()  # the gone would hold up the others
                    to = {address} | (self._wanting.pop(digest) & there)
                    self._sent.update((each, digest) for each in to)
                    packed = await asyncio.to_thread(pack, self._home, digest)
                    files = batch.bots[digest], packed, self._level
                    taken = await client.run(take_files, *files, workers=[*to], on_error="return")
                    if isinstance(error := taken.get(address), Exception):
                        raise error


def _there(dask_scheduler: Any) -> dict[str, tuple[str, int, Any]]:
    """Return the workers of a scheduler, in its process: address, name, cores, report."""
    return {
        worker.address: (str(worker.name), worker.nthreads, worker.extra.get(REPORT))
        for worker in dask_scheduler.workers.values()
    }


def _why(error: BaseException) -> str:
    """Return in one line with what error it began: Dask raises its own from those of tasks."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, KilledWorker):
        return "worker after worker died with it"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
