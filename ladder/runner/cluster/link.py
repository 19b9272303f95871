"""A run's link to a cluster: it hands out batches, sends bots' files, and knows who is there.

Dask's client runs in a thread of its own. What it finds goes to the run as events, through a queue
and a pipe that the run can wait for. When the scheduler is gone, everything handed out is lost; the
link says so once, tries until there is a scheduler again, and says that, too.
"""

import asyncio
import concurrent.futures
import os
import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

from distributed import Client, KilledWorker

from ladder.model.addresses import joined
from ladder.model.errors import BundleError
from ladder.runner.cluster.bot_store import pack
from ladder.runner.cluster.reach import Cluster, SchedulerUnreachableError, parsed, reach
from ladder.runner.cluster.task import (
    THINKING,
    Batch,
    BatchEnded,
    FilesLacking,
    play_batch,
    take_files,
)
from ladder.runner.cluster.terms import TOLD, refusal, resource
from ladder.runner.worker import MakePlayer, ThinkingTime
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level

_LOOK_EVERY_S = 1.0
"""How often the link asks the scheduler who is there, or tries to reach it."""
_SECONDS_TO_CONNECT = 10.0


@dataclass(frozen=True, slots=True)
class Member:
    """A worker of the cluster."""

    name: str
    cores: int
    """How many batches it plays at once."""
    refusal: str = ""
    """Why it plays nothing for this run; empty if it plays."""


@dataclass(frozen=True, slots=True)
class Members:
    """The workers that are there now, by their addresses."""

    by_address: Mapping[str, Member]


@dataclass(frozen=True, slots=True)
class Answered:
    """How the matches of a batch ended."""

    number: int
    answer: BatchEnded


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch that no worker plays any more."""

    number: int
    reason: str
    failed: bool = False
    """Whether it failed where it was, as when worker after worker died with it."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The scheduler is gone."""


Event = Members | Answered | Lost | Disconnected | ThinkingTime


