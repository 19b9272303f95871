"""Versions that were never compared with another one: they take no part in a fit.

So who enters a ladder changes nothing of what is known of the others, to the last bit. Of such a
version that is believed which is believed of any other: that it is an average one, or, if it
replaced another, about as strong as that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ladder.rating.arrays import Floats, Ints
from ladder.rating.comparisons import Comparisons
from ladder.rating.fit import LOGIT, Fit
from ladder.rating.results import ABSENT
from ladder.rating.trueskill.all_matches import DRIFT


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The K of N versions that were compared, in terms of which they are fitted."""

    known: Ints
    """(K,) which versions these are."""
    number: Ints
    """(N + 1,) their numbers among them, `ABSENT` for all others and in the end."""

    def data(self, of: Comparisons) -> Comparisons:
        """Return the comparisons, which are all of these versions, and the matches of these."""
        cells = replace(of.cells, i=self.number[of.cells.i], j=self.number[of.cells.j])
        matches = replace(of.matches, versions=self.number[of.matches.versions])
        return replace(
            of,
            entrants=len(self.known),
            cells=cells,
            matches=matches,
            blocks=of.blocks[self.known],
        )

    def lineage(self, predecessors: Mapping[int, int]) -> dict[int, int]:
        """Return which of these versions each of them replaced, others in between left out."""
        found = {}
        for version in self.known.tolist():
            old = _nearest(version, predecessors, self.number)
            if old is not None:
                found[int(self.number[version])] = int(self.number[old])
        return found

    def whole(self, fit: Fit, predecessors: Mapping[int, int]) -> Fit:
        """Return the fit of these versions with what is believed of the others."""
        n = len(self.number) - 1
        if len(self.known) == n:
            return fit
        square = np.ix_(self.known, self.known)
        covariance, information = np.zeros((n, n)), np.zeros((n, n))
        covariance[square], information[square] = fit.V, fit.information
        blocks = np.zeros(n, np.int64)
        blocks[self.known] = fit.blocks
        for new in np.flatnonzero(blocks == 0).tolist():
            old = _nearest(new, predecessors, self.number)
            inherited = fit.sd**2 if old is None else covariance[old, old] + (LOGIT * DRIFT) ** 2
            covariance[new, new] = inherited
        joint = fit.joint and replace(
            fit.joint,
            places=self.whole(fit.joint.places, predecessors),
            points=self._spread(fit.joint.points, predecessors),
        )
        return replace(
            fit,
            theta=self._spread(fit.theta, predecessors),
            V=covariance,
            information=information,
            blocks=blocks,
            joint=joint,
        )

    def _spread(self, values: Floats, predecessors: Mapping[int, int]) -> Floats:
        """Return (N,) values of all: nought for a newcomer, or that of whom it replaced."""
        found = np.append(values, 0.0)[self.number[:-1]]  # the last one is everybody's who is new
        for new in np.flatnonzero(self.number[:-1] == ABSENT).tolist():
            old = _nearest(new, predecessors, self.number)
            if old is not None:
                found[new] = found[old]
        return found


def compared(data: Comparisons) -> Part:
    """Return the versions that were compared; all if none were."""
    n = data.entrants
    known = np.flatnonzero(data.blocks) if data.blocks.any() else np.arange(n)
    number = np.full(n + 1, ABSENT)
    number[known] = np.arange(len(known))
    return Part(known, number)


def _nearest(version: int, predecessors: Mapping[int, int], number: Ints) -> int | None:
    """Return the last one that a version replaced and that was compared; None if none was."""
    old = predecessors.get(version)
    while old is not None and number[old] == ABSENT:
        old = predecessors.get(old)
    return old
