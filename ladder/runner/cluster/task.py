"""A worker of a cluster, which plays batches of matches, each in a child process.

A process of Dask has one `Machine`. `ladder worker` opens it; a plain `dask worker` has it opened
by `dask_setup`, as a preload. It offers each level at which it can contain bots as a resource, and
Dask hands matches of a level to no other worker; as it joins it reports why it lacks a level.
"""

import asyncio
import hashlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from distributed import Worker, get_worker
from distributed.utils import sync

import ladder
import referee
from ladder.model.cores import cores, own_cores
from ladder.model.errors import BundleError, LadderError
from ladder.model.matches import Played
from ladder.runner.cluster.bot_store import BotFiles, BotStore, Folders, default_folder
from ladder.runner.crew import Worker as Child
from ladder.runner.worker import Failed, ThinkingTime
from referee.core.errors import CourtyardError
from referee.hosting.match_runner import MatchSpec
from referee.match.record import REFEREE_VERSION
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

THINKING = "courtyard-thinking"
"""The topic under which workers report seats that think long."""
_SECONDS_TO_LEAVE = 5.0
_LOCK = threading.Lock()
REPORT = "courtyard"
"""The key of a worker's report, its edition and what it lacks, in Dask's information about it."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches for one core of a worker, which plays them one after the other."""

    level: Level
    """The level at which bots are contained."""
    specs: tuple[MatchSpec, ...]
    """The matches; the worker has bots in other folders than the run."""
    bots: Mapping[str, BotFiles]
    """The files of each bot, by digest."""


@dataclass(frozen=True, slots=True)
class BatchEnded:
    """How the matches of a batch ended."""

    worker: str
    """The worker's name."""
    seconds: float
    """How long the worker took."""
    outcomes: tuple[Played | Failed, ...]


@dataclass(frozen=True, slots=True)
class FilesLacking:
    """A worker played none of a batch, as it needs bots' files."""

    address: str
    """The worker's."""
    digests: tuple[str, ...]


def play_batch(batch: Batch) -> BatchEnded | FilesLacking | None:
    """Play a batch on this worker, a task of Dask; None if the worker leaves, as it cannot."""
    worker, machine = get_worker(), this_machine()
    try:
        with machine.store.lease(batch.bots.values(), batch.level) as (folders, lacking):
            if lacking:
                return FilesLacking(worker.address, lacking)
            began = time.monotonic()
            outcomes = machine.play(batch, folders, partial(_report, worker))
            return BatchEnded(str(worker.name), time.monotonic() - began, outcomes)
    except CourtyardError as error:
        sync(worker.loop, _refuse, worker, batch.level, str(error))
        return None


async def take_files(files: BotFiles, packed: bytes, level: Level, dask_worker: Worker) -> None:
    """Keep the files of a bot; raise `BundleError` if they are not those of its digest."""
    try:
        await asyncio.to_thread(this_machine().store.add, files, packed)
    except BundleError:
        raise
    except LadderError as error:  # a full disk, for example
        await _refuse(dask_worker, level, str(error))


@dataclass(slots=True)
class Machine:
    """A worker's bots' files, and its child processes: one for each batch that is played."""

    store: BotStore
    pinned: bool = False
    """Whether each child keeps to a core of its own."""
    lacks: dict[str, str] = field(default_factory=dict)
    """The levels at which this machine does not play, and why."""
    _idle: list[Child] = field(default_factory=list)
    """The children that play nothing."""
    _cores: list[int | None] = field(init=False)
    """Those of no child."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Find out which levels and cores this machine has."""
        self._cores = own_cores(cores()) if self.pinned else []
        for level in Level:
            try:
                if multiprocessing.current_process().daemon:
                    raise LadderError("a nanny lets it start no processes: use --no-nanny")
                open_sandbox(level)
            except CourtyardError as error:
                self.lacks[level.value] = str(error)

    def play(
        self,
        batch: Batch,
        folders: Folders,
        report: Callable[[ThinkingTime], None],
    ) -> tuple[Played | Failed, ...]:
        """Play a batch with bots in these folders, or why there is none; `report` long thinking."""
        outcomes = list[Played | Failed]()
        with self._child(batch.level) as child:
            for spec in batch.specs:
                try:
                    child.give(_placed(spec, folders), batch.level)
                except BundleError as error:
                    outcomes.append(Failed(spec.match_id, str(error)))
                while child.given:
                    for news in child.receive():
                        if isinstance(news, ThinkingTime):
                            report(news)
                        else:
                            outcomes.append(news)
        return tuple(outcomes)

    @contextmanager
    def _child(self, level: Level) -> Iterator[Child]:
        """Yield a child that is idle, if possible one that plays at this level already."""
        with self._lock:
            self._idle.sort(key=lambda child: child.level is level)
            child = self._idle.pop() if self._idle else None
            core = self._cores.pop(0) if self._cores and not child else None
        child = child or Child(core)
        try:
            yield child
        finally:
            with self._lock:
                self._idle.append(child)


