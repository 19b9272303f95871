"""The thread that starts every bot of this process.

The kernel kills a bot when the *thread* that started it is gone (PR_SET_PDEATHSIG). So this thread
stays as long as the process, whichever thread asks.
"""

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_spawner(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
    """Call a function in the thread that starts bots."""
    return _thread(os.getpid()).submit(_timed, functools.partial(function, *args, **kwargs))


def spawning_ns() -> int:
    """Return the total time of these calls so far, in nanoseconds.

    The interpreter stands still until a new process runs its own program.
    """
    return _spent.ns + (time.monotonic_ns() - _spent.since_ns if _spent.since_ns else 0)


class _Spent:
    """The time spent in calls."""

    def __init__(self) -> None:
        self.ns = 0
        self.since_ns = 0
        """When the current call began; 0 if none."""


_spent = _Spent()


def _timed(call: Callable[[], _T]) -> _T:
    _spent.since_ns = began = time.monotonic_ns()
    try:
        return call()
    finally:
        _spent.since_ns = 0
        _spent.ns += time.monotonic_ns() - began


@functools.cache
def _thread(_process: int) -> ThreadPoolExecutor:
    """Return this process's thread: a forked process has none of its parent's threads."""
    return ThreadPoolExecutor(1, thread_name_prefix="courtyard-spawner")
