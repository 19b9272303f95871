"""La Cour des Miracles on the wire: the right bytes, and the same values back."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

import pytest
from courtyard.v1 import game_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.games.miracles import action, event
from referee.games.miracles.action import Action
from referee.games.miracles.config import Config, config_from
from referee.games.miracles.deal import Deal, draw_deal
from referee.games.miracles.event import Event
from referee.games.miracles.observation import Legal, Observation
from referee.games.miracles.scoring import Result
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.randomness import Stream
from referee.wire.miracles import MiraclesCodec
from referee.wire.round_trip import action_back, config_back, deal_back
from tests.referee.wire.miracles_messages import (
    action_message,
    config_message,
    event_message,
    game_message,
)
from tests.referee.wire.miracles_values import values_of
from tests.support.sampling import examples

CODEC = MiraclesCodec()
CONFIG = Config()
CHOICES = [name for name in Config.__annotations__ if name not in ("data", "max_rounds")]

in_random_games = given(seats=st.integers(2, 5), seed=st.text(max_size=8))
a_few = examples(6, derandomize=True)
some = examples(20, derandomize=True)
many = examples(100, derandomize=True)


class Moment(NamedTuple):
    """One decision of a random game."""

    state: MiraclesState
    action: Action
    events: tuple[Event, ...]
    following: MiraclesState


def moments(seats: int, seed: str) -> Iterator[Moment]:
    """A random game, decision by decision."""
    state = initial_state(CONFIG, seats, draw_deal(CONFIG.data, seats, Stream(seed, "deal")))
    stream = Stream(seed, "players")
    while state.to_act is not None:
        chosen = state.random_action(stream)
        following, events = state.apply(chosen)
        yield Moment(state, chosen, events, following)
        state = following


@in_random_games
@a_few
def test_what_seats_are_sent_in_a_game(seats: int, seed: str) -> None:
    """Observations, legal forms and events of real games are the bytes that the library writes."""
    for now in moments(seats, seed):
        legal = now.state.legal()
        assert CODEC.encode_legal(legal) == _bytes(game_pb2.GameLegal, legal)
        for seat in range(seats):
            seen = now.state.observation(seat)
            assert CODEC.encode_observation(seen) == _bytes(game_pb2.GameObservation, seen)
            for happened in now.events:
                form = now.state.event_for(happened, seat)
                assert CODEC.encode_event(form) == event_message(form).SerializeToString()


@in_random_games
@a_few
def test_actions_of_a_game(seats: int, seed: str) -> None:
    """Every legal action of real games is read back as it was."""
    for now in moments(seats, seed):
        for one in now.state.legal_actions():
            assert action_back(CODEC, one) == one


@in_random_games
@a_few
def test_results_of_a_game(seats: int, seed: str) -> None:
    """How real games ended is the bytes that the library writes."""
    *_, last = moments(seats, seed)
    result = last.following.result()
    assert CODEC.encode_result(result) == _bytes(game_pb2.GameResult, result)


@pytest.mark.parametrize("kind", get_args(action.Action))
def test_every_kind_of_action(kind: type[Action]) -> None:
    """Any action is the bytes that the library writes, and is read back as it was, kind and all."""

    @given(values_of(kind))
    @some
    def check(one: Action) -> None:
        assert CODEC.encode_action(one) == action_message(one).SerializeToString()
        back = action_back(CODEC, one)
        assert (type(back), back) == (kind, one)

    check()


@pytest.mark.parametrize("kind", get_args(event.Event))
def test_every_kind_of_event(kind: type[Event]) -> None:
    """Any event, with what is hidden or without, is the bytes that the library writes."""

    @given(values_of(kind))
    @some
    def check(one: Event) -> None:
        assert CODEC.encode_event(one) == event_message(one).SerializeToString()

    check()


@given(values_of(Observation))
@many
def test_any_observation(seen: Observation) -> None:
    """Any observation is the bytes that the library writes."""
    assert CODEC.encode_observation(seen) == _bytes(game_pb2.GameObservation, seen)


@given(values_of(Legal))
@many
def test_any_legal_form(legal: Legal) -> None:
    """Any legal form is the bytes that the library writes."""
    assert CODEC.encode_legal(legal) == _bytes(game_pb2.GameLegal, legal)


@given(values_of(Result))
@many
def test_any_result(result: Result) -> None:
    """Any result is the bytes that the library writes."""
    assert CODEC.encode_result(result) == _bytes(game_pb2.GameResult, result)


@given(values_of(Deal))
@many
def test_any_deal(deal: Deal) -> None:
    """Any deal is the bytes that the library writes, and is read back as it was."""
    assert CODEC.encode_deal(deal) == _bytes(game_pb2.GameDeal, deal)
    assert deal_back(CODEC, deal) == deal


def another_data_set() -> dict[str, Any]:
    """A data set that differs from the standard one in some entry of each kind."""
    data = CONFIG.data.to_mapping()
    data |= {"name": "another", "version": 7}
    data["king"] |= {"source": "print", "final_space": 9, "wrath": {"2": "taverne", "5": "choice"}}
    data["neighbourhoods"]["taverne"] |= {"source": "rulebook", "rank_2": "king 4"}
    data["renown_square"]["line_1"] |= {"cost": 0, "bonus": "right_hand"}
    data["rogues"]["swordsman"] |= {"price": 5, "paid_strength": 99}
    data["rogues"]["soothsayer"] |= {"coins": 3, "plots": 4}
    data["plot_cards"]["strength"] |= {"copies": 0}
    data["plot_cards"]["the_devil"] |= {"copies": 4, "amount": 7}
    return data


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"max_rounds": 7},
        *[{name: not getattr(CONFIG, name)} for name in CHOICES],
        {"data": another_data_set()},
    ],
    ids=lambda fields: next(iter(fields), "defaults"),
)
def test_configurations(fields: Mapping[str, Any]) -> None:
    """Any setting and data set are the library's bytes, and are read back as they were."""
    config = config_from(fields)
    assert CODEC.encode_config(config) == config_message(config).SerializeToString()
    assert config_from(config_back(CODEC, config)) == config


def _bytes(kind: Any, value: Any) -> bytes:
    return game_message(kind, value).SerializeToString()
