"""Where a run's matches are played: in worker processes of this machine, or on a cluster.

The match of a worker that dies is void, and the worker starts again.

While matches are short, a worker has its next ones already when it ends one: otherwise it would
wait while the run takes results, stores and plans, which took a sixth of its time.

The gateway, if there is one, plays matches with remote bots, many at once. If such a match also has
local bots, it takes a worker's turn, so that local bots never share a core.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import connection
from typing import TYPE_CHECKING, Protocol

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.model.progress import Progress
from ladder.runner.crew import Crew, Worker
from ladder.runner.remote.gateway import Gateway
from ladder.runner.warm_bots import MatchChooser
from ladder.runner.worker import MatchNews, ThinkingTime
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.runner.cluster.reach import Cluster

    Workers = Crew | Cluster | int
    """Started workers, a cluster's, or how many to start."""


class MatchPool(Protocol):
    """Plays matches, many at once."""

    @property
    def busy(self) -> int:
        """The number of matches under way."""

    @property
    def workers(self) -> int:
        """How many matches with local bots can be under way at once."""

    @property
    def has_room(self) -> bool:
        """Whether another match could begin, if its bots are available."""

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether this match can begin now."""

    def choose(self, ready: Iterable[PlannedMatch]) -> PlannedMatch | None:
        """Return the match to begin next, of those for which `can_start` holds; None if none."""

    def submit(self, match: PlannedMatch, spec: MatchSpec, *, alone: bool = False) -> None:
        """Begin a match for which `can_start` holds; `alone`: none waits until it has ended."""

    def wait(self, wake: int, seconds: float | None = None) -> list[MatchNews]:
        """Wait until there is news of matches, or the file `wake` is readable.

        Return the news, possibly none, after at most `seconds`.
        """

    def withdraw(self) -> None:
        """Give back the matches that no worker plays, which `wait` then returns as unplayed."""


def opened_pool(
    workers: "Workers",
    level: Level,
    gateway: Gateway | None,
    progress: Progress,
    may_use_network: Callable[[Version], bool],
    home: Home,
) -> AbstractContextManager[MatchPool]:
    """Return a pool of these workers, which contain bots at this level.

    The workers of a cluster get bots' files from the folder `home`, and build them with the network
    if they `may_use_network`.
    """
    if isinstance(workers, int | Crew):
        return _local(workers, level, gateway)
    # Imported here, as it is slow, and there only with the extra `cluster`.
    from ladder.runner.cluster.pool import ClusterPool  # noqa: PLC0415

    return ClusterPool(workers, level, progress, may_use_network, home)


@contextmanager
def _local(workers: Crew | int, level: Level, gateway: Gateway | None) -> Iterator[MatchPool]:
    with Crew(workers) if isinstance(workers, int) else workers as crew:
        yield Pool(crew, level, gateway)


_SHORT_S = 0.1
"""How long a match takes at most behind which the next may wait. For a longer one that would gain
little, and another worker might become free for it sooner."""
_IN_HAND_S = 0.04
"""How long those that wait behind it last together, if they are shorter. A run is busy for as long
when it stores what it has gathered and plans."""
_MOST_IN_HAND = 8


class Pool:
    """Plays matches in worker processes, and at the gateway; the caller ends both."""

    def __init__(self, crew: Crew, level: Level, gateway: Gateway | None = None) -> None:
        """Use these workers, which contain bots at this level."""
        self._level = level
        self._gateway = gateway
        self._workers = crew.workers
        self._choice = MatchChooser()
        self._at_gateway: dict[str, bool] = {}
        """The matches at the gateway, and whether each takes a worker's turn."""

    @property
    def busy(self) -> int:
        """The number of matches under way, or given to a worker that ends another one first."""
        at_workers = sum(len(worker.given) for worker in self._workers)
        return at_workers + (self._gateway.busy if self._gateway else 0)

    @property
    def workers(self) -> int:
        """How many matches with local bots can be under way at once."""
        return len(self._workers)

    @property
    def has_room(self) -> bool:
        """Whether another match could begin, if its bots are available."""
        gate_has_room = self._gateway is not None and self._gateway.has_room
        return gate_has_room or bool(self._free())

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether this match can begin now."""
        if not match.remote:
            return bool(self._free())
        gateway = self._gateway
        has_turn = not match.needs_a_worker or self._has_turn
        return has_turn and gateway is not None and gateway.can_seat(match)

    def choose(self, ready: Iterable[PlannedMatch]) -> PlannedMatch | None:
        """Return the match to begin next, of those for which `can_start` holds; None if none."""
        return self._choice.next(ready, [worker.warm for worker in self._free()])

    def submit(self, match: PlannedMatch, spec: MatchSpec, *, alone: bool = False) -> None:
        """Begin a match for which `can_start` holds; `alone`: none waits until it has ended."""
        if match.remote and self._gateway is not None:
            self._at_gateway[match.match_id] = match.needs_a_worker
            self._gateway.submit(match, spec)
            return
        worker = min(self._free(), key=lambda free: free.warm.missing(match))
        worker.warm.play(match)
        worker.give(spec, self._level, alone=alone)

    def wait(self, wake: int, seconds: float | None = None) -> list[MatchNews]:
        """Wait until there is news of a match or the gateway, or `wake` is readable.

        Return the news of matches, possibly none, after at most `seconds`.
        """
        at_work = {worker.child.link: worker for worker in self._workers if worker.given}
        link = [self._gateway.link] if self._gateway is not None else []
        ready = connection.wait([*at_work, *link, wake], seconds)
        news = [one for link in ready if link in at_work for one in at_work[link].receive()]
        for one in self._gateway.take() if self._gateway is not None else []:
            if one.match_id not in self._at_gateway:
                continue  # an aborted run began it, and it will be played again
            news.append(one)
            if not isinstance(one, ThinkingTime):
                del self._at_gateway[one.match_id]
        return news

    def _free(self) -> list[Worker]:
        """Return the workers of which one may get a match now: those that have the fewest."""
        if self._has_turn:
            return [worker for worker in self._workers if not worker.given]
        if self._gateway is not None:  # a match there may need the next turn
            return []
        able = [
            worker
            for worker in self._workers
            if not worker.alone and len(worker.given) <= _in_hand(worker)
        ]
        fewest = min([len(worker.given) for worker in able], default=0)
        return [worker for worker in able if len(worker.given) == fewest]

    @property
    def _has_turn(self) -> bool:
        """Whether another match with local bots may begin at once."""
        at_work = sum(bool(worker.given) for worker in self._workers)
        return at_work + sum(self._at_gateway.values()) < len(self._workers)

    def withdraw(self) -> None:
        """Take back the matches behind others, which `wait` then returns as unplayed."""
        for worker in self._workers:
            for match_id in [*worker.given][:0:-1]:
                worker.child.send(match_id)


def _in_hand(worker: Worker) -> int:
    """Return how many matches may wait behind the one under way."""
    if worker.lasted_s > _SHORT_S:
        return 0
    return max(1, min(_MOST_IN_HAND, int(_IN_HAND_S / max(worker.lasted_s, 1e-6))))
