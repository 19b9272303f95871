"""Collusion: tests of whether a bot's presence helps another against third parties.

A match for two has no third bot to help. At larger tables two bots can spare each other, or one can
sacrifice its own game for another. Their results against each other do not show that, as these
depend on how their styles match, but the results against all others at the table do.

*Statistic.* For the ordered pair (j, i), take i's scores against third parties in the blocks in
which j played, less what the fit expects, and subtract i's scores in the blocks without j. The
difference over its standard error is z(j -> i): j's *favour* to i. The sum of both directions over
its error is the pair's. A block counts as one observation, so duplicate deals make no excess.

*Styles.* Where i meets j, a bot that preys on i is less often at the table, so i does better there
than elsewhere, and j would seem to help. So each pair's own deviation from what strengths expect,
as far as it is not luck, is taken from its scores first.

*False alarms.* In an honest field, too, the presence of one style may suit another. So the field
itself defines what is unusual: all z are divided by their robust standard deviation, if that
exceeds one (the empirical null of Efron 2004). Student's t with the number of blocks accounts for
short histories, and all tests of a field share one rate `alarm`: the probability that an honest
field has any suspect at all (Bonferroni). A suspicion is a reason to look at the matches, not a
proof.

*Prey.* A predator gains beside its prey, which loses: results cannot tell that from a sacrifice. So
only those who help at no loss of their own are suspected. Of a helper that does lose the report
says that it gives way, and of bots of one author that they help each other at any loss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from ladder.rating.arrays import Bools, Floats, Ints, summed
from ladder.results.diagnostics.residuals import Residuals, usual_deviation

ALARM = 0.01
"""The probability that an honest field has any suspected pair."""
FEWEST = 10
"""Pairs with fewer blocks together, or with fewer blocks apart, are not tested."""
_LEAST = 1e-9
"""Weights above this are not rounding."""
_LOSES = -1.0
"""A helper's z below this is a loss: of honest prey that shows so much nearly all do."""


@dataclass(frozen=True, slots=True)
class Favour:
    """The effect of a version's presence on another version, or of two on each other."""

    helper: int
    helped: int
    mutual: bool
    """Whether both are helped; helper and helped are then in the order of their indices."""
    blocks: int
    """The number of blocks with both and others."""
    gain: float
    """By how much the score against third parties rises with the helper; the mean if mutual."""
    z: float
    """The gain over its standard error, in units of the field's usual deviation."""
    p_value: float
    """The one-sided probability that an honest pair shows as much."""
    certain: bool
    """Whether the p-value is below the pair's share of the alarm rate."""
    loses: bool
    """Whether the helper, or one of both, does worse with the other than without."""

    @property
    def suspect(self) -> bool:
        """Whether there is help at no loss."""
        return self.certain and not self.loses

    @property
    def gives_way(self) -> bool:
        """Whether the helper loses what the helped gains: it is prey, or lets the other win."""
        return self.certain and self.loses and not self.mutual


@dataclass(frozen=True, slots=True)
class Alliance:
    """The effect of one author's bots on each other."""

    author: str
    pairs: int
    """The number of their pairs that were tested."""
    blocks: int
    """The number of blocks together, summed over the pairs."""
    p_value: float
    """The probability that honest bots show as much: the least p-value times the number of
    tests."""
    suspect: bool
    """Whether the p-value is below the author's share of the alarm rate."""


