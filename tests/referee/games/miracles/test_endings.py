"""How a game ends, and who is placed where."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.miracles.config import Config
from referee.games.miracles.event import CoinsMoved, GameEnded, StandoffStarted
from referee.games.miracles.scoring import Ending, ranks
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]


def test_the_sixth_token_on_a_line(scene: Scene, tell: Tell) -> None:
    """Ends the game at once: no bonus, no standoff."""
    held = scene(
        coins=(8, 0),
        lines={0: (1, 2, 3)},
        controls={"cour": 0, "rue": 0},
        board="halles 1: 1 brute, halles 2: 1 beggar",
        king=26,
    )
    told = tell(held, "place henchman halles 3 | buy 5")
    assert told.of(GameEnded) == [(1,)]
    assert told.of(StandoffStarted) == []
    assert told.state.to_act is None
    assert told.state.result().ending is Ending.RENOWN
    assert told.state.ranks() == (1, 2)
    assert told.state.scores() == (6, 0)
    assert told.state.result().king == 26


def test_the_sixth_token_in_a_standoff(scene: Scene, tell: Tell) -> None:
    """Ends the game at once: abilities and pending standoffs are off."""
    held = scene(
        lines={0: (1, 2, 3, 4, 5)},
        board=(
            "taverne 1: 0 brute, taverne 2: 1 beggar, "
            "rue 1: 1 henchman, rue 2: 1 henchman, rue 3: 1 beggar"
        ),
        coins=(3, 0),
        bag="",
    )
    told = tell(held, "place henchman taverne 3 | settle taverne")
    assert told.of(StandoffStarted) == [(1,)]
    assert told.of(CoinsMoved) == []
    assert told.state.result().ending is Ending.RENOWN


def test_who_has_not_six_is_placed_by_renown_then_control(scene: Scene, tell: Tell) -> None:
    """Behind the player with six tokens."""
    held = scene(
        4,
        coins=(8, 0, 0, 0),
        lines={0: (1, 2, 3, 4), 1: (1, 2), 2: (1,), 3: (3, 4)},
        controls={"cour": 0, "rue": 2},
    )
    told = tell(held, "place henchman halles 2 | buy 5")
    assert told.state.ranks() == (1, 3, 2, 3)
    assert told.state.scores() == (6, 2, 2, 2)


def test_the_king_arrives(scene: Scene, tell: Tell) -> None:
    """The game ends at once; most Renown in play wins."""
    held = scene(king=26, lines={1: (1,)}, board="cour 1: 1 brute, cour 2: 1 beggar")
    told = tell(held, "place henchman cour 3")
    assert told.state.result().ending is Ending.KING
    assert told.of(StandoffStarted) == []
    assert told.state.ranks() == (2, 1)


def test_the_king_arrives_in_the_midst_of_a_card(scene: Scene, tell: Tell) -> None:
    """Then the card is still in play."""
    told = tell(scene(king=25, plots={0: "the fool"}), "fool 2")
    assert told.state.to_act is None
    assert told.state.observation(1).playing is not None


def test_the_king_may_wait_for_the_turn_to_end(scene: Scene, tell: Tell) -> None:
    """Without `king_ends_at_once` the turn is finished with its standoffs."""
    held = scene(
        king=26,
        board="cour 1: 1 henchman, cour 2: 1 beggar",
        hands={0: "brute"},
        config=Config(king_ends_at_once=False),
    )
    told = tell(held, "place brute cour 3 | end")
    assert told.of(StandoffStarted) == [(5,)]
    assert told.state.result().ending is Ending.KING
    assert told.state.scores() == (1, 0)


def test_the_last_round(scene: Scene, tell: Tell) -> None:
    """After `max_rounds` full rounds the game ends as if the King had arrived."""
    held = scene(config=Config(max_rounds=1))
    told = tell(held, "0: place henchman halles 3 | 1: place henchman halles 1")
    assert told.state.result().ending is Ending.ROUNDS
    assert (told.state.result().turn, told.state.result().round) == (2, 1)
    assert told.state.ranks() == (1, 1)


@pytest.mark.parametrize(
    ("standings", "places"),
    [
        ([(3, 1), (2, 2)], (1, 2)),
        ([(2, 1), (2, 2)], (2, 1)),
        ([(2, 1), (2, 1), (1, 1)], (1, 1, 3)),
        ([(0, 0), (4, 0), (4, 3), (0, 0), (6, 0)], (4, 3, 2, 4, 1)),
    ],
    ids=["Renown", "control", "shared", "five"],
)
def test_places(standings: list[tuple[int, int]], places: tuple[int, ...]) -> None:
    """Renown in play, then controlled neighbourhoods, then a shared place."""
    assert ranks(standings) == places


def test_a_game_that_is_not_over_has_no_result(scene: Scene) -> None:
    """Asking for it too early is a bug of the asker."""
    for ask in (scene().result, scene().scores, scene().ranks):
        with pytest.raises(RuntimeError, match="not over"):
            ask()
