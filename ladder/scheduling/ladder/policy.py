"""What all schedulers share: what they are asked, and what they may know.

A scheduler says who meets whom next. It is a pure function of the past and of a random stream: the
same arguments always give the same tables, so a ladder that was stopped goes on as if it had not
been. A table is a block's first seating, the others are its rotations; or one match, if every match
has a deal of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ladder.scheduling.ladder.balanced import Authors, History, Table, VersionId, group_size, seated
from referee.games.randomness import Stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PART = 50
"""A look at the results is worth its time when so many-th part of the blocks has come in new."""


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


@dataclass(frozen=True, slots=True)
class Past:
    """What a scheduler may know."""

    history: History = field(default_factory=History)
    """All tables that were ever planned."""
    strengths: Strengths | None = None
    """What the results say so far; None before the first one."""
    unrated: Sequence[Table] = ()
    """The tables, in order, that were planned since the results that `strengths` knows."""
    authors: Authors = field(default_factory=dict)
    """Whose versions are that must not meet; one that is not named may meet every other."""
    matches_a_table: int = 1
    """How many matches are played of a table: several if its deal is played on other seats too."""

    def group_size(self, entrants: Sequence[VersionId], seats: int) -> int:
        """Return how many of the entrants can sit at one table."""
        return group_size(entrants, seats, self.authors)


class Scheduler(Protocol):
    """Says what to play next."""

    def __call__(
        self, entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
    ) -> list[Table]:
        """Return at least `count` tables of `seats` seats for at least one entrant.

        Seats that the entrants cannot fill are the stand-in's, also because two of one author do
        not sit at one table. The order of `entrants` does not matter. Schedulers that play whole
        rounds finish the round that they began.
        """


def size_of_round(entrants: int, seats: int) -> int:
    """Return how many tables a round has: just enough to give every entrant a seat."""
    return -(-entrants // seats)


class ResultBatches:
    """Says through which round results are read to plan the next one.

    To rate a long log costs seconds, and a round of it tells next to nothing new. So rounds are
    taken together until they add a fiftieth to all blocks before them; in a young ladder each
    stands alone. Rounds are planned from what was known before the last whole batch of them began:
    when the workers need more matches that one may still be played, what was before it is over.
    Rounds of any size count, so a ladder with other rounds goes on.
    """

    def __init__(self, sizes: Iterable[int] = ()) -> None:
        """Begin with rounds of so many blocks each, the first one first."""
        self.through = 0
        """The last round whose results are read; 0 if none are."""
        self.last = 0
        """The last round of the last whole batch."""
        self._rounds = self._blocks = self._before = 0
        for size in sizes:
            self.add(size)

    def add(self, size: int) -> None:
        """Take notice that a round of so many blocks was planned."""
        self._rounds += 1
        self._blocks += size
        if (self._blocks - self._before) * _PART >= self._before:
            self.through, self.last = self.last, self._rounds
            self._before = self._blocks


def only_table(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table] | None:
    """Return the tables if the entrants fit on one, where there is nothing to choose; else None."""
    if len(entrants) > past.group_size(entrants, seats):
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
