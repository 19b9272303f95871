"""What all schedulers share: what they are asked, and what they may know.

A scheduler says who meets whom next. It is a pure function of the past and of a random stream: the
same arguments always give the same tables, so a ladder that was stopped goes on as if it had not
been. A table is a block's first seating, the others are its rotations; or one match, if every match
has a deal of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ladder.scheduling.balanced import History, Table, VersionId, seated
from referee.games.randomness import Stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Strengths(Protocol):
    """What a scheduler reads of a rating of record; arrays are indexed by version, N of them."""

    @property
    def theta(self) -> Floats:
        """(N,) strengths on the logit scale."""

    @property
    def V(self) -> Floats:  # noqa: N802 - as the formulas call it
        """(N, N) covariance of their errors."""

    @property
    def information(self) -> Floats:
        """(N, N) what each pair has told."""

    @property
    def blocks(self) -> Ints:
        """(N,) in how many blocks each version was."""

    @property
    def phi(self) -> float:
        """The design effect."""

    @property
    def t2(self) -> float:
        """The variance between pairings."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a scheduler may know."""

    history: History = field(default_factory=History)
    """All tables that were ever planned."""
    strengths: Strengths | None = None
    """What the results say so far; None before the first one."""


class Scheduler(Protocol):
    """Says what to play next."""

    def __call__(
        self, entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
    ) -> list[Table]:
        """Return at least `count` tables of `seats` seats for at least one entrant.

        Seats that the entrants cannot fill are the stand-in's. The order of `entrants` does not
        matter. Schedulers that play whole rounds finish the round that they began.
        """


def size_of_round(entrants: int, seats: int, tables: int) -> int:
    """Return how many tables are planned between two looks at the results.

    As many as give every entrant a seat, or a fiftieth of the `tables` that were played: later
    ones change less, and looking costs time.
    """
    return max(-(-entrants // seats), tables // 50)


def only_table(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table] | None:
    """Return the tables if the entrants fit on one, where there is nothing to choose; else None."""
    if len(entrants) > seats:
        return None
    return with_seats([sorted(entrants)] * count, seats, past, stream)


def with_seats(
    groups: Sequence[Sequence[VersionId]], seats: int, past: Past, stream: Stream
) -> list[Table]:
    """Give each group its seats, so that nobody sits on one much more often than on others."""
    tables: list[Table] = []
    today = History()
    for group in groups:
        tables.append(seated(group, seats, past.history, today, stream))
        today.add(tables[-1])
    return tables


def strength_of(version: VersionId, past: Past) -> float:
    """Return the estimated strength, that of an average version if there is no estimate yet."""
    if past.strengths is None or version >= len(past.strengths.theta):
        return 0.0
    return float(past.strengths.theta[version])


def uniform(stream: Stream) -> float:
    """Return a number from 0 to 1, 1 excluded."""
    return stream.below(1 << 53) / 2.0**53
