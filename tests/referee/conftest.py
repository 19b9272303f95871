"""What the tests of the referee share."""

from tests.support.referees import (
    asked,
    bots,
    ends,
    entrant,
    host,
    new_match,
    patient,
    processes,
    random_bot,
    referee,
    referee_here,
    waiting_bot,
)

__all__ = [
    "asked",
    "bots",
    "ends",
    "entrant",
    "host",
    "new_match",
    "patient",
    "processes",
    "random_bot",
    "referee",
    "referee_here",
    "waiting_bot",
]
