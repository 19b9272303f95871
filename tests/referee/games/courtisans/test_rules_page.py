"""The rules page says what the code does."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from courtyard.v1 import game_pb2
from google.protobuf import json_format

from referee.games.courtisans.cards import CARDS, COPIES, HAND_SIZE, WEIGHTS
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import REMOVED, TURNS
from referee.games.courtisans.guide import GUIDE
from referee.games.courtisans.missions import BLUE, WHITE
from referee.games.courtisans.state import CourtisansState
from referee.wire import codec_named


@pytest.fixture(scope="module")
def page() -> str:
    """The text of the rules page."""
    return (Path(__file__).parents[4] / "docs/rules/courtisans.md").read_text(encoding="utf-8")


def test_the_page_lists_the_roles(page: str) -> None:
    """In the order of their numbers, with their copies and weights."""
    rows = re.findall(
        r"^\| (plain|noble|spy|assassin|guard) \| (\d) \| (\d) \|", page, re.MULTILINE
    )
    assert rows == [(r.name.lower(), str(COPIES[r]), str(WEIGHTS[r])) for r in COPIES]


def test_the_page_lists_the_numbers_of_each_number_of_players(page: str) -> None:
    """Cards taken out, cards in the deck, turns of each seat, turns in all."""
    rows = re.findall(r"^\| (\d) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    expected = []
    for seats, turns in TURNS.items():
        deck = len(CARDS) - REMOVED[seats] - HAND_SIZE * seats
        expected.append((seats, REMOVED[seats], deck, turns, seats * turns))
    assert [tuple(map(int, row)) for row in rows] == expected


def test_people_are_told_of_roles_in_the_words_of_the_page(page: str) -> None:
    """Every role's effect."""
    rows = re.findall(
        r"^\| (?:plain|noble|spy|assassin|guard) \|.*\| ([^|]+) \|$", page, re.MULTILINE
    )
    assert rows == [*GUIDE["roles"].values()]


def test_the_page_lists_the_missions(page: str) -> None:
    """By the protocol's names, in its order."""
    rows = re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)
    assert rows == [mission.name for mission in (*WHITE, *BLUE)]


def test_the_page_names_the_defaults(page: str) -> None:
    """Each setting with its default."""
    marked = dict(re.findall(r"\*\*Configuration\*\* `(\w+)`, default `(\w+)`", page))
    defaults = {name: json.dumps(getattr(Config(), name)) for name in Config.__slots__}
    assert marked == defaults


def test_the_pages_action_is_legal(page: str, tell: Callable[..., CourtisansState]) -> None:
    """The example can be read, and is legal with its hand and its target."""
    (text,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    message = json_format.Parse(f'{{"courtisans": {text}}}', game_pb2.GameAction())
    state = tell(
        5,
        "plain stag above | stag guard | stag noble to 1",
        "plain stag below | stag guard | stag noble to 0",
        "plain stag above | stag guard | stag noble to 0",
        "plain toad below | plain toad | plain toad to 0",
        hand="carp assassin, hare noble, toad spy",
    )

    state.check(codec_named("courtisans").decode_action(message))
