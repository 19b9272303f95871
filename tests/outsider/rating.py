"""The rating of all versions, as docs/rating-formulas.md has it."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from normal import (
    Matrix,
    Vector,
    dot,
    inverse,
    logistic,
    of,
    product,
    times,
    variance_between,
    zeros,
)
from strengths import (
    LOGIT,
    USUAL_SPREAD,
    WEIGHT_OF_SPREAD,
    Kept,
    Places,
    Points,
    Seat,
    Table,
    add_along,
    by_places,
    by_points,
    comparisons,
    condensed,
    nothing,
    products,
)

FEWEST = 6
"""Versions with fewer blocks are provisional."""
FEWEST_KNOWN, SHARPEST = 3, 0.5
LEAST_CURVATURE = 0.25
MIXTURE = (-math.sqrt(3), 1 / 6), (0.0, 2 / 3), (math.sqrt(3), 1 / 6)
STRETCH = 0.08
DRIFT, CHANGES, STEPS, CLOSE = 0.25, 0.75, 60, 0.01
LEAST, LEAST_INFORMATION, SURELY = 1e-5, 1e-6, 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Lineage:
    """The older version to which a version is linked."""

    predecessors: Mapping[int, int] = field(default_factory=dict)
    """The version of its bot before it."""
    siblings: Mapping[int, int] = field(default_factory=dict)
    """The last version of its author before its bot."""

    def among(self, known: Sequence[int]) -> "Lineage":
        """The links between some versions, as places in `known`."""
        place = {version: n for n, version in enumerate(known)}
        found: tuple[dict[int, int], dict[int, int]] = {}, {}
        for version in known:
            old = nearest(version, self.predecessors, place)
            kind = found[old is None]
            if old is None:
                old = nearest(version, {**self.predecessors, **self.siblings}, place)
            if old is not None:
                kind[place[version]] = place[old]
        return Lineage(*found)


def nearest(version: int, links: Mapping[int, int], known: Mapping[int, int]) -> int | None:
    """The next known version along links."""
    old = links.get(version)
    while old is not None and old not in known:
        old = links.get(old)
    return old


@dataclass(frozen=True, slots=True)
class Rating:
    """Strengths in logits."""

    theta: Vector
    errors: Matrix
    blocks: Sequence[int]
    information: Matrix
    effect: float
    """The design effect."""


def rated(
    chunks: Sequence[Sequence[Table]], lineage: Lineage, versions: int, *, points: bool
) -> Rating:
    """Rate by matches that count, in chunks of which all but the last are condensed."""
    kept = nothing(versions)
    for tables in chunks[:-1]:
        kept = _Fit(tables, kept, lineage, points=points).condensed()
    return _Fit(chunks[-1], kept, lineage, points=points).rating()


class _Fit:
    """Strengths of those versions that have comparisons."""

    def __init__(
        self, tables: Sequence[Table], kept: Kept, lineage: Lineage, *, points: bool
    ) -> None:
        self._lineage = lineage
        self._n = n = len(kept.blocks)
        met: dict[int, set[int]] = defaultdict(set)
        for pair in comparisons(tables):
            met[pair.i].add(pair.block)
            met[pair.j].add(pair.block)
        blocks = [kept.blocks[i] + len(met[i]) for i in range(n)]
        self._known = known = [i for i in range(n) if blocks[i]] or [*range(n)]
        self._tables = _renumbered(tables, known)
        self._pairs = comparisons(self._tables)
        self._kept = Kept(
            [blocks[i] for i in known],
            *(of(kept.information, known, known), [kept.pull[i] for i in known]),
            *(of(kept.weights, known, known), of(kept.pairs, known, known)),
            [kept.margins[i] for i in known],
            kept.sums,
        )
        self._links = lineage.among(known)
        self._first = [i for i in range(len(known)) if i not in self._links.predecessors]
        self._places = by_places(self._tables, self._pairs, self._kept, self._first)
        self._points = by_points(self._pairs, self._kept, self._places.sd) if points else None

    def condensed(self) -> Kept:
        """What is kept of all, by all versions."""
        part = condensed(self._tables, self._pairs, self._kept, self._places, self._points)
        found = nothing(self._n)
        for here, i in enumerate(self._known):
            found.blocks[i] = part.blocks[here]
            found.pull[i] = part.pull[here]
            found.margins[i] = part.margins[here]
            for there, j in enumerate(self._known):
                found.information[i][j] = part.information[here][there]
                found.weights[i][j] = part.weights[here][there]
                found.pairs[i][j] = part.pairs[here][there]
        found.sums = part.sums
        return found

    def rating(self) -> Rating:
        """The rating of all versions, newcomers too."""
        mean, covariance = self._mixed()
        theta = [LOGIT * x for x in mean]
        errors = [[LOGIT**2 * x for x in row] for row in covariance]
        sd = LOGIT * self._places.sd
        information = self._information(theta)
        effect = _design_effect(information, errors, sd)
        apart = [STRETCH * (x - sum(theta) / len(theta)) for x in theta]
        for i, row in enumerate(errors):
            errors[i] = [x + apart[i] * y for x, y in zip(row, apart, strict=True)]
        place = {version: n for n, version in enumerate(self._known)}
        whole = Rating([0.0] * self._n, zeros(self._n), [0] * self._n, zeros(self._n), effect)
        blocks = list(whole.blocks)
        for i in range(self._n):
            old = nearest(i, self._lineage.predecessors, place)
            if i in place:
                whole.theta[i], blocks[i] = theta[place[i]], self._kept.blocks[place[i]]
                for j in self._known:
                    whole.errors[i][j] = errors[place[i]][place[j]]
                    whole.information[i][j] = information[place[i]][place[j]]
            elif old is not None:
                whole.theta[i] = theta[place[old]]
                whole.errors[i][i] = errors[place[old]][place[old]] + (LOGIT * DRIFT) ** 2
            else:
                whole.errors[i][i] = sd**2
        return Rating(whole.theta, whole.errors, blocks, whole.information, effect)

    def _mixed(self) -> tuple[Vector, Matrix]:
        """Mean and covariance over what the spread of strengths may be."""
        n = len(self._known)
        parts = list[tuple[float, Vector, Matrix]]()
        for sd, weight in _spreads(self._places, self._first):
            places = self._places.given(sd)
            if self._points is None:
                own = self._shared(places.mean, places.covariance, sd, sd**2)
            else:
                own = self._combined(places, self._points)
            parts.append((weight, *own))
        mean = [sum(weight * own[i] for weight, own, _ in parts) for i in range(n)]
        covariance = zeros(n)
        for weight, at, errors in parts:
            away = [x - y for x, y in zip(at, mean, strict=True)]
            for i, row in enumerate(covariance):
                for j in range(n):
                    row[j] += weight * (errors[i][j] + away[i] * away[j])
        return mean, covariance

    def _combined(self, places: Places, points: Points) -> tuple[Vector, Matrix]:
        """Strengths by places and points together."""
        n, sums = len(places.mean), self._kept.sums
        known = [i for i in range(n) if self._kept.blocks[i] >= FEWEST]
        known = known if len(known) >= FEWEST_KNOWN else [*range(n)]
        freedom = max(len(known) - 1, 1)

        def mean_square(values: Sequence[float]) -> float:
            centre = sum(values[i] for i in known) / len(known)
            return sum((values[i] - centre) ** 2 for i in known) / freedom

        def mean_variance(of_errors: Matrix) -> float:
            shared = [sum(of_errors[i][j] for j in known) / len(known) for i in range(n)]
            return sum(of_errors[i][i] - shared[i] for i in known) / freedom

        v, y = mean_variance(places.covariance), mean_variance(points.covariance)
        scale = math.sqrt((mean_square(places.mean) + v) / (mean_square(points.mean) + y))
        kappa = max(scale * math.sqrt(y / v), SHARPEST)
        both, one, other = products(self._pairs, places.mean, points)
        size = math.sqrt((one + sums["places"]) * (other + sums["points"]))
        rho = max((both + sums["both"]) / size, 0.0) if size > 0 else 0.0
        apart = [scale * x - m for x, m in zip(points.mean, places.mean, strict=True)]
        centre = sum(apart[i] for i in known) / len(known)
        apart = [x - centre for x in apart]
        e = max(1 + kappa**2 - 2 * rho * kappa, 0.0) * v
        stray = max(0.0, mean_square(apart) - e + e * math.sqrt(2 / freedom))
        share = (1 - rho * kappa) * v / (e + stray) if e + stray > 0 else 0.0
        share = min(max(share, 0.0), 1.0)
        factor = (1 - share) ** 2 + 2 * share * (1 - share) * rho * kappa + (share * kappa) ** 2
        mean, covariance = self._shared(
            [m + share * x for m, x in zip(places.mean, apart, strict=True)],
            [[factor * x for x in row] for row in places.covariance],
            places.sd,
            factor * places.sd**2,
        )
        for i, row in enumerate(covariance):
            row[i] += share**2 * stray
        return mean, covariance

    def _shared(
        self, mean: Vector, covariance: Matrix, sd: float, prior: float
    ) -> tuple[Vector, Matrix]:
        """The same with families that share their results."""
        links = {**self._links.predecessors, **self._links.siblings}
        if not links:
            return mean, covariance
        members = sorted({*links, *links.values()})
        place = {version: n for n, version in enumerate(members)}
        before = of(covariance, members, members)
        information = inverse(before)
        pull = times(information, [mean[i] for i in members])
        for i in members:
            if i in self._links.predecessors:
                information[place[i]][place[i]] -= 1 / prior
        joined = []
        for i, o in sorted(links.items()):
            sibling = i in self._links.siblings
            apart = 2 * sd**2 if sibling else DRIFT**2
            joined.append(_Link(place[i], place[o], sibling=sibling, apart=apart))
        found, errors = _joined(information, pull, joined)
        spread = product(of(covariance, range(len(mean)), members), inverse(before))
        moved = [x - mean[i] for x, i in zip(found, members, strict=True)]
        more = [
            [x - y for x, y in zip(*rows, strict=True)] for rows in zip(errors, before, strict=True)
        ]
        added = product(product(spread, more), [[*c] for c in zip(*spread, strict=True)])
        return (
            [m + dot(row, moved) for m, row in zip(mean, spread, strict=True)],
            [
                [x + y for x, y in zip(*rows, strict=True)]
                for rows in zip(covariance, added, strict=True)
            ],
        )

    def _information(self, theta: Sequence[float]) -> Matrix:
        """The information on each pair if all comparisons were independent."""
        weights = [row[:] for row in self._kept.weights]
        for pair in self._pairs:
            weights[pair.i][pair.j] += pair.weight
            weights[pair.j][pair.i] += pair.weight
        for i, row in enumerate(weights):
            for j in range(len(row)):
                p = logistic(theta[i] - theta[j])
                row[j] *= p * (1 - p)
        return weights


def _renumbered(tables: Sequence[Table], known: Sequence[int]) -> list[Table]:
    """The matches with versions as places in `known`; others are left out."""
    place = {version: n for n, version in enumerate(known)}

    def seats(table: Table) -> Iterator[Seat]:
        for seat in table.seats:
            number = place.get(seat.version)
            if number is not None:
                yield Seat(number, seat.rank, seat.points, seat.forfeit)

    return [Table(table.block, [*seats(table)]) for table in tables]


def _spreads(places: Places, first: Sequence[int]) -> list[tuple[float, float]]:
    """What the spread of strengths may be, with weights."""
    sd = places.sd
    m = [places.mean[i] / sd for i in first]
    left = [[x / sd**2 for x in row] for row in of(places.covariance, first, first)]
    wide = (sd / USUAL_SPREAD) ** 2
    of_results = sum(x * x for row in left for x in row) - sum(left[i][i] for i in range(len(m)))
    of_results += 2 * dot(m, times(left, m)) - dot(m, m)
    curvature = WEIGHT_OF_SPREAD * wide / (1 + wide) ** 2 - of_results / 2
    deviation = 1 / math.sqrt(max(curvature, LEAST_CURVATURE))
    return [(sd * math.exp(x * deviation / 2), weight) for x, weight in MIXTURE]


@dataclass(slots=True)
class _Link:
    """A version and an older one that may play alike."""

    own: int
    old: int
    sibling: bool
    apart: float
    """The variance of their difference, if they differ."""
    p: float = 0.0
    """The prior probability that they do."""
    q: float = 0.0
    differ: float = 0.0
    """The probability that they do."""
    moved: float = 0.0


def _joined(information: Matrix, pull: Vector, links: Sequence[_Link]) -> tuple[Vector, Matrix]:
    """The means and the covariance of those in links."""
    families = _families(links)
    for _ in range(STEPS):
        linked = [row[:] for row in information]
        for link in links:
            add_along(linked, link.own, link.old, 1 / link.q)
        covariance = inverse(linked)
        mean = times(covariance, pull)
        changes = [_update(link, mean, covariance) for link in links]
        for own in families:
            p = (CHANGES + sum(link.differ for link in own)) / (2 * (len(own) + 1))
            for link in own:
                link.p = p
        if max(changes) < CLOSE:
            break
    before = [row[:] for row in covariance]
    for link in links:
        doubt = link.differ * (1 - link.differ) * link.moved**2
        along = [row[link.own] - row[link.old] for row in before]
        for i, row in enumerate(covariance):
            for j, x in enumerate(along):
                row[j] += doubt * along[i] * x
    return mean, covariance


def _families(links: Sequence[_Link]) -> list[list[_Link]]:
    """The links of each family, as they begin."""
    first: dict[int, int] = {}
    families: dict[int, list[_Link]] = defaultdict(list)
    for link in links:  # the older one comes first
        first[link.own] = first.get(link.old, link.old)
        families[first[link.own]].append(link)
    for own in families.values():
        for link in own:
            link.p = CHANGES / (len(own) + 2)
            link.q = link.apart * link.p
    return [*families.values()]


def _update(link: _Link, mean: Sequence[float], covariance: Matrix) -> float:
    """Estimate how alike two versions are; return by which part that has changed."""
    variance = variance_between(covariance, link.own, link.old)
    e = 1 / max(1 / variance - 1 / link.q, LEAST_INFORMATION)
    g = e * (mean[link.own] - mean[link.old]) / variance
    kept = link.apart / (e + link.apart)
    odds = math.log(link.p / (1 - link.p))
    link.differ = logistic(odds + (math.log1p(-kept) + g * g * kept / e) / 2)
    if link.sibling:
        kept = 1.0
    c = min(link.differ * kept, SURELY)
    better = math.sqrt(link.q * max(e * c / (1 - c), LEAST))
    change = abs(better / link.q - 1)
    link.q, link.moved = better, g * kept / variance
    return change


def _design_effect(information: Matrix, errors: Matrix, sd: float) -> float:
    """By what independent comparisons are fewer."""
    n = len(information)
    explained = sum(
        information[i][j] * variance_between(errors, i, j) for i in range(n) for j in range(i)
    )
    learnt = n - sum(errors[i][i] for i in range(n)) / sd**2
    return explained / learnt if learnt > 0 and explained > 0 else 1.0
