"""A turn of Courtisans in steps."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.games import game_named
from referee.games.choice import Choice, Option
from referee.games.courtisans.action import Action
from referee.games.courtisans.state import CourtisansState

Tell = Callable[..., CourtisansState]
Turn = Callable[[str], Action]

NAMES = ("Ada", "Bob", "Cleo")
STORY = (
    "carp noble above | plain hare | toad noble to 1",
    "carp spy below | plain hare | toad guard to 0",
    "hare spy above | plain hare | toad spy to 1",
)


def choice_of(state: CourtisansState) -> Choice:
    """The first step of the seat to act."""
    assert state.to_act is not None
    seen, names = state.observation(state.to_act), NAMES[: len(state.hands)]
    choice: Choice = game_named("courtisans").choice(seen, state.legal(), names)
    return choice


def script(step: Any, *labels: str) -> list[str]:
    """What a person reads who takes the options of these labels: the prompts, then the rest."""
    read = []
    for label in labels:
        read.append(step.prompt)
        step = labelled(step, label)
    return [*read, *([step.prompt] if isinstance(step, Choice) else [])]


def labelled(step: Choice, label: str) -> Any:
    """What follows the option of this label."""
    return step.take([option.label for option in step.options].index(label))


def ends(step: Any) -> Iterator[Action]:
    """The actions at the ends of all paths."""
    if isinstance(step, Choice):
        for index in range(len(step.options)):
            yield from ends(step.take(index))
    else:
        yield step


def test_a_turn_is_asked_card_by_card(tell: Tell, turn: Turn) -> None:
    """An assassin's target follows its card; the last card is asked for only by its receiver."""
    state = tell(3, *STORY, hand="plain stag, stag assassin, stag spy")
    choice = choice_of(state)
    labels = (
        "put the stag assassin below the mat",
        "eliminate the spy of turn 2 below the mat",
        "keep the plain stag",
        "give Cleo the stag spy",
    )

    assert script(choice, *labels) == [
        "Which card goes to the Queen's table, and on which side of the mat?",
        "Which card at the Queen's table does the stag assassin eliminate?",
        "Which card goes to your own domain?",
        "Who gets the stag spy?",
    ]
    path = choice.path(turn("stag assassin below kills 2 | plain stag | stag spy to 2"))
    step: Any = choice
    for index, label in zip(path, labels, strict=True):
        assert step.options[index].label == label
        step = step.take(index)


def test_an_assassin_may_eliminate_none_and_no_guard(tell: Tell) -> None:
    """Each target stands with its turn and its piece; a seat's own spy with its family."""
    state = tell(2, *STORY[:2], hand="plain stag, stag assassin, stag spy")
    step = labelled(choice_of(state), "put the plain stag above the mat")
    step = labelled(step, "keep the stag assassin")

    assert step.prompt == "Which card in your own domain does the stag assassin eliminate?"
    assert step.options == (
        Option("eliminate no card"),
        Option("eliminate the plain hare of turn 1", "0/1"),
    )


def test_copies_are_one_option_with_pieces_of_their_own(tell: Tell) -> None:
    """The second of two equal cards is the next piece of the hand."""
    choice = choice_of(tell(2, hand="plain stag, plain stag, carp noble"))
    assert [option.piece for option in choice.options] == ["hand/0[0]"] * 2 + ["hand/0[2]"] * 2

    step = choice.take(0)
    assert step.prompt == "Which card goes to your own domain?"
    assert [tuple(option) for option in step.options] == [
        ("keep the plain stag", "hand/0[1]", "seat/0"),
        ("keep the carp noble", "hand/0[2]", "seat/0"),
    ]


def test_a_card_has_a_place_to_go_to(tell: Tell) -> None:
    """A side of the mat, the own domain, and the domain of who gets the last card."""
    choice = choice_of(tell(3, hand="plain stag, plain hare, carp noble"))
    assert [option.place for option in choice.options] == ["t/a", "t/b"] * 3

    last = labelled(labelled(choice, "put the plain hare above the mat"), "keep the plain stag")
    assert [option[1:] for option in last.options] == [
        ("hand/0[2]", "seat/1"),
        ("hand/0[2]", "seat/2"),
    ]


def test_three_equal_cards_ask_for_the_side_alone(tell: Tell) -> None:
    """With one opponent all else is settled."""
    choice = choice_of(tell(2, hand="plain stag, plain stag, plain stag"))
    assert [option.label for option in choice.options] == [
        "put the plain stag above the mat",
        "put the plain stag below the mat",
    ]
    assert all(isinstance(choice.take(index), Action) for index in (0, 1))


@pytest.mark.parametrize(
    "hand",
    [
        "stag assassin, stag assassin, toad assassin",
        "carp assassin, stag assassin, plain stag",
        "stag assassin, stag assassin, plain stag",
        "plain stag, stag assassin, plain stag",
    ],
)
def test_all_targets_of_all_assassins_are_reached(hand: str, tell: Tell) -> None:
    """Every legal turn once, with equal cards, too."""
    state = tell(3, *STORY[:2], hand=hand)
    reached = list(ends(choice_of(state)))
    assert len(reached) == len(set(reached))
    assert set(reached) == set(state.legal_actions())


@pytest.mark.costly
def test_a_crowded_position_has_small_steps(crowded: CourtisansState) -> None:
    """26,364 turns, each reached once, though no step has more than 13 options."""
    reached = list(ends(choice_of(crowded)))
    assert len(reached) == len(set(reached)) == 6 * 2 * 13 * 13 * 13
    assert set(reached) == set(crowded.legal_actions())
