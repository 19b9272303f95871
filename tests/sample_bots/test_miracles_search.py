"""The bot that searches La Cour des Miracles plays on by the rules, and in time."""

import random
from functools import partial
from itertools import count, islice
from types import SimpleNamespace
from typing import Any

import pytest
from courtyard_kit.miracles import Memory, Position
from courtyard_kit.miracles_world import World, worlds

from referee.match.match import Match, MatchSetup
from tests.sample_bots.conftest import NODES, bot_module

SEARCHER = bot_module("miracles", "searcher")
SETTINGS = (
    "king_ends_at_once",
    "move_may_stay",
    "income_without_action",
    "wrath_on_empty",
    "controller_places_again",
    "nearest_swordsman_first",
    "courtesan_frees_contested",
    "plots_at_any_time",
)
UNORDERED = ("hands", "plots", "lines")
LEFT_OVER = ("faces", "seers", "paid", "winner")
"""What stays after it has lost its meaning."""


def state_of(seed: str, seats: int, config: dict[str, Any] | None = None) -> Any:
    """The state before the first decision of a match."""
    return Match(MatchSetup(seed, "miracles", seats, seed, config=config or {})).state


def known(world: World) -> dict[str, Any]:
    """All that a world holds, with an order only where it matters."""
    held = {name: value for name, value in vars(world).items() if name not in LEFT_OVER}
    held |= {name: [sorted(one) for one in held[name]] for name in UNORDERED}
    held["discards"] = sorted(world.discards)
    if world.over:
        return held | {"contested": None, "playing": None}
    rogues = zip(world.owners, world.faces, world.seers, strict=True)
    board = [None if owner is None else (face, seers) for owner, face, seers in rogues]
    standoff = world.contested is not None and (world.paid, world.winner)
    return held | {"board": board, "standoff": standoff}


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(24))
def test_a_world_goes_on_as_the_rules_do(number: int) -> None:
    """Played by chance, with any settings, it holds what one of the rules' next state holds."""
    rng = random.Random(number)
    config = {name: rng.random() < 0.5 for name in SETTINGS if number % 2}
    state = state_of(f"world {number}", 2 + number % 4, {**config, "max_rounds": 3 + number})
    world = World(state)
    while state.to_act is not None:
        action = rng.choice(state.legal_actions())
        world.apply(action)
        state, _ = state.apply(action)
        assert known(world) == known(World(state))


def test_quick_worlds_are_those_of_redraws(table: Any) -> None:
    """At each decision of a match they hold what the redrawn states hold."""
    game, memory = table("quick", [Position.random_action] * 3, "miracles"), Memory()
    for turn in islice(game.turns(), 60):
        if turn.start.seat == 1:
            position = Position(turn, memory)
            states = islice(position.redraws(), 2)
            for world, state in zip(worlds(position), states, strict=False):
                assert known(world) == known(World(state))


def test_a_copy_is_played_on_apart() -> None:
    """What is done in a copy leaves the world as it was."""
    state = state_of("copy", 4)
    world = World(state)
    other = world.copy()
    while not other.over:
        other.apply(SEARCHER.Policy(other).best())

    assert known(world) == known(World(state))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_policy_plays_by_the_rules(seats: int) -> None:
    """What it thinks best is legal, and looking at all actions changes nothing."""
    state = state_of("policy", seats)
    while state.to_act is not None:
        world = World(state)
        policy = SEARCHER.Policy(world)
        worths = [policy.worth(action) for action in state.legal_actions()]
        action = policy.best()
        state.check(action)
        assert len(worths) == len(state.legal_actions())
        assert known(world) == known(World(state))
        state, _ = state.apply(action)


@pytest.mark.costly
def test_a_search_decides_the_same_again(table: Any) -> None:
    """With a number of nodes it plays a match again as it played it, and by the rules."""
    choose = partial(SEARCHER.choose, nodes=NODES)

    def played(seed: str) -> list[Any]:
        game = table(seed, [choose, Position.random_action], "miracles")
        game.play()
        return [*game.match.decisions]

    assert played("again") == played("again")


@pytest.mark.sweep
@pytest.mark.parametrize("time_ms", [0, 1, 50, 500])
def test_a_search_gets_along_with_any_time(time_ms: int, table: Any) -> None:
    """However short the time, each request has a legal answer."""
    game = table("hurry", [Position.random_action] * 3, "miracles")
    memory = Memory()
    for turn in islice(game.turns(), 40):
        if turn.start.seat == 1:
            turn.request.time_ms = time_ms
            game.match.state.check(SEARCHER.choose(Position(turn, memory)))


def test_no_action_stands_for_another(table: Any) -> None:
    """Some are equal as tuples: to end the turn, and to perform an action."""
    game, equal = table("kinds", [Position.random_action] * 3, "miracles"), 0
    for _ in islice(game.turns(), 60):
        actions = game.match.state.legal_actions()
        found = SEARCHER.candidates(actions, [World(game.match.state)])
        assert len(found) == min(len(actions), SEARCHER.CANDIDATES)
        equal += len({*actions}) < len(actions)
    assert equal


def test_players_err_in_reviews() -> None:
    """One world is judged by different lines of play; the same name gives the same line again."""
    state = state_of("errs", 3)
    for number in range(12):
        state, _ = state.apply(random.Random(number).choice(state.legal_actions()))
    action, judge = state.legal_actions()[0], SEARCHER.PLAYOUTS
    first, again = ([judge.worth(state, action, str(name)) for name in range(6)] for _ in "ab")

    assert first == again
    assert len({*first}) > 1
    assert all(0 <= worth <= 2 for worth in first)


def test_half_of_the_time_is_left(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends by its clock, and half of the time is for what comes between."""
    ticks = count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 1000)
    monkeypatch.setattr("courtyard_kit.search.time", clock)
    game = table("in time", [Position.random_action] * 2, "miracles")
    position = Position(next(game.turns()), Memory())
    position.time_ms, position.bank_ms = 500, 10**9

    SEARCHER.choose(position, nodes=10**9)

    assert 125 < next(ticks) < 250
