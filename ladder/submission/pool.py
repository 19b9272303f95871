"""Submits several bots at once: prepares them in parallel, enters them in the order given.

The outcome is the same as submitting them one by one, whichever is ready first: only the slow steps
run in parallel. A bot that fails, or uses too much, does not affect the others. If the program is
killed, entered bots are complete, and nothing of the others is entered.
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
from ladder.runner.child_process import Child, Link, exit_at_once, prepare_child
from ladder.runner.host import host_at
from ladder.runner.worker import MakePlayer
from ladder.storage.files.folder import MOST_AT_ONCE, Home
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
    """Submit the bots in these folders; yield the outcome of each, in the order given.

    Arguments are those of `submit.submit`; its errors are yielded, not raised. A submission that
    takes longer than `seconds`, by default what builds and clocks allow, is stopped.
    """
    limit = longest_s(ladder.settings.clock) if seconds is None else seconds
    ready: dict[int, Outcome] = {}
    sweep(ladder)
    try:
        with (
            ladder.home.files_stay(),  # also those of prepared bots that are not entered yet
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
    """A worker process and its current bot."""

    child: Child
    heartbeat: Heartbeat
    number: int = -1
    """The index of its folder; -1 for none."""
    until: float = math.inf
    """The deadline by its heartbeat's clock; infinite until it has begun."""
    last: str = ""
    """Its last message."""

    def left(self) -> float:
        """Return the seconds left."""
        return self.until - self.heartbeat.clock()


@dataclass(slots=True)
class _Workers:
    """Prepares bots in parallel. A context manager that kills its processes on exit."""

    home: Home
    paths: Sequence[Path]
    author: str | None
    make: Make
    seconds: float
    say: Callable[[str], None]
    next: int = 0
    """The first folder that is not begun."""
    each: list[_Worker] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Start one worker for each core, if there are enough folders."""
        for _ in range(min(len(self.paths), cores(), MOST_AT_ONCE)):
            self._hand_out(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        """Kill every process, whatever it does."""
        for worker in self.each:
            worker.child.process.kill()
        for worker in self.each:
            worker.child.reap()

    def wait(self) -> dict[int, Outcome]:
        """Wait until something happens; return the outcomes that are ready, by folder index."""
        links = {w.child.link: w for w in self.each if w.number >= 0}
        left = max(SECONDS_BETWEEN_LOOKS, min(worker.left() for worker in links.values()))
        ready = connection.wait(list(links), None if left == math.inf else left)
        found = [self._heard(worker) for link, worker in links.items() if link in ready]
        late = [w for w in links.values() if w.child.link not in ready and _is_late(w)]
        found += [self._replaced(w, took_too_long(self.seconds, w.last)) for w in late]
        return dict(each for each in found if each is not None)

    def _heard(self, worker: _Worker) -> tuple[int, Outcome] | None:
        """Handle a worker's message; return the outcome if it sends one."""
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
        """Kill a worker, replace it if there is more to do, and return why as its outcome."""
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
        """Give a worker the next folder, if there is one."""
        worker.number, worker.until, worker.last = -1, math.inf, ""
        if self.next < len(self.paths):
            worker.number, self.next = self.next, self.next + 1
            with suppress(OSError):  # `wait` notices a dead worker
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
    """Prepare the bots in the folders that the link delivers, and send back each outcome."""
    prepare_child(folder)
    heartbeat.begin()
    with Ladder.open(home) as ladder:
        try:
            while True:
                path = link.recv()
                link.send(None)  # it has begun
                link.send(_prepared(ladder, path, link.send, make, author))
        except (EOFError, ConnectionError):
            exit_at_once(folder)


def _prepared(
    ladder: Ladder, path: Path, say: Callable[[str], None], make: Make, author: str | None
) -> Outcome:
    begin_cpu_time()
    try:
        with preparing(ladder, path, say, make, author) as prepared:
            return prepared
    except CourtyardError as error:
        return error
