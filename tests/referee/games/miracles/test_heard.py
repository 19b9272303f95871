"""From what a seat was told, states are redrawn as from the truth."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pytest

from referee.games import game_named
from referee.games.base import Course
from referee.games.miracles.event import Event, event_for
from referee.games.miracles.heard import Heard
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.miracles.trace import RogueKind, Trace, trace_heard, trace_of
from referee.games.randomness import Stream
from referee.wire import codec_named
from tests.support.sampling import SAMPLE

GAME = game_named("miracles")
CODEC = codec_named("miracles")


class Moment(NamedTuple):
    """A decision of a random game, and all that its seat was told before."""

    state: MiraclesState
    course: Course
    told: list[Event]
    heard: Heard


def moments(seats: int, seed: str) -> Iterator[Moment]:
    """Every decision of a random game."""
    stream = Stream(seed, str(seats))
    config = GAME.config({"plots_at_any_time": bool(stream.below(2))})
    state = initial_state(config, seats, GAME.deal(config, seats, stream.sub("deal")))
    course, told = Course(state.deal, []), [list[Event]() for _ in range(seats)]
    heard: dict[int, Heard] = {}
    untold = [list[Event]() for _ in range(seats)]
    while state.to_act is not None:
        seat = state.to_act
        if seat not in heard:
            heard[seat] = Heard(config, state.observation(seat))
        heard[seat].hear(untold[seat])
        untold[seat].clear()
        yield Moment(state, course, told[seat], heard[seat])
        action = state.random_action(stream)
        state, events = state.apply(action)
        course = course._replace(actions=[*course.actions, action])
        for other in range(seats):
            forms = [event_for(event, other) for event in events]
            told[other] += forms
            untold[other] += forms


def known(trace: Trace) -> tuple[Any, ...]:
    """What a seat knows of a course."""
    faces = {stay: trace.faces[stay] for stay in trace.shown}
    sinkings = [step for step in trace.rogue_steps if step.kind is RogueKind.SINK]
    own = {step.key: trace.sunk[step.key] for step in sinkings if step.seat == trace.seat}
    return trace.rogue_steps, trace.plot_steps, faces, own, trace.own_draws


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(16))
def test_a_seat_was_told_what_it_knows_by_the_truth(part: int) -> None:
    """Both ways to redraw draw from the same knowledge."""
    for moment in islice(moments(2 + part % 4, f"known {part}"), 0, None, 9):
        seat = moment.state.to_act
        assert seat is not None
        truth, _ = trace_of(moment.state.config, moment.course, seat)
        assert known(trace_heard(seat, moment.told)) == known(truth)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(24))
def test_a_seat_cannot_tell_a_redrawn_state(part: int) -> None:
    """What it is sent is the same to the byte, and so is all that it may do; the worlds differ.

    Some courses take seconds to redraw, so a sample tries a decision in `SAMPLE`, too.
    """
    tried, worlds = 0, set()
    for game in range(max(1, 3 // SAMPLE)):
        seed = f"{part} {game}"
        decisions = moments(2 + (part + game + 3) % 4, seed)
        for state, _, _, heard in islice(decisions, 0, None, SAMPLE):
            assert state.to_act is not None
            seen = state.observation(state.to_act)
            for other in islice(heard.redraws(seen, Stream(seed, str(tried))), 1):
                sent, legal = CODEC.encode_observation(seen), CODEC.encode_legal(state.legal())
                assert CODEC.encode_observation(other.observation(state.to_act)) == sent
                assert CODEC.encode_legal(other.legal()) == legal
                assert other.pieces() == state.pieces()
                assert other.position.agenda == state.position.agenda
                worlds.add((other.position.hands, other.position.plots, other.position.pile))
                tried += 1
    assert len(worlds) > tried // 4


def test_events_begin_with_the_first_decision() -> None:
    """Later the dealt Plot card is not known any more."""
    later = [moment.state for moment in moments(2, "late")][-1]
    assert later.to_act is not None
    seen = later.observation(later.to_act)._replace(plots=())
    with pytest.raises(ValueError, match="first decision"):
        Heard(later.config, seen)


def test_what_contradicts_itself_is_refused() -> None:
    """No course agrees with an event that is left out."""
    moment = [*islice(moments(3, "left out"), 12)][-1]
    assert moment.state.to_act is not None
    seen = moment.state.observation(moment.state.to_act)
    heard = Heard(moment.state.config, seen._replace(plots=seen.plots[:1]))
    heard.hear(moment.told[3:])
    with pytest.raises((ValueError, KeyError)):
        next(heard.redraws(seen, Stream("")))
