"""What strangers write for Courtisans is read, or refused with a reason."""

from collections.abc import Callable
from typing import Any

import pytest
from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.games.base import ConfigError, IllegalAction
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import Card, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import draw_deal
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream
from referee.wire.courtisans import CourtisansCodec
from tests.support.sampling import examples

CODEC = CourtisansCodec()
LONGEST_REASON = 300


def a_state() -> CourtisansState:
    """The middle of a game, with an assassin in the hand of the seat to act."""
    state = initial_state(Config(), 3, draw_deal(3, Stream("reading", "deal")))
    stream = Stream("reading", "players")
    while state.turn < 12 or all(c.role is not Role.ASSASSIN for c in state.hands[state._acting()]):
        state, _ = state.apply(state.random_action(stream))
    return state


STATE = a_state()


def a_turn() -> pb.CourtisansAction:
    """The message of a legal turn."""
    encoded = CODEC.encode_action(STATE.random_action(Stream("reading", "turn")))
    return game_pb2.GameAction.FromString(encoded).courtisans


def read(turn: pb.CourtisansAction) -> Action:
    """What the message says."""
    return CODEC.decode_action(game_pb2.GameAction(courtisans=turn))


def changed(path: str, number: int) -> pb.CourtisansAction:
    """A legal turn with one number changed."""
    turn = a_turn()
    *inner, name = path.split(".")
    message: Any = turn
    for step in inner:
        message = getattr(message, step)
    setattr(message, name, number)
    return turn


@pytest.mark.parametrize(
    ("path", "number", "reason"),
    [
        ("table.card.family", 7, "there is no family 7"),
        ("own_domain.card.family", -1, "there is no family -1"),
        ("opponent_domain.card.role", 0, "there is no role 0"),
        ("table.card.role", 6, "there is no role 6"),
        ("side", 3, "there is no side 3"),
        ("side", -(2**31), "there is no side -2147483648"),
    ],
)
def test_a_number_that_no_enum_has(path: str, number: int, reason: str) -> None:
    """A family, role or side that does not exist is illegal, and the reason names it."""
    with pytest.raises(IllegalAction) as refusal:
        read(changed(path, number))
    assert str(refusal.value) == reason


@pytest.mark.parametrize("area", ["table", "own_domain", "opponent_domain"])
@pytest.mark.parametrize("left_out", ["the placement", "the card"])
def test_an_area_without_a_card(area: str, left_out: str) -> None:
    """A turn that plays no card to an area is illegal, and the reason names the area."""
    turn = a_turn()
    if left_out == "the placement":
        turn.ClearField(area)
    else:
        getattr(turn, area).ClearField("card")
    with pytest.raises(IllegalAction) as refusal:
        read(turn)
    assert str(refusal.value) == f"a turn plays one card to each area: {area} has none"


def test_an_empty_turn() -> None:
    """A turn with nothing in it is illegal."""
    with pytest.raises(IllegalAction, match="one card to each area: table has none"):
        CODEC.decode_action(game_pb2.GameAction())


def test_what_is_unspecified_is_left_to_the_rules() -> None:
    """No family and no side are read as such; the rules refuse both with their own reasons."""
    turn = changed("side", 0)
    assert read(turn).side is None
    with pytest.raises(IllegalAction, match="above or below the mat: received no side"):
        STATE.check(read(turn))
    turn = changed("table.card.family", 0)
    assert read(turn).table.card == Card(None, Role(turn.table.card.role))
    with pytest.raises(IllegalAction, match="of no family"):
        STATE.check(read(turn))


numbers = st.integers(0, 40) | st.integers(0, 2**32 - 1)
enums = st.integers(-1, 7) | st.integers(-(2**31), 2**31 - 1)
cards = st.builds(pb.CourtisansCard, family=enums, role=enums)
placements = st.builds(pb.CourtisansPlacement, card=cards | st.none(), eliminates=numbers)
strange_turns = st.builds(
    pb.CourtisansAction,
    table=placements | st.none(),
    side=enums,
    own_domain=placements | st.none(),
    opponent_domain=placements | st.none(),
    opponent=numbers,
)


@examples(300, derandomize=True)
@given(strange_turns)
def test_strange_turns_are_refused_in_one_line(turn: pb.CourtisansAction) -> None:
    """Whatever numbers a turn has, it is refused as illegal with one short line."""
    with pytest.raises(IllegalAction) as refusal:
        STATE.check(read(turn))
    reason = str(refusal.value)
    assert reason.isprintable()
    assert 0 < len(reason) <= LONGEST_REASON


@examples(300, derandomize=True)
@given(
    st.sampled_from(
        [
            *(f"{area}.eliminates" for area in ("table", "own_domain", "opponent_domain")),
            *(f"{area}.card.family" for area in ("table", "own_domain", "opponent_domain")),
            *(f"{area}.card.role" for area in ("table", "own_domain", "opponent_domain")),
            "side",
            "opponent",
        ]
    ),
    st.integers(0, 40) | st.integers(0, 2**31 - 1),
)
def test_a_turn_with_one_number_changed(path: str, number: int) -> None:
    """A legal turn with any one number changed is legal, or illegal for a reason in one line."""
    try:
        STATE.check(read(changed(path, number)))
    except IllegalAction as error:
        reason = str(error)
        assert reason.isprintable()
        assert 0 < len(reason) <= LONGEST_REASON


def deal_message() -> game_pb2.GameDeal:
    """A deal for three seats."""
    return game_pb2.GameDeal.FromString(CODEC.encode_deal(draw_deal(3, Stream("a deal"))))


def no_mission(deal: pb.CourtisansDeal) -> None:
    """Leave out a mission."""
    deal.missions[1].ClearField("blue")


def strange_role(deal: pb.CourtisansDeal) -> None:
    """Give a card a role that does not exist."""
    deal.deck[0].role = 9  # type: ignore[assignment]


def strange_family(deal: pb.CourtisansDeal) -> None:
    """Give a card a family that does not exist."""
    deal.hands[2].cards[0].family = 12  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (no_mission, "the deal: there is no mission 0"),
        (strange_role, "the deal: there is no role 9"),
        (strange_family, "the deal: there is no family 12"),
    ],
)
def test_a_deal_of_what_does_not_exist(
    change: Callable[[pb.CourtisansDeal], None], reason: str
) -> None:
    """A deal with a number that no enum has is refused, and the reason names it."""
    message = deal_message()
    change(message.courtisans)
    with pytest.raises(ConfigError) as refusal:
        CODEC.decode_deal(message)
    assert str(refusal.value) == reason
