"""Strengths by places and by points, as docs/rating-formulas.md has them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from normal import (
    Matrix,
    Vector,
    above,
    below,
    dot,
    inverse,
    logistic,
    times,
    within,
    zeros,
)

LOGIT = 1.702 / math.sqrt(2)
USUAL_SPREAD, WEIGHT_OF_SPREAD, NARROWEST, WIDEST = 0.4, 1.5, 0.02, 2.0
USUAL_TIES, WEIGHT_OF_TIES, FIRST_MARGIN, LEAST_MARGIN = 0.05, 20.0, 0.1, 1e-4
SWEEPS, CLOSE, FAINT, NEW = 60, 0.005, 1e-9, 0.7
SAMPLED = 5000
WEIGHT_OF_NOISE = 5.0
"""In blocks, and in margins."""


@dataclass(frozen=True, slots=True)
class Seat:
    """How a version came out of a match."""

    version: int
    rank: int
    points: float
    forfeit: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A match that counts; its seats without the stand-in's."""

    block: int
    seats: Sequence[Seat]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two seats of a match."""

    i: int
    j: int
    weight: float
    score: float
    margin: float
    """Infinite if one forfeited."""
    block: int
    own: tuple[int, int]
    """Match and seat of i."""
    other: tuple[int, int]


@dataclass(slots=True)
class Kept:
    """What condensed matches left, by version, by pair, and in all."""

    blocks: list[int]
    information: Matrix
    pull: Vector
    weights: Matrix
    pairs: Matrix
    margins: Vector
    sums: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def nothing(n: int) -> Kept:
    """What no match left."""
    return Kept([0] * n, zeros(n), [0.0] * n, zeros(n), zeros(n), [0.0] * n)


def comparisons(tables: Sequence[Table]) -> list[Comparison]:
    """All comparisons."""
    return [one for number, table in enumerate(tables) for one in _compared(number, table)]


def _compared(number: int, table: Table) -> Iterator[Comparison]:
    for (a, one), (b, other) in combinations(enumerate(table.seats), 2):
        if one.version == other.version or (one.forfeit and other.forfeit):
            continue
        ahead = (one.forfeit, one.rank) < (other.forfeit, other.rank)
        level = (one.forfeit, one.rank) == (other.forfeit, other.rank)
        score = 0.5 if level else float(ahead)
        margin = one.points - other.points
        if one.forfeit or other.forfeit:
            margin = math.inf if ahead else -math.inf
        weight, ends = 2 / len(table.seats), ((number, a), (number, b))
        yield Comparison(one.version, other.version, weight, score, margin, table.block, *ends)


class Scores:
    """The residuals of comparisons, added up."""

    def __init__(self, pairs: Sequence[Comparison], residuals: Sequence[float]) -> None:
        self.by_seat: dict[tuple[int, int], float] = defaultdict(float)
        self.by_block: dict[tuple[int, int], float] = defaultdict(float)
        for pair, residual in zip(pairs, residuals, strict=True):
            more = pair.weight * residual
            self.by_seat[pair.own] += more
            self.by_seat[pair.other] -= more
            self.by_block[pair.block, pair.i] += more
            self.by_block[pair.block, pair.j] -= more
        self.apart = sum(x * x for x in self.by_seat.values())
        self.together = sum(x * x for x in self.by_block.values())

    def gain(self, blocks: float, apart: float, together: float) -> float:
        """The gain of matches that share a deal; `apart` and `together` are the condensed ones'."""
        apart, together = self.apart + apart, self.together + together
        assumed = WEIGHT_OF_NOISE * apart / max(blocks, 1)
        return (apart + assumed) / (together + assumed) if apart > 0 else 1.0


def block_count(pairs: Sequence[Comparison], kept: Kept) -> float:
    """The number of blocks with a comparison."""
    return len({pair.block for pair in pairs}) + kept.sums["blocks"]


@dataclass(slots=True)
class Link:
    """A factor between two seats of a match."""

    a: int
    b: int
    tied: bool
    pi: float = FAINT
    tau: float = 0.0


