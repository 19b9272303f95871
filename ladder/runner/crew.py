"""The worker processes of a run.

They start before the run knows what to play: what they import takes as long as reading the ladder,
so both happen at once. Nothing here takes long to import.
"""

import gc
import math
import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ladder.model.cores import own_cores
from ladder.runner.child_process import Child, Link, prepare_child
from ladder.runner.warm_bots import WarmBots

if TYPE_CHECKING:
    from referee.hosting.match_runner import MatchSpec


@dataclass(slots=True, eq=False)
class Worker:
    """A worker process and its matches."""

    child: Child
    core: int | None
    """The core of the worker and its bots; None: any."""
    given: deque[str] = field(default_factory=deque)
    """The ids of the matches that it was given and has not ended: one under way, others behind."""
    warm: WarmBots = field(default_factory=WarmBots)
    """The bots that it keeps running."""
    lasted_s: float = math.inf
    """How long its last matches took: half of it is the last one, a quarter the one before."""
    alone: set[str] = field(default_factory=set)
    """The ids of those of its matches behind which none may wait."""
    _began: float = 0.0
    """When the match under way began."""

    def give(self, spec: "MatchSpec", *, alone: bool = False) -> None:
        """Let it play a match, behind those that it has; `alone`: none may wait behind it."""
        if alone:
            self.alone.add(spec.match_id)
        if not self.given:
            self._began = time.monotonic()
        self.given.append(spec.match_id)
        self.send(spec)

    def ended(self, match_id: str) -> None:
        """Note that a match that it was given has ended."""
        now = time.monotonic()
        last, self._began = now - self._began, now
        self.lasted_s = last if math.isinf(self.lasted_s) else (self.lasted_s + last) / 2
        self.given.remove(match_id)
        self.alone.discard(match_id)

    def send(self, message: object) -> None:
        """Send it something; waiting for its answer shows if it is dead."""
        with suppress(OSError):
            self.child.link.send(message)


class Crew:
    """Workers that get ready. A context manager that kills those that no pool took over."""

    def __init__(self, workers: int, *, pinned: bool = True) -> None:
        """Start this number of workers; each then waits for its `MakePlayer`.

        `pinned`: each keeps to a core of its own, if there are enough.
        """
        self._waiting: list[Worker] = []
        with self:  # no worker is left behind if another one cannot be started
            self._waiting += map(start_worker, own_cores(workers) if pinned else [None] * workers)
            started, self._waiting = self._waiting, []
        self._waiting = started

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def take_over(self) -> list[Worker]:
        """Return the workers; from now on the caller ends them."""
        taken, self._waiting = self._waiting, []
        return taken

    def __enter__(self) -> Self:
        """Return the crew."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the waiting workers."""
        for worker in self._waiting:
            worker.child.process.kill()
        for worker in self.take_over():
            worker.child.reap()


def start_worker(core: int | None) -> Worker:
    """Start a worker that stays on this core with its bots, if there is one."""
    return Worker(Child.start(_begin, core), core)


def _begin(link: "Link[Any, Any]", folder: Path, core: int | None) -> None:
    """Get ready to work in a new process."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    prepare_child(folder)
    gc.disable()  # a tenth of the time would go into looking for garbage among what stays
    from ladder.runner.worker import work  # noqa: PLC0415 -- the parent need not wait for this

    gc.freeze()
    gc.enable()
    work(link, folder)
