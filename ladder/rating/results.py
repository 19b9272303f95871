"""The match log that raters and schedulers read: the seats and ranks of each match.

Versions are indices from 0 into a list that the caller keeps. The log omits void matches and the
stand-in's seats. All statistics of a ladder are pure functions of a log.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ladder.rating.arrays import Bools, Floats, Ints

ABSENT = -1
"""Pads the rows of matches with fewer versions than the widest."""

_PADDING = {"crashed": False, "points": math.nan}
"""Other paddings than `ABSENT`."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match. The sequences run over its k rated versions, in any order."""

    block: int
    """Shared by the matches of one deal."""
    versions: Sequence[int]
    """The versions that played; a version may have several copies at the table."""
    seats: Sequence[int]
    """The seat of each, from 0."""
    ranks: Sequence[int]
    """From 1; tied versions share a number."""
    crashed: Sequence[bool] = ()
    """Whether each forfeited, and so is behind all that did not; empty if none did.

    Versions that forfeited are unordered among themselves, whatever their ranks say.
    """
    table: int = 0
    """The number of seats, including the stand-in's; 0: as many as versions."""
    points: Sequence[float] = ()
    """Game points; empty if unknown."""


@dataclass(frozen=True)
class Matches:
    """A log as arrays: M matches of at most W versions, rows padded with `ABSENT`."""

    block: Ints
    """(M,)"""
    table: Ints
    """(M,) the number of seats."""
    versions: Ints
    """(M, W)"""
    seats: Ints
    """(M, W)"""
    ranks: Ints
    """(M, W)"""
    crashed: Bools
    """(M, W)"""
    points: Floats
    """(M, W) nan where unknown or padded."""

    def __getitem__(self, which: Any) -> "Matches":
        """Return some matches, or the same ones in another order."""
        return Matches(**{name: own[which] for name, own in vars(self).items()})


class Log:
    """A growing log of matches, which builds its arrays on demand."""

    def __init__(self, entrants: int, results: Iterable[MatchResult] = ()) -> None:
        """Begin with these results of versions numbered from 0 to `entrants` - 1."""
        self._entrants = entrants
        self._new: list[MatchResult] = []
        self._matches = _arrays([], 0)
        self.extend(results)

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self._matches.block) + len(self._new)

    @property
    def entrants(self) -> int:
        """The number of versions, including those that have not played."""
        return self._entrants

    def append(self, result: MatchResult) -> None:
        """Add a match; raise `ValueError` if it is malformed."""
        _check(result, self._entrants)
        self._new.append(result)

    def add(self, matches: Matches) -> None:
        """Add matches whose values the caller has checked."""
        self._matches = _joined(self.matches(), matches)

    def extend(self, results: Iterable[MatchResult]) -> None:
        """Add matches, in any order."""
        for result in results:
            self.append(result)

    def matches(self) -> Matches:
        """Return all matches, in the order of adding."""
        if self._new:
            width = max(self._matches.versions.shape[1], *(len(r.versions) for r in self._new))
            self._matches = _joined(self._matches, _arrays(self._new, width))
            self._new = []
        return self._matches


def _check(result: MatchResult, entrants: int) -> None:
    """Raise `ValueError` if a result is malformed."""
    k = len(result.versions)
    columns = (result.seats, result.ranks, result.crashed or result.seats)
    if {len(column) for column in (*columns, result.points or result.seats)} != {k}:
        raise ValueError(f"a match of {k} needs as many seats, ranks, faults and points: {result}")
    if not all(math.isfinite(points) for points in result.points):
        raise ValueError(f"points are finite numbers: {result}")
    if not all(0 <= v < entrants for v in result.versions):
        raise ValueError(f"versions are numbered from 0 to {entrants - 1}: {result}")
    if not all(0 <= s < (result.table or k) for s in result.seats) or len(set(result.seats)) < k:
        raise ValueError(f"each version needs a seat of its own at the table: {result}")
    if not all(rank >= 1 for rank in result.ranks):
        raise ValueError(f"ranks count from 1: {result}")


def _arrays(results: Sequence[MatchResult], width: int) -> Matches:
    def filled(rows: Iterable[Sequence[float]], empty: float) -> Floats:
        padded = [[*row, *[empty] * (width - len(row))] for row in rows]
        return np.array(padded, np.float64).reshape(len(results), width)

    def matrix(rows: Iterable[Sequence[int]]) -> Ints:
        return filled(rows, ABSENT).astype(np.int64)

    return Matches(
        block=np.array([r.block for r in results], np.int64),
        table=np.array([r.table or len(r.versions) for r in results], np.int64),
        versions=matrix(r.versions for r in results),
        seats=matrix(r.seats for r in results),
        ranks=matrix(r.ranks for r in results),
        crashed=matrix(r.crashed for r in results) > 0,
        points=filled((r.points for r in results), math.nan),
    )


def _joined(old: Matches, new: Matches) -> Matches:
    width = max(old.versions.shape[1], new.versions.shape[1])

    def stacked(name: str) -> NDArray[Any]:
        parts = [getattr(each, name) for each in (old, new)]
        if parts[0].ndim > 1:
            empty = _PADDING.get(name, ABSENT)
            gaps = [((0, 0), (0, width - part.shape[1])) for part in parts]
            parts = [
                np.pad(p, gap, constant_values=empty) for p, gap in zip(parts, gaps, strict=True)
            ]
        return np.concatenate(parts)

    return Matches(**{name: stacked(name) for name in vars(old)})


def numbered(names: Sequence[str]) -> Ints:
    """Return numbers from 0 for names, of which equal ones follow each other: (S,)."""
    if not names:
        return np.zeros(0, np.int64)
    own = np.array(names, object)
    return np.concatenate([[0], np.cumsum(own[1:] != own[:-1])]).astype(np.int64)


def by_match(match: Ints, block: Ints, table: int, **columns: Sequence[float]) -> Matches:
    """Return matches at tables of the same size from columns with a value for each of S seats.

    `match` and `block` are (S,), and matches are numbered from 0 in order; the other columns are
    those of `Matches`.
    """
    first = np.flatnonzero(np.diff(match, prepend=-1))
    column = np.arange(len(match)) - first[match]
    width = int(column.max(initial=-1)) + 1

    def filled(name: str, values: Sequence[float]) -> NDArray[Any]:
        found = np.full((len(first), width), _PADDING.get(name, ABSENT))
        found[match, column] = values
        return found

    by_seat = {name: filled(name, values) for name, values in columns.items()}
    return Matches(block=block[first], table=np.full(len(first), table), **by_seat)
