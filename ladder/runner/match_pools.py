"""Where a run's matches are played: in worker processes of this machine, or on a cluster."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.model.progress import Progress
from ladder.runner.crew import Crew
from ladder.runner.pool import Pool
from ladder.runner.remote.gateway import Gateway
from ladder.runner.worker import Told
from ladder.storage.files.folder import Home
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    def wait(self, wake: int, seconds: float | None = None) -> list[Told]:
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
def _local(workers: Crew | int, level: Level, gateway: Gateway | None) -> "Iterator[MatchPool]":
    with Crew(workers) if isinstance(workers, int) else workers as crew:
        yield Pool(crew, level, gateway)
