"""A run's link to a cluster: it hands out batches, and knows who is there.

Dask's client runs in threads of its own, and so does the `_watch` of this link. What they find goes
to the run as events, through a queue and a pipe that the run can wait for. When the scheduler is
gone, everything handed out is lost; the link says so once, tries until there is a scheduler again,
and says that, too.
"""

import os
import queue
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from distributed import Client, Future, KilledWorker

from ladder.model.addresses import joined
from ladder.runner.cluster.file_relay import FileSupply
from ladder.runner.cluster.reach import Cluster, SchedulerUnreachableError, parsed, reach
from ladder.runner.cluster.task import CORE, THINKING, play_batch
from ladder.runner.worker import MakePlayer, ThinkingTime
from referee.sandbox.program import Level

_LOOK_EVERY_S = 1.0
"""How often the link asks the scheduler who is there."""
_SECONDS_TO_CONNECT = 10.0
_READERS = 32
"""The number of results that are fetched at once."""


@dataclass(frozen=True, slots=True)
class Member:
    """A worker of the cluster."""

    name: str
    cores: int
    """How many batches it plays at once."""


@dataclass(frozen=True, slots=True)
class Members:
    """The workers that are there now, by their addresses."""

    by_address: Mapping[str, Member]


@dataclass(frozen=True, slots=True)
class Answered:
    """A worker's answer to a batch, packed."""

    number: int
    answer: bytes


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

    reason: str


Event = Members | Answered | Lost | Disconnected | ThinkingTime


class ClusterLink:
    """A context manager that keeps up the link to a cluster's scheduler."""

    def __init__(
        self, cluster: Cluster, make: Callable[[Level], MakePlayer], supply: FileSupply
    ) -> None:
        """Prepare; the workers' players are made by `make`, their bots' files are of `supply`."""
        self._cluster = cluster
        self._make = make
        self._supply = supply
        self._client: Client | None = None
        self._futures: dict[int, Future[bytes]] = {}
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.wake, self._write = os.pipe()
        os.set_blocking(self._write, False)
        os.set_blocking(self.wake, False)
        self._closed = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self._readers = ThreadPoolExecutor(_READERS, "results")

    def __enter__(self) -> Self:
        """Connect; raise `LadderError` if there is no scheduler of this cluster."""
        try:
            self._client = self._connected()
            self._tell(self._members(self._client))
        except BaseException:
            self._close(self._client)
            self._close_pipe()
            raise
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take back all batches, and leave."""
        self._closed.set()
        client, self._client = self._client, None
        self._close(client)
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._watcher.join(_SECONDS_TO_CONNECT)
        self._close_pipe()

    @property
    def is_up(self) -> bool:
        """Whether batches can be handed out."""
        return self._client is not None

    def submit(self, number: int, packed: bytes, workers: Collection[str] | None) -> None:
        """Hand out a packed batch to one of these workers' addresses, by default to anyone.

        An event tells how it ended.
        """
        client = self._client
        if client is None:
            self._tell(Lost(number, "the scheduler disconnected"))
            return
        try:
            future = client.submit(
                play_batch,
                packed,
                self._make,
                key=f"courtyard-{client.id}-{number}",
                workers=None if workers is None else [*workers],
                resources={CORE: 1},
                pure=False,
            )
        except (OSError, RuntimeError) as error:  # the client is closing
            self._tell(Lost(number, str(error)))
            return
        self._futures[number] = future
        future.add_done_callback(partial(self._done, number))

    def cancel(self, number: int) -> None:
        """Take back a batch; no event follows."""
        future = self._futures.pop(number, None)
        if future is not None:
            with suppress(OSError, RuntimeError):
                future.cancel()

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

    def _done(self, number: int, future: Future[bytes]) -> None:
        """Have a result fetched: Dask has one thread for all that are done, and fetching waits.

        Dask's client fetches together what several threads ask for at once.
        """
        with suppress(RuntimeError):  # the link is closed
            self._readers.submit(self._read, number, future)

    def _read(self, number: int, future: Future[bytes]) -> None:
        """Tell how a batch ended."""
        if self._futures.get(number) is not future:  # taken back, or lost with its scheduler
            return
        try:
            event: Event = Answered(number, future.result())
        except BaseException as error:  # noqa: BLE001 -- whatever Dask raises, the batch is lost
            event = Lost(number, _told(_first(error)), failed=future.status == "error")
        if self._futures.pop(number, None) is future:
            self._tell(event)
        future.release()

    def _watch(self) -> None:
        """Ask the scheduler who is there, and get a new one when it is gone, until closed."""
        while not self._closed.wait(_LOOK_EVERY_S):
            try:
                client = self._client
                if client is None:
                    self._client = client = self._connected()
                self._tell(self._members(client))
            except Exception as error:  # noqa: BLE001 -- of Dask or the network: try again
                if not self._closed.is_set():
                    self._lose(error)

    def _lose(self, error: Exception) -> None:
        """Give up a scheduler that is gone, with all that was handed out."""
        client, self._client = self._client, None
        if client is not None:
            self._futures.clear()
            self._tell(Disconnected(_told(error)))
            self._close(client)

    def _connected(self) -> Client:
        """Return a client of the scheduler; raise `LadderError` if there is none."""
        address, certificates = self._cluster.address, self._cluster.certificates
        reach(address, certificates)
        place = joined(*parsed(address))
        try:
            client = Client(
                f"tls://{place}",
                security=certificates.security(),
                timeout=_SECONDS_TO_CONNECT,
                set_as_default=False,
                direct_to_workers=False,
                name="courtyard",
            )
        except OSError as error:
            raise SchedulerUnreachableError(f"{address}: {error}") from None
        try:
            client.subscribe_topic(THINKING, self._hear)
            self._supply.begin(client)
        except BaseException:
            self._close(client)
            raise
        return client

    def _hear(self, event: tuple[float, Any]) -> None:
        """Tell of a seat that thinks long, perhaps in a match of another run."""
        match_id, seat, seconds = event[1]
        self._tell(ThinkingTime(match_id, seat, seconds))

    def _close(self, client: Client | None) -> None:
        """Close a client, whose scheduler may be gone."""
        self._supply.end()
        if client is not None:
            with suppress(Exception):
                client.close(timeout=2)

    @staticmethod
    def _members(client: Client) -> Members:
        """Return the workers; raise an error of Dask's or the network's without an answer."""
        if client.status != "running":
            raise SchedulerUnreachableError("the connection is lost")
        found = client.run_on_scheduler(_there)
        return Members({address: Member(*member) for address, member in found.items()})

    def _tell(self, event: Event) -> None:
        self._events.put(event)
        with suppress(OSError):  # the pipe is full, or the run is over
            os.write(self._write, b"!")

    def _close_pipe(self) -> None:
        os.close(self.wake)
        write, self._write = self._write, -1
        os.close(write)


def _there(dask_scheduler: Any) -> dict[str, tuple[str, int]]:
    """Return the workers of a scheduler, in its process: address, name and cores."""
    return {
        worker.address: (str(worker.name), int(worker.resources.get(CORE, 0)))
        for worker in dask_scheduler.workers.values()
        if worker.resources.get(CORE, 0) >= 1
    }


def _first(error: BaseException) -> BaseException:
    """Return the error with which it began: Dask raises its own from those of tasks."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _told(error: BaseException) -> str:
    """Return an error in one line."""
    if isinstance(error, KilledWorker):
        return "worker after worker died with it"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
