"""What strangers write for La Cour des Miracles is read, or refused with a reason."""

from collections.abc import Callable
from typing import Any

import pytest
from courtyard.v1 import game_pb2
from courtyard.v1 import miracles_pb2 as pb
from hypothesis import given

from referee.games.base import ConfigError, IllegalAction
from referee.games.miracles.action import Action
from referee.games.miracles.config import Config, config_from
from referee.games.miracles.data import BoardData
from referee.games.miracles.deal import draw_deal
from referee.games.miracles.observation import Decision
from referee.games.miracles.reading import data_from
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.randomness import Stream
from referee.wire.miracles import MiraclesCodec
from tests.referee.wire.miracles_values import messages_of
from tests.support.sampling import examples

CODEC = MiraclesCodec()
CONFIG = Config()
LONGEST_REASON = 500
TAVERNE_2 = pb.MiraclesSpot(neighbourhood="NEIGHBOURHOOD_TAVERNE", rank=2)
NOWHERE = pb.MiraclesSpot(neighbourhood=6, rank=1)  # type: ignore[arg-type]
ANYWHERE = pb.MiraclesSpot(rank=1)


def many_who_are_asked() -> BoardData:
    """A data set with only Swordsmen and Courtesans in the bag."""
    data = CONFIG.data.to_mapping()
    bag = {"swordsman": 6, "courtesan": 6}
    for name, rogue in data["rogues"].items():
        rogue["bag"] = bag.get(name, 0)
    return data_from(data)


def states() -> dict[Decision, MiraclesState]:
    """The first state of a few random games in which each decision is asked."""
    found: dict[Decision, MiraclesState] = {}
    config = Config(many_who_are_asked(), wrath_on_empty=True)
    for seed in ("a", "b", "c", "d", "e", "n"):
        state = initial_state(config, 4, draw_deal(config.data, 4, Stream(seed, "deal")))
        stream = Stream(seed, "players")
        while (decision := state.legal().decision) is not None:
            found.setdefault(decision, state)
            state, _ = state.apply(state.random_action(stream))
    return found


STATES = states()


def read(message: pb.MiraclesAction) -> Action:
    """What the message says."""
    return CODEC.decode_action(game_pb2.GameAction(miracles=message))


def in_the_game_action(body: Any) -> pb.MiraclesAction:
    """The body as the action of its kind."""
    for field in pb.MiraclesAction.DESCRIPTOR.fields:
        if field.message_type is body.DESCRIPTOR:
            return pb.MiraclesAction(**{field.name: body})
    raise ValueError(f"{body.DESCRIPTOR.name} is no action")


def test_every_decision_is_tried() -> None:
    """The games of these tests ask every decision that there is."""
    assert set(STATES) == set(Decision)


def test_no_action() -> None:
    """An action of no kind is illegal, and the reason lists the kinds."""
    with pytest.raises(IllegalAction) as refusal:
        CODEC.decode_action(game_pb2.GameAction())
    assert str(refusal.value).startswith("an action is one of place_rogue, move_rogue, ")
    assert str(refusal.value).endswith(", take_effect: this one is none")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (pb.MiraclesPlaceRogue(spot=TAVERNE_2), "place_rogue: rogue is missing"),
        (pb.MiraclesPlaceRogue(rogue="ROGUE_BRUTE"), "place_rogue: spot is missing"),
        (
            pb.MiraclesPlaceRogue(rogue=10, spot=TAVERNE_2),  # type: ignore[arg-type]
            "place_rogue: there is no rogue 10",
        ),
        (
            pb.MiraclesPlaceRogue(rogue="ROGUE_BRUTE", spot=NOWHERE),
            "place_rogue: there is no neighbourhood 6",
        ),
        (pb.MiraclesMoveRogue(target=TAVERNE_2), "move_rogue: origin is missing"),
        (pb.MiraclesMoveRogue(origin=TAVERNE_2), "move_rogue: target is missing"),
        (pb.MiraclesMoveOther(origin=ANYWHERE), "move_other: neighbourhood is missing"),
        (pb.MiraclesPlayCard(), "play_card: card is missing"),
        (
            pb.MiraclesPlayCard(card=-1),  # type: ignore[arg-type]
            "play_card: there is no plot card -1",
        ),
        (
            pb.MiraclesPlayEmpress(target="NEIGHBOURHOOD_TAVERNE"),
            "play_empress: token is missing",
        ),
        (
            pb.MiraclesPlayEmpress(token=pb.MiraclesRenownPlace(line=1)),
            "play_empress: target is missing",
        ),
        (
            pb.MiraclesPlayEmpress(token=pb.MiraclesRenownPlace(neighbourhood=7)),  # type: ignore[arg-type]
            "play_empress: there is no neighbourhood 7",
        ),
        (pb.MiraclesPlayTower(first=TAVERNE_2), "play_tower: second is missing"),
        (pb.MiraclesPlayHermit(), "play_hermit: spot is missing"),
        (
            pb.MiraclesSinkRogue(rogue=2**31 - 1),  # type: ignore[arg-type]
            "sink_rogue: there is no rogue 2147483647",
        ),
        (pb.MiraclesDiscardPlot(), "discard_plot: card is missing"),
        (pb.MiraclesChooseWrath(), "choose_wrath: neighbourhood is missing"),
        (
            pb.MiraclesSettleNext(neighbourhood=6),  # type: ignore[arg-type]
            "settle_next: there is no neighbourhood 6",
        ),
        (pb.MiraclesUseCourtesan(), "use_courtesan: neighbourhood is missing"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_missing_or_does_not_exist(body: Any, reason: str) -> None:
    """An action that lacks a part, or names what no enum has, is illegal; the reason names it."""
    with pytest.raises(IllegalAction) as refusal:
        read(in_the_game_action(body))
    assert str(refusal.value) == reason


@pytest.mark.sweep
@pytest.mark.parametrize("decision", list(Decision))
def test_strange_actions(decision: Decision) -> None:
    """Whatever numbers an action has, it is legal, or illegal for a reason in one short line."""
    state = STATES[decision]

    @given(messages_of(pb.MiraclesAction))
    @examples(200, derandomize=True)
    def check(message: pb.MiraclesAction) -> None:
        try:
            action = read(message)
            state.check(action)
        except IllegalAction as error:
            reason = str(error)
            assert reason.isprintable()
            assert 0 < len(reason) <= LONGEST_REASON
        else:
            assert action in state.legal_actions()

    check()


def deal_message() -> game_pb2.GameDeal:
    """A deal for three seats."""
    deal = draw_deal(CONFIG.data, 3, Stream("a deal"))
    return game_pb2.GameDeal.FromString(CODEC.encode_deal(deal))


def no_card(deal: pb.MiraclesDeal) -> None:
    """Deal a seat no card."""
    deal.hands[1] = 0  # type: ignore[call-overload]


def strange_card(deal: pb.MiraclesDeal) -> None:
    """Put a card into the pile that does not exist."""
    deal.pile.append(13)  # type: ignore[arg-type]


def strange_rogue(deal: pb.MiraclesDeal) -> None:
    """Put a rogue into the bag that does not exist."""
    deal.bag[0] = 44  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (no_card, "the deal: there is no plot card 0"),
        (strange_card, "the deal: there is no plot card 13"),
        (strange_rogue, "the deal: there is no rogue 44"),
    ],
)
def test_a_deal_of_what_does_not_exist(
    change: Callable[[pb.MiraclesDeal], None], reason: str
) -> None:
    """A deal with a number that no enum has is refused, and the reason names it."""
    message = deal_message()
    change(message.miracles)
    with pytest.raises(ConfigError) as refusal:
        CODEC.decode_deal(message)
    assert str(refusal.value) == reason


