"""The worker processes of a machine.

They start before a run knows what to play: what they import takes as long as reading the ladder, so
both happen at once. Nothing here takes long to import.
"""

import gc
import math
import os
import time
from collections import deque
from typing import TYPE_CHECKING, Self

from ladder.model.cores import own_cores
from ladder.model.errors import LadderError
from ladder.runner.child_process import Child, Parent
from ladder.runner.warm_bots import WarmBots

if TYPE_CHECKING:
    from ladder.runner.worker import MatchNews
    from referee.hosting.match_runner import MatchSpec
    from referee.sandbox.program import Level


class Worker:
    """A worker process and its matches; another process replaces it when it ends."""

    def __init__(self, core: int | None) -> None:
        """Start it; it stays on this core with its bots, if there is one."""
        self.child = Child("its worker", _begin, core)
        self.start()

    def start(self) -> None:
        """Start a process, which has nothing yet."""
        self.child.start()
        self.given = deque[str]()
        """The ids of the matches that it was given and has not ended: the first is under way."""
        self.warm = WarmBots()
        """The bots that it keeps running."""
        self.lasted_s = math.inf
        """How long its last matches took: half of it is the last one, a quarter the one before."""
        self.alone = set[str]()
        """The ids of those of its matches behind which none may wait."""
        self.level: Level | None = None
        """At which it contains its bots."""
        self._began = 0.0
        """When the match under way began."""

    def give(self, spec: "MatchSpec", level: "Level", *, alone: bool = False) -> None:
        """Let it play a match, behind those that it has; `alone`: none may wait behind it."""
        if level is not self.level:
            self.level = level
            self.child.send(level)
        if alone:
            self.alone.add(spec.match_id)
        if not self.given:
            self._began = time.monotonic()
        self.given.append(spec.match_id)
        self.child.send(spec)

    def end(self, match_id: str) -> None:
        """Note that a match that it was given has ended."""
        now = time.monotonic()
        last, self._began = now - self._began, now
        self.lasted_s = last if math.isinf(self.lasted_s) else (self.lasted_s + last) / 2
        self.given.remove(match_id)
        self.alone.discard(match_id)

    def receive(self) -> "list[MatchNews]":
        """Wait for news of its matches, and return it.

        If it is dead, start it again: its match is void, and those behind that are unplayed.
        """
        from ladder.runner.worker import Failed, ThinkingTime  # noqa: PLC0415 -- imported by now

        try:
            news: MatchNews = self.child.receive()
        except LadderError as error:
            under_way, *behind = self.given
            self.start()
            unplayed = [Failed(match_id, "its worker ended", unplayed=True) for match_id in behind]
            return [Failed(under_way, str(error)), *unplayed]
        if not isinstance(news, ThinkingTime):
            self.end(news.match_id)
        return [news]


class Crew:
    """Workers that get ready. A context manager that ends them, killing them on an exception."""

    def __init__(self, workers: int, *, pinned: bool = True) -> None:
        """Start this number of workers.

        `pinned`: each keeps to a core of its own, if there are enough.
        """
        self.workers = [*map(Worker, own_cores(workers) if pinned else [None] * workers)]

    def __enter__(self) -> Self:
        """Return the crew."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the workers, if they have not ended."""
        self.end(at_once=kind is not None)

    def end(self, *, at_once: bool) -> None:
        """End the workers and wait for them; `at_once`: kill them during their matches."""
        for worker in self.workers:
            if at_once:
                worker.child.process.kill()
            worker.child.send(None)
        while self.workers:
            self.workers.pop().child.reap()


def _begin(parent: Parent, core: int | None) -> None:
    """Get ready to work in a new process."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    parent.prepare()
    gc.disable()  # a tenth of the time would go into looking for garbage among what stays
    from ladder.runner.worker import work  # noqa: PLC0415 -- the parent need not wait for this

    gc.freeze()
    gc.enable()
    work(parent)
