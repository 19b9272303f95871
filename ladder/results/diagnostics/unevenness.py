"""Versions that play better on one seat than on others, or that become stronger or weaker.

A rating is one number: it holds on every seat, after what seats are worth to all, and from the
first match to the last, as the files of a version stay the same.

*Null.* Strengths and seats explain all results. A version's surplus in a match is the share of its
opponents that it came before, less the share expected.

*Test.* Student's t of the mean surplus on a seat against that on all other seats of tables of this
size, and of the second half of a version's matches against the first. If such differences are
larger than luck makes them in the whole field (the robust standard deviation of all t exceeds one),
all errors grow as much: styles that suit each other do that. All tests share one rate `ALARM`
(Bonferroni). Of a version only the surest seat is named.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from ladder.rating.arrays import Bools, Floats, Ints
from ladder.rating.fit import Fit
from ladder.rating.results import ABSENT, Log
from ladder.results.diagnostics.residuals import Residuals, usual_deviation

ALARM = 0.01
"""The probability that an even field has any version that is named."""
_FEWEST = 20
"""Matches; with fewer on either side there is no test."""


@dataclass(frozen=True, slots=True)
class Uneven:
    """A version whose results one strength does not explain."""

    version: int
    seat: int | None
    """The seat, from 0, on which it plays otherwise; None if it has changed with time."""
    table: int
    """The size of the tables that have this seat; 0 for a change with time."""
    shift: float
    """How much larger the share of opponents that it comes before is there, or later."""
    p_value: float
    """The probability that luck alone shows as much, times the number of tests."""


@dataclass(frozen=True, slots=True, eq=False)
class _Surpluses:
    """A row for each seat that a version took, in the order of the matches."""

    version: Ints
    seat: Ints
    table: Ints
    surplus: Floats


def uneven(log: Log, fit: Fit, of: Residuals) -> list[Uneven]:
    """Return the versions that one strength does not explain, the surest first."""
    rows = _surpluses(log, fit.theta, of)
    tests: list[tuple[int, int | None, int, float, float, int]] = []
    for version in np.unique(rows.version).tolist():
        own = rows.version == version
        surplus, table, seat = rows.surplus[own], rows.table[own], rows.seat[own]
        for size in np.unique(table).tolist():
            at = table == size
            for one in np.unique(seat[at]).tolist():
                found = _difference(surplus[at], seat[at] == one)
                tests += [(version, one, size, *found)] if found else []
        later = np.arange(len(surplus)) >= len(surplus) // 2
        found = _difference(surplus, later)
        tests += [(version, None, 0, *found)] if found else []
    if not tests:
        return []
    usual = usual_deviation(np.array([t for *_, t, _ in tests]))
    sure: dict[tuple[int, bool], Uneven] = {}
    for version, place, size, shift, t, freedom in tests:
        p_value = min(1.0, 2 * len(tests) * float(special.stdtr(freedom, -abs(t) / usual)))
        key, one = (version, place is None), Uneven(version, place, size, shift, p_value)
        if p_value < ALARM and (key not in sure or p_value < sure[key].p_value):
            sure[key] = one
    return sorted(sure.values(), key=lambda one: (one.p_value, one.version))


def _difference(values: Floats, there: Bools) -> tuple[float, float, int] | None:
    """Return the mean there less that elsewhere, its t, and the degrees of freedom at least."""
    a, b = values[there], values[~there]
    least = min(len(a), len(b))
    if least < _FEWEST:
        return None
    shift = float(a.mean() - b.mean())
    error = float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    return (shift, shift / error, least - 1) if error > 0 else None


def _surpluses(log: Log, theta: Floats, of: Residuals) -> _Surpluses:
    matches = log.matches()
    present = matches.versions != ABSENT
    strength = np.where(present, theta[matches.versions], 0.0)
    for size, worth in of.seats.items():
        rows = matches.table == size
        seats = np.where(present[rows], matches.seats[rows], 0)
        strength[rows] += np.where(present[rows], worth[seats], 0.0)
    behind = matches.ranks + matches.crashed * (matches.ranks.max(initial=0) + 1)
    total, opponents = np.zeros(strength.shape), np.zeros(strength.shape)
    for a in range(strength.shape[1]):
        for b in range(a):
            met = present[:, a] & present[:, b] & (matches.versions[:, a] != matches.versions[:, b])
            met &= ~(matches.crashed[:, a] & matches.crashed[:, b])
            score = (np.sign(behind[:, b] - behind[:, a]) + 1) / 2
            beyond = met * (score - special.expit(strength[:, a] - strength[:, b]))
            total[:, a] += beyond
            total[:, b] -= beyond
            opponents[:, a] += met
            opponents[:, b] += met
    row, column = np.nonzero(opponents)
    return _Surpluses(
        matches.versions[row, column],
        matches.seats[row, column],
        matches.table[row],
        total[row, column] / opponents[row, column],
    )
