"""What the kit tells a strategy for La Cour des Miracles is what the seat may know."""

from itertools import islice
from typing import Any

import pytest
from courtyard.v1 import game_pb2, referee_pb2
from courtyard_kit import miracles as kit
from courtyard_kit.miracles import Action, Position

from referee.games.miracles.event import event_for
from referee.games.miracles.observation import Observation
from referee.games.miracles.state import MiraclesState
from referee.wire import codec_named

Moment = tuple[Position, MiraclesState, int]
"""What a seat sees, the whole truth, and how many events there were before."""


def played(table: Any, seats: int) -> tuple[list[Moment], list[Any]]:
    """Every decision of a few random matches, and the events of the last of them."""
    moments: list[Moment] = []
    for seed in range(3):
        game = table(f"{seed}", [Position.random_action] * seats, "miracles")
        moments += [
            (Position(turn), game.match.state, len(game.match.events)) for turn in game.turns()
        ]
    return moments, game.match.events


@pytest.fixture(scope="module", params=[2, 3, 4, 5], ids="{} seats".format)
def moments(request: pytest.FixtureRequest, table: Any) -> list[Moment]:
    """Every decision of a few random matches."""
    return played(table, request.param)[0]


@pytest.mark.sweep
def test_a_position_is_what_the_seat_may_know(moments: list[Moment]) -> None:
    """Every part equals the part of the observation that the rules built for the seat."""
    parts = [name for name in Observation._fields if name != "to_act"]
    for position, state, _ in moments:
        seen = state.observation(position.seat)
        assert state.to_act == position.seat == seen.seat
        assert position.seats == len(seen.players)
        assert {name: getattr(position, name) for name in parts} == {
            name: getattr(seen, name) for name in parts
        }
        assert position.config == state.config
        assert position.data == state.config.data
        assert position.legal == state.legal()
        assert tuple(position.actions) == state.legal_actions()


def test_the_events_are_all_that_the_seat_was_told(table: Any) -> None:
    """What the requests of a seat bring is what happened, in the form for that seat."""
    game = table("events", [Position.random_action] * 4, "miracles")
    told: dict[int, list[Any]] = {seat: [] for seat in range(4)}

    for turn in game.turns():
        seat = turn.start.seat
        told[seat] += Position(turn).events
        assert told[seat] == [event_for(event, seat) for event in game.match.events]


@pytest.mark.costly
def test_redrawn_states_are_what_the_seat_cannot_tell_from_the_true_one(table: Any) -> None:
    """At any decision, whether or not some were drawn before; the same ones whenever asked for."""
    game = table("redraws", [Position.random_action] * 3, "miracles")
    memories = [kit.Memory() for _ in range(3)]
    for number, turn in enumerate(game.turns()):
        seat, state = turn.start.seat, game.match.state
        position = Position(turn, memories[seat])
        if number % 7 == 0:
            first, second = islice(position.redraws(), 2)
            assert first.observation(seat) == second.observation(seat) == state.observation(seat)
            assert first.legal() == state.legal()
            assert next(position.redraws()) == first


def filled(action: Action) -> game_pb2.GameAction:
    """The message that a bot sends when its strategy returns this action."""
    decision = referee_pb2.Decision()
    kit.answering(lambda _: action)(_Anything(), decision)  # type: ignore[arg-type]
    return decision.action


class _Anything:
    """Stands for a request of which nothing is read."""

    def __getattr__(self, name: str) -> Any:
        return self


def test_an_answer_is_the_action_that_was_chosen(moments: list[Moment]) -> None:
    """The referee reads from the filled message the action that the strategy returned."""
    codec = codec_named("miracles")
    for position, _, _ in moments:
        for action in position.actions[::5]:
            message = game_pb2.GameAction.FromString(filled(action).SerializeToString())
            assert codec.decode_action(message) == action


def test_the_board_after_an_action_is_that_of_the_rules(moments: list[Moment]) -> None:
    """What a position foresees is what lies there once the action is applied, until standoffs."""
    for position, state, _ in moments:
        for action in position.actions[::3]:
            after, events = state.apply(action)
            settled = any(type(event).__name__ == "StandoffEnded" for event in events)
            if not settled and after.position.standoff is None and after.to_act is not None:
                foreseen = [one[:2] for one in position.board_after(action)]
                assert foreseen == [one[:2] for one in after.observation(position.seat).in_play]


def test_random_numbers_depend_on_the_request_alone(table: Any) -> None:
    """The same request gives the same numbers again, every other request different ones."""
    turns = list(table("numbers", [Position.random_action] * 3, "miracles").turns())

    numbers = [Position(turn).rng.random() for turn in turns]

    assert [Position(turn).rng.random() for turn in turns] == numbers
    assert len(set(numbers)) == len(turns)
