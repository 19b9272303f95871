"""What ablations say, by scores of their pairs."""

import math

import numpy as np
import pytest

from ladder.scheduling.duel.ablation import Ablation, Difference, difference, of_pairs
from ladder.scheduling.duel.planner import DuelPlan, DuelProgress
from ladder.scheduling.duel.sequential import verdict
from ladder.scheduling.duel.summary import DuelSummary
from tests.support.pair_scores import FIELDS

PAIRS = 200


def duel(name: str, scores: list[float], pairs: int = PAIRS) -> DuelSummary:
    """Return a duel of a bot against `old` with these scores of its pairs."""
    test = of_pairs(pairs)
    found = DuelProgress(verdict(scores, test), len(scores), 0, (0, 0, 0), ())
    return DuelSummary(DuelPlan(1, 2, None, test), 4, name, "old", "the stand-in", found)


def scores(mean: float, seed: int, pairs: int = PAIRS) -> list[float]:
    """Return scores as duels meet them."""
    random = np.random.default_rng(seed)
    return list(map(float, FIELDS["half level"].drawn(random, mean, (pairs,))))


def test_a_planted_improvement_is_found() -> None:
    """A change that the interval tells from none, beyond the copy's noise, is called better."""
    found = Ablation(duel("new", scores(0.62, 1)), duel("old-copy", scores(0.5, 2)))

    assert found.answer().startswith("new is better than old: the difference is +0.1")
    assert "a copy of old showed " in found.answer()


def test_a_planted_loss_is_found() -> None:
    """So is a change that makes it weaker."""
    found = Ablation(duel("new", scores(0.38, 1)), duel("old-copy", scores(0.5, 2)))

    assert found.answer().startswith("new is weaker than old")


def test_no_difference_is_not_called_none() -> None:
    """Where the data tell nothing, the answer says how large a difference would have shown."""
    found = Ablation(duel("new", scores(0.5, 3)), duel("old-copy", scores(0.5, 4)))

    assert found.answer().startswith("The data do not tell new from old")
    assert "would probably have shown" in found.answer()


def test_a_difference_no_larger_than_the_noise_is_none() -> None:
    """A difference that the interval tells from none still has to beat the copy's."""
    steady, wild = [0.53] * 400, [1.0, 0.08] * 200
    found = Ablation(duel("new", steady, 400), duel("old-copy", wild, 400))

    assert difference(found.change).is_told
    assert not difference(found.null).is_told
    assert "which is no less" in found.answer()


def test_a_copy_that_differs_allows_no_answer() -> None:
    """If a copy of the bot differs from the bot, the bots' files do not decide."""
    found = Ablation(duel("new", scores(0.7, 5)), duel("old-copy", scores(0.7, 6)))

    assert found.answer().startswith("These data allow no answer: a copy of old differs from old")


def test_an_ablation_that_is_not_over_says_so() -> None:
    """Before all pairs are played there is no answer."""
    found = Ablation(duel("new", scores(0.9, 7)), duel("old-copy", scores(0.5, 8, 20)))

    assert found.answer() == "Not over: 200 pairs of new, 20 pairs of the copy so far."


@pytest.mark.sweep
@pytest.mark.parametrize("field", ["half level", "80 % level", "few large", "four seats"])
def test_the_null_is_within_the_noise_in_19_of_20_ablations(field: str) -> None:
    """The copy's interval holds 0 in at least 19 of 20 ablations, whatever the pairs look like."""
    random = np.random.default_rng(9)
    drawn = FIELDS[field].drawn(random, 0.5, (400, PAIRS))
    told = sum(difference(duel("copy", list(map(float, own)))).is_told for own in drawn)

    assert told <= 400 / 20


def test_bots_that_play_alike_show_no_noise() -> None:
    """A bot without chance against its copy is level in each pair: no difference, no error."""
    found = difference(duel("copy", [0.5] * PAIRS))

    assert found.mean == 0
    assert found.low < 0 < found.high
    assert not found.is_told
    assert str(Difference(0.5, 0.25, 0.75)) == "+0.500 (+0.250 to +0.750)"
    assert not math.isnan(found.high)
