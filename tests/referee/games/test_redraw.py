"""Every game that offers it draws courses that a seat cannot tell from the true one."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import game_named
from referee.games.base import Course, Redraw, State
from referee.games.randomness import Stream
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.sampling import examples

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")

Table = tuple[str, int, Mapping[str, Any]]

TABLES: list[Table] = [
    (name, seats, config)
    for name, tried in TRIED.items()
    for seats in game_named(name).seats
    for config in tried.secrets.configs
]
tables = st.sampled_from(TABLES)
seeds = st.integers(0, 2**32).map(str)


def random_course(table: Table, seed: str) -> Course:
    """A random game, from the deal to its end."""
    name, seats, fields = table
    game, stream = game_named(name), Stream(seed, "players")
    config = game.config(fields)
    deal = game.deal(config, seats, Stream(seed, "deal"))
    state, actions = game.initial_state(config, seats, deal), []
    while state.to_act is not None:
        actions.append(state.random_action(stream))
        state, _ = state.apply(actions[-1])
    return Course(deal, actions)


def redraw(table: Table, course: Course, seat: int) -> Redraw:
    """What draws other courses that the seat cannot tell from this one."""
    game = game_named(table[0])
    assert game.redraw is not None
    return game.redraw(game.config(table[2]), course, seat)


def redrawn(table: Table, course: Course, seat: int, stream: Stream) -> Course:
    """Another course that the seat cannot tell from this one."""
    return redraw(table, course, seat).course(stream)


def states(table: Table, course: Course) -> Iterator[State]:
    """Every state of a course, whose actions are all legal."""
    name, seats, fields = table
    game = game_named(name)
    state = game.initial_state(game.config(fields), seats, course.deal)
    yield state
    for action in course.actions:
        state.check(action)
        state, _ = state.apply(action)
        yield state


def seen(table: Table, course: Course, seat: int) -> Iterator[Any]:
    """All that a seat is told and asked in a course."""
    game = game_named(table[0])
    for state, action in zip(states(table, course), [*course.actions, None], strict=True):
        yield state.to_act, state.observation(seat)
        if state.to_act == seat:
            legal = state.legal()
            yield legal, game.choice(state.observation(seat), legal, NAMES[: table[1]]), action
        if action is not None:
            _, events = state.apply(action)
            yield [(type(event), state.event_for(event, seat)) for event in events]
        elif state.to_act is None:
            yield state.result()


@examples(40)
@given(tables, seeds, st.data())
def test_a_seat_cannot_tell_a_redrawn_course(table: Table, seed: str, data: st.DataObject) -> None:
    """All that was done is legal there, and the seat sees, is asked and does the same."""
    course = random_course(table, seed)
    made = data.draw(st.integers(0, len(course.actions)), "decisions")
    course = course._replace(actions=course.actions[:made])
    seat = data.draw(st.integers(0, table[1] - 1), "seat")
    other = redrawn(table, course, seat, Stream(seed, "redraw"))

    assert list(seen(table, other, seat)) == list(seen(table, course, seat))
    assert next(states(table, other)).pieces() == next(states(table, course)).pieces()


@examples(40)
@given(tables, seeds, st.data())
def test_a_redrawn_state_is_the_one_after_the_redrawn_course(
    table: Table, seed: str, data: st.DataObject
) -> None:
    """What it saves is only the time to play the course."""
    course = random_course(table, seed)
    made = data.draw(st.integers(0, len(course.actions)), "decisions")
    drawer = redraw(
        table,
        course._replace(actions=course.actions[:made]),
        data.draw(st.integers(0, table[1] - 1), "seat"),
    )
    for name in ("one", "another"):
        *_, last = states(table, drawer.course(Stream(seed, name)))
        assert drawer.state(Stream(seed, name)) == last


@pytest.mark.parametrize("table", TABLES[::4], ids=str)
def test_a_course_is_redrawn_differently_by_another_stream(table: Table) -> None:
    """The same stream gives the same course again."""
    course = random_course(table, "differently")
    course = course._replace(actions=course.actions[:10])
    one, again, other = (redrawn(table, course, 0, Stream(seed)) for seed in ("a", "a", "b"))
    assert one == again
    assert other not in (one, course)


@examples(40)
@given(tables, seeds, st.data())
def test_a_redraw_follows_from_what_the_seat_knows(
    table: Table, seed: str, data: st.DataObject
) -> None:
    """From a course that the seat cannot tell from this one, a stream draws the same."""
    course = random_course(table, seed)
    made = data.draw(st.integers(0, len(course.actions) - 1), "decisions")
    course = course._replace(actions=course.actions[:made])
    seat = data.draw(st.integers(0, table[1] - 1), "seat")
    other = redrawn(table, course, seat, Stream(seed, "other"))

    one, another = (redrawn(table, c, seat, Stream(seed, "redraw")) for c in (course, other))
    assert (one.deal, [*one.actions]) == (another.deal, [*another.actions])
