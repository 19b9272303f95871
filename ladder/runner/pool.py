"""A self-healing pool of workers: a dead worker is replaced, and its match is void.

The gateway, if there is one, plays matches with remote bots, many at once. If such a match also has
local bots, it takes a worker's turn, so that local bots never share a core.
"""

from collections.abc import Iterable, Sequence
from multiprocessing import connection
from typing import Self

from ladder.model.matches import PlannedMatch, Played
from ladder.runner.crew import Crew, Worker, start_worker
from ladder.runner.remote.gateway import Gateway
from ladder.runner.warm_bots import Choice
from ladder.runner.worker import Failed, MakePlayer
from referee.hosting.match_runner import MatchSpec


class Pool:
    """Plays matches in worker processes. A context manager that ends them on exit.

    An exit by an exception kills them during their matches; otherwise they are idle. The caller
    closes the gateway.
    """

    def __init__(self, crew: Crew, make_player: MakePlayer, gateway: Gateway | None = None) -> None:
        """Take over the workers; each makes its own player."""
        self._make_player = make_player
        self._gateway = gateway
        self._workers = crew.take_over()
        for worker in self._workers:
            worker.send(make_player)
        self._choice = Choice()
        self._at_gateway: dict[str, bool] = {}
        """The matches at the gateway, and whether each takes a worker's turn."""

    @property
    def busy(self) -> int:
        """The number of matches under way."""
        return self._at_work + (self._gateway.busy if self._gateway else 0)

    @property
    def has_room(self) -> bool:
        """Whether another match could begin, if its bots are available."""
        gate_has_room = self._gateway is not None and self._gateway.has_room
        return self._has_turn or gate_has_room

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether this match can begin now."""
        if match.needs_a_worker and not self._has_turn:
            return False
        if not match.remote:
            return True
        gateway = self._gateway
        return gateway is not None and gateway.can_seat(match)

    def choose(self, ready: Iterable[PlannedMatch]) -> PlannedMatch | None:
        """Return the match to begin next, of those for which `can_start` holds; None if none."""
        return self._choice.next(ready, [worker.warm for worker in self._free()])

    def submit(self, match: PlannedMatch, spec: MatchSpec) -> None:
        """Begin a match for which `can_start` holds."""
        if match.remote and self._gateway is not None:
            self._at_gateway[match.match_id] = match.needs_a_worker
            self._gateway.submit(match, spec)
            return
        worker = min(self._free(), key=lambda free: free.warm.missing(match))
        worker.match_id = spec.match_id
        worker.warm.play(match)
        worker.send(spec)

    def wait(self, wake: int, seconds: float | None = None) -> list[Played | Failed]:
        """Wait until a match ends, the gateway sends something, or `wake` is readable.

        Return the matches that ended, possibly none, after at most so many seconds.
        """
        at_work = {w.child.link: w for w in self._workers if w.match_id is not None}
        link = [self._gateway.link] if self._gateway is not None else []
        ready = connection.wait([*at_work, *link, wake], seconds)
        ended = [self._ended(at_work[link]) for link in ready if link in at_work]
        if self._gateway is not None:
            ended += [
                outcome
                for outcome in self._gateway.take()
                if self._at_gateway.pop(outcome.match_id, None) is not None
            ]  # an aborted run began the others, which will be played again
        return ended

    def _free(self) -> list[Worker]:
        return [worker for worker in self._workers if worker.match_id is None]

    @property
    def _at_work(self) -> int:
        return sum(worker.match_id is not None for worker in self._workers)

    @property
    def _has_turn(self) -> bool:
        """Whether another match with local bots may begin."""
        return self._at_work + sum(self._at_gateway.values()) < len(self._workers)

    def _ended(self, worker: Worker) -> Played | Failed:
        """Return how a worker's match ended; replace the worker if it is dead."""
        outcome, next_worker = received(worker, self._make_player)
        self._workers[self._workers.index(worker)] = next_worker
        return outcome

    def withdraw(self) -> None:
        """Do nothing: every match here is under way, and ends by itself."""

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End all workers and wait for them."""
        end(self._workers, at_once=kind is not None)


def received(worker: Worker, make_player: MakePlayer) -> tuple[Played | Failed, Worker]:
    """Wait for the end of a worker's match; return it, and who takes the next: another, if dead."""
    match_id, worker.match_id = worker.match_id or "", None
    try:
        outcome: Played | Failed = worker.child.link.recv()
    except (EOFError, OSError):
        worker.child.reap()
        another = start_worker(worker.core)
        another.send(make_player)
        return Failed(match_id, f"its worker {worker.child.ending()}"), another
    return outcome, worker


def end(workers: Sequence[Worker], *, at_once: bool) -> None:
    """End workers and wait for them; `at_once`: kill them during their matches."""
    for worker in workers:
        if at_once:
            worker.child.process.kill()
        worker.send(None)
    for worker in workers:
        worker.child.reap()
