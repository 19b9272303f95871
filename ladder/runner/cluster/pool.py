"""Plays a run's matches on a cluster, in batches of a few seconds of play.

Dask moves some hundreds of tasks a second, and a core plays tens of matches, so matches travel in
batches: large enough to cost little, small enough that little is lost with a worker and no core
waits for another at the end. How long a match takes is learnt from those played.

A batch stays here until it is answered. One whose worker died is handed out again by Dask, and that
is no attempt of its matches. When worker after worker died with a batch, its matches are handed out
one by one; a match that is alone with that is void. So is one with which a worker fails otherwise.
"""

import math
import select
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Self

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.model.progress import Progress
from ladder.runner.cluster.edition import edition
from ladder.runner.cluster.file_relay import FileSupply
from ladder.runner.cluster.link import (
    Answered,
    ClusterLink,
    Disconnected,
    Event,
    Lost,
    Member,
    Members,
)
from ladder.runner.cluster.reach import Cluster
from ladder.runner.cluster.serving import ignore_settings, quieten
from ladder.runner.cluster.wire import (
    Batch,
    BatchEnded,
    MatchOrder,
    Terms,
    order_of,
    pack_batch,
    unpack_answer,
)
from ladder.runner.worker import Failed, MakePlayer, ThinkingTime
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level

_BATCH_S = 3.0
"""How long a batch is to take, at least."""
_BATCHES_A_SECOND = 100
"""The scheduler needs some 4 ms of CPU for each: where there are more cores, batches are longer."""
_FIRST_GUESS_S = 1.0
"""How long a match takes, until one has been played."""
_MOST_MATCHES = 500
_BATCHES_A_CORE = 2
"""One that is played, and the next; no next one where it could wait behind a slow bot's match."""
_NEW_WEIGHT = 0.3
"""How much the last batch says of how long a match takes."""


@dataclass(frozen=True, slots=True)
class _HandedOut:
    """A batch that is with the cluster."""

    orders: tuple[MatchOrder, ...]
    workers: frozenset[str] | None
    """The addresses of those that may play it; None: anyone."""


