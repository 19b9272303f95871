"""Renders the pages of many matches on all cores, as replays dominate the time of an export.

Results come in the order of the tasks. Reading ahead is limited to what keeps the cores busy, so
that the records of a large ladder never fill the memory.
"""

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice

from ladder.model.matches import MatchLine
from ladder.server.web.match_page import Frame, match_page
from referee.core.spawning import spawning

Task = tuple[Frame, MatchLine, bytes]
"""The arguments of `match_page` for one match."""

_TOGETHER = 25
"""Matches handed to a process at once."""
FEW = 300
"""Up to this number the pages are rendered here, as starting processes would take longer."""


def match_pages(tasks: Iterable[Task], workers: int) -> Iterator[bytes]:
    """Yield the pages of matches in order; raise a page's error at its turn."""
    waiting = iter(tasks)
    first = list(islice(waiting, FEW))
    if len(first) < FEW or workers == 1:
        yield from _pages(first)
        yield from (match_page(*task) for task in waiting)
        return
    yield from _on_cores(_batches(first, waiting), workers)


def _on_cores(batches: Iterator[Sequence[Task]], workers: int) -> Iterator[bytes]:
    # Rendering makes no reference cycles, so the garbage collector would only cost time.
    with ProcessPoolExecutor(workers, spawning(), initializer=gc.disable) as pool:
        due: deque[Future[list[bytes]]] = deque()
        try:
            for batch in batches:
                due.append(pool.submit(_pages, batch))
                if len(due) > 2 * workers:
                    yield from due.popleft().result()
            while due:
                yield from due.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _batches(first: Sequence[Task], rest: Iterator[Task]) -> Iterator[Sequence[Task]]:
    for start in range(0, len(first), _TOGETHER):
        yield first[start : start + _TOGETHER]
    while batch := list(islice(rest, _TOGETHER)):
        yield batch


def _pages(tasks: Sequence[Task]) -> list[bytes]:
    return [match_page(*task) for task in tasks]
