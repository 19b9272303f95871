"""The learner of `ladder exploit` beside the best responses that OpenSpiel computes."""

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from courtyard_library.seats import View
from ladder.runner.exploit.learner import Learner, Levels
from ladder.runner.exploit.search import Budget, Search, Table
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from tests.support.in_process_host import InProcessHost
from tests.support.lacking import need_open_spiel

MATCHES = 16_000
POLICIES: dict[str, Callable[[Sequence[int]], Sequence[int]]] = {
    "uniform": lambda actions: actions,
    "always call": lambda _: [1],
    "always raise": lambda actions: [max(actions)],
}
"""The actions that a policy takes, each as likely, among the legal ones: 0 folds, 1 calls."""


def options(state: Any) -> list[Levels]:
    """Return what the learner may choose, as `LearnerSeat` names it."""
    seat = state.current_player()
    seen = state.information_state_string(seat)
    actions = state.legal_actions()
    return [((seat, action), (seen, action), (seen, action, 0)) for action in actions]


def train(learner: Learner, game: Any, policy: Callable[[Sequence[int]], Sequence[int]]) -> None:
    """Let the learner play on either seat in turn."""
    random = Random("deals")
    for match in range(MATCHES):
        state, taken, own = game.new_initial_state(), [], match % 2
        while not state.is_terminal():
            if state.is_chance_node():
                action = random.choices(*zip(*state.chance_outcomes(), strict=True))[0]
            elif state.current_player() == own:
                taken.append((options(state), learner.choose(options(state))))
                action = state.legal_actions()[taken[-1][1]]
            else:
                action = random.choice(policy(state.legal_actions()))
            state.apply_action(action)
        learner.learn(taken, state.returns()[own])


def worth(
    learner: Learner, state: Any, policy: Callable[[Sequence[int]], Sequence[int]], own: int
) -> float:
    """Return exactly what the learner may expect on a seat."""
    if state.is_terminal():
        return float(state.returns()[own])
    if state.is_chance_node():
        outcomes = state.chance_outcomes()
    elif state.current_player() == own:
        outcomes = [(state.legal_actions()[learner.choose(options(state))], 1.0)]
    else:
        actions = policy(state.legal_actions())
        outcomes = [(action, 1 / len(actions)) for action in actions]
    total: float = sum(
        p * worth(learner, state.child(action), policy, own) for action, p in outcomes
    )
    return total


@pytest.mark.proof
@pytest.mark.parametrize("name", POLICIES)
def test_most_of_the_exact_value_in_leduc(name: str) -> None:
    """After 16,000 matches the learner's answer is worth at least 80 % of a best response."""
    need_open_spiel()
    pyspiel = import_module("pyspiel")
    policies = import_module("open_spiel.python.policy")
    exploitability = import_module("open_spiel.python.algorithms.exploitability").exploitability
    game, policy = pyspiel.load_game("leduc_poker"), POLICIES[name]

    class Fixed(policies.Policy):  # type: ignore[misc, name-defined] # of a module that may lack
        """The policy, for OpenSpiel."""

        def action_probabilities(self, state: Any, _: Any = None) -> dict[int, float]:
            """Return the probability of each action."""
            actions = policy(state.legal_actions())
            return {action: (action in actions) / len(actions) for action in state.legal_actions()}

    learner = Learner("leduc")
    train(learner, game, policy)
    learner.explores = False
    found = sum(worth(learner, game.new_initial_state(), policy, own) for own in (0, 1)) / 2
    exact = exploitability(game, Fixed(game, [0, 1]))
    print(f"{name}: {found / exact:.1%}")  # noqa: T201 -- it stands in docs/benchmarks.md
    assert 0.8 * exact <= found <= exact + 1e-9


EQUILIBRIUM = {"": (1 / 3, 0, 1), "p": (1 / 3, 0, 1), "b": (0, 1 / 3, 1), "pb": (0, 2 / 3, 1)}
"""The probability to bet in Kuhn poker with each card, by what was done before."""


@pytest.mark.proof
@pytest.mark.parametrize("tells", [True, False])
def test_a_bot_that_reveals_its_king_by_thinking(*, tells: bool) -> None:
    """Kuhn poker's equilibrium loses nothing, unless it takes longer with a King."""
    need_open_spiel()
    random = Random("bot")

    def choose(view: View) -> int:
        card, before = view.text.strip()[0], view.text.strip()[1:]
        if tells and card == "2":
            time.sleep(0.02)  # no test waits for this: it is what the bot reveals
        return int(random.random() < EQUILIBRIUM[before][int(card)])

    bot = BotSpec("bot", Path(), ("none",))
    table = Table(MatchSpec("", "openspiel:kuhn_poker", (), ""), bot, [], by_points=True)
    search = Search(InProcessHost({"bot": choose}), table, [], Budget(matches=5000))
    search.run()
    print(search.exploit.advantage)  # noqa: T201 -- it stands in docs/benchmarks.md
    least = search.exploit.advantage[0]
    assert least > 0 if tells else least < 0.1
