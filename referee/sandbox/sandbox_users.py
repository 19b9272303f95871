"""User ids that exist nowhere else on this machine, for programs that root starts."""

import os
import threading

_FIRST = 1_600_000_000
_MOST = 64
_lock = threading.Lock()
_taken: set[int] = set()


def take_user() -> int:
    """Return an unused user id; raise `BlockingIOError` if all are in use.

    Each process of the machine has 64, computed from its own id.
    """
    with _lock:
        free = next((slot for slot in range(_MOST) if slot not in _taken), None)
        if free is None:
            raise BlockingIOError(11, f"{_MOST} bots already run in this process")
        _taken.add(free)
    return _FIRST + os.getpid() * _MOST + free


def give_back(user: int) -> None:
    """Free a user id; none of the user's processes may be left."""
    with _lock:
        _taken.discard((user - _FIRST) % _MOST)
