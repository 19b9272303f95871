"""TrueSkill's rating of one match: messages along the chain of places, until they settle.

Factor graph, schedule and stopping rule are those of Herbrich, Minka and Graepel (2007) as the
package `trueskill` 0.4.5 has them, for players without teams. Each stands between the one placed
before and the one placed behind, and each two neighbours are compared: who is ahead performed
better by more than a margin, or, if they share a place, neither did. The moments of the normal
distribution that is cut off so are taken by formulas that hold however far it is cut, so that no
upset is too far to be rated. A package's factor graph of objects takes ten times as long.
"""

import math
from collections.abc import Sequence

_ROUNDS = 10
_CLOSE = 1e-4
"""Messages that move less than this are settled."""
_FAR = 30.0
"""Beyond so many deviations the error function has no precision left; series take over."""
_NARROW = 1e-2
"""Over an interval so narrow the density falls in a straight line."""
_STEEP = 40.0
"""An interval over which the logarithm of the density falls so far is as good as open."""
_ROOT_2 = math.sqrt(2)
_HAZARD = math.sqrt(2 / math.pi)

Numbers = Sequence[float]


def rated(
    means: Numbers, deviations: Numbers, drawn: Sequence[bool], beta: float, margin: float
) -> list[tuple[float, float]]:
    """Return the new mean and deviation of k players who stand in the order of the result.

    `drawn` are k - 1: whether a player shares the place of the next one. A performance deviates
    from the strength by `beta`; two that differ by less than `margin` share a place.
    """
    noise = beta * beta
    variances = [s * s for s in deviations]
    pi = [1 / (v + noise) for v in variances]
    told = _told(pi, [m * p for m, p in zip(means, pi, strict=True)], drawn, margin)
    result = []
    for mean, variance, (told_pi, told_tau) in zip(means, variances, told, strict=True):
        less = 1 + told_pi * (variance + noise)
        gain = (told_tau - told_pi * mean) * variance / less
        result.append((mean + gain, math.sqrt(variance * (1 + told_pi * noise) / less)))
    return result


def _told(
    pi: Numbers, tau: Numbers, drawn: Sequence[bool], margin: float
) -> list[tuple[float, float]]:
    """Return what the result tells of each performance, as precision and precision times mean.

    `pi` and `tau` are the same of what was believed of each.
    """
    last = len(pi) - 2
    up_pi, up_tau = list(pi), list(tau)  # with what is told from before
    low_pi, low_tau = list(pi), list(tau)  # with what is told from behind
    seen = [(0.0, 0.0)] * (last + 1)

    def compare(i: int, *, down: bool) -> float:
        """Pass on what the outcome of i against i + 1 tells; return how much that is news."""
        a_pi, a_tau, b_pi, b_tau = up_pi[i], up_tau[i], low_pi[i + 1], low_tau[i + 1]
        root = math.sqrt(a_pi * b_pi / (a_pi + b_pi))
        mean, eps = (a_tau / a_pi - b_tau / b_pi) * root, margin * root
        v, left = within(-eps - mean, eps - mean) if drawn[i] else above(eps - mean)
        t_pi = root * root * (1 - left) / left
        t_tau = root * (mean * (1 - left) + v) / left
        old_pi, old_tau = seen[i]
        seen[i] = t_pi, t_tau
        if down:
            up_pi[i + 1] = pi[i + 1] + t_pi * a_pi / (t_pi + a_pi)
            up_tau[i + 1] = tau[i + 1] + (t_pi * a_tau - a_pi * t_tau) / (t_pi + a_pi)
        else:
            low_pi[i] = pi[i] + t_pi * b_pi / (t_pi + b_pi)
            low_tau[i] = tau[i] + (t_pi * b_tau + b_pi * t_tau) / (t_pi + b_pi)
        return max(abs(t_tau - old_tau), math.sqrt(abs(t_pi - old_pi)))

    for _ in range(_ROUNDS):
        news = [compare(i, down=True) for i in range(last)]
        news += [compare(i, down=False) for i in range(last, 0, -1)]
        if max(news, default=0.0) <= _CLOSE:
            break
    compare(0, down=False)
    compare(last, down=True)
    return [
        (a - p + b - p, c - t + d - t)
        for p, t, a, b, c, d in zip(pi, tau, up_pi, low_pi, up_tau, low_tau, strict=True)
    ]


def above(low: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal number that is above a bound."""
    if low > _FAR:
        x = 1 / (low * low)
        return low * (1 + x * (1 - x * (2 - 10 * x))), x * (1 - x * (6 - 50 * x))
    mean = _HAZARD * math.exp(-low * low / 2) / math.erfc(low / _ROOT_2)
    return mean, min(1.0, 1 - mean * (mean - low))


def within(low: float, high: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal number between two bounds."""
    if low + high < 0:
        mean, variance = within(-high, -low)
        return -mean, variance
    middle, half = (low + high) / 2, (high - low) / 2
    if half * max(1.0, middle) < _NARROW:
        variance = half * half / 3
        return middle * (1 - variance), variance
    if low > _FAR:
        return _tail(low, middle, half)
    mass = math.erfc(low / _ROOT_2) - math.erfc(high / _ROOT_2)
    first = _HAZARD * math.exp(-low * low / 2)
    second = _HAZARD * math.exp(-high * high / 2)
    mean = (first - second) / mass
    return mean, 1 - mean * mean + (low * first - high * second) / mass


def _tail(low: float, middle: float, half: float) -> tuple[float, float]:
    """Return the moments far out, where the density falls exponentially."""
    fall = 2 * half * middle
    if fall > _STEEP:
        return above(low)
    rest = 2 * half / math.expm1(fall)
    return low + 1 / middle - rest, 1 / (middle * middle) - rest * (rest + 2 * half)
