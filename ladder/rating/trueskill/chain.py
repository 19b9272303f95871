"""TrueSkill's messages along one match: who came before whom, from the first place to the last.

Theory of operation (Herbrich, Minka and Graepel 2007). For players without teams the factor graph
of a match is a chain. Player i has a skill, which gives a performance by adding noise. Between two
neighbours lies the difference of their performances, which the result bounds: it exceeds the margin
of ties, or lies within it. Messages pass along the chain, forth and back, until they stay the same;
then what the performances have learnt goes back to the skills.

A normal distribution is a precision and a precision-weighted mean here, so that factors multiply by
addition. The package `trueskill` keeps a graph of objects for this, and builds it anew for every
match. Here are the same operations on numbers, in the same order, in a tenth of the time: the
result is the package's to the last bit, which a test compares.
"""

import math
from collections.abc import Sequence

from ladder.model.ratings import Rating
from ladder.rating.trueskill.truncated_normal import above, within

_SWEEPS = 10
_CLOSE = 0.0001
_NEARLY_ONE = math.nextafter(1.0, 0.0)

Normal = tuple[float, float]
"""Precision, and mean times precision."""
_NOTHING: Normal = (0.0, 0.0)


def rate(
    before: Sequence[Rating], tied: Sequence[bool], variance: float, margin: float
) -> list[Rating]:
    """Return the ratings of players after a match, given in the order of their places.

    `tied` says of each but the last whether the next one shares the place. `variance` is that of a
    performance, and `margin` the largest difference of performances that is a tie.
    """
    skills = [_normal(*_moments(_normal(rating.mu, rating.sigma))) for rating in before]
    shown = [_through_noise(skill, variance) for skill in skills]
    chain = _Chain([_copied(performance) for performance in shown], tied, margin)
    after = []
    for skill, performance, news in zip(skills, shown, chain.news(), strict=True):
        told = _without(_added(performance, _copied(news)), performance)
        learnt = _added(skill, _through_noise(told, variance))
        after.append(Rating(*_moments(_normal(*_moments(learnt)))))
    return after


class _Chain:
    """The performances of a match's players, and the differences between neighbours."""

    def __init__(self, prior: list[Normal], tied: Sequence[bool], margin: float) -> None:
        self._prior = prior
        self._performance = [*prior]
        self._tied = tied
        self._margin = margin
        links = len(prior) - 1
        self._difference = [_NOTHING] * links
        self._from_bound = [_NOTHING] * links
        self._from_neighbours = [_NOTHING] * links
        self._to_first = [_NOTHING] * links
        self._to_second = [_NOTHING] * links

    def news(self) -> list[Normal]:
        """Return what the match tells of each performance."""
        last = len(self._difference) - 1
        for _ in range(_SWEEPS):
            if (self._bound(0) if last == 0 else self._sweep(last)) <= _CLOSE:
                break
        self._tell_first(0)
        self._tell_second(last)
        return [_without(p, own) for p, own in zip(self._performance, self._prior, strict=True)]

    def _sweep(self, last: int) -> float:
        """Pass messages forth and back; return the largest change."""
        change = 0.0
        for link in range(last):
            change = max(change, self._bound(link))
            self._tell_second(link)
        for link in range(last, 0, -1):
            change = max(change, self._bound(link))
            self._tell_first(link)
        return change

    def _bound(self, link: int) -> float:
        """Bound the difference of two neighbours by the result; return by how much it changed."""
        message = _sum(
            _without(self._performance[link], self._to_first[link]),
            _without(self._performance[link + 1], self._to_second[link]),
            -1.0,
        )
        replaced, self._from_neighbours[link] = self._from_neighbours[link], message
        pi, tau = _added(_without(self._difference[link], replaced), message)
        old_pi, old_tau = self._from_bound[link]
        free_pi, free_tau = pi - old_pi, tau - old_tau
        root = math.sqrt(free_pi)
        mean, shrunk = self._truncated(free_tau / root, self._margin * root, tied=self._tied[link])
        left = 1.0 - shrunk
        new_pi, new_tau = free_pi / left, (free_tau + root * mean) / left
        self._from_bound[link] = new_pi + old_pi - pi, new_tau + old_tau - tau
        self._difference[link] = new_pi, new_tau
        moved = abs(pi - new_pi)
        return 0.0 if moved == math.inf else max(abs(tau - new_tau), math.sqrt(moved))

    @staticmethod
    def _truncated(ahead: float, margin: float, *, tied: bool) -> tuple[float, float]:
        """Return by how much a bound raises a mean, and by which part it lowers the variance."""
        if tied:
            mean, variance = within(-margin - ahead, margin - ahead)
        else:
            mean, variance = above(margin - ahead)
        return mean, min(1 - variance, _NEARLY_ONE)

    def _tell_second(self, link: int) -> None:
        """Tell the second of two neighbours what follows from the first and the difference."""
        told = _sum(
            _without(self._performance[link], self._to_first[link]),
            _without(self._difference[link], self._from_neighbours[link]),
            -1.0,
        )
        rest = _without(self._performance[link + 1], self._to_second[link])
        self._performance[link + 1] = _added(rest, told)
        self._to_second[link] = told

    def _tell_first(self, link: int) -> None:
        """Tell the first of two neighbours what follows from the second and the difference."""
        told = _sum(
            _without(self._difference[link], self._from_neighbours[link]),
            _without(self._performance[link + 1], self._to_second[link]),
            1.0,
        )
        rest = _without(self._performance[link], self._to_first[link])
        self._performance[link] = _added(rest, told)
        self._to_first[link] = told


def _added(one: Normal, other: Normal) -> Normal:
    """Return the product of two distributions."""
    return one[0] + other[0], one[1] + other[1]


def _without(all_: Normal, part: Normal) -> Normal:
    """Return a product of distributions without one of its factors."""
    return all_[0] - part[0], all_[1] - part[1]


def _copied(of: Normal) -> Normal:
    """Return the distribution of the sum of one variable, rounded like other sums."""
    pi, tau = of
    copied = 1.0 / (1.0 / pi if pi else math.inf)
    return copied, copied * (0.0 + (pi and tau / pi))


def _sum(one: Normal, other: Normal, sign: float) -> Normal:
    """Return the distribution of one variable plus `sign` times another.

    Sums begin with zero, as the package's do: that makes a negative zero positive.
    """
    (pi, tau), (other_pi, other_tau) = one, other
    mean = 0.0 + (pi and tau / pi) + sign * (other_pi and other_tau / other_pi)
    told = 1.0 / (1.0 / pi + 1.0 / other_pi) if pi and other_pi else 0.0
    return told, told * mean


def _through_noise(of: Normal, variance: float) -> Normal:
    """Return what a distribution tells across noise of this variance."""
    part = 1.0 / (1.0 + variance * of[0])
    return part * of[0], part * of[1]


def _normal(mu: float, sigma: float) -> Normal:
    pi = sigma**-2
    return pi, pi * mu


def _moments(of: Normal) -> tuple[float, float]:
    """Return the mean and the standard deviation."""
    return of[1] / of[0], math.sqrt(1 / of[0])
