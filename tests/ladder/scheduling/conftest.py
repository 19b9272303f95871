"""Shared by the tests of schedulers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from ladder.scheduling.ladder.policy import Floats, Ints


@dataclass(frozen=True)
class FakeStrengths:
    """A hand-made rating of record."""

    theta: Floats
    V: Floats
    information: Floats
    blocks: Ints
    phi: float = 0.3
    t2: float = 0.0


MakeStrengths = Callable[..., FakeStrengths]


@pytest.fixture
def make_strengths() -> MakeStrengths:
    """Make a rating from means and one deviation; all versions have been in ten blocks."""

    def make(
        theta: list[float],
        sd: float = 0.2,
        information: float = 0.0,
        t2: float = 0.0,
    ) -> FakeStrengths:
        n = len(theta)
        return FakeStrengths(
            np.array(theta),
            np.eye(n) * sd**2,
            np.full((n, n), information),
            np.full(n, 10),
            t2=t2,
        )

    return make
