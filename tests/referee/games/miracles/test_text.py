"""What people read."""

from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest
from rich.style import Style
from rich.text import Text as RichText

from referee.games.base import Text
from referee.games.miracles import action_words, text
from referee.games.miracles.action import (
    Action,
    EndTurn,
    PaySwordsman,
    PlaceRogue,
    PlayDevil,
    PlayFool,
    SinkRogue,
)
from referee.games.miracles.event import Event
from referee.games.miracles.pieces import Neighbourhood, Rogue, Spot
from referee.games.miracles.state import MiraclesState
from referee.games.miracles.telling import _WORDS

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]
Step = tuple[MiraclesState, Action, tuple[Event, ...], MiraclesState]
RandomGame = Callable[..., Iterator[Step]]

TEXT: Text = text
NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")


def plain(lines: Iterator[str]) -> list[str]:
    """The lines as a terminal without colours shows them."""
    return [RichText.from_markup(line).plain for line in lines]


def everything(steps: list[Step], names: tuple[str, ...]) -> Iterator[str]:
    """All lines that a game can give, from all sides."""
    yield from TEXT.deal_lines(steps[0][0].deal, names)
    for number, (_, _, events, state) in enumerate(steps):
        for event in events:
            yield from TEXT.event_lines(event, names)
        for seat in range(len(names)):
            for event in events:
                yield from TEXT.event_lines(state.event_for(event, seat), names)
        seen = state.observation(number % len(names))
        yield from TEXT.observation_lines(seen, names)
    yield from TEXT.result_lines(steps[-1][3].result(), names)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_lines_are_rich_markup_of_known_styles(seats: int, random_game: RandomGame) -> None:
    """Every line is one line of at most 120 columns, and every style in it is declared."""
    for line in dict.fromkeys(everything(list(random_game(seats, "s")), NAMES[:seats])):
        shown = RichText.from_markup(line)
        assert {str(span.style) for span in shown.spans} <= set(TEXT.STYLES)
        assert "[" not in shown.plain
        assert "\n" not in line
        assert len(shown.plain) <= 120


def test_every_event_has_words() -> None:
    """No kind of event is forgotten."""
    assert set(_WORDS) == set(get_args(Event))


def test_every_choice_has_words() -> None:
    """No kind of action is forgotten."""
    assert set(action_words._WORDS) == set(get_args(Action))


@pytest.mark.parametrize("seats", [2, 5])
def test_every_choice_is_one_line_of_known_styles(seats: int, random_game: RandomGame) -> None:
    """Whatever is chosen."""
    lines = {TEXT.action_line(step[1], NAMES[:seats]) for step in random_game(seats, "s")}

    assert len(lines) > 20
    for line in lines:
        words = RichText.from_markup(line)
        assert {str(span.style) for span in words.spans} <= set(TEXT.STYLES)
        assert words.plain.strip() == words.plain != ""
        assert "[" not in words.plain


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (PlaceRogue(Rogue.BEGGAR, Spot(Neighbourhood.TAVERNE, 2)), "put a Beggar face down on "),
        (PlayDevil(9), "play The Devil against seat 9"),
        (PlayDevil(1), "play The Devil against Bob"),
        (PlayFool(1), "play The Fool: 1 space"),
        (EndTurn(), "end the turn"),
        (PaySwordsman(pays=False), "do not pay the Swordsman"),
        (SinkRogue(None), "throw the drawn rogue into the Seine"),
    ],
)
def test_what_was_chosen_is_told_even_if_it_is_illegal(action: Action, words: str) -> None:
    """A seat that is not at the table has its number."""
    assert RichText.from_markup(TEXT.action_line(action, NAMES)).plain.startswith(words)


def test_styles_are_styles() -> None:
    """Rich understands every style."""
    for style in TEXT.STYLES.values():
        Style.parse(style)