def _links(table: Table) -> list[Link]:
    """The links between seats on the same place or the next one."""
    ranks = sorted({seat.rank for seat in table.seats if not seat.forfeit})
    place = [len(ranks) if s.forfeit else ranks.index(s.rank) for s in table.seats]
    found = []
    for a, b in combinations(range(len(place)), 2):
        one, other = table.seats[a], table.seats[b]
        if one.version == other.version or (one.forfeit and other.forfeit):
            continue
        if abs(place[a] - place[b]) <= 1:
            first, second = (b, a) if place[a] > place[b] else (a, b)
            found.append(Link(first, second, place[a] == place[b]))
    return found


@dataclass(slots=True)
class Places:
    """Strengths by places."""

    mean: Vector
    covariance: Matrix
    sd: float
    information: Matrix
    pull: Vector
    gain: float

    def given(self, sd: float) -> "Places":
        """The same with another prior."""
        return self._by([sd**2] * len(self.mean), sd)

    def _by(self, variances: Sequence[float], sd: float) -> "Places":
        precision = [[self.gain * x for x in row] for row in self.information]
        for i, variance in enumerate(variances):
            precision[i][i] += 1 / variance
        covariance = inverse(precision)
        mean = times(covariance, [self.gain * x for x in self.pull])
        return Places(mean, covariance, sd, self.information, self.pull, self.gain)


def by_places(
    tables: Sequence[Table], pairs: Sequence[Comparison], kept: Kept, first: Sequence[int]
) -> Places:
    """Strengths by places; `first` are the versions that replaced none."""
    found = _swept(tables, kept, first, 1.0)
    score = Scores(pairs, [p.score - logistic(LOGIT * _gap(found.mean, p)) for p in pairs])
    blocks, sums = block_count(pairs, kept), kept.sums
    gain = score.gain(blocks, sums["places apart"], sums["places"])
    return found if abs(gain - 1) < 1e-12 else _swept(tables, kept, first, gain)


def _gap(mean: Sequence[float], pair: Comparison) -> float:
    return mean[pair.i] - mean[pair.j]


def _swept(tables: Sequence[Table], kept: Kept, first: Sequence[int], gain: float) -> Places:
    n, sd, margin = len(kept.blocks), USUAL_SPREAD, FIRST_MARGIN
    links, ties = [_links(table) for table in tables], Ties(tables, kept)
    found = Places([0.0] * n, zeros(n), sd, zeros(n), [0.0] * n, gain)
    for sweep in range(SWEEPS):
        before = found.mean
        noise, found = _posterior(tables, links, kept, sd, gain)
        for table, own, of_match in zip(tables, links, noise, strict=True):
            _pass_messages(table, own, of_match, found, margin)
        sd = _spread(found, first, sd)
        margin = ties.margin(found.mean, margin)
        moved = [abs(a - b) for a, b in zip(found.mean, before, strict=True)]
        deviation = [math.sqrt(found.covariance[i][i]) for i in range(n)]
        if sweep and all(m < CLOSE * d for m, d in zip(moved, deviation, strict=True)):
            break
    found.sd = sd
    return found


def _posterior(
    tables: Sequence[Table], links: Sequence[Sequence[Link]], kept: Kept, sd: float, gain: float
) -> tuple[list[tuple[Matrix, Vector]], Places]:
    """The covariance and shift of each match's performances, and the strengths."""
    information, pull = [row[:] for row in kept.information], kept.pull[:]
    noise = []
    for table, own in zip(tables, links, strict=True):
        size = range(len(table.seats))
        precision = [[float(i == j) for j in size] for i in size]
        leaning = [0.0 for _ in size]
        for link in own:
            a, b, pi = link.a, link.b, link.pi
            precision[a][a] += pi
            precision[b][b] += pi
            precision[a][b] -= pi
            precision[b][a] -= pi
            leaning[a] += link.tau
            leaning[b] -= link.tau
        covariance = inverse(precision)
        shift = times(covariance, leaning)
        for i, one in enumerate(table.seats):
            pull[one.version] += shift[i]
            for j, other in enumerate(table.seats):
                information[one.version][other.version] += (i == j) - covariance[i][j]
        noise.append((covariance, shift))
    empty = Places(pull, information, sd, information, pull, gain)
    return noise, empty.given(sd)


