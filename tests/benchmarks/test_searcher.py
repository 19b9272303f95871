"""What each step of the search in Courtisans is worth, in matches against `counter`."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import pytest
from courtyard_kit.courtisans import Action, Position

from tests.benchmarks.budgets import in_words, score
from tests.sample_bots.conftest import begin, bot_module

pytestmark = pytest.mark.bench

SEARCHER, COUNTER = bot_module("courtisans", "searcher"), begin(bot_module("courtisans", "counter"))
PAIRS = 65

Choose = Callable[[Position], Action]


def by_policy(worlds: int) -> Choose:
    """Return the strategy without playouts, which looks at some worlds."""

    def choose(position: Position) -> Action:
        drawn = [SEARCHER.World(state) for state in islice(position.redraws(), worlds)]
        action: Action = next(iter(SEARCHER.candidates(position, drawn)))
        return action

    return choose


@pytest.mark.parametrize(
    ("choose", "rounds"),
    [
        pytest.param(by_policy(1), 1, id="the policy, in one world"),
        pytest.param(by_policy(8), 1, id="the policy, in eight worlds"),
        pytest.param(partial(SEARCHER.choose, nodes=1800), 99, id="to the end, 1,800 nodes"),
        pytest.param(partial(SEARCHER.choose, nodes=200), 1, id="a round, 200 nodes"),
        pytest.param(partial(SEARCHER.choose, nodes=300), 1, id="a round, 300 nodes"),
    ],
)
def test_what_each_step_of_the_search_gives(
    choose: Choose, rounds: int, monkeypatch: pytest.MonkeyPatch, request: Any
) -> None:
    """The score against `counter`, with its 95 % interval."""
    monkeypatch.setattr(SEARCHER, "ROUNDS", rounds)
    scores = [score("courtisans", lambda: choose, COUNTER, deal) for deal in range(PAIRS)]

    print(f"{request.node.callspec.id}: {in_words(scores)}")
