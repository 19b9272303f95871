"""How often ablations find a change of a known size, and call a copy of the bot different."""

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.scheduling.duel import sequential
from ladder.scheduling.duel.ablation import of_pairs
from tests.support.pair_scores import FIELDS, Scores

ABLATIONS = 400
EFFECTS = (0.03, 0.06)


def measured(scores: Floats) -> tuple[float, bool]:
    """Return the difference that pairs show, and whether the interval tells it from none."""
    low, high = sequential.interval(list(map(float, scores)), of_pairs(len(scores)))
    return float(np.mean(scores)) - 0.5, not low <= 0.5 <= high


def rates(field: Scores, pairs: int) -> list[float]:
    """Return how often the copy is told from the bot, and how often each effect is found."""
    random = np.random.default_rng(7)
    size = ABLATIONS, pairs
    nulls = [measured(own) for own in field.drawn(random, 0.5, size)]
    found = [float(np.mean([told for _, told in nulls]))]
    for effect in EFFECTS:
        changes = [measured(own) for own in field.drawn(random, 0.5 + effect, size)]
        beaten = [
            told and change > abs(noise) and not broken
            for (change, told), (noise, broken) in zip(changes, nulls, strict=True)
        ]
        found.append(float(np.mean(beaten)))
    return found


@pytest.mark.bench
def test_ablations_of_known_changes() -> None:
    """A copy is told from its bot in at most one of 20 ablations."""
    for name, field in FIELDS.items():
        for pairs in (200, 800):
            null, *found = rates(field, pairs)
            print(f"{name}, {pairs} pairs: copy {null:.3f}, found {found}")
            assert null <= 0.05
