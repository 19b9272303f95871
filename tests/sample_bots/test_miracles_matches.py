"""The bots for La Cour des Miracles play whole matches by the rules, in time, and repeatably."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from courtyard_kit.miracles import Position

from referee.games.miracles.observation import Decision

NAMES = ["random", "greedy", "counter"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_plays_whole_matches_by_the_rules(
    name: str, seats: int, strategies: Any, table: Any
) -> None:
    """Among random bots it answers every request of some matches with a legal action."""
    for seed in range(2):
        others = [Position.random_action] * (seats - 1)
        game = table(f"legal {seed}", [strategies["miracles"][name](), *others], "miracles")
        assert len(game.play()) == seats


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_answers_every_kind_of_decision(name: str, strategies: Any, table: Any) -> None:
    """Asked whatever random players are asked, until that was everything, it answers legally."""
    asked: set[Decision] = set()
    for seed in range(30):
        game = table(f"every {seed}", [Position.random_action] * 3, "miracles")
        choosers = [strategies["miracles"][name]() for _ in range(3)]
        for turn in game.turns():
            position = Position(turn)
            game.match.state.check(choosers[position.seat](position))
            asked.add(position.decision)
        if asked == set(Decision):
            break
    assert asked == set(Decision)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES[1:])
def test_a_bot_plays_the_same_match_the_same_way(name: str, strategies: Any, table: Any) -> None:
    """A new player of the same seat who is asked the same decides the same."""
    begin = strategies["miracles"][name]
    turns = list(table("again", [begin() for _ in range(4)], "miracles").turns())

    for seat in range(4):
        own = [turn for turn in turns if turn.start.seat == seat]
        first, second = begin(), begin()
        assert [first(Position(turn)) for turn in own] == [second(Position(turn)) for turn in own]


@pytest.mark.parametrize("time_ms", [0, 1, 50])
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_gets_along_with_any_time(
    name: str, time_ms: int, strategies: Any, table: Any
) -> None:
    """However short the time, each request has a legal answer."""
    game = table("hurry", [Position.random_action] * 3, "miracles")
    choosers = [strategies["miracles"][name]() for _ in range(3)]

    for turn in game.turns():
        turn.request.time_ms = time_ms
        game.match.state.check(choosers[turn.start.seat](Position(turn)))


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_names_its_bot(name: str, folder: Path) -> None:
    """A bot's name on the ladder is that of its folder, and it says what it does."""
    manifest = tomllib.loads((folder.parent / "miracles" / name / "bot.toml").read_text())

    assert manifest["name"] == name
    assert manifest["games"] == ["miracles"]
    assert manifest["description"]
