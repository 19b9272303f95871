"""Families of versions: those of one author, most of which play alike.

Theory of operation. Of twenty versions that differ in a comment the luckiest looks strong. So a
version is taken to be as strong as the one that it replaced with the probability 1 - p; otherwise
they differ by a normal deviation with the variance D^2, the square of `DRIFT`. All versions of a
family share the information of their matches, as far as they are alike, in both directions.

*Links.* Each version is linked to its predecessor. Let the rest of the results say that they differ
by g with the error variance e. They do differ with the probability

    P = p N(g; 0, e + D^2) / (p N(g; 0, e + D^2) + (1 - p) N(g; 0, e))

and then by h = g D^2 / (e + D^2). A normal prior of the difference with the variance q = e c / (1 -
c), c = P D^2 / (e + D^2), leads to the same mean, P h. So q is estimated for each link, and the
prior of all is one normal distribution. What it lacks, the variance P (1 - P) h^2 between both
cases, is added in the end.

*Siblings.* The first version of an author's next bot is linked to the author's version before it,
but has the prior of any newcomer besides: if they differ, the link says nothing. They are then a
field's spread apart, so D^2 is twice its variance.

*Tries.* Of k versions about one is expected to differ from the others, however many there are: the
best of k is shrunk by k. A family whose versions do differ raises p, which is (`_CHANGES` + the sum
of its P) / (2 k).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit

from ladder.rating.arrays import Bools, Floats, Ints, inverse, summed

DRIFT = 0.25
"""The standard deviation of the difference between a version and its predecessor, if they differ,
in deviations of a performance."""
_CHANGES = 0.75
"""With 1 the best of twenty equal versions was 0.28 of its errors too high, not 0.25 or less."""
_STEPS = 60
_CLOSE = 0.01
"""The iteration ends when no q changes by more than this part."""
_LEAST = 1e-5
"""The least q, so that matrices can be inverted."""
_LEAST_INFORMATION = 1e-6
_SURELY = 1 - 1e-6
"""The greatest c."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Which versions may play alike: each is linked to at most one with a smaller number."""

    predecessors: Mapping[int, int] = field(default_factory=dict)
    """The version that a version replaced."""
    siblings: Mapping[int, int] = field(default_factory=dict)
    """The author's version before the first one of another bot."""

    @property
    def links(self) -> dict[int, int]:
        """Both together."""
        return {**self.predecessors, **self.siblings}

    def first(self, entrants: int) -> Bools:
        """Return which of N versions replaced none, (N,)."""
        found = np.ones(entrants, np.bool_)
        found[list(self.predecessors)] = False
        return found


UNRELATED = Lineage()


def shared(
    mean: Floats, covariance: Floats, sd: float, prior: float, lineage: Lineage
) -> tuple[Floats, Floats]:
    """Return the strengths of N versions, (N,) and (N, N), with families sharing their results.

    Without families they stay the same. Given are strengths by the results of each version alone,
    in deviations of a performance, the spread of strengths, and the prior variance behind them.
    """
    links = lineage.links
    if not links:
        return mean, covariance
    members = np.union1d([*links], [*links.values()])
    own, old = (np.searchsorted(members, [*part]) for part in (links, links.values()))
    first = lineage.first(len(mean))[members]
    before = covariance[np.ix_(members, members)]
    information = inverse(before)
    pull = information @ mean[members]
    spread = covariance[:, members] @ information
    alone = information - np.diag(np.where(first, 0.0, 1 / prior))
    found, errors = _joined(alone, pull, own, old, np.where(first[own], 2 * sd**2, DRIFT**2), first)
    return (
        mean + spread @ (found - mean[members]),
        covariance + spread @ (errors - before) @ spread.T,
    )


def _joined(
    information: Floats, pull: Floats, own: Ints, old: Ints, apart: Floats, first: Bools
) -> tuple[Floats, Floats]:
    """Return the means and the covariance of members of families, (K,) and (K, K).

    `information` and `pull` are those without the links from `own` to `old`, (L,); `apart`
    is D^2 of each.
    """
    n = len(pull)
    family = _family(n, own, old)
    size = 1 + np.bincount(family, minlength=n)[family]
    p = _CHANGES / (size + 1)
    q = apart * p
    for _ in range(_STEPS):
        linked = information.copy()
        for one, other, sign in ((own, own, 1), (old, old, 1), (own, old, -1), (old, own, -1)):
            np.add.at(linked, (one, other), sign / q)
        covariance = inverse(linked)
        mean = covariance @ pull
        crossed = covariance[own, old]
        variance = (covariance[own, own] - crossed) - (crossed - covariance[old, old])
        e = 1 / np.maximum(1 / variance - 1 / q, _LEAST_INFORMATION)
        g = e * (mean[own] - mean[old]) / variance
        kept = apart / (e + apart)
        differ = expit(logit(p) + (np.log1p(-kept) + g**2 / e * kept) / 2)
        p = (_CHANGES + summed(family, differ, n)[family]) / (2 * size)
        kept[first[own]] = 1.0
        c = np.minimum(differ * kept, _SURELY)
        better = np.sqrt(q * np.maximum(e * c / (1 - c), _LEAST))  # by half, to converge
        change = np.max(np.abs(better / q - 1))
        q = better
        if change < _CLOSE:
            break
    along = covariance[:, own] - covariance[:, old]
    doubt = differ * (1 - differ) * (g * kept / variance) ** 2
    return mean, covariance + (along * doubt) @ along.T


def _family(members: int, own: Ints, old: Ints) -> Ints:
    """Return the first version of each link's family."""
    first = np.arange(members)
    for link in np.argsort(own).tolist():
        first[own[link]] = first[old[link]]
    return first[own]
