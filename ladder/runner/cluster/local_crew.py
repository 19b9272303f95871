"""The worker processes of one machine of a cluster, each of which plays one batch at a time."""

import threading
from collections.abc import Callable, Sequence

from ladder.model.errors import LadderError
from ladder.model.matches import Played
from ladder.runner.crew import Crew, Worker
from ladder.runner.pool import end, received
from ladder.runner.worker import Failed, MakePlayer, ThinkingTime
from referee.hosting.match_runner import MatchSpec


class LocalCrew:
    """Plays batches in worker processes, from as many threads as there are workers.

    Runs that ask for the same players share the workers; for others the workers are replaced.
    """

    def __init__(self, workers: int, *, pinned: bool) -> None:
        """Start the workers; `pinned`: each keeps to a core of its own."""
        self._number, self._pinned = workers, pinned
        self._crew: Crew | None = Crew(workers, pinned=pinned)
        self._changed = threading.Condition()
        self._players: object = None
        """What the workers' players are, as `play` was told."""
        self._workers: list[Worker] = []
        self._free: list[Worker] = []
        self._closed = False

    def play(
        self,
        players: object,
        make: Callable[[], MakePlayer],
        specs: Sequence[MatchSpec],
        tell: Callable[[ThinkingTime], None],
    ) -> list[Played | Failed]:
        """Play matches one after the other, as soon as a worker is free.

        Equal `players` name equal players, which `make` says how to make; it raises
        `CourtyardError` if this machine has none. `tell` is told of seats that think long. After
        `close`, the rest is unplayed.
        """
        worker, make_player = self._taken(players, make)
        outcomes = list[Played | Failed]()
        try:
            for spec in specs:
                if self._closed:
                    outcomes.append(Failed(spec.match_id, "the worker leaves", unplayed=True))
                    continue
                worker.give(spec)
                outcome, after = received(worker, make_player)
                while isinstance(outcome, ThinkingTime):
                    tell(outcome)
                    outcome, after = received(worker, make_player)
                if after is not worker:
                    self._replace(worker, after)
                    worker = after
                outcomes.append(outcome)
        finally:
            self._give_back(worker)
        return outcomes

    def close(self) -> None:
        """Kill the workers during their matches, and their bots with them."""
        with self._changed:
            self._closed = True
            workers, crew = [*self._workers], self._crew
            for worker in workers:
                worker.child.process.kill()
            self._changed.wait_for(lambda: len(self._free) == len(self._workers), timeout=10.0)
            end(self._workers, at_once=True)
            self._workers, self._free, self._crew = [], [], None
            if crew is not None:
                crew.__exit__()

    def _taken(self, players: object, make: Callable[[], MakePlayer]) -> tuple[Worker, MakePlayer]:
        with self._changed:
            self._changed.wait_for(lambda: self._fits(players) or self._is_idle)
            if self._closed:
                raise LadderError("this worker leaves the cluster")
            make_player = make()
            if not self._workers or self._players != players:
                self._renew(make_player)
                self._players = players
            return self._free.pop(), make_player

    def _fits(self, players: object) -> bool:
        return bool(self._free) and self._players == players

    @property
    def _is_idle(self) -> bool:
        return len(self._free) == len(self._workers)

    def _renew(self, make_player: MakePlayer) -> None:
        """Let all workers have these players."""
        end(self._workers, at_once=False)
        crew, self._crew = self._crew or Crew(self._number, pinned=self._pinned), None
        self._workers = crew.take_over()
        for worker in self._workers:
            worker.send(make_player)
        self._free = [*self._workers]

    def _replace(self, dead: Worker, another: Worker) -> None:
        with self._changed:
            self._workers[self._workers.index(dead)] = another
            if self._closed:
                another.child.process.kill()

    def _give_back(self, worker: Worker) -> None:
        with self._changed:
            self._free.append(worker)
            self._changed.notify_all()
