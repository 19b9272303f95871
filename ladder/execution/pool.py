"""A pool of workers that mends itself: one that dies is replaced, and its match is void."""

import os
import secrets
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Self

from ladder.execution.worker import Failed, MakePlayer, work
from ladder.models import Played
from referee.host import MatchSpec

_SECONDS_TO_LEAVE = 10.0


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker's process, and what it plays now."""

    process: SpawnProcess
    link: "connection.Connection[MatchSpec | None, Played | Failed]"
    folder: Path
    """Where it puts what it needs for a while."""
    core: int | None
    """The core that it shares with its bots; None: any."""
    match_id: str | None = None

    def bury(self) -> None:
        """Wait until the process is gone, and put away what it has left."""
        self.process.join(_SECONDS_TO_LEAVE)
        self.process.kill()
        self.process.join()
        self.link.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Pool:
    """Plays matches in worker processes. A context manager: leaving it ends them all.

    Leaving it by an exception ends them in the middle of their matches; otherwise they are idle.
    """

    def __init__(self, workers: int, make_player: MakePlayer) -> None:
        """Start the workers; each makes a player of its own."""
        self._context = get_context("spawn")
        self._make_player = make_player
        self._workers = [self._start(core) for core in _cores(workers)]

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._workers)

    @property
    def busy(self) -> int:
        """How many matches are under way."""
        return sum(worker.match_id is not None for worker in self._workers)

    def submit(self, spec: MatchSpec) -> None:
        """Hand a match to an idle worker; there must be one."""
        worker = next(worker for worker in self._workers if worker.match_id is None)
        worker.match_id = spec.match_id
        with suppress(OSError):  # a worker that is gone is noticed by `wait`
            worker.link.send(spec)

    def wait(self, wake: int) -> list[Played | Failed]:
        """Wait until a match ends or the file descriptor `wake` has something to read.

        Return the matches that ended, possibly none.
        """
        at_work = {worker.link: worker for worker in self._workers if worker.match_id is not None}
        ready = connection.wait([*at_work, wake])
        return [self._ended(at_work[link]) for link in ready if link in at_work]

    def _ended(self, worker: _Worker) -> Played | Failed:
        """Return how a worker's match ended; replace the worker if it is gone."""
        match_id, worker.match_id = worker.match_id or "", None
        try:
            return worker.link.recv()
        except (EOFError, OSError):
            worker.bury()
            self._workers[self._workers.index(worker)] = self._start(worker.core)
            return Failed(match_id, f"its worker {_ending(worker.process)}")

    def _start(self, core: int | None) -> _Worker:
        ours, theirs = self._context.Pipe()
        folder = Path(tempfile.gettempdir(), f"courtyard-{secrets.token_hex(4)}")
        args = (theirs, self._make_player, folder, core)
        process = self._context.Process(target=work, args=args, daemon=True)
        # A process inherits what is blocked: no Ctrl-C reaches it before it is ready not to listen.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        theirs.close()
        return _Worker(process, ours, folder, core)

    def __enter__(self) -> Self:
        """Return the pool itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End every worker and wait until it is gone."""
        for worker in self._workers:
            if kind is not None:
                worker.process.kill()
            with suppress(OSError):
                worker.link.send(None)
        for worker in self._workers:
            worker.bury()


def usable_cores() -> int:
    """Return how many cores this process may use: so many matches are best played at once."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cores(workers: int) -> list[int | None]:
    """Return the core of each worker, as long as there is one for each.

    A worker and its bots take turns, so sharing a core costs them nothing, and passing messages
    between cores costs as much again as playing.
    """
    if sys.platform != "linux":
        return [None] * workers
    cores = sorted(os.sched_getaffinity(0))
    return list(cores[:workers]) if workers <= len(cores) else [None] * workers


def _ending(process: SpawnProcess) -> str:
    status = process.exitcode or 0
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"exited with status {status}"