def _pass_messages(
    table: Table,
    links: Sequence[Link],
    noise: tuple[Matrix, Vector],
    found: Places,
    margin: float,
) -> None:
    covariance, shift = noise
    versions = [seat.version for seat in table.seats]
    means = [found.mean[v] for v in versions]
    strengths = [[found.covariance[v][u] for u in versions] for v in versions]
    for link in links:
        a, b = link.a, link.b
        along = [x - y for x, y in zip(covariance[a], covariance[b], strict=True)]
        variance = along[a] - along[b] + dot(along, times(strengths, along))
        pi = 1 / variance - link.pi
        tau = (dot(along, means) + shift[a] - shift[b]) / variance - link.tau
        root = math.sqrt(pi)
        x, e = tau / root, margin * root
        rise, left = within(x, e) if link.tied else above(x - e)
        link.pi += NEW * (pi * (1 - left) / left - link.pi)
        link.tau += NEW * ((tau + root * rise) / left - tau - link.tau)


def _spread(found: Places, first: Sequence[int], sd: float) -> float:
    determined = sum(1 - found.covariance[i][i] / sd**2 for i in first)
    usual = 2 / (1 / sd**2 + 1 / USUAL_SPREAD**2)
    squares = sum(found.mean[i] ** 2 for i in first) + WEIGHT_OF_SPREAD * usual
    spread = math.sqrt(squares / (max(determined, 0.0) + WEIGHT_OF_SPREAD))
    return min(max(spread, NARROWEST), WIDEST)


class Ties:
    """The share of ties, and the margin that foretells it."""

    def __init__(self, tables: Sequence[Table], kept: Kept) -> None:
        every = len(tables) // SAMPLED
        if every > 1:
            tables = sorted(tables, key=lambda t: (t.block, [s.version for s in t.seats[::-1]]))
        counts: dict[tuple[int, int], float] = defaultdict(float)
        ties = count = 0.0
        for number, table in enumerate(tables):
            for one, other in combinations([s for s in table.seats if not s.forfeit], 2):
                count += 1
                ties += one.rank == other.rank
                if number % max(every, 1) == 0:
                    counts[one.version, other.version] += 1
        scale = count / max(sum(counts.values()), 1)
        self.counts = {pair: scale * number for pair, number in counts.items()}
        for i, row in enumerate(kept.pairs):
            for j, more in enumerate(row):
                self.counts[i, j] = self.counts.get((i, j), 0.0) + more
        ties, count = ties + kept.sums["ties"], count + kept.sums["pairs"]
        self.share = (ties + WEIGHT_OF_TIES * USUAL_TIES) / (count + WEIGHT_OF_TIES)

    def margin(self, mean: Sequence[float], margin: float) -> float:
        """A better margin than this one."""
        gaps = [(WEIGHT_OF_TIES, 0.0)]
        gaps += [(count, mean[i] - mean[j]) for (i, j), count in self.counts.items()]
        total = share = slope = 0.0
        for count, gap in gaps:
            high, low = (margin - gap) / math.sqrt(2), (-margin - gap) / math.sqrt(2)
            total += count
            share += count * (below(high) - below(low))
            slope += count * (math.exp(-(high**2) / 2) + math.exp(-(low**2) / 2))
        step = (self.share - share / total) / (slope / total) * math.sqrt(4 * math.pi)
        return min(max(margin + step, margin / 2, LEAST_MARGIN), 2 * margin)


@dataclass(frozen=True, slots=True)
class Points:
    """Strengths by points."""

    mean: Vector
    covariance: Matrix
    margins: Sequence[float]
    """Of the comparisons; those with a forfeit as they were taken."""
    residuals: Sequence[float]