def test_a_turn_is_told(scene: Scene, tell: Tell) -> None:
    """A line for each thing that happened, under a line for the turn."""
    held = scene(
        king=5,
        board="halles 1: 1 beggar, halles 2: 1 soothsayer",
        controls={"halles": 1},
        coins=(9, 0),
        pile="the sun, the devil",
        hands={0: "brute"},
    )
    told = tell(held, "place brute halles 3 | buy 2")
    lines = [line for event in told.events for line in plain(TEXT.event_lines(event, NAMES[:2]))]
    assert lines == [
        "Turn 1 of Ada · round 1",
        "    Ada puts a Brute face down on Les Halles 3",
        "    Ada takes 2 coins from the spot",
        "    Ada performs the action of Les Halles",
        "    Ada pays 5 coins for Renown",
        "    Bob takes 1 coin as income",
        "    Ada puts a Renown token on line 2, 1 in play",
        "    The King moves from 5 to 6, stopped by the Wrath",
        "    Ada lets the Wrath hit Les Halles",
        "    Standoff in Les Halles",
        "    Face up: 1 Bob's Beggar, 2 Bob's Soothsayer, 3 Ada's Brute",
        "    Ada wins Les Halles with Ada 2, Bob 0",
        "    Bob takes back 1 Renown token from Les Halles",
        "    Ada puts a Renown token on Les Halles, 2 in play",
        "    Bob takes 1 coin with the Soothsayer",
        "    Bob draws The Sun",
        "    Ada gives Bob 1 coin to the Beggar",
        "    The rogues of Les Halles go back to hand",
    ]


def test_others_are_told_less(scene: Scene, tell: Tell) -> None:
    """No face and no card that is hidden from the reader."""
    told = tell(scene(bag="brute", pile="the sun"), "place beggar taverne 2 | act | sink henchman")
    forms = [told.state.event_for(event, 1) for event in told.events]
    assert [line for form in forms for line in plain(TEXT.event_lines(form, NAMES))][1:] == [
        "    Ada puts a rogue face down on Taverne 2",
        "    Ada draws 1 Plot card",
        "    Ada performs the action of Taverne",
        "    Ada draws a rogue from the bag",
        "    Ada throws a rogue into the Seine",
    ]


def test_a_seats_view(scene: Scene, tell: Tell) -> None:
    """Its hands, the board with what it may know, the players and the piles."""
    held = scene(
        board="taverne 1: 1 brute, cour 3: 0 courtesan",
        plots={0: "the devil"},
        controls={"cour": 1},
        lines={0: (1, 4)},
        king=3,
    )
    assert plain(TEXT.observation_lines(held.observation(0), NAMES[:2])) == [
        "Turn 1 of Ada, seen by Ada · round 1",
        "             Ada is asked to place a rogue",
        "King         on space 3",
        "Rogues       Henchman, Henchman, Beggar",
        "Plot cards   The Devil",
        "",
        "Taverne               1 Bob ?           2 ·               3 ·",
        "Les Halles            1 ·               2 ·               3 ·",
        "Le Châtelet           1 ·               2 ·               3 ·",
        "Rue de l'Égyptienne   1 ·               2 ·               3 ·",
        "Grande Cour           1 ·               2 ·               3 Ada Courtesan   ♛ Bob",
        "",
        "Ada  0 coins   3 rogues at hand   1 Plot card   2 Renown · lines 1, 4",
        "Bob  0 coins   3 rogues at hand   0 Plot cards  1 Renown",
        "Left         22 Plot cards, 12 in the bag, 0 in the Seine",
    ]


def test_the_data_set_is_named(scene: Scene, tell: Tell) -> None:
    """With the deal, and with the result, which says what decided."""
    held = scene(king=26, lines={0: (3,)})
    first = plain(TEXT.deal_lines(held.deal, NAMES[:2]))[0]
    assert first == "Ada starts · board data standard-reconstruction-1"
    over = tell(held, "place beggar cour 3").state
    assert plain(TEXT.result_lines(over.result(), NAMES[:2])) == [
        (
            "The Penniless King reached space 27 in turn 1, round 1"
            " · board data standard-reconstruction-1"
        ),
        "  1 Ada  1 Renown · 0 neighbourhoods · line 3 · 0 coins",
        "  2 Bob  0 Renown · 0 neighbourhoods · 0 coins",
    ]


def test_the_sixth_token_is_told(scene: Scene, tell: Tell) -> None:
    """By the name of who placed it."""
    held = scene(coins=(8, 0), lines={0: (1, 2, 3, 4)}, controls={"cour": 0})
    over = tell(held, "place beggar halles 2 | buy 5").state
    lines = plain(TEXT.result_lines(over.result(), NAMES[:2]))
    assert lines[0].startswith("Ada placed the sixth Renown in turn 1, round 1")
