"""Every kind of illegal action is refused with the rule it broke and what was received."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.base import IllegalAction
from referee.games.miracles.action import Action
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]
Read = Callable[[str], Action]

BOARD = "taverne 1: 1 brute, rue 2: 0 beggar"

ILLEGAL = {
    "not at hand": (
        {},
        "",
        "place brute cour 1",
        "a rogue is placed from your hand: received Brute, possible are Henchman, Beggar",
    ),
    "a taken spot": (
        {"board": BOARD},
        "",
        "place beggar taverne 1",
        "a rogue is placed to a free spot: received Taverne 1, where a rogue lies",
    ),
    "no such spot": (
        {},
        "",
        "place beggar taverne 4",
        "a rogue is placed to a spot of rank 1 to 3 of a neighbourhood: received Taverne rank 4",
    ),
    "none to place": (
        {"hands": {0: ""}, "board": BOARD},
        "",
        "place beggar taverne 2",
        "received Beggar, your rogues are all in play, so one of them must be moved",
    ),
    "placing comes first": (
        {},
        "",
        "end",
        "a turn begins with a rogue placed or moved, or a Plot card: received EndTurn",
    ),
    "moving with a rogue at hand": (
        {"board": BOARD},
        "",
        "move rue 2 to cour 1",
        "moves a rogue in play only if none is at hand: received Rue de l'Égyptienne 2, you have 3",
    ),
    "moving another's": (
        {"hands": {0: ""}, "board": BOARD},
        "",
        "move taverne 1 to cour 1",
        "only your own rogues are moved: received Taverne 1, possible are Rue de l'Égyptienne 2",
    ),
    "moving nowhere": (
        {"hands": {0: ""}, "board": BOARD},
        "",
        "move rue 2 to rue 2",
        "a rogue is moved to a free spot: received Rue de l'Égyptienne 2, where a rogue lies",
    ),
    "placing twice": (
        {},
        "place beggar cour 2",
        "place henchman cour 1",
        (
            "after placing come the neighbourhood's action, a Plot card or the turn's end: "
            "received PlaceRogue"
        ),
    ),
    "acting twice": (
        {"plots": {0: "the sun"}},
        "place beggar cour 2 | act",
        "act",
        "a neighbourhood's action is performed once a turn: received PerformAction after it",
    ),
    "an empty bag": (
        {"plots": {0: "the sun"}, "bag": ""},
        "place beggar taverne 1",
        "act",
        "needs a rogue at hand and one in the bag: received PerformAction with 2 at hand and 0 in",
    ),
    "an action with a choice": (
        {"coins": (9, 0)},
        "place beggar halles 1",
        "act",
        (
            "the action of Les Halles has a choice, or cannot be performed now: received "
            "PerformAction, not BuyRenown"
        ),
    ),
    "buying elsewhere": (
        {"coins": (9, 0)},
        "place beggar cour 2",
        "buy 1",
        "buying Renown is the action of Les Halles: received it in Grande Cour, where your rogue",
    ),
    "no such line": (
        {"coins": (9, 0)},
        "place beggar halles 1",
        "buy 6",
        "the Renown Square has the lines 1 to 5: received line 6",
    ),
    "a line twice": (
        {"coins": (9, 0), "lines": {0: (1,)}},
        "place beggar halles 1",
        "buy 1",
        "each player has one token on a line: received line 1 again",
    ),
    "too dear": (
        {"coins": (4, 0)},
        "place beggar halles 1",
        "buy 2",
        "a line is paid in full: received line 2, you have 4 coins",
    ),
    "shifting elsewhere": (
        {"board": BOARD},
        "place beggar cour 2",
        "shift taverne 1 to cour 1",
        "moving another rogue is the action of Rue de l'Égyptienne: received it in Grande Cour",
    ),
    "shifting the one just placed": (
        {"board": "taverne 1: 1 brute"},
        "place beggar rue 3",
        "shift rue 3 to cour 1",
        (
            "a rogue other than the one just placed is moved: received Rue de l'Égyptienne 3, "
            "possible are Taverne 1"
        ),
    ),
    "shifting to a taken spot": (
        {"board": BOARD},
        "place beggar rue 3",
        "shift taverne 1 to rue 2",
        "a rogue is moved to a free spot: received Rue de l'Égyptienne 2, where a rogue lies",
    ),
    "not in the hand": (
        {"plots": {0: "the sun"}},
        "",
        "devil 1",
        "a Plot card is played from your hand: received The Devil, possible are The Sun",
    ),
    "no card at all": (
        {},
        "",
        "fool 1",
        "a Plot card is played from your hand: received The Fool, possible is none",
    ),
    "a second card": (
        {"plots": {0: "the sun, judgment"}},
        "play the sun",
        "play judgment",
        "one Plot card is played a turn: received Judgment as the second one",
    ),
    "a card without its choice": (
        {"plots": {0: "the devil"}},
        "",
        "play the devil",
        (
            "PlayCard plays a card without a choice, the others have kinds of their own: "
            "received The Devil"
        ),
    ),
    "The Empress without a token": (
        {"plots": {0: "the empress"}},
        "",
        "empress line 1 to cour",
        "The Empress moves one of your Renown tokens in play: received line 1, possible is none",
    ),
    "The Empress to a controlled place": (
        {"plots": {0: "the empress"}, "lines": {0: (1,)}, "controls": {"cour": 1}},
        "",
        "empress line 1 to cour",
        "The Empress moves to an uncontrolled neighbourhood: received Grande Cour, possible are",
    ),
    "The Devil against oneself": (
        {"plots": {0: "the devil"}},
        "",
        "devil 0",
        "The Devil takes from one opponent: received seat 0, possible are seat 1",
    ),
    "The Hanged Man for an own rogue": (
        {"plots": {0: "the hanged man"}, "board": BOARD},
        "",
        "hanged man rue 2",
        "The Hanged Man returns an opponent's rogue in play: received Rue de l'Égyptienne 2",
    ),
    "The Chariot for another's rogue": (
        {"plots": {0: "the chariot"}, "board": BOARD},
        "",
        "chariot taverne 1 to cour 1",
        "The Chariot moves one of your rogues in play: received Taverne 1",
    ),
    "The Chariot to a taken spot": (
        {"plots": {0: "the chariot"}, "board": BOARD},
        "",
        "chariot rue 2 to taverne 1",
        "The Chariot moves a rogue to a free spot: received Taverne 1, where a rogue lies",
    ),
    "The Tower with an empty spot": (
        {"plots": {0: "the tower"}, "board": BOARD},
        "",
        "tower taverne 1 and cour 1",
        "The Tower swaps two rogues in play: received Grande Cour 1",
    ),
    "The Tower the wrong way round": (
        {"plots": {0: "the tower"}, "board": BOARD},
        "",
        "tower rue 2 and taverne 1",
        "The Tower swaps rogues of different neighbourhoods, that of the lower number first",
    ),
    "The Hermit at an empty spot": (
        {"plots": {0: "the hermit"}, "board": BOARD},
        "",
        "hermit cour 1",
        "The Hermit looks at a rogue in play: received Grande Cour 1",
    ),
    "The Fool too far": (
        {"plots": {0: "the fool"}},
        "",
        "fool 3",
        "The Fool moves the King by a number of spaces: received 3, possible are 1, 2",
    ),
    "into the Seine from nowhere": (
        {"bag": "brute"},
        "place beggar taverne 1 | act",
        "sink brute",
        (
            "the drawn rogue (none named) or one at hand goes into the Seine: received Brute, "
            "possible are Henchman"
        ),
    ),
    "no answer about the Seine": (
        {"bag": "brute"},
        "place beggar taverne 1 | act",
        "end",
        "after a draw from the bag one rogue goes into the Seine: received EndTurn",
    ),
    "discarding what is not held": (
        {"plots": {0: "the sun, the devil, the fool"}},
        "place beggar chatelet 3",
        "discard judgment",
        "a Plot card is discarded from your hand: received Judgment, possible are The Sun",
    ),
    "a Wrath on no rogue": (
        {"king": 5, "board": BOARD},
        "place beggar halles 1",
        "wrath cour",
        "the neighbourhood that the Wrath hits must be chosen: received Grande Cour, possible are",
    ),
    "a standoff that is not due": (
        {"king": 11, "board": BOARD + ", taverne 2: 1 brute, taverne 3: 1 brute"},
        "place beggar halles 1",
        "settle halles",
        "the next standoff must be chosen: received Les Halles, possible are Taverne, Rue",
    ),
    "no answer about a Swordsman": (
        {"bag": "", "board": "taverne 1: 0 swordsman, taverne 2: 1 brute", "coins": (2, 0)},
        "place beggar taverne 3",
        "end",
        "a Swordsman is paid or not: received EndTurn, expected PaySwordsman",
    ),
    "no answer about a lone rogue": (
        {"king": 2, "board": "chatelet 1: 1 brute"},
        "place beggar halles 1",
        "pay",
        "a lone rogue is revealed or not: received PaySwordsman, expected RevealLone",
    ),
    "a Courtesan where one rules already": (
        {
            "bag": "",
            "board": "taverne 1: 0 courtesan, taverne 2: 0 brute",
            "controls": {"cour": 0},
        },
        "place beggar taverne 3",
        "courtesan cour",
        "the owner of a Courtesan says where the Renown token goes: received Grande Cour",
    ),
    "after the end": (
        {"king": 26},
        "place beggar cour 3",
        "end",
        "the game is over: received EndTurn",
    ),
}


@pytest.mark.parametrize(("setting", "story", "received", "message"), ILLEGAL.values(), ids=ILLEGAL)
def test_illegal_actions(
    scene: Scene,
    tell: Tell,
    read: Read,
    setting: dict[str, Any],
    story: str,
    received: str,
    message: str,
) -> None:
    """The reason is one line."""
    state = scene(**setting)
    if story:
        state = tell(state, story).state
    with pytest.raises(IllegalAction) as raised:
        state.check(read(received))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_reasons_tell_no_faces(scene: Scene, read: Read) -> None:
    """What is wrong with an action is said in the same words whatever lies face down."""
    reasons = set()
    for face in ("brute", "beggar", "swordsman"):
        state = scene(board=f"taverne 1: 1 {face}", plots={0: "the chariot"})
        for action in ("place beggar taverne 1", "chariot taverne 1 to cour 1"):
            with pytest.raises(IllegalAction) as raised:
                state.check(read(action))
            reasons.add(str(raised.value))
    assert len(reasons) == 2