def by_points(pairs: Sequence[Comparison], kept: Kept, sd: float) -> Points | None:
    """Strengths by points; None if there is nothing to tell by them."""
    n, sums = len(kept.blocks), kept.sums
    finite = [pair.margin for pair in pairs if math.isfinite(pair.margin)]
    squares = sum(x * x for x in finite) + sums["finite squares"]
    if not squares:
        return None
    typical = math.sqrt(squares / (len(finite) + sums["finite"]))
    margins = [
        pair.margin if math.isfinite(pair.margin) else math.copysign(typical, pair.margin)
        for pair in pairs
    ]
    older = laplacian([[x / 2 for x in row] for row in kept.weights])
    known, pull = [row[:] for row in older], kept.margins[:]
    for pair, margin in zip(pairs, margins, strict=True):
        add_along(known, pair.i, pair.j, pair.weight / 2)
        pull[pair.i] += pair.weight / 2 * margin
        pull[pair.j] -= pair.weight / 2 * margin
    spread = inverse([[x + (i == j) / sd**2 for j, x in enumerate(r)] for i, r in enumerate(known)])
    mean = times(spread, pull)
    residuals = [m - _gap(mean, pair) for m, pair in zip(margins, pairs, strict=True)]
    score = Scores(pairs, residuals)
    gain = score.gain(block_count(pairs, kept), sums["points apart"], sums["points"])
    unexplained = sums["weighted margins"] - (
        2 * dot(mean, kept.margins) - dot(mean, times(older, mean))
    )
    left = sum(p.weight / 2 * r * r for p, r in zip(pairs, residuals, strict=True))
    usual = sum(m * m for m in margins) + sums["margins"]
    usual *= WEIGHT_OF_NOISE / 2 / (len(pairs) + sums["comparisons"])
    fitted = n - sum(spread[i][i] for i in range(n)) / sd**2
    weights = sum(pair.weight for pair in pairs) + sum(map(sum, kept.weights)) / 2
    noise = (left + max(unexplained, 0.0) + usual) / (max(weights - fitted, 0.0) + WEIGHT_OF_NOISE)
    return Points(mean, [[noise / gain * x for x in row] for row in spread], margins, residuals)


def laplacian(weights: Matrix) -> Matrix:
    """The sum of weight d dᵀ over all pairs of versions, whose weights these are."""
    found = zeros(len(weights))
    for i, row in enumerate(weights):
        for j in range(i):
            add_along(found, i, j, row[j])
    return found


def add_along(matrix: Matrix, i: int, j: int, x: float) -> None:
    """Add x d dᵀ, where d is 1 at i and -1 at j."""
    matrix[i][i] += x
    matrix[j][j] += x
    matrix[i][j] -= x
    matrix[j][i] -= x


def condensed(
    tables: Sequence[Table],
    pairs: Sequence[Comparison],
    kept: Kept,
    places: Places,
    points: Points | None,
) -> Kept:
    """What is kept of these matches and of those that were condensed before."""
    new = Kept(
        kept.blocks,
        places.information,
        places.pull,
        [row[:] for row in kept.weights],
        [row[:] for row in kept.pairs],
        kept.margins[:],
        defaultdict(float, kept.sums),
    )
    sums = new.sums
    for pair in pairs:
        for i, j in ((pair.i, pair.j), (pair.j, pair.i)):
            new.weights[i][j] += pair.weight
            if math.isfinite(pair.margin):
                new.pairs[i][j] += 0.5
        sums["comparisons"] += 1
        if math.isfinite(pair.margin):
            sums["pairs"] += 1
            sums["ties"] += pair.score == 0.5
    sums["blocks"] += len({pair.block for pair in pairs})
    score = Scores(pairs, [p.score - logistic(LOGIT * _gap(places.mean, p)) for p in pairs])
    sums["places apart"] += score.apart
    sums["places"] += score.together
    if points is not None:
        for pair, margin in zip(pairs, points.margins, strict=True):
            sums["margins"] += margin**2
            sums["weighted margins"] += pair.weight / 2 * margin**2
            new.margins[pair.i] += pair.weight / 2 * margin
            new.margins[pair.j] -= pair.weight / 2 * margin
            if math.isfinite(pair.margin):
                sums["finite"] += 1
                sums["finite squares"] += margin**2
        score = Scores(pairs, points.residuals)
        sums["points apart"] += score.apart
        sums["points"] += score.together
        sums["both"] += products(pairs, places.mean, points)[0]
    return new


def products(
    pairs: Sequence[Comparison], mean: Sequence[float], points: Points
) -> tuple[float, float, float]:
    """The products of scores by places and by points in blocks, and the squares of both."""
    one = Scores(pairs, [p.score - below(_gap(mean, p) / math.sqrt(2)) for p in pairs])
    other = Scores(pairs, points.residuals)
    both = sum(x * other.by_block[key] for key, x in one.by_block.items())
    return both, one.together, other.together
