"""The older results of a long log, condensed to sums whose size does not grow with the log.

Theory of operation. A fit reads the log in two ways. Most of what it needs are sums over matches:
counts, weights and margins by pair. They are kept as they are. The others depend on the strengths:
the messages of `trueskill.all_matches`, and the squares of residuals. They are kept as the last fit
of those results left them. A message is a normal factor that stands for one comparison; it changes
only as far as the strengths move against the scale of a performance. Once every version has played
a few hundred matches they move by a twentieth of that, and keeping the messages moves a strength by
a few hundredths of its error.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ladder.rating.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over comparisons, versions in their matches, and versions in their blocks."""

    matches: int = 0
    blocks: int = 0
    """Blocks with comparisons."""
    pairs: float = 0.0
    """Pairs of versions that both finished a match."""
    ties: float = 0.0
    """Of these, pairs on the same place."""
    comparisons: float = 0.0
    margins: float = 0.0
    """Squared margins; those of forfeits as they were taken to be."""
    weighted_margins: float = 0.0
    """The same, weighted."""
    finite: float = 0.0
    """Comparisons between versions that both finished."""
    finite_margins: float = 0.0
    """Squared margins of these."""
    unknown: float = 0.0
    """Comparisons whose margin is unknown."""
    places_apart: float = 0.0
    """Squared scores by places in matches."""
    places: float = 0.0
    """Squared scores by places in blocks."""
    points_apart: float = 0.0
    points: float = 0.0
    both: float = 0.0
    """Products of scores by places and by points in blocks."""

    def __add__(self, other: Self) -> "Sums":
        """Return the sums over both."""
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Sums)))


@dataclass(frozen=True, eq=False)
class Condensed:
    """The information of results about N versions."""

    precision: Floats
    """(N, N) the information of the messages on the strengths."""
    pull: Floats
    """(N,) the messages' precision times their means."""
    met: Floats
    """(N, N) the pairs that both finished a match, i < j."""
    weight: Floats
    """(N, N) the sum of the weights of the comparisons of i and j, i < j."""
    margins: Floats
    """(N,) the sum of weighted margins: those of i, and negated those of j."""
    blocks: Ints
    """(N,) the blocks in which each version has comparisons."""
    sums: Sums

    def of(self, versions: Ints) -> "Condensed":
        """Return the same of some versions, which must include all that have comparisons."""
        arrays = {name: own[_at(versions, own)] for name, own in self._arrays()}
        return Condensed(sums=self.sums, **arrays)

    def among(self, entrants: int, versions: Ints) -> "Condensed":
        """Return the same with these as the numbers of the versions, of `versions` in all."""
        more = nothing(entrants)
        for name, own in self._arrays():
            getattr(more, name)[_at(versions, own)] = own
        return replace(more, sums=self.sums)

    def _arrays(self) -> list[tuple[str, NDArray[Any]]]:
        return [(name, own) for name, own in vars(self).items() if name != "sums"]


def _at(versions: Ints, of: NDArray[Any]) -> tuple[Ints, ...]:
    """Return the place of versions in an array by version, or by pairs of them."""
    return np.ix_(*[versions] * of.ndim)


def nothing(entrants: int) -> Condensed:
    """Return the information without results about this number of versions."""
    n = entrants
    squares = {name: np.zeros((n, n)) for name in ("precision", "met", "weight")}
    blocks = np.zeros(n, np.int64)
    return Condensed(pull=np.zeros(n), margins=np.zeros(n), blocks=blocks, sums=Sums(), **squares)
