"""Waiting for what is not announced, without taking a core from what it waits for."""

import time
from collections.abc import Callable
from typing import TypeVar

_LOOK_EVERY_S = 0.005
Found = TypeVar("Found")


def until(look: Callable[[], Found], seconds: float = 120) -> Found:
    """Look again and again until something true is found; return it, or fail after so long."""
    give_up = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < give_up, "it never came"
        time.sleep(_LOOK_EVERY_S)
    return found
