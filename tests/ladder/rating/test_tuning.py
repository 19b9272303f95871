"""What is measured of a game for TrueSkill."""

import pytest

from ladder.rating.log import Log, Result
from ladder.rating.trueskill import SIGMA
from ladder.rating.tuning import tuned
from ladder.settings import Tuning


def test_tuned_to_a_game() -> None:
    """Beta is 10.03 over the spread of strengths, within bounds; shared neighbours are counted."""
    ranks = [(1, 1, 3, 4)] * 100 + [(1, 2, 3, 3)] * 100
    log = Log(4, [Result(n, (0, 1, 2, 3), (0, 1, 2, 3), r) for n, r in enumerate(ranks)])
    crashed = (False, False, True, True)
    log.extend(Result(n, (0, 1, 2, 3), range(4), (1, 2, 3, 3), crashed) for n in range(300, 400))

    assert tuned(log, 0.6).beta == pytest.approx(10.03 / 0.6, rel=1e-3)
    assert tuned(log, 0.01).beta == 4 * SIGMA
    assert tuned(log, 0.0).beta == 4 * SIGMA
    assert tuned(log, 9.0).beta == SIGMA / 2
    assert tuned(log, 0.6).draw_probability == pytest.approx(200 / 700, abs=0.01)
    assert tuned(Log(4), 0.6).draw_probability == Tuning().draw_probability
