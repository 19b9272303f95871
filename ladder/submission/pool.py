"""Several bots are submitted at once: built and tried in processes, entered in the order given.

What becomes of each is as if they had been submitted one by one, whoever is ready first: only what
takes long is done side by side. One that fails, or takes too much, ends no other. When the program
ends in the middle, what was entered is whole, and of the others nothing is.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from pathlib import Path
from typing import Self

from ladder.model.bots import Submission
from ladder.model.cores import cores
from ladder.model.errors import BundleError
from ladder.model.heartbeat import SECONDS_BETWEEN_LOOKS, Heartbeat
from ladder.runner.child_process import Child, Link, settle_in, vanish
from ladder.runner.host import host_at
from ladder.runner.worker import MakePlayer
from ladder.storage.folder import MOST_AT_ONCE, Home
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.submission.limits import begin_cpu_time, cut_short, took_too_long
from ladder.submission.submit import Prepared, enter, longest_s, preparing
from referee.core.errors import CourtyardError
from referee.sandbox.program import Level

Make = Callable[[Level], MakePlayer]
Outcome = Prepared | CourtyardError


def submit_each(
    ladder: Ladder,
    paths: Sequence[Path],
    say: Callable[[str], None],
    author: str | None = None,
    *,
    make: Make = host_at,
    seconds: float | None = None,
) -> Iterator[tuple[Path, Submission | CourtyardError]]:
    """Submit the bots in these folders; yield what became of each, in the order given.

    Arguments are those of `submitting.submit`, and so are the errors, which are returned. One that
    takes longer than `seconds`, by default what builds and clocks allow, is stopped.
    """
    limit = longest_s(ladder.settings.clock) if seconds is None else seconds
    ready: dict[int, Outcome] = {}
    sweep(ladder)
    try:
        with (
            ladder.home.files_stay(),  # those of bots that are ready and not entered, too
            _Workers(ladder.home, paths, author, make, limit, say) as workers,
        ):
            for number, path in enumerate(paths):
                while number not in ready:
                    ready |= workers.wait()
                yield path, _entered(ladder, ready.pop(number))
    finally:
        sweep(ladder)


def _entered(ladder: Ladder, outcome: Outcome) -> Submission | CourtyardError:
    if isinstance(outcome, CourtyardError):
        return outcome
    try:
        return enter(ladder, outcome)
    except CourtyardError as error:
        return error


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, and what it prepares now."""

    child: Child
    heartbeat: Heartbeat
    number: int = -1
    """Which of the folders; -1: none."""
    until: float = math.inf
    """When it has to be over, by its heartbeat's clock; not limited before it has begun."""
    last: str = ""
    """What it said last."""

    def left(self) -> float:
        """Return how many seconds it has left."""
        return self.until - self.heartbeat.clock()


@dataclass(slots=True)
class _Workers:
    """Prepares bots side by side. A context manager: leaving it ends all processes."""

    home: Home
    paths: Sequence[Path]
    author: str | None
    make: Make
    seconds: float
    say: Callable[[str], None]
    next: int = 0
    """The first folder that nobody has begun with."""
    each: list[_Worker] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Start with as many as there are cores for."""
        for _ in range(min(len(self.paths), cores(), MOST_AT_ONCE)):
            self._hand_out(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        """End every process, in the middle of what it does."""
        for worker in self.each:
            worker.child.process.kill()
        for worker in self.each:
            worker.child.reap()

    def wait(self) -> dict[int, Outcome]:
        """Wait until something happens; return what is ready now, by the number of its folder."""
        links = {w.child.link: w for w in self.each if w.number >= 0}
        left = max(SECONDS_BETWEEN_LOOKS, min(worker.left() for worker in links.values()))
        heard = connection.wait(list(links), None if left == math.inf else left)
        found = [self._heard(worker) for link, worker in links.items() if link in heard]
        late = [w for w in links.values() if w.child.link not in heard and _is_late(w)]
        found += [self._replaced(w, took_too_long(self.seconds, w.last)) for w in late]
        return dict(each for each in found if each is not None)

    def _heard(self, worker: _Worker) -> tuple[int, Outcome] | None:
        """Take what a worker sends; return what it has prepared, if that is what it sends."""
        try:
            sent = worker.child.link.recv()
        except (EOFError, OSError):
            worker.child.process.join()
            return self._replaced(worker, cut_short(worker.child.process.exitcode))
        if sent is None:
            worker.until = worker.heartbeat.clock() + self.seconds
            return None
        if isinstance(sent, str):
            worker.last = sent
            self.say(sent)
            return None
        ready = worker.number, sent
        self._hand_out(worker)
        return ready

    def _replaced(self, worker: _Worker, why: str) -> tuple[int, Outcome]:
        """End a worker, let another one go on with the rest, and return why."""
        worker.child.process.kill()
        worker.child.reap()
        self.each.remove(worker)
        if self.next < len(self.paths):
            self._hand_out(self._start())
        return worker.number, BundleError(f"{self.paths[worker.number]}: {why}")

    def _start(self) -> _Worker:
        heartbeat = Heartbeat()
        child = Child.start(_work, self.home, self.author, self.make, heartbeat)
        worker = _Worker(child, heartbeat)
        self.each.append(worker)
        return worker

    def _hand_out(self, worker: _Worker) -> None:
        """Let a worker begin with the next folder, if there is one."""
        worker.number, worker.until, worker.last = -1, math.inf, ""
        if self.next < len(self.paths):
            worker.number, self.next = self.next, self.next + 1
            with suppress(OSError):  # one that is gone is noticed by `wait`
                worker.child.link.send(self.paths[worker.number])


def _is_late(worker: _Worker) -> bool:
    return worker.number >= 0 and worker.left() <= 0


def _work(
    link: "Link[Outcome | str | None, Path]",
    folder: Path,
    home: Home,
    author: str | None,
    make: Make,
    heartbeat: Heartbeat,
) -> None:
    """Prepare the bots in the folders that come over the link, and hand back each."""
    settle_in(folder)
    heartbeat.begin()
    with Ladder.open(home) as ladder:
        try:
            while True:
                path = link.recv()
                link.send(None)  # it has begun
                link.send(_prepared(ladder, path, link.send, make, author))
        except (EOFError, ConnectionError):
            vanish(folder)


def _prepared(
    ladder: Ladder, path: Path, say: Callable[[str], None], make: Make, author: str | None
) -> Outcome:
    begin_cpu_time()
    try:
        with preparing(ladder, path, say, make, author) as prepared:
            return prepared
    except CourtyardError as error:
        return error