def no_data(config: pb.MiraclesConfig) -> None:
    """Leave the data set out."""
    config.ClearField("data")


def two_spots(config: pb.MiraclesConfig) -> None:
    """Take a spot away."""
    del config.data.neighbourhoods[3].spots[1]


def a_rogue_more(config: pb.MiraclesConfig) -> None:
    """Invent a rogue."""
    config.data.rogues.add()


def strange_effect(config: pb.MiraclesConfig) -> None:
    """Give a line a bonus that does not exist."""
    config.data.lines[4].bonus.kind = 5  # type: ignore[assignment]


def strange_wrath(config: pb.MiraclesConfig) -> None:
    """Let a Wrath hit a neighbourhood that does not exist."""
    config.data.king.wraths[0].neighbourhood = 8  # type: ignore[assignment]


def no_source(config: pb.MiraclesConfig) -> None:
    """Do not say where a card's values come from."""
    config.data.plot_cards[11].ClearField("source")


def strange_cost(config: pb.MiraclesConfig) -> None:
    """Let a line cost too much; every part exists, so this is for the game to find."""
    config.data.lines[0].cost = 100


def far_wrath(config: pb.MiraclesConfig) -> None:
    """Put a Wrath beyond the path; every part exists, so this is for the game to find."""
    config.data.king.wraths[7].space = 28


def no_rounds(config: pb.MiraclesConfig) -> None:
    """Allow no rounds; this is for the game to find."""
    config.max_rounds = 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (no_data, "the data set: it must have 5 neighbourhoods, not 0"),
        (two_spots, "the data set: it must have 3 spots a neighbourhood, not 2"),
        (a_rogue_more, "the data set: it must have 9 rogues, not 10"),
        (strange_effect, "the data set: there is no effect kind 5"),
        (strange_wrath, "the data set: there is no neighbourhood 8"),
        (no_source, "the data set: there is no source 0"),
        (strange_cost, "renown_square.line_1.cost: this must be a number from 0 to 99, not 100"),
        (
            far_wrath,
            "king.wrath.28: a Wrath lies on a space from 1 to 26, before the final one, 27",
        ),
        (no_rounds, "max_rounds must be 1 to 1000, not 0"),
    ],
)
def test_a_configuration_that_no_game_has(
    change: Callable[[pb.MiraclesConfig], None], reason: str
) -> None:
    """A configuration that lacks a part, or has a strange one, is refused with the reason."""
    message = game_pb2.GameConfig.FromString(CODEC.encode_config(CONFIG))
    change(message.miracles)
    with pytest.raises(ConfigError) as refusal:
        config_from(CODEC.decode_config(message))
    assert str(refusal.value) == reason


@given(messages_of(pb.MiraclesAction))
@examples(300, derandomize=True)
def test_an_action_that_is_read_is_read_again(message: pb.MiraclesAction) -> None:
    """What an action says survives being written again."""
    try:
        action = read(message)
    except IllegalAction:
        return
    again = game_pb2.GameAction.FromString(CODEC.encode_action(action))
    assert CODEC.decode_action(again) == action
