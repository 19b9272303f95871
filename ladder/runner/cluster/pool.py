"""Plays a run's matches on a cluster, in batches of a few seconds of play.

Dask moves some hundreds of tasks a second, and a core plays tens of matches, so matches travel in
batches: large enough to cost little, small enough that little is lost with a worker and no core
waits for another at the end. How long a match takes is learnt from those played.

A batch stays here until it is answered. One whose worker died is handed out again by Dask, and that
is no attempt of its matches. When worker after worker died with a batch, its matches are handed out
one by one; a match that is alone with that is void. So is one with which a worker fails otherwise.
"""

import math
import os
import select
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Self

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.model.progress import Progress
from ladder.runner.cluster.bot_store import BotFiles
from ladder.runner.cluster.link import BatchFailedError, ClusterLink, Member
from ladder.runner.cluster.reach import Cluster
from ladder.runner.cluster.serving import ignore_settings, quieten
from ladder.runner.cluster.task import Batch, BatchEnded
from ladder.runner.worker import Failed, MatchNews
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


class ClusterPool:
    """Plays matches on a cluster. A context manager that takes back what is left on exit."""

    def __init__(
        self,
        cluster: Cluster,
        level: Level,
        progress: Progress,
        may_use_network: Callable[[Version], bool],
        home: Home,
    ) -> None:
        """Prepare to play at this level with the files of bots in a ladder's folder.

        Of `may_use_network` the builds may use the network.
        """
        ignore_settings()
        quieten()
        self._link = ClusterLink(cluster, level, home)
        self._address = cluster.address
        self._level = level
        self._progress = progress
        self._may_use_network = may_use_network
        self._bots: dict[str, BotFiles] = {}
        """Those of matches that it was given, by digest."""
        self._waiting: deque[MatchSpec] = deque()
        self._alone: deque[MatchSpec] = deque()
        """Matches to be handed out one by one."""
        self._handed_out: dict[Future[BatchEnded], Sequence[MatchSpec]] = {}
        """The batches that are with the cluster."""
        self._singles: set[str] = set()
        """The ids of the matches behind which none may wait."""
        self._members: Mapping[str, Member] | None = {}
        """As the link has them."""
        self._cores = 0
        """How many cores those of them have that play."""
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
        out = sum(map(len, self._handed_out.values()))
        return out + len(self._waiting) + len(self._alone) + len(self._ended)

    @property
    def workers(self) -> int:
        """How many matches can be under way at once."""
        return self._cores

    @property
    def has_room(self) -> bool:
        """Whether the workers need more matches to be busy."""
        ready = len(self._waiting) + len(self._alone)
        return not self._withdrawn and ready < max(1, self._free) * self._a_batch

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether this match can begin now."""
        return self.has_room and not match.remote

    def choose(self, ready: Iterable[PlannedMatch]) -> PlannedMatch | None:
        """Return the first match."""
        return next(iter(ready), None)

    def submit(self, match: PlannedMatch, spec: MatchSpec, *, alone: bool = False) -> None:
        """Take a match, which goes out with the next batch, or `alone`."""
        for version in match.seats:
            if version is not None and version.digest not in self._bots:
                network = bool(version.build) and self._may_use_network(version)
                name = f"{version.bot} version {version.number}"
                files = BotFiles(name, version.digest, version.build, network)
                self._bots[version.digest] = files
        if alone:
            self._singles.add(match.match_id)
        (self._alone if alone else self._waiting).append(spec)

    def wait(self, wake: int, seconds: float | None = None) -> list[MatchNews]:
        """Hand out what was submitted; wait until a batch ends, or `wake` is readable.

        Return the news of matches, possibly none, after at most `seconds`.
        """
        self._hand_out()
        if not self._ended:
            select.select([wake, self._link.wake], [], [], seconds)
        with suppress(BlockingIOError):
            os.read(self._link.wake, 1 << 16)
        while self._link.done:
            self._note_end(self._link.done.popleft())
        if (members := self._link.members) is not self._members:
            self._note_members(members)
        ended, self._ended = self._ended, []
        thinking = self._link.thinking
        return [*ended, *(thinking.popleft() for _ in range(len(thinking)))]

    def withdraw(self) -> None:
        """Give back the matches that no worker plays, which `wait` then returns as unplayed."""
        self._withdrawn = True
        self._take_back_from_none()
        self._give_back()

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
        free = self._free
        while free > 0 and (specs := self._next_batch(free)):
            digests = {bot.digest for spec in specs for bot in spec.seats if bot is not None}
            bots = {digest: self._bots[digest] for digest in digests}
            self._handed_out[self._link.submit(Batch(self._level, specs, bots))] = specs
            free -= 1

    def _next_batch(self, free: int) -> tuple[MatchSpec, ...]:
        """Remove and return the next of `free` batches; empty without matches."""
        if self._alone:
            return (self._alone.popleft(),)
        size = min(self._a_batch, math.ceil(len(self._waiting) / free))
        return tuple(self._waiting.popleft() for _ in range(size))

    def _note_members(self, now: Mapping[str, Member] | None) -> None:
        """Say who came and went, and whether the scheduler did."""
        before, self._members = self._members, now
        fit = [worker for worker in (now or {}).values() if not worker.refusal]
        self._cores = sum(worker.cores for worker in fit)
        self._take_back_from_none()
        if now is None:
            self._progress.warn(
                f"the scheduler at {self._address} disconnected: the run goes on when it is back; "
                "Ctrl-C stops it"
            )
            return
        if before is None:
            self._progress.say("The scheduler connected again.")
            before = {}
        for address in now.keys() - before.keys():
            worker = now[address]
            self._progress.say(f"Worker {worker.name} connected, with {in_cores(worker.cores)}.")
            if worker.refusal:
                self._progress.warn(f"worker {worker.name} does not play: {worker.refusal}")
        for address in before.keys() - now.keys():
            self._progress.warn(
                f"worker {before[address].name} disconnected; its matches are queued again"
            )
        names = sorted(worker.name for worker in fit)
        self._progress.name_workers([(name, self._played[name]) for name in names])

    def _note_end(self, batch: Future[BatchEnded]) -> None:
        """Take the outcomes of a batch, or hand it out again; one by one if it failed."""
        specs = self._handed_out.pop(batch)
        try:
            self._take(specs, batch.result())
        except BatchFailedError as error:
            if len(specs) > 1:
                self._alone.extend(specs)
                return
            self._singles.discard(specs[0].match_id)
            self._ended.append(Failed(specs[0].match_id, str(error)))
        except (Exception, CancelledError):  # noqa: BLE001 -- of Dask or the network
            for spec in reversed(specs):
                is_single = spec.match_id in self._singles
                (self._alone if is_single else self._waiting).appendleft(spec)

    def _take(self, specs: Sequence[MatchSpec], answer: BatchEnded) -> None:
        outcomes = {outcome.match_id: outcome for outcome in answer.outcomes}
        for spec in specs:
            outcome = outcomes[spec.match_id]
            if isinstance(outcome, Played) and len(outcome.seats) != len(spec.seats):
                outcome = Failed(spec.match_id, "its worker reported other seats")
            self._ended.append(outcome)
        self._played[answer.worker] += len(answer.outcomes)
        taken_s = max(1e-3, answer.seconds / len(specs))
        if not self._singles.isdisjoint(outcomes):
            taken_s = min(taken_s, self._match_s)  # others may be much shorter
            self._singles.difference_update(outcomes)
        self._match_s += _NEW_WEIGHT * (taken_s - self._match_s)

    def _take_back_from_none(self) -> None:
        """Take back all batches if the run is to stop, and no worker plays them."""
        if self._withdrawn and not self._cores:
            for batch in self._handed_out:
                batch.cancel()

    def _give_back(self) -> None:
        """Return to the run, as unplayed, what is not handed out."""
        for specs in (self._alone, self._waiting):
            while specs:
                match_id = specs.popleft().match_id
                self._ended.append(Failed(match_id, "the run stops", unplayed=True))


def in_cores(number: int) -> str:
    """Return a number of cores with its noun."""
    return "1 core" if number == 1 else f"{number} cores"
