"""The interface of schedulers, and what they share.

A scheduler decides who meets whom next. It is a pure function of the past and a random stream: the
same arguments always give the same tables, so a stopped ladder goes on as if it had not been
stopped. A table is the first seating of a block, whose other seatings are its rotations; or a
single match, if every match has a deal of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ladder.model.history import History
from ladder.scheduling.ladder.balanced import Authors, Table, VersionId, group_size, seated
from referee.games.randomness import Stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_PART = 12
"""Results are read again when new blocks are at least 1 / `_PART` of the old ones,"""
_ENOUGH = 1000
"""or when this number of blocks is new. The cost of rating follows the new ones, so it is small."""


class Strengths(Protocol):
    """The part of a rating of record that schedulers read, for N versions."""

    @property
    def theta(self) -> Floats:
        """(N,) strengths on the logit scale."""

    @property
    def V(self) -> Floats:  # noqa: N802 - as the formulas call it
        """(N, N) covariance of their errors."""

    @property
    def information(self) -> Floats:
        """(N, N) the information on each pair."""

    @property
    def blocks(self) -> Ints:
        """(N,) the number of blocks of each version."""

    @property
    def phi(self) -> float:
        """The design effect."""


@dataclass(frozen=True, slots=True)
class Past:
    """The information available to a scheduler."""

    history: History = field(default_factory=History)
    """All tables ever planned."""
    strengths: Strengths | None = None
    """The strengths by the results so far; None before the first result."""
    unrated: Sequence[Table] = ()
    """The tables, in order, planned since the results that `strengths` includes."""
    authors: Authors = field(default_factory=dict)
    """The authors of versions that must not meet each other; other versions may meet all."""
    matches_a_table: int = 1
    """The matches per table: several if its deal is played with rotated seats."""

    def group_size(self, entrants: Sequence[VersionId], seats: int) -> int:
        """Return how many of the entrants can sit at one table."""
        return group_size(entrants, seats, self.authors)


class Scheduler(Protocol):
    """Decides what to play next."""

    def __call__(
        self, entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
    ) -> list[Table]:
        """Return at least `count` tables of `seats` seats, given at least one entrant.

        The stand-in takes seats that the entrants cannot fill, also because two of one author must
        not meet. The order of `entrants` does not matter. Schedulers of whole rounds complete the
        last round.
        """


def size_of_round(entrants: int, seats: int) -> int:
    """Return the number of tables in a round: just enough to seat every entrant."""
    return -(-entrants // seats)


class ResultBatches:
    """Decides up to which round results are read to plan the next round.

    Rating a log costs as much as planning many rounds from it, and one more round adds little. So
    rounds are batched until they add a twelfth to all blocks before them, or a thousand blocks; in
    a young ladder each round is a batch. Rounds
    are planned from the results before the last complete batch: when the workers need more matches,
    that batch may still be in play, but everything before it is over. Rounds may have any size, so
    a ladder can go on with rounds of another size.
    """

    def __init__(self, sizes: Iterable[int] = ()) -> None:
        """Begin with rounds of these sizes, in blocks, in order."""
        self.through = 0
        """The last round whose results are read; 0 for none."""
        self.last = 0
        """The last round of the last complete batch."""
        self._rounds = self._blocks = self._before = 0
        for size in sizes:
            self.add(size)

    def add(self, size: int) -> None:
        """Add a planned round of `size` blocks."""
        self._rounds += 1
        self._blocks += size
        if self._blocks - self._before >= min(_ENOUGH, self._before / _PART):
            self.through, self.last = self.last, self._rounds
            self._before = self._blocks


def only_table(
    entrants: Sequence[VersionId], seats: int, past: Past, stream: Stream, count: int
) -> list[Table] | None:
    """Return the tables if all entrants fit on one, so that there is no choice; else None."""
    if len(entrants) > past.group_size(entrants, seats):
        return None
    return with_seats([sorted(entrants)] * count, seats, past, stream)


def with_seats(
    groups: Sequence[Sequence[VersionId]], seats: int, past: Past, stream: Stream
) -> list[Table]:
    """Return each group as a table, with seats that even out how often versions had them."""
    tables: list[Table] = []
    today = History()
    for group in groups:
        tables.append(seated(group, seats, past.history, today, stream))
        today.add(tables[-1])
    return tables


def strength_of(version: VersionId, past: Past) -> float:
    """Return the estimated strength in logits; 0, the average, without an estimate."""
    if past.strengths is None or version >= len(past.strengths.theta):
        return 0.0
    return float(past.strengths.theta[version])


def uniform(stream: Stream) -> float:
    """Return a uniform random number in [0, 1)."""
    return stream.below(1 << 53) / 2.0**53
