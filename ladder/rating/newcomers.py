"""Versions without any comparison: the fit leaves them out.

So a newcomer does not change the ratings of others, to the last bit. It gets the prior: average
strength, or, if it replaced another version, about the strength of that one.
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
    """The K of N versions that have comparisons, numbered for the fit."""

    known: Ints
    """(K,) the versions."""
    number: Ints
    """(N + 1,) the number of each version in the fit; `ABSENT` for the others and for the last
    entry."""

    def data(self, of: Comparisons) -> Comparisons:
        """Return the comparisons and matches, renumbered."""
        cells = replace(of.cells, i=self.number[of.cells.i], j=self.number[of.cells.j])
        matches = replace(of.matches, versions=self.number[of.matches.versions])
        return replace(
            of,
            entrants=len(self.known),
            cells=cells,
            matches=matches,
            blocks=of.blocks[self.known],
            past=of.past.of(self.known),
        )

    def lineage(self, predecessors: Mapping[int, int]) -> dict[int, int]:
        """Return each version's nearest predecessor in the fit, both as numbers of the fit."""
        found = {}
        for version in self.known.tolist():
            old = _nearest(version, predecessors, self.number)
            if old is not None:
                found[int(self.number[version])] = int(self.number[old])
        return found

    def whole(self, fit: Fit, predecessors: Mapping[int, int]) -> Fit:
        """Return the fit extended to all N versions, with the prior for the others."""
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
        """Return (N,) values of all versions: a newcomer gets its predecessor's value, or zero."""
        found = np.append(values, 0.0)[self.number[:-1]]  # the last entry is for newcomers
        for new in np.flatnonzero(self.number[:-1] == ABSENT).tolist():
            old = _nearest(new, predecessors, self.number)
            if old is not None:
                found[new] = found[old]
        return found


def compared(data: Comparisons) -> Part:
    """Return the versions that have comparisons; all if none have."""
    n = data.entrants
    known = np.flatnonzero(data.blocks) if data.blocks.any() else np.arange(n)
    number = np.full(n + 1, ABSENT)
    number[known] = np.arange(len(known))
    return Part(known, number)


def _nearest(version: int, predecessors: Mapping[int, int], number: Ints) -> int | None:
    """Return a version's nearest predecessor that has comparisons; None if there is none."""
    old = predecessors.get(version)
    while old is not None and number[old] == ABSENT:
        old = predecessors.get(old)
    return old
