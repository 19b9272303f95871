"""Courtisans on the wire: the right bytes, and the same values back."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from courtyard.v1 import game_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.games.courtisans.action import Action
from referee.games.courtisans.config import Config, config_from
from referee.games.courtisans.deal import draw_deal
from referee.games.courtisans.event import TurnPlayed
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream
from referee.wire.courtisans import CourtisansCodec
from tests.referee.wire.courtisans_messages import (
    action_message,
    deal_message,
    event_message,
    legal_message,
    observation_message,
    result_message,
)
from tests.support.sampling import examples

CODEC = CourtisansCodec()

in_random_games = given(seats=st.integers(2, 5), seed=st.text(max_size=8))
a_few = examples(15, derandomize=True)


class Turn(NamedTuple):
    """One turn of a random game."""

    state: CourtisansState
    action: Action
    event: TurnPlayed
    following: CourtisansState


def turns(seats: int, seed: str) -> Iterator[Turn]:
    """A random game, turn by turn; its result also names the spies that were eliminated."""
    config = Config(reveal_eliminated_spies=True)
    state = initial_state(config, seats, draw_deal(seats, Stream(seed, "deal")))
    stream = Stream(seed, "players")
    while state.to_act is not None:
        action = state.random_action(stream)
        following, (event,) = state.apply(action)
        yield Turn(state, action, event, following)
        state = following


@in_random_games
@a_few
def test_observations(seats: int, seed: str) -> None:
    """What every seat may know is the bytes that the library writes, on every turn."""
    for turn in turns(seats, seed):
        for seat in range(seats):
            seen = turn.state.observation(seat)
            assert CODEC.encode_observation(seen) == observation_message(seen).SerializeToString()


@in_random_games
@a_few
def test_legal_forms(seats: int, seed: str) -> None:
    """What is legal is the bytes that the library writes, on every turn."""
    for turn in turns(seats, seed):
        legal = turn.state.legal()
        assert CODEC.encode_legal(legal) == legal_message(legal).SerializeToString()


@in_random_games
@a_few
def test_events(seats: int, seed: str) -> None:
    """Every form of every event is the bytes that the library writes."""
    for turn in turns(seats, seed):
        for seat in range(seats):
            form = turn.state.event_for(turn.event, seat)
            assert CODEC.encode_event(form) == event_message(form).SerializeToString()


@in_random_games
@a_few
def test_actions(seats: int, seed: str) -> None:
    """Actions are the bytes that the library writes, and are read back as they were."""
    stream = Stream(seed, "more actions")
    for turn in turns(seats, seed):
        for action in (turn.action, *(turn.state.random_action(stream) for _ in range(10))):
            encoded = CODEC.encode_action(action)
            assert encoded == action_message(action).SerializeToString()
            assert CODEC.decode_action(game_pb2.GameAction.FromString(encoded)) == action


@in_random_games
@a_few
def test_results(seats: int, seed: str) -> None:
    """How a game ended is the bytes that the library writes."""
    *_, last = turns(seats, seed)
    result = last.following.result()
    assert CODEC.encode_result(result) == result_message(result).SerializeToString()


@in_random_games
@a_few
def test_deals(seats: int, seed: str) -> None:
    """A deal is the bytes that the library writes, and is read back as it was."""
    deal = draw_deal(seats, Stream(seed, "deal"))
    encoded = CODEC.encode_deal(deal)
    assert encoded == deal_message(deal).SerializeToString()
    assert CODEC.decode_deal(game_pb2.GameDeal.FromString(encoded)) == deal


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("weight", [1, 2])
def test_configurations(reveal: bool, weight: int) -> None:  # noqa: FBT001
    """Every configuration is read back as it was."""
    config = Config(reveal_eliminated_spies=reveal, noble_weight_in_missions=weight)
    message = game_pb2.GameConfig.FromString(CODEC.encode_config(config))
    assert config_from(CODEC.decode_config(message)) == config
