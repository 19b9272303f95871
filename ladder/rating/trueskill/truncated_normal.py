"""Moments of truncated normal variables, for arrays.

An outcome adds v to the mean and multiplies the variance by 1 - w, in TrueSkill's terms and in
standard deviations (Herbrich, Minka and Graepel 2007). Functions return 1 - w, which keeps its
precision however unlikely the outcome was.
"""

import numpy as np
from scipy.special import erfcx, ndtr

from ladder.rating.arrays import Floats

_FAR = 30.0
"""Beyond this many standard deviations series take over, as differences lose precision."""
_NARROW = 1e-2
"""Over a margin this narrow the density is linear."""
_STEEP = 40.0
"""If the log density falls this far within the margin, only the near end counts."""
_ROOT_2 = np.sqrt(2.0)
_HAZARD = np.sqrt(2 / np.pi)


def won(mean: Floats) -> tuple[Floats, Floats]:
    """Return v and 1 - w of variables of this mean and deviation 1, given that they exceed 0."""
    near = np.maximum(mean, -_FAR)
    v = _HAZARD / erfcx(-near / _ROOT_2)
    left = 1 - v * (v + near)
    beyond = np.flatnonzero(mean < -_FAR)
    far = mean[beyond]
    y = 1 / (far * far)
    v[beyond] = -far * (1 + y * (1 - y * (2 - 10 * y)))
    left[beyond] = y * (1 - y * (6 - 50 * y))
    return v, np.clip(left, 0.0, 1.0)


def drawn(mean: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return v and 1 - w of variables of this mean and deviation 1, given |variable| < margin."""
    gap = np.abs(mean)
    low, high = gap - margin, gap + margin
    reach = 2 * margin * np.maximum(gap, 1.0)
    narrow, far = reach < _NARROW, low > _FAR
    fall, left = _near(np.where(narrow | far, -1.0, low), np.where(narrow | far, 1.0, high))
    for there, moments in (
        (far, _exponential(np.maximum(gap, 1.0), margin, np.clip(reach, _NARROW, _STEEP))),
        (far & (reach > _STEEP), won(-low)),
        (narrow, (gap * (1 - margin**2 / 3), margin**2 / 3)),
    ):
        fall, left = (
            np.where(there, new, old) for new, old in zip(moments, (fall, left), strict=True)
        )
    return -np.sign(mean) * fall, np.clip(left, 0.0, 1.0)


def _near(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the mean and variance of a standard normal variable between two bounds."""
    mass = np.sqrt(2 * np.pi) * (ndtr(-low) - ndtr(-high))
    at_low, at_high = np.exp(-low * low / 2), np.exp(-high * high / 2)
    mean = (at_low - at_high) / mass
    return mean, 1 - mean * mean + (low * at_low - high * at_high) / mass


def _exponential(gap: Floats, margin: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Return the same for bounds `margin` around a gap so large that the density is exponential."""
    rest = 2 * margin / np.expm1(reach)
    return gap - margin + 1 / gap - rest, 1 / gap**2 - rest * (rest + 2 * margin)
