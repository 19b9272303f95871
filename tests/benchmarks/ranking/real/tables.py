"""The tables of ladders of real bots.

A number of matches is where the mean over all ladders crosses a level. A ratio compares the matches
of our ladder with another one's, to the same levels of Kendall's tau (or of how often the top three
are right), on average over levels that both reach. Intervals hold 95 %: means have their standard
errors', all else is drawn again and again from the ladders, the same ones for both sides where both
have played the same ones.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.random import Generator, Philox

from tests.benchmarks.ranking.measures import bootstrapped
from tests.benchmarks.ranking.real.bank import Floats, Ints
from tests.benchmarks.ranking.real.experiment import CHECKS, GRID, NORMAL_95, Row
from tests.benchmarks.ranking.real.foretold import EQUAL

OURS = "ours"
LEVELS = (0.85, 0.90, 0.95)
_TOP_LEVELS = (0.5, 0.8)
_LEVELS = 9
"""The levels from low to high; all but the first and the last are compared."""

Ladders = Mapping[int, Mapping[str, Row]]
"""By number of the ladder and rater."""
Found = dict[str, dict[str, dict[int, dict[str, Row]]]]
"""By field and plan."""


def tables(plans: Mapping[str, Ladders]) -> Iterator[str]:
    """Return the tables of a field."""
    every = {(plan, rater): rows for plan, own in plans.items() for rater, rows in _rows(own)}
    ours = every.get(("mixed", OURS)) or next(iter(every.values()))
    top = every.get(("mixed, top", OURS), {})
    yield "\n".join([_ORDER, *(_order(name, rows, ours) for name, rows in every.items())])
    yield "\n".join([_TOP, *(_top(name, rows, top) for name, rows in every.items())])
    told = {name: rows for name, rows in every.items() if next(iter(rows.values())).ratings}
    yield "\n".join([_INTERVALS, *(_intervals(name, rows) for name, rows in told.items())])
    foretold = {name: rows for name, rows in every.items() if next(iter(rows.values())).loss}
    yield "\n".join([_FORETOLD, *(_foretold(name, rows, ours) for name, rows in foretold.items())])
    sure = {name: rows for name, rows in every.items() if next(iter(rows.values())).order}
    yield "\n".join([_SURE, *(_sure(name, rows) for name, rows in sure.items())])


def _rows(ladders: Ladders) -> Iterator[tuple[str, dict[int, Row]]]:
    """Yield the rows of each rater by the number of the ladder."""
    for rater in dict.fromkeys(rater for rows in ladders.values() for rater in rows):
        own = {number: rows[rater] for number, rows in ladders.items() if rater in rows}
        yield rater, own


def crossed(mean: Floats, level: float) -> float:
    """Return after how many matches the mean of all ladders, (T,), reaches a level."""
    best = np.maximum.accumulate(mean)
    at = int(np.searchsorted(best, level))
    if at == len(best):
        return float("inf")
    if at == 0:
        return float(GRID[0])
    part = (level - best[at - 1]) / (best[at] - best[at - 1])
    return float(GRID[at - 1] * (GRID[at] / GRID[at - 1]) ** part)


def ratio(own: Floats, other: Floats) -> float:
    """Return our matches over another's, from both means, (T,); nan if they share no level."""
    low, high = max(own[2], other[2]), min(own.max(), other.max())
    if low >= high:
        return float("nan")
    levels = np.linspace(low, high, _LEVELS)[1:-1]
    return float(np.exp(np.mean([np.log(crossed(own, x) / crossed(other, x)) for x in levels])))


def _column(rows: Mapping[int, Row], name: str) -> Floats:
    """Return (S, T) a column of the ladders, by their numbers."""
    return np.array([getattr(rows[number], name) for number in sorted(rows)], np.float64)


def _compared(rows: Mapping[int, Row], ours: Mapping[int, Row], name: str) -> str:
    """Return our matches over theirs; ladders that both have are compared and drawn together."""
    paired, chance = rows.keys() <= ours.keys(), Generator(Philox(key=1))
    one = _column({number: ours[number] for number in rows} if paired else ours, name)
    two = _column(rows, name)

    def drawn(chosen: Ints) -> float:
        other = chosen if paired else chance.integers(len(two), size=len(two))
        return ratio(one[chosen].mean(axis=0), two[other].mean(axis=0))

    low, high = bootstrapped(len(one), drawn)
    return f"{ratio(one.mean(axis=0), two.mean(axis=0)):.2f} ({low:.2f} to {high:.2f})"


def _reached(values: Floats, level: float) -> str:
    """Return after how many matches a level is reached, with the interval."""
    low, high = bootstrapped(
        len(values), lambda chosen: crossed(values[chosen].mean(axis=0), level)
    )
    return " to ".join(
        f"{x:,.0f}" if np.isfinite(x) else "never" for x in dict.fromkeys((low, high))
    )