def _placed(spec: MatchSpec, folders: Folders) -> MatchSpec:
    """Return a match with bots in this machine's folders; raise `BundleError` without one."""
    seats = []
    for bot in spec.seats:
        folder = None if bot is None else folders[bot.digest]
        if isinstance(folder, BundleError):
            raise folder
        seats.append(bot and folder and replace(bot, directory=folder[0], made=folder[1]))
    return replace(spec, seats=tuple(seats))


def _report(worker: Worker, so_far: ThinkingTime) -> None:
    """Report to the runs a seat that thinks long."""
    worker.log_event(THINKING, [so_far.match_id, so_far.seat, so_far.seconds])


async def _refuse(worker: Worker, level: Level, reason: str) -> None:
    """Leave, as this machine does not play at this level; it gives the reason as it joins anew."""
    this_machine().lacks[level.value] = reason
    await unregister(worker)
    # Not here, as it would wait for its caller.
    worker.loop.add_callback(worker.close, nanny=False, executor_wait=False, reason="refuses")


async def unregister(worker: Worker) -> None:
    """Leave in good order: others play at once what this worker was playing."""
    with suppress(Exception):
        leaving = worker.scheduler.unregister(
            address=worker.address, stimulus_id="leaves", expected=True, close=False
        )
        await asyncio.wait_for(leaving, _SECONDS_TO_LEAVE)


_MACHINES: list[Machine] = []
"""This process's machine, once it is open."""


def this_machine(store: BotStore | None = None, *, pinned: bool = False) -> Machine:
    """Return this process's machine; open it, by default with the usual store, if it is not."""
    with _LOCK:
        if not _MACHINES:
            _MACHINES.append(Machine(store or BotStore(default_folder()), pinned))
        return _MACHINES[0]


async def dask_setup(worker: Worker) -> None:
    """Offer what this machine can play, before the worker joins; Dask calls this."""
    machine = await asyncio.to_thread(this_machine)
    report = {"edition": await asyncio.to_thread(edition), "lacks": machine.lacks}
    worker.startup_information[REPORT] = lambda _: report
    for level in Level:
        if level.value not in machine.lacks:
            for resources in (worker.state.total_resources, worker.state.available_resources):
                resources[resource(level)] = worker.state.nthreads


@cache
def edition() -> str:
    """Return the version and a digest of the code, such as "0.1.0 (3f9a02b1)"."""
    digest = hashlib.sha256()
    for root in (Path(package.__path__[0]) for package in (referee, ladder)):
        for file in sorted(root.rglob("*.py")):
            digest.update(f"{file.relative_to(root.parent)}\n".encode())
            digest.update(file.read_bytes())
    return f"{REFEREE_VERSION} ({digest.hexdigest()[:8]})"


def resource(level: Level) -> str:
    """Return the resource of which a worker has one for each batch that it plays at once."""
    return f"Courtyard {edition()} {level}"


def refusal(report: Mapping[str, Any] | None, level: Level) -> str:
    """Return why a worker with this report plays nothing of this level; empty if it plays."""
    if report is None:
        return "it was started without --preload ladder.runner.cluster.task"
    if report["edition"] != edition():
        return f"it has Courtyard {report['edition']}, and the run is of {edition()}"
    return str(report["lacks"].get(level.value, ""))
