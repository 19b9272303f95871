"""What a worker of a cluster does: it plays a batch of matches in its own worker processes.

A worker process of Dask has one `Machine`. `ladder worker` makes it at its start; a plain
`dask worker` makes it with the first batch.
"""

import multiprocessing
import pickle
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from distributed import Worker, get_worker

from ladder.model.cores import cores as usable_cores
from ladder.model.errors import BundleError, LadderError
from ladder.model.matches import Played
from ladder.runner.cluster.bot_store import BotFiles, BotStore, Lease, default_folder
from ladder.runner.cluster.edition import edition
from ladder.runner.cluster.file_relay import UnavailableError, fetch_by
from ladder.runner.cluster.local_crew import LocalCrew
from ladder.runner.cluster.wire import (
    Batch,
    BatchEnded,
    MatchOrder,
    Terms,
    WorkerRefused,
    pack_answer,
    spec_of,
    unpack_batch,
)
from ladder.runner.worker import Failed, MakePlayer, ThinkingTime
from referee.core.errors import CourtyardError
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

CORE = "core"
"""The resource of which a worker has one for each batch that it plays at once."""

THINKING = "courtyard-thinking"
"""The topic under which workers tell of seats that think long."""


def play_batch(packed: bytes, make: Callable[[Level], MakePlayer]) -> bytes:
    """Play a packed `Batch` on this worker, a Dask task; return the packed answer."""
    worker = get_worker()
    name = str(worker.name)
    try:
        machine = this_machine(int(worker.state.total_resources.get(CORE, 1)))
        return pack_answer(machine.play(worker, unpack_batch(packed), make))
    except CourtyardError as error:
        return pack_answer(WorkerRefused(name, str(error)))


@dataclass(slots=True)
class Machine:
    """A worker's processes and its bots' files."""

    crew: LocalCrew
    store: BotStore
    _checked: set[Terms] = field(default_factory=set)
    """The terms that this machine meets."""

    @classmethod
    def open(cls, cores: int, store: BotStore) -> "Machine":
        """Start this number of worker processes; raise `LadderError` if Dask allows none."""
        if multiprocessing.current_process().daemon:
            raise LadderError(
                "a worker under a nanny may start no processes: start it with --no-nanny"
            )
        return cls(LocalCrew(cores, pinned=cores == usable_cores()), store)

    def play(self, worker: Worker, batch: Batch, make: Callable[[Level], MakePlayer]) -> BatchEnded:
        """Play a batch as this worker of Dask; raise `CourtyardError` to refuse it."""
        self._check(batch.terms)
        level = Level(batch.terms.level)
        with self.store.lease(fetch_by(worker), level) as lease:
            folders, lacking = _folders(batch.orders, lease)
            unfit = [failed for order in batch.orders if (failed := _unfit(order, lacking))]
            unfit_ids = {failed.match_id for failed in unfit}
            orders = [order for order in batch.orders if order.match_id not in unfit_ids]
            began = time.monotonic()
            outcomes = list[Played | Failed](unfit)
            if orders:
                specs = [spec_of(order, folders) for order in orders]
                players = level, pickle.dumps(make)
                tell = partial(_tell, worker)
                outcomes += self.crew.play(players, lambda: make(level), specs, tell)
            seconds = time.monotonic() - began
        return BatchEnded(str(worker.name), seconds, tuple(outcomes))

    def _check(self, terms: Terms) -> None:
        """Raise `CourtyardError` if this machine does not meet the terms."""
        if terms in self._checked:
            return
        if terms.courtyard != edition():
            raise LadderError(f"it has Courtyard {edition()}, and the run is of {terms.courtyard}")
        open_sandbox(Level(terms.level))
        self._checked.add(terms)


def _tell(worker: Worker, so_far: ThinkingTime) -> None:
    """Tell the runs of a seat that thinks long."""
    worker.log_event(THINKING, [so_far.match_id, so_far.seat, so_far.seconds])


def _folders(
    orders: Sequence[MatchOrder], lease: Lease
) -> tuple[dict[str, tuple[Path, int]], dict[str, LadderError]]:
    """Return the folder of each digest with its making, and why others cannot be had."""
    folders, lacking = dict[str, tuple[Path, int]](), dict[str, LadderError]()
    bots = {bot.digest: bot for order in orders for bot in order.seats if bot is not None}
    for digest, bot in bots.items():
        name = f"{bot.name} version {bot.version}"
        try:
            folders[digest] = lease.ensure(BotFiles(name, digest, bot.build, bot.network))
        except (BundleError, UnavailableError) as error:
            lacking[digest] = error
    return folders, lacking


def _unfit(order: MatchOrder, lacking: Mapping[str, LadderError]) -> Failed | None:
    """Return why a match cannot be played here; None if it can."""
    for bot in order.seats:
        if bot is not None and (error := lacking.get(bot.digest)):
            return Failed(order.match_id, str(error), unplayed=isinstance(error, UnavailableError))
    return None


_LOCK = threading.Lock()
_MACHINES: list[Machine] = []
"""This process's machine, once it is open."""


def this_machine(cores: int, store: BotStore | None = None) -> Machine:
    """Return this process's machine; open it, with this number of cores, if it is not.

    Without a store, it has the one in the `default_folder`.
    """
    with _LOCK:
        if not _MACHINES:
            _MACHINES.append(Machine.open(cores, store or BotStore(default_folder())))
        return _MACHINES[0]


def close_machine() -> None:
    """Kill this process's worker processes, if there are any."""
    with _LOCK:
        while _MACHINES:
            _MACHINES.pop().crew.close()
