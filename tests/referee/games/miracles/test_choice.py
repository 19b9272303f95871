"""A decision of La Cour des Miracles in steps."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games import game_named
from referee.games.choice import Choice
from referee.games.miracles.action import Action
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]
Read = Callable[[str], Action]

NAMES = ("Ada", "Bob", "Cleo")
OR_CARD = ", or which Plot card do you play first"


def choice_of(state: MiraclesState) -> Choice:
    """The first step of the seat to act."""
    assert state.to_act is not None
    seen, names = state.observation(state.to_act), NAMES[: len(state.position.coins)]
    choice: Choice = game_named("miracles").choice(seen, state.legal(), names)
    return choice


def labelled(step: Choice, label: str) -> Any:
    """What follows the option of this label."""
    return step.take([option.label for option in step.options].index(label))


def test_a_first_step_asks_for_the_rogue_and_then_where(scene: Scene, read: Read) -> None:
    """Each kind at hand once, with its piece; then each free spot, with and without waiting."""
    choice = choice_of(scene(plots={0: "the sun"}))
    assert choice.prompt == (f"Which rogue do you put on the board{OR_CARD}?")
    assert [tuple(option) for option in choice.options] == [
        ("put a Henchman face down", "hand/0[0]", None),
        ("put a Beggar face down", "hand/0[2]", None),
        ("play The Sun", "cards/0[0]", None),
    ]
    spots = choice.take(1)
    assert spots.prompt == "Where do you put the Beggar?"
    assert len(spots.options) == 30
    assert spots.options[0][1:] == ("hand/0[2]", "spot/0/1")
    wait = ", and wait for a Plot card before the spot takes effect"
    assert labelled(spots, "put a Beggar face down on Taverne 1") == read("place beggar taverne 1")
    assert labelled(spots, f"put a Beggar face down on Taverne 1{wait}").plot_first
    assert choice.take(2) == read("play the sun")


@pytest.mark.parametrize(
    ("story", "prompt", "labels"),
    [
        (
            "place henchman cour 2",
            "What do you do now that your rogue went to Grande Cour?",
            ["perform the action of the neighbourhood", "play The Fool", "end the turn"],
        ),
        (
            "place henchman rue 2",
            "What do you do now that your rogue went to Rue de l'Égyptienne?",
            ["move another rogue", "play The Fool", "end the turn"],
        ),
        (
            "place henchman halles 2 and wait",
            "Which Plot card do you play before the spot takes effect?",
            ["play The Fool", "let the spot take effect"],
        ),
        (
            "place henchman taverne 1 | act",
            f"You drew a Brute: which rogue goes into the Seine{OR_CARD}?",
            [
                "throw the drawn rogue into the Seine",
                "throw a Henchman from your hand into the Seine",
                "throw a Beggar from your hand into the Seine",
                "play The Fool",
            ],
        ),
    ],
)
def test_decisions_are_questions(
    story: str, prompt: str, labels: list[str], scene: Scene, tell: Tell
) -> None:
    """What a person is asked after some first steps."""
    board = "halles 1: 1 brute, chatelet 1: 1 beggar"
    state = scene(board=board, plots={0: "the fool"}, bag="brute")
    choice = choice_of(tell(state, story).state)
    assert choice.prompt == prompt
    assert [option.label for option in choice.options] == labels


def test_a_card_with_a_choice_asks_for_it(scene: Scene, read: Read) -> None:
    """And not, if there is just one."""
    choice = choice_of(scene(3, board="halles 1: 1 brute", plots={0: "the devil, the hermit"}))
    labels = [option.label for option in choice.options]
    assert labels[2:] == ["play The Devil", "play The Hermit to look at Les Halles 1"]

    devil = choice.take(2)
    assert devil.prompt == "Whose coins does The Devil take?"
    assert [option.label for option in devil.options] == [
        "play The Devil against Bob",
        "play The Devil against Cleo",
    ]
    assert choice.take(3) == read("hermit halles 1")


@pytest.mark.parametrize(
    ("card", "pieces"),
    [
        ("the chariot", ("spot/1/1", "spot/0/1")),
        ("the tower", ("spot/0/2", "spot/1/1")),
        ("the fool", ("king", "path/1")),
        ("the empress", ("line/2", "place/0")),
        ("the devil", ("cards/0[0]", "seat/1")),
    ],
)
def test_the_pieces_and_places_of_a_card_have_names(
    card: str, pieces: tuple[str, str], scene: Scene
) -> None:
    """What moves, and where to."""
    board = "halles 1: 0 brute, taverne 2: 1 beggar, chatelet 2: 1 beggar, halles 2: 0 beggar"
    choice = choice_of(scene(3, board=board, plots={0: card}, lines={0: (2, 3)}))
    shown = {option.piece: option for option in choice.options}
    step = choice.take(choice.options.index(shown["cards/0[0]"]))
    assert pieces in [option[1:] for option in step.options]


def test_what_cannot_be_chosen_is_still_shown(scene: Scene, tell: Tell) -> None:
    """A seat that can only end its turn is asked with that one option."""
    state = scene(plots={0: "the hanged man"})
    choice = choice_of(tell(state, "place henchman halles 1").state)
    assert [option.label for option in choice.options] == ["end the turn"]


def test_a_question_in_a_standoff_names_the_spot(scene: Scene, tell: Tell) -> None:
    """The owner of a Swordsman is asked about that one."""
    board = "cour 1: 1 beggar, cour 2: 1 swordsman"
    state = tell(scene(board=board, coins=(0, 2)), "place henchman cour 3 | end").state
    choice = choice_of(state)
    assert state.to_act == 1
    assert choice.prompt == "Do you pay your Swordsman on Grande Cour 2?"
    assert [option.label for option in choice.options] == [
        "do not pay the Swordsman",
        "pay the Swordsman",
    ]