def alliances(found: Sequence[Favour], authors: Mapping[int, str]) -> list[Alliance]:
    """Test for each author whether the author's bots do better together.

    `authors` maps versions to authors. Few pairs have one author, so they share an alarm rate of
    their own (Bonferroni twice): collusion shows sooner than among all pairs of a field.
    """
    own: dict[str, list[Favour]] = {}
    for favour in found:
        author = authors.get(favour.helper)
        if author is not None and author == authors.get(favour.helped):
            own.setdefault(author, []).append(favour)
    result = []
    for author, tests in sorted(own.items()):
        p_value = min(1.0, len(tests) * min(test.p_value for test in tests))
        together = [test.blocks for test in tests if test.mutual]
        suspect = p_value * len(own) < ALARM
        result.append(Alliance(author, len(together), sum(together), p_value, suspect))
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """F encounters of P pairs at tables with others: row 0 from i's side, row 1 from j's."""

    versions: Ints
    """(2, P) the version on each side."""
    pair: Ints
    """(F,) the pair of each encounter."""
    third: Floats
    """(2, F) the score against third parties."""
    third_weight: Floats
    """(2, F) the weight of the comparisons with third parties."""
    total: Floats
    """(2, F) the score in the block against all others."""
    total_weight: Floats
    """(2, F) the weight of the comparisons with all others."""
    whole: Floats
    """(4, N) over all blocks of a version: their number, and sums of weight, score, squared
    score."""

    def by_pair(self, values: Floats) -> Floats:
        """Return the sums by pair, (2, P), of values, (2, F)."""
        return np.stack([summed(self.pair, side, self.versions.shape[1]) for side in values])

    def of(self, pairs: Bools) -> "_Sides":
        """Return the sides of the selected pairs, (P,), renumbered."""
        chosen = pairs[self.pair]
        return _Sides(
            self.versions[:, pairs],
            (np.cumsum(pairs) - 1)[self.pair[chosen]],
            self.third[:, chosen],
            self.third_weight[:, chosen],
            self.total[:, chosen],
            self.total_weight[:, chosen],
            self.whole,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """The gains to test, by ordered or unordered pair."""

    helper: Ints
    helped: Ints
    blocks: Ints
    gain: Floats
    variance: Floats


def favours(of: Residuals) -> list[Favour]:
    """Test all pairs that met often enough at tables with others; sort by p-value."""
    directed, mutual = _tests(of)
    allowance = ALARM / max(len(directed.gain) + len(mutual.gain), 1)
    z = directed.gain / np.sqrt(directed.variance)
    loses = np.roll(z, len(mutual.gain)) < _LOSES  # the first half is helped by the second
    either = np.logical_or(*np.split(loses, 2))
    found = [*_judged(directed, allowance, loses), *_judged(mutual, allowance, either, mutual=True)]
    return sorted(found, key=lambda f: (f.p_value, f.mutual, f.helper, f.helped))


def _judged(tests: _Tests, allowance: float, loses: Bools, *, mutual: bool = False) -> list[Favour]:
    """Test gains against their usual deviation."""
    z = tests.gain / np.sqrt(tests.variance)
    z = z / usual_deviation(z)
    p = special.stdtr(tests.blocks - 1, -z)
    columns = [tests.helper, tests.helped, tests.blocks, tests.gain, z, p, p < allowance, loses]
    return [
        Favour(helper, helped, mutual, *rest)
        for helper, helped, *rest in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _tests(of: Residuals) -> tuple[_Tests, _Tests]:
    """Return the gains of ordered and of unordered pairs."""
    sides = _sides(of)
    blocks, apart = _counts(sides)
    enough = (blocks >= FEWEST).all(axis=0) & (apart[0] >= FEWEST).all(axis=0)
    sides, blocks, apart = sides.of(enough), blocks[:, enough], apart[:, :, enough]
    number, weight, score, squares = apart
    without, error_without = score / weight, _variance(number, score, squares) / weight**2
    share = sides.third / sides.by_pair(sides.third_weight)[:, sides.pair]
    gain = sides.by_pair(share) - without
    error = _variance(blocks, sides.by_pair(share), sides.by_pair(share**2)) + error_without
    both = share.sum(axis=0, keepdims=True)
    of_both = sides.by_pair(both)[0], sides.by_pair(both**2)[0]
    error_of_both = (_variance(blocks[0], *of_both) + error_without.sum(axis=0)) / 4
    helped, helper, count = sides.versions, sides.versions[::-1], blocks.astype(np.int64)
    return (
        _Tests(helper.ravel(), helped.ravel(), count.ravel(), gain.ravel(), error.ravel()),
        _Tests(helped[0], helped[1], count[0], gain.mean(axis=0), error_of_both),
    )


def _sides(of: Residuals) -> _Sides:
    """Return both sides of all encounters that have third parties."""
    n, met = of.data.entrants, of.met
    versions = np.stack([met.i, met.j])
    own_weight = met.by_comparison(of.data.cells.weight[of.data.cell])
    own_score = of.seen.score - own_weight * _suits(of, own_weight)[met.pair]
    score = np.stack([own_score, -own_score])
    weight = np.tile(own_weight, (2, 1))
    seats, own = np.unique(met.block * n + versions[:, met.pair], return_inverse=True)
    own = own.reshape(score.shape)
    total = summed(own.ravel(), score.ravel(), len(seats))
    total_weight = summed(own.ravel(), weight.ravel(), len(seats))
    per_block = [np.ones(len(seats)), total_weight, total, total**2]
    third_weight = total_weight[own] - weight
    with_others = (third_weight > _LEAST).all(axis=0)
    return _Sides(
        versions=versions,
        pair=met.pair[with_others],
        third=(total[own] - score)[:, with_others],
        third_weight=third_weight[:, with_others],
        total=total[own][:, with_others],
        total_weight=total_weight[own][:, with_others],
        whole=np.stack([summed(seats % n, values, n) for values in per_block]),
    )


def _suits(of: Residuals, weight: Floats) -> Floats:
    """Return by how much i scores more against j than strengths expect, of each pair, (P,).

    `weight` is that of the encounters, (E,). Luck is taken out by the estimate of James and Stein.
    """
    score, squares = of.met.by_pair(of.seen.score), np.maximum(of.seen.sum_of_squares, _LEAST)
    luck = np.minimum(squares / np.maximum(score**2, _LEAST), 1.0)
    found: Floats = score / np.maximum(of.met.by_pair(weight), _LEAST) * (1 - luck)
    return found


def _counts(sides: _Sides) -> tuple[Floats, Floats]:
    """Return the blocks together, (2, P), and `whole` of each without the other, (4, 2, P)."""
    blocks = sides.by_pair(np.ones(sides.third.shape))
    together = [sides.total_weight, sides.total, sides.total**2]
    sums = np.stack([blocks, *(sides.by_pair(values) for values in together)])
    return blocks, sides.whole[:, sides.versions] - sums


def _variance(n: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the variance of a sum of n terms, from their sum and sum of squares."""
    return (squares - total**2 / n) * n / (n - 1)