class ClusterPool:
    """Plays matches on a cluster. A context manager that takes back what is left on exit."""

    def __init__(
        self,
        cluster: Cluster,
        level: Level,
        make: Callable[[Level], MakePlayer],
        progress: Progress,
        may_use_network: Callable[[Version], bool],
        home: Home,
    ) -> None:
        """Prepare to play at this level with the files of bots in a ladder's folder.

        Of `may_use_network` the builds may use the network.
        """
        ignore_settings()
        quieten()
        self._link = ClusterLink(cluster, make, FileSupply(home))
        self._address = cluster.address
        self._terms = Terms(edition(), level)
        self._progress = progress
        self._may_use_network = lru_cache(maxsize=4096)(may_use_network)
        self._waiting: deque[MatchOrder] = deque()
        self._alone: deque[MatchOrder] = deque()
        """Matches to be handed out one by one."""
        self._handed_out: dict[int, _HandedOut] = {}
        self._numbers = count()
        self._thinking: list[ThinkingTime] = []
        self._singles: set[str] = set()
        """The ids of the matches behind which none may wait."""
        self._out = 0
        """How many matches they hold."""
        self._members: Mapping[str, Member] = {}
        self._fit: dict[str, Member] = {}
        """Those of them that have not refused."""
        self._cores = 0
        """How many cores these have."""
        self._is_down = False
        """Whether the scheduler is disconnected."""
        self._refused: dict[str, str] = {}
        """The workers that refused, by name, and why."""
        self._played: Counter[str] = Counter()
        """How many matches each worker has played, by name."""
        self._match_s = _FIRST_GUESS_S
        self._withdrawn = False
        self._ended: list[Played | Failed] = []

    def __enter__(self) -> Self:
        """Connect; raise `LadderError` if there is no scheduler of this cluster."""
        self._link.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Take back what is left."""
        self._link.__exit__()

    @property
    def busy(self) -> int:
        """The number of matches under way."""
        return self._out + self._ready + len(self._ended)

    @property
    def workers(self) -> int:
        """How many matches can be under way at once."""
        return self._cores

    @property
    def has_room(self) -> bool:
        """Whether the workers need more matches to be busy."""
        return not self._withdrawn and self._ready < max(1, self._free) * self._a_batch

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether this match can begin now."""
        return self.has_room and not match.remote

    def choose(self, ready: Iterable[PlannedMatch]) -> PlannedMatch | None:
        """Return the first match."""
        return next(iter(ready), None)

    def submit(self, match: PlannedMatch, spec: MatchSpec, *, alone: bool = False) -> None:
        """Take a match, which goes out with the next batch, or `alone`."""
        order = order_of(match, spec, self._may_use_network)
        if alone:
            self._singles.add(match.match_id)
        (self._alone if alone else self._waiting).append(order)

    def wait(self, wake: int, seconds: float | None = None) -> list[Played | Failed]:
        """Hand out what was submitted; wait until a batch ends, or `wake` is readable.

        Return the matches that ended, possibly none, after at most `seconds`.
        """
        self._hand_out()
        if not self._ended:
            select.select([wake, self._link.wake], [], [], seconds)
        for event in self._link.take():
            self._note(event)
        ended, self._ended = self._ended, []
        return ended

    def thinking_times(self) -> list[ThinkingTime]:
        """Return how long seats think in matches under way, of those that think long."""
        told, self._thinking = self._thinking, []
        return told

    def withdraw(self) -> None:
        """Give back the matches that no worker plays, which `wait` then returns as unplayed."""
        self._withdrawn = True
        if not self._fit or not self._link.is_up:
            self._take_back(lambda _: True)
        self._give_back()

    @property
    def _ready(self) -> int:
        """How many matches wait to be handed out."""
        return len(self._waiting) + len(self._alone)

    @property
    def _free(self) -> int:
        """How many batches may be handed out now."""
        a_core = 1 if self._singles else _BATCHES_A_CORE
        return a_core * self._cores - len(self._handed_out)

    @property
    def _a_batch(self) -> int:
        """How many matches make a batch."""
        seconds = max(_BATCH_S, self._cores / _BATCHES_A_SECOND)
        return max(1, min(_MOST_MATCHES, round(seconds / self._match_s)))

    def _hand_out(self) -> None:
        """Hand out batches while there are matches, and workers that need some."""
        if self._withdrawn:
            self._give_back()
        workers = frozenset(self._fit) if len(self._fit) < len(self._members) else None
        free = self._free
        while free > 0 and (orders := self._next_batch(free)):
            number = next(self._numbers)
            self._handed_out[number] = _HandedOut(orders, workers)
            self._out += len(orders)
            self._link.submit(number, pack_batch(Batch(self._terms, orders)), workers)
            free -= 1

    def _next_batch(self, free: int) -> tuple[MatchOrder, ...]:
        """Remove and return the next of `free` batches; empty without matches."""
        if self._alone:
            return (self._alone.popleft(),)
        size = min(self._a_batch, math.ceil(len(self._waiting) / free))
        return tuple(self._waiting.popleft() for _ in range(size))

    def _note(self, event: Event) -> None:
        match event:
            case Members():
                self._note_members(event.by_address)
            case Answered():
                self._note_answer(event)
            case Lost():
                self._note_loss(event)
            case ThinkingTime():
                self._thinking.append(event)
            case Disconnected():
                self._is_down = True
                self._members = {}
                self._sort_out()
                self._take_back(lambda _: True)
                self._progress.warn(
                    f"the scheduler at {self._address} disconnected: the run goes on when it is "
                    "back; Ctrl-C stops it"
                )

    def _note_members(self, now: Mapping[str, Member]) -> None:
        if self._is_down:
            self._is_down = False
            self._progress.say("The scheduler connected again.")
        before, self._members = self._members, now
        if before.keys() != now.keys():
            self._tell_changes(before, now)
            self._sort_out()
            self._take_back(lambda b: b.workers is not None and not b.workers & now.keys())
        if self._withdrawn and not self._fit:
            self._take_back(lambda _: True)
        self._name_workers()

    def _name_workers(self) -> None:
        names = sorted(member.name for member in self._fit.values())
        self._progress.name_workers([(name, self._played[name]) for name in names])

    def _tell_changes(self, before: Mapping[str, Member], now: Mapping[str, Member]) -> None:
        for address in now.keys() - before.keys():
            name, cores = now[address].name, now[address].cores
            self._refused.pop(name, None)  # it may be another one, of the same name
            self._progress.say(f"Worker {name} connected, with {in_cores(cores)}.")
        for address in before.keys() - now.keys():
            self._progress.warn(
                f"worker {before[address].name} disconnected; its matches are queued again"
            )

    def _sort_out(self) -> None:
        """Note which workers play for this run."""
        self._fit = {a: m for a, m in self._members.items() if m.name not in self._refused}
        self._cores = sum(member.cores for member in self._fit.values())

    def _pop(self, number: int) -> tuple[MatchOrder, ...]:
        """Remove and return the matches of a batch; empty if it was taken back."""
        batch = self._handed_out.pop(number, None)
        if batch is None:
            return ()
        self._out -= len(batch.orders)
        return batch.orders

    def _note_answer(self, event: Answered) -> None:
        if not (orders := self._pop(event.number)):
            return
        answer = unpack_answer(event.answer)
        if isinstance(answer, BatchEnded):
            self._take(orders, answer)
            return
        self._put_back(orders)
        if answer.worker not in self._refused:
            self._refused[answer.worker] = answer.reason
            self._sort_out()
            self._progress.warn(f"worker {answer.worker} does not play: {answer.reason}")

    def _take(self, orders: Sequence[MatchOrder], answer: BatchEnded) -> None:
        """Take the outcomes of a batch; a match that its worker left out is handed out again."""
        outcomes = {outcome.match_id: outcome for outcome in answer.outcomes}
        for order in orders:
            outcome = outcomes.get(order.match_id)
            if outcome is None or (isinstance(outcome, Failed) and outcome.unplayed):
                self._put_back((order,))
            elif isinstance(outcome, Played) and len(outcome.seats) != len(order.seats):
                self._ended.append(Failed(order.match_id, "its worker reported other seats"))
            else:
                self._ended.append(outcome)
        self._played[answer.worker] += len(answer.outcomes)
        self._name_workers()
        taken_s = max(1e-3, answer.seconds / len(orders))
        if not self._singles.isdisjoint(order.match_id for order in orders):
            taken_s = min(taken_s, self._match_s)  # others may be much shorter
        self._singles.difference_update(outcome.match_id for outcome in self._ended)
        self._match_s += _NEW_WEIGHT * (taken_s - self._match_s)

    def _note_loss(self, event: Lost) -> None:
        orders = self._pop(event.number)
        if event.failed and len(orders) == 1:
            self._singles.discard(orders[0].match_id)
            self._ended.append(Failed(orders[0].match_id, event.reason))
        elif event.failed:
            self._alone.extend(orders)
        else:
            self._put_back(orders)

    def _put_back(self, orders: Sequence[MatchOrder]) -> None:
        """Hand these out again before all others."""
        for order in reversed(orders):
            (self._alone if order.match_id in self._singles else self._waiting).appendleft(order)

    def _take_back(self, wanted: Callable[[_HandedOut], bool]) -> None:
        """Take back such batches, to hand them out again."""
        for number in [n for n, batch in self._handed_out.items() if wanted(batch)]:
            self._link.cancel(number)
            self._put_back(self._pop(number))

    def _give_back(self) -> None:
        """Return to the run, as unplayed, what is not handed out."""
        for orders in (self._alone, self._waiting):
            while orders:
                match_id = orders.popleft().match_id
                self._ended.append(Failed(match_id, "the run stops", unplayed=True))


def in_cores(number: int) -> str:
    """Return a number of cores with its noun."""
    return "1 core" if number == 1 else f"{number} cores"
