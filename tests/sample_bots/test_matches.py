"""Every sample bot plays whole matches by the rules, in time, and the same way again."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from courtyard_kit.courtisans import Position

Bots = Mapping[str, ModuleType]

NAMES = ["random", "greedy", "counter", "searcher", "trained"]

CROWDED = {
    "hand": "carp assassin, toad assassin, hare assassin",
    "table": ", ".join(
        f"{family}{role} {side}, 2 spy {side}"
        for family in ("butterfly", "toad", "nightingale", "hare", "stag", "carp")
        for role in ("", " noble", " assassin")
        for side in ("above", "below")
    ),
    "domains": ["toad, 2 hare noble, stag, carp assassin, butterfly, nightingale, 2 spy"] * 5,
    "turns_left": (1, 1, 1, 1, 1),
}
"""A hand of three assassins where almost every card can be eliminated."""


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_plays_whole_matches_by_the_rules(
    name: str, seats: int, bots: Bots, table: Any
) -> None:
    """Among random bots it answers every request of some matches with a legal action."""
    for seed in range(4):
        others = [Position.random_action] * (seats - 1)
        game = table(f"legal {seed}", [bots[name].choose, *others])
        assert len(game.play()) == seats


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_answers_the_same_request_the_same_way(name: str, bots: Bots, table: Any) -> None:
    """Asked again, in whatever order, it decides the same: nothing is kept between requests."""
    choose = bots[name].choose
    turns = list(table("again", [choose] * 4).turns())
    first = [choose(Position(turn)) for turn in turns]

    again = [choose(Position(turn)) for turn in reversed(turns)]

    assert again[::-1] == first


@pytest.mark.parametrize("time_ms", [0, 1, 50, 5000])
@pytest.mark.parametrize("name", ["random", "greedy", "counter", "trained"])
def test_a_bot_gets_along_with_any_time(
    name: str, time_ms: int, bots: Bots, position: Callable[..., Position]
) -> None:
    """With three assassins and half a million actions it answers, however short the time."""
    here = position(**CROWDED, time_ms=time_ms)
    assert len(here.actions) > 500_000

    action = bots[name].choose(here)

    assert {action.table.card, action.own_domain.card, action.opponent_domain.card} == set(
        here.hand
    )
    assert action.table.eliminates in (0, *here.legal.table_targets)
    assert action.own_domain.eliminates in (0, *here.legal.domain_targets[0])
    assert action.opponent_domain.eliminates in (0, *here.legal.domain_targets[action.opponent])


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_names_its_bot(name: str, folder: Path) -> None:
    """A bot's name on the ladder is that of its folder, and it says what it does."""
    manifest = tomllib.loads((folder / name / "bot.toml").read_text())

    assert manifest["name"] == name
    assert manifest["description"]
