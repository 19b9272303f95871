"""Lets a run's planner rate the results in a thread, while matches are played.

Numpy and SQLite leave the interpreter to other threads while they compute, so the run goes on
storing results. What is prepared follows from rounds that are over, so it makes no difference when
it is done, or whether it is done at all.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from ladder.scheduling.planner import Planner, Preparing
from ladder.storage.ladder import Ladder


class Preparation:
    """What a planner does beforehand. A context manager that waits for its end."""

    def __init__(self, ladder: Ladder, planner: Planner) -> None:
        """Prepare for a planner, if it can."""
        self._ladder = ladder
        self._planner = planner if isinstance(planner, Preparing) else None
        self._thread = ThreadPoolExecutor(1, "planner")
        self._under_way: Future[None] | None = None

    def begin(self) -> None:
        """Begin to prepare, unless there is nothing to do or it is under way."""
        planner, ended = self._planner, self._under_way is None or self._under_way.done()
        if planner is not None and ended and planner.may_prepare:
            self.wait()
            self._under_way = self._thread.submit(self._prepare, planner)

    def wait(self) -> None:
        """Wait until nothing is under way; raise the error by which it ended."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def _prepare(self, planner: Preparing) -> None:
        with self._ladder.database.read() as tx:
            planner.prepare(tx)

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the thread."""
        self._thread.shutdown()
