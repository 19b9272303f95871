"""Play matches that a busy machine may void."""

import sys
from collections.abc import Callable
from typing import TypeVar

from referee.core.errors import RefereeError

Outcome = TypeVar("Outcome")
MOST_VOIDS = 20


def counted(play: Callable[[], Outcome]) -> Outcome:
    """Play again what is void, as a ladder does, but not for ever: who voids all is to be seen."""
    for _ in range(MOST_VOIDS):
        try:
            return play()
        except RefereeError as error:
            print(error, file=sys.stderr)  # noqa: T201 -- for who looks
    return play()