class ClusterLink:
    """A context manager that keeps up the link to a cluster's scheduler."""

    def __init__(
        self, cluster: Cluster, level: Level, make: Callable[[Level], MakePlayer], home: Home
    ) -> None:
        """Prepare; players of this level are made by `make`, bots' files are in this ladder."""
        self._cluster = cluster
        self._level = level
        self._make = make
        self._home = home
        self._client: Client | None = None
        self._playing: dict[int, asyncio.Task[None]] = {}
        self._keys = count()
        self._sending: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Held, by digest, while a bot's files are sent."""
        self._wanting: defaultdict[str, set[str]] = defaultdict(set)
        """The addresses of workers that are to be sent files, by digest."""
        self._sent: set[tuple[str, str]] = set()
        """To which addresses which files have been sent, or are just now."""
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.wake, self._write = os.pipe()
        os.set_blocking(self._write, False)
        os.set_blocking(self.wake, False)
        self._loop = asyncio.new_event_loop()
        self._began: concurrent.futures.Future[None] = concurrent.futures.Future()
        """Whether the scheduler was reached at all."""
        self._serving: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)

    def __enter__(self) -> Self:
        """Connect; raise `LadderError` if there is no scheduler of this cluster."""
        self._thread.start()
        try:
            self._began.result()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Take back all batches, and leave."""
        if self._serving is not None:
            self._call(self._serving.cancel)
        self._thread.join(_SECONDS_TO_CONNECT)
        os.close(self.wake)
        write, self._write = self._write, -1
        os.close(write)

    @property
    def is_up(self) -> bool:
        """Whether batches can be handed out."""
        return self._client is not None

    def submit(self, number: int, batch: Batch) -> None:
        """Hand out a batch; an event tells how it ended."""
        self._call(self._begin, number, batch)

    def cancel(self, number: int) -> None:
        """Take back a batch."""
        self._call(self._end, number)

    def take(self) -> list[Event]:
        """Return what has happened since the last time, possibly nothing."""
        with suppress(BlockingIOError):
            while os.read(self.wake, 4096):
                pass
        events = []
        with suppress(queue.Empty):
            while True:
                events.append(self._events.get_nowait())
        return events

    def _call(self, what: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the thread has ended
            self._loop.call_soon_threadsafe(what, *arguments)

    def _tell(self, event: Event) -> None:
        self._events.put(event)
        with suppress(OSError):  # the pipe is full, or the run is over
            os.write(self._write, b"!")

    def _run(self) -> None:
        with (
            asyncio.Runner(loop_factory=lambda: self._loop) as runner,
            suppress(asyncio.CancelledError),
        ):
            runner.run(self._serve())

    async def _serve(self) -> None:
        """Keep a client of the scheduler, and get a new one when that is gone."""
        self._serving = asyncio.current_task()
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
        """Tell who is there, until the scheduler is gone; then all is lost that it had."""
        try:
            while client.status == "running":
                self._tell(Members(await self._members(client)))
                client.subscribe_topic(THINKING, self._hear)  # it may have connected anew
                self._client = client
                if not self._began.done():
                    self._began.set_result(None)
                await asyncio.sleep(_LOOK_EVERY_S)
        finally:
            self._client = None
            self._tell(Disconnected())
            for number in [*self._playing]:
                self._end(number)
            with suppress(Exception):
                await client.close(timeout=2)

    async def _members(self, client: Client) -> dict[str, Member]:
        """Return the workers; raise an error of Dask's or the network's without an answer."""
        found = await client.run_on_scheduler(_there)
        return {
            address: Member(name, cores, refusal(told, self._level))
            for address, (name, cores, told) in found.items()
        }

    def _hear(self, event: tuple[float, Any]) -> None:
        """Tell of a seat that thinks long, perhaps in a match of another run."""
        match_id, seat, seconds = event[1]
        self._tell(ThinkingTime(match_id, seat, seconds))

    def _begin(self, number: int, batch: Batch) -> None:
        if self._client is None:
            self._tell(Lost(number, "the scheduler disconnected"))
        else:
            playing = self._play(self._client, number, batch)
            self._playing[number] = self._loop.create_task(playing)

    def _end(self, number: int) -> None:
        if playing := self._playing.pop(number, None):
            playing.cancel()

    async def _play(self, client: Client, number: int, batch: Batch) -> None:
        """Have a batch played, and tell how it ended."""
        event: Event | None = None
        while event is None:
            future = client.submit(
                play_batch,
                batch,
                self._make,
                key=f"courtyard-{client.id}-{next(self._keys)}",
                resources={resource(self._level): 1},
                pure=False,
            )
            try:
                match await future:
                    case BatchEnded() as answer:
                        event = Answered(number, answer)
                    case FilesLacking(address, digests):
                        await self._send(client, batch, address, digests)
                    case _:
                        event = Lost(number, "its worker left")
            except Exception as error:  # noqa: BLE001 -- whatever Dask raises, the batch is lost
                failed = isinstance(error, BundleError) or future.status == "error"
                event = Lost(number, _told(error), failed=failed)
            finally:
                future.release()
        self._playing.pop(number, None)
        self._tell(event)

    async def _send(
        self, client: Client, batch: Batch, address: str, digests: tuple[str, ...]
    ) -> None:
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
                elif address in self._wanting[digest]:
                    to = self._wanting.pop(digest)
                    self._sent.update((each, digest) for each in to)
                    packed = await asyncio.to_thread(pack, self._home, digest)
                    files = batch.bots[digest], packed, self._level
                    taken = await client.run(take_files, *files, workers=[*to], on_error="return")
                    if isinstance(error := taken.get(address), Exception):
                        raise error


def _there(dask_scheduler: Any) -> dict[str, tuple[str, int, Any]]:
    """Return the workers of a scheduler, in its process: address, name, cores, what they tell."""
    return {
        worker.address: (str(worker.name), worker.nthreads, worker.extra.get(TOLD))
        for worker in dask_scheduler.workers.values()
    }


def _told(error: BaseException) -> str:
    """Return in one line with what error it began: Dask raises its own from those of tasks."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, KilledWorker):
        return "worker after worker died with it"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
