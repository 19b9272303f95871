"""Every game splits its decisions into steps that a person, a model or a small bot can answer."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import game_named
from referee.games.base import IllegalAction, State
from referee.games.choice import Choice, Option, ask, first_choice
from referee.games.randomness import Stream
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.sampling import examples

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")
MOST_OPTIONS = 250
FEW = 300
"""The most legal actions of a position that is tried exhaustively."""
SAMPLED = 12

TABLES = [
    (name, seats, config)
    for name, tried in TRIED.items()
    for seats in game_named(name).seats
    for config in tried.secrets.configs
]
tables = st.sampled_from(TABLES)
seeds = st.integers(0, 2**32).map(str)

Table = tuple[str, int, Mapping[str, Any]]


class Moment(NamedTuple):
    """A decision of a random game."""

    state: State
    choice: Choice
    """The first step of the decision."""
    events: Sequence[Any]
    """What followed."""
    after: State


def moments(table: Table, seed: str) -> Iterator[Moment]:
    """Play a random game."""
    name, seats, fields = table
    game = game_named(name)
    config, stream = game.config(fields), Stream(seed, "players")
    state = game.initial_state(config, seats, game.deal(config, seats, Stream(seed, "deal")))
    while state.to_act is not None:
        choice = game.choice(state.observation(state.to_act), state.legal(), NAMES[:seats])
        after, events = state.apply(state.random_action(stream))
        yield Moment(state, choice, events, after)
        state = after


def named(action: Any) -> tuple[str, Any]:
    """An action with its type: actions of two types can be equal as tuples."""
    return type(action).__name__, action


def ends(step: Any) -> Iterator[Any]:
    """The actions at the ends of all paths."""
    if isinstance(step, Choice):
        for index in range(len(step.options)):
            yield from ends(step.take(index))
    else:
        yield step


def walk(step: Any, stream: Stream) -> tuple[list[Choice], tuple[int, ...], Any]:
    """Take random options to the end: the steps, the path and the action."""
    steps, path = [], []
    while isinstance(step, Choice):
        steps.append(step)
        path.append(stream.below(len(step.options)))
        step = step.take(path[-1])
    return steps, tuple(path), step


def follow(step: Any, path: tuple[int, ...]) -> Any:
    """The end of a path."""
    for index in path:
        step = step.take(index)
    return step


@examples(30)
@given(tables, seeds)
def test_the_ends_of_all_paths_are_the_legal_actions(table: Table, seed: str) -> None:
    """Each legal action is at one end, no other is; large positions are sampled."""
    stream = Stream(seed, "paths")
    for state, choice, *_ in moments(table, seed):
        legal = state.legal_actions()
        if len(legal) <= FEW:
            assert Counter(map(named, ends(choice))) == Counter(map(named, legal))
        else:
            for _ in range(SAMPLED):
                action = legal[stream.below(len(legal))]
                assert named(follow(choice, choice.path(action))) == named(action)
                _, path, action = walk(choice, stream)
                state.check(action)
                assert choice.path(action) == path


@examples(30)
@given(tables, seeds)
def test_a_step_is_a_question_with_few_distinct_answers(table: Table, seed: str) -> None:
    """A step has 2 to 250 options; a decision's only step may have one."""
    stream = Stream(seed, "steps")
    for _, choice, *_ in moments(table, seed):
        steps, _, _ = walk(choice, stream)
        for step in steps:
            labels = [option.label for option in step.options]
            assert len(set(labels)) == len(labels) <= MOST_OPTIONS
            assert len(labels) > 1 or len(steps) == 1
            assert step.prompt[0].isupper()
            assert step.prompt.endswith("?")
            assert all(label == label.strip() and "[" not in label for label in labels)


class Shown:
    """What each seat sees of a scene."""

    def __init__(self, name: str, seats: int, state: State) -> None:
        self._scene = game_named(name).scene(state, NAMES[:seats])
        self.seats: list[dict[str, Any]] = [{} for _ in range(seats)]
        opening = self._scene.opening(state)
        self._show(opening.changes, opening.own)

    def go_on(self, moment: Moment) -> None:
        """Show what followed a decision."""
        for event in moment.events:
            for step in self._scene.steps(partial(moment.after.event_for, event)):
                self._show(step.changes, step.own)
        self._show(*self._scene.settled(moment.after))

    def _show(self, public: Mapping[str, Any], own: Mapping[int, Mapping[str, Any]]) -> None:
        for seat, seen in enumerate(self.seats):
            seen |= {**public, **own.get(seat, {})}


def lies(seen: Mapping[str, Any], piece: str, seat: int) -> bool:
    """Return whether a seat sees a piece, by its key and index or by its place."""
    kind, *numbers = re.split(r"[/\[]", piece.rstrip("]"))
    if kind == "king":
        return kind in seen  # it may stand on space 0
    at = [int(number) for number in numbers] if kind != "t" else []
    if kind == "spot":
        return any(re.fullmatch(r"r\d+", key) and seen[key][1:3] == at for key in seen if seen[key])
    if kind == "place":
        return bool(seen["control"][at[0]][0] == seat)
    if kind == "line":
        return at[0] in seen["lines"][seat]
    key, bracket, index = piece.rstrip("]").partition("[")
    return int(index) < len(seen[key]) if bracket else bool(seen[key])


@examples(10)
@given(tables, seeds)
def test_a_piece_is_in_the_scene_of_its_seat(table: Table, seed: str) -> None:
    """Its key is in the public layer or the seat's own, or it lies on the place of that name."""
    shown, stream = None, Stream(seed, "pieces")
    for moment in moments(table, seed):
        shown = shown or Shown(*table[:2], moment.state)
        assert moment.state.to_act is not None
        seen = shown.seats[moment.state.to_act]
        steps, _, _ = walk(moment.choice, stream)
        for piece in {option.piece for step in steps for option in step.options} - {None}:
            assert lies(seen, str(piece), moment.state.to_act), piece
        shown.go_on(moment)


def test_an_option_that_is_not_there_is_refused_in_one_line() -> None:
    """With the indices that there are, and the one that was received."""
    choice = ask("Which?", {"a": Option("first"), "b": Option("second")}, str, str.upper)

    assert (choice.take(0), choice.take(1)) == ("A", "B")
    for index in (-1, 2):
        expected = rf"an option has an index from 0 to 1: received {index}"
        with pytest.raises(IllegalAction, match=expected):
            choice.take(index)


def test_a_single_option_is_asked_only_as_a_decisions_only_step() -> None:
    """A bot is not asked what it cannot decide, and a person sees what happens."""
    one = {"a": Option("first")}
    both = one | {"b": Option("second")}

    def second(_: str) -> Any:
        return ask("Which?", both, str, str)

    assert ask("Only?", one, str, str.upper) == "A"
    assert first_choice("Only?", one, str, second) == second("a")
    only = first_choice("Only?", one, str, str.upper)
    assert only.options == (Option("first"),)
    assert only.take(0) == "A"


def test_no_path_leads_to_an_illegal_action() -> None:
    """Looking for one is a bug of the caller."""
    choice = ask("Which?", {1: Option("odd"), 0: Option("even")}, lambda n: n % 2, lambda n: n)

    assert choice.path(1) == (0,)
    with pytest.raises(ValueError, match="no path leads to 3"):
        choice.path(3)
