"""Matches that Python programs play: every kind of player, and what goes wrong."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import courtyard
import pytest
from courtyard.v1 import referee_pb2
from courtyard_kit import courtisans, miracles

from referee.match.match import Match, MatchSetup


def first(view: courtyard.View) -> int:
    """Take the first option of each step."""
    assert view.prompt
    assert view.options
    return 0


def words(view: courtyard.View) -> Any:
    """Answer with a label, which is no index."""
    return view.options[0]


def at_random(position: Any) -> Any:
    """A strategy for the kit."""
    return position.random_action()


class Remembers:
    """A strategy that counts its decisions."""

    made: list["Remembers"] = []  # noqa: RUF012 -- cleared by the test

    def __init__(self) -> None:
        self.asked = 0
        self.made.append(self)

    def choose(self, position: courtisans.Position) -> courtisans.Action:
        """Choose at random."""
        self.asked += 1
        return position.random_action()


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_players_of_this_process_play_to_the_end(game: str) -> None:
    """Functions, strategies of the kit and the stand-in; the record holds."""
    record = courtyard.play(game, [first, courtyard.kit(at_random), None], seed="mixed")
    assert record.bots == ["first", "at_random", "stand-in"]
    assert min(record.places) == 1
    assert record.verify() == []


def test_the_same_seed_gives_the_same_deal() -> None:
    """And deterministic players the same match."""
    with courtyard.Table("courtisans", [first, first]) as table:
        one, again, other = (table.play(seed=seed) for seed in ("a", "a", "b"))
    assert one.message.deal == again.message.deal
    assert one.points == again.points
    assert one.message.deal != other.message.deal
    assert one.match_id != again.match_id


@pytest.mark.costly
def test_a_sandboxed_bot_plays_with_those_of_this_process(tmp_path: Path) -> None:
    """Also from within an event loop, as in a notebook, and match after match."""

    async def in_notebook() -> list[courtyard.Record]:
        with courtyard.Table("miracles", ["random", first], sandbox="trusted") as table:
            return [table.play(seed=str(number)) for number in range(2)]

    records = asyncio.run(in_notebook())
    assert [record.bots for record in records] == [["random", "first"]] * 2
    assert [record.verify() for record in records] == [[], []]
    assert {row["forfeit"] for record in records for row in record.results()} == {None}


def test_each_match_has_a_strategy_of_its_own() -> None:
    """One that remembers does not mix matches up."""
    Remembers.made.clear()
    with courtyard.Table("courtisans", [courtyard.kit(Remembers), None]) as table:
        table.play(seed="a")
        table.play(seed="b")
    assert [strategy.asked for strategy in Remembers.made] == [10, 10]


def test_a_view_tells_what_a_bot_of_the_plain_dialect_is_sent() -> None:
    """Text, facts, features, prompt and options, to the byte."""
    match = Match(MatchSetup("an id", "courtisans", 3, "view"))
    match.use_plain_dialect(range(3))
    view = courtyard.start("courtisans", 3, seed="view").view()
    assert match.due is not None
    sent = referee_pb2.RefereeMessage.FromString(match.due.payload).request.plain
    assert [*sent.text] == view.text.splitlines()
    assert json.loads(sent.facts) == json.loads(json.dumps(view.facts))
    assert [*sent.features] == [*view.features]
    assert sent.prompt == view.prompt
    assert [*sent.options] == [*view.options]


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda: courtyard.play("courtisans", [first]), "2 to 5 seats, not 1"),
        (lambda: courtyard.play("courtisans", ["nobody", first]), "no sample bot 'nobody'"),
        (lambda: courtyard.play("courtisans", [lambda _: 99, None]), "the options are 0 to"),
        (lambda: courtyard.play("courtisans", [words, None]), "not the index of an option"),
        (
            lambda: courtyard.play("courtisans", [courtyard.kit(lambda _: None), None]),
            "not an Action",
        ),
        (lambda: courtyard.start("courtisans").points, "the game is not over"),
        (lambda: courtyard.start("courtisans").view(7), "a seat from 0 to 1"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(act: Callable[[], Any], problem: str) -> None:
    """What, and what would do instead."""
    with pytest.raises(Exception, match=problem) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_what_a_player_raises_comes_out() -> None:
    """Its own error, not ours."""

    def broken(_: miracles.Position) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        courtyard.play("miracles", [courtyard.kit(broken), None])
