"""A bot that searches keeps to its budget, and its games are games by the rules."""

import random
from collections.abc import Callable, Mapping
from itertools import count
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from courtyard_kit.courtisans import Position
from courtyard_kit.search import Budget, best_of

from referee.match.match import Match, MatchSetup

Bots = Mapping[str, ModuleType]

PRIORS = dict.fromkeys(range(16), 0.0)


def noisy(world: int, candidate: int) -> float:
    """A playout: the higher the number of the candidate, the better, but for chance."""
    return candidate + random.Random(f"{world} {candidate}").gauss(0, 8)


def test_the_best_candidate_is_found() -> None:
    """Among sixteen that chance blurs, the best or one close to it is left over."""

    def play_out(world: int, candidate: int) -> float:
        budget.spend(1)
        return noisy(world, candidate)

    budget = Budget(seconds=1e9, nodes=2000)

    assert best_of(PRIORS, count(), play_out, budget) >= 13


def test_priors_decide_without_playouts() -> None:
    """When no time is left, the candidate with the best prior is chosen."""
    budget = Budget(seconds=0)

    assert best_of(PRIORS | {7: 1.0}, count(), noisy, budget) == 7


def test_the_clock_ends_a_search_after_the_playout_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of ten seconds none is left for another playout, whatever was to be done."""
    times: list[float] = [0]
    clock = SimpleNamespace(monotonic=lambda: times[-1])
    monkeypatch.setattr("courtyard_kit.search.time", clock)

    def play_out(world: int, candidate: int) -> float:
        times.append(times[-1] + 0.75)
        return noisy(world, candidate)

    best_of(PRIORS, count(), play_out, Budget(seconds=10, nodes=10**9))

    assert times[-1] == 10.5


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("noble", [1, 2])
def test_a_searched_world_scores_as_the_rules_do(seats: int, noble: int, bots: Bots) -> None:
    """Played by chance from each turn of a game, it has the same points at the end."""
    world_of = bots["searcher"].World
    config = {"noble_weight_in_missions": noble}
    state: Any = Match(MatchSetup("worlds", "courtisans", seats, "worlds", config=config)).state
    rng, worlds = random.Random(seats), []
    while state.to_act is not None:
        worlds.append(world_of(state))
        actions = state.legal_actions()
        action = actions[rng.randrange(len(actions))]
        for world in worlds:
            world.apply(action)
        state, _ = state.apply(action)

    assert {tuple(world.points()) for world in worlds} == {state.scores()}


@pytest.mark.parametrize("seats", [2, 4])
def test_the_policy_plays_the_best_turn_of_all(seats: int, bots: Bots) -> None:
    """It is legal, and worth as much as the best of all turns with the best targets."""
    searcher = bots["searcher"]
    state: Any = Match(MatchSetup("policy", "courtisans", seats, "policy")).state
    while state.to_act is not None:
        policy = searcher.Policy(searcher.World(state))
        kills = {area: policy.kills(area) for area in (None, *range(seats))}
        targets = {area: [max(found)[1]] if found else [] for area, found in kills.items()}
        worths = {action: worth for worth, action in policy.options(targets)}
        action = policy.best()
        assert worths[action] == pytest.approx(max(worths.values()))
        state.check(action)
        state, _ = state.apply(action)


def test_candidates_are_different(bots: Bots, position: Callable[..., Position]) -> None:
    """Equal cards in the hand make no turn twice, and each is legal."""
    here = position("carp, carp, toad assassin", table="2 hare above, stag below")

    found = bots["searcher"].candidates(here, [bots["searcher"].World(next(here.redraws()))])

    assert len(found) == len(set(found))
    assert set(found) <= set(here.actions)


@pytest.mark.parametrize("time_ms", [0, 1, 50, 500, 5000])
def test_three_assassins_are_answered_in_any_time(
    time_ms: int, bots: Bots, position: Callable[..., Position]
) -> None:
    """Of many thousands of actions it takes a legal one, however short the time."""
    here = position(
        "carp assassin, toad assassin, hare assassin",
        table=", ".join(
            f"{family}{role} {side}"
            for family in ("butterfly", "toad", "nightingale", "hare", "stag", "carp")
            for role in ("", " noble")
            for side in ("above", "below")
        ),
        domains=["toad, hare noble, stag noble, butterfly, 2 spy", *["carp, 2 spy"] * 2, "", ""],
        turns_left=(1, 1, 1, 1, 1),
        time_ms=time_ms,
    )

    action = bots["searcher"].choose(here)

    assert len(here.actions) > 10_000
    assert action in set(here.actions)


@pytest.mark.parametrize("time_ms", [200, 500])
def test_half_of_the_time_is_left(
    time_ms: int, bots: Bots, position: Callable[..., Position], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search ends by its clock, and half of the time is for what comes between."""
    ticks = count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 1000)
    monkeypatch.setattr("courtyard_kit.search.time", clock)
    here = position("carp, toad, hare noble", turns_left=(1, 1, 1, 1), time_ms=time_ms)

    bots["searcher"].choose(here, nodes=10**9)

    assert time_ms / 4 < next(ticks) < time_ms / 2
