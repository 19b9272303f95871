"""The thread that starts every bot of this process.

The kernel kills a bot when the *thread* that started it is gone (PR_SET_PDEATHSIG). So it must be
one that lives as long as the process, whoever asks.
"""

import functools
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_spawner(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
    """Call a function in the thread that starts bots."""
    return _thread(os.getpid()).submit(function, *args, **kwargs)


@functools.cache
def _thread(_process: int) -> ThreadPoolExecutor:
    """Return the one thread of this process: a forked process has none of its parent's threads."""
    return ThreadPoolExecutor(1, thread_name_prefix="courtyard-spawner")