def _share(values: Floats) -> str:
    """Return the mean of (S,) with its interval."""
    error = NORMAL_95 * values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.inf
    return f"{values.mean():.3f} ± {error:.3f}"


def _line(name: tuple[str, str], rows: Mapping[int, Row], cells: Sequence[str]) -> str:
    return f"| {name[0]}: {name[1]} | {len(rows)} | {' | '.join(cells)} |"


def _head(*columns: str) -> str:
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


_ORDER = _head(
    "tables: rating",
    "ladders",
    *(f"tau after {matches:,}" for matches in CHECKS),
    *(f"matches to {level}" for level in LEVELS),
    "ours / these",
)
_TOP = _head(
    "tables: rating",
    "ladders",
    *(f"top three right after {matches:,}" for matches in CHECKS),
    "nearly",
    *(f"matches to {level}" for level in _TOP_LEVELS),
    "aim top / these",
)
_INTERVALS = _head(
    "tables: rating",
    "ladders",
    *(f"{what} after {matches:,}" for matches in CHECKS for what in ("all", "best 4", "middle 8")),
    *(f"ranks after {matches:,}" for matches in CHECKS),
)
_FORETOLD = _head(
    "tables: rating",
    "ladders",
    *(
        f"{what} after {matches:,}"
        for matches in CHECKS
        for what in ("loss less that of all equal", "less ours")
    ),
)
_SURE = _head("tables: rating", "ladders", "order settled", "right", "top settled", "right")


def _order(name: tuple[str, str], rows: Mapping[int, Row], ours: Mapping[int, Row]) -> str:
    tau = _column(rows, "tau")
    cells = [_share(tau[:, GRID.index(matches)]) for matches in CHECKS]
    cells += [_reached(tau, level) for level in LEVELS]
    return _line(name, rows, [*cells, _compared(rows, ours, "tau")])


def _top(name: tuple[str, str], rows: Mapping[int, Row], ours: Mapping[int, Row]) -> str:
    top, nearly = _column(rows, "top"), _column(rows, "nearly")
    cells = [_share(top[:, GRID.index(matches)]) for matches in CHECKS]
    cells.append(_share(nearly[:, -1]))
    cells += [_reached(top, level) for level in _TOP_LEVELS]
    return _line(name, rows, [*cells, _compared(rows, ours, "top") if ours else ""])


def _intervals(name: tuple[str, str], rows: Mapping[int, Row]) -> str:
    cells = []
    for matches in CHECKS:
        held = np.array([row.ratings[matches] for row in rows.values()])
        n = held.shape[1]
        parts = (slice(n), slice(4), slice((n - 8) // 2, (n + 8) // 2))
        cells += [_share(held[:, part].mean(axis=1)) for part in parts]
    for matches in CHECKS:
        ranks = [row.ranks[matches] for row in rows.values() if matches in row.ranks]
        cells.append(_share(np.array(ranks).mean(axis=1)) if ranks else "")
    return _line(name, rows, cells)


def _foretold(name: tuple[str, str], rows: Mapping[int, Row], ours: Mapping[int, Row]) -> str:
    """Return what the loss of places is, beside those of "all are equal" and of the default."""
    cells = []
    for matches in CHECKS:
        own = {number: row.loss[matches] for number, row in rows.items() if matches in row.loss}
        both = [own[k] - ours[k].loss[matches] for k in own if k in ours]
        cells += [_loss([each - EQUAL for each in own.values()]), _loss(both)]
    return _line(name, rows, cells)


def _loss(values: Sequence[float]) -> str:
    """Return the mean of (S,) with its interval, in ten thousandths."""
    own = 1e4 * np.array(values)
    error = NORMAL_95 * own.std(ddof=1) / len(own) ** 0.5 if len(own) > 1 else np.inf
    return f"{own.mean():+.0f} ± {error:.0f}" if len(own) else ""


def _sure(name: tuple[str, str], rows: Mapping[int, Row]) -> str:
    """Return how many ladders would have stopped, after how many matches, and how many rightly."""
    cells = []
    for what in ("order", "best"):
        called = [getattr(row, what) for row in rows.values()]
        ends = [[t for t, right in enumerate(one) if right is not None] for one in called]
        first = [(GRID[end[0]], one[end[0]]) for one, end in zip(called, ends, strict=True) if end]
        after = f" after {np.median([matches for matches, _ in first]):,.0f}" if first else ""
        cells += [f"{len(first)}{after}", f"{sum(right for _, right in first):.0f}"]
    return _line(name, rows, cells)
