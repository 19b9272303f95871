"""The worlds that the leak test draws for La Cour des Miracles: every one possible, every kind."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from referee.games.base import Course
from referee.games.miracles.pieces import STARTING_ROGUES, Rogue
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.miracles.trace import RogueKind, RogueStep, Trace, trace_of
from referee.games.randomness import Stream
from referee.match.match import Decided
from tests.security.leaks.harness import Played, Told, random_match, redrawn
from tests.security.leaks.miracles_secrets import MiraclesSecrets

SEATS = 3
SECRETS = MiraclesSecrets()

Faces = tuple[Rogue, ...]
"""The face of the rogue at each placement, each draw and each sinking, in order."""


@dataclass(frozen=True)
class Drawn:
    """One message of a match, and many worlds drawn for it."""

    told: Told
    state: MiraclesState
    """The truth when the seat is told."""
    decided: list[Decided]
    worlds: list[Course]
    states: list[MiraclesState]
    """Of each world, when the seat is told."""

    def trace_in(self, world: Course) -> Trace:
        """What happened in a world."""
        trace, _ = trace_of(self.state.config, world, self.told.seat)
        return trace


def state_in(told: Told, world: Course) -> MiraclesState:
    """The state after all actions of a world."""
    assert isinstance(told.state, MiraclesState)
    state = initial_state(told.state.config, SEATS, world.deal)
    for action in world.actions:
        state.check(action)
        state, _ = state.apply(action)
    return state


def draw(fits: Callable[[MiraclesState, int], bool], worlds: int) -> Drawn:
    """Draw many worlds for the first request of some match that fits."""
    for number in range(100):
        played = random_match(SECRETS, SEATS, {}, f"world {number}")
        for told in played.told:
            assert isinstance(told.state, MiraclesState)
            if told.body == "request" and fits(told.state, told.seat):
                return drawn_for(played, told, told.state, worlds)
    raise LookupError("no match fits")


def drawn_for(played: Played, told: Told, state: MiraclesState, number: int) -> Drawn:
    """Draw many worlds for a message."""
    decided, stream = [*played.decisions[: told.decisions]], Stream("worlds")
    worlds = [redrawn(played, told, stream) for _ in range(number)]
    return Drawn(told, state, decided, worlds, [state_in(told, world) for world in worlds])


def course_of(trace: Trace, bag: tuple[Rogue, ...]) -> Faces:
    """The course that the rogues took."""
    course: list[Rogue] = []
    for kind, _, key in trace.rogue_steps:
        if kind is RogueKind.PLACE:
            face = trace.faces[key]
            assert face
            course.append(face)
        elif kind is RogueKind.DRAW:
            course.append(bag[key])
        elif kind is RogueKind.SINK:
            course.append(trace.sunk[key] or course[-1])
    return tuple(course)


class Partial(NamedTuple):
    """A course up to some step, and what it leaves."""

    course: Faces
    hands: tuple[Faces, ...]
    left: Faces
    """Rogues of the bag that the seat did not draw."""


def all_courses(trace: Trace, bag: Faces) -> set[Faces]:
    """Every course that the seat cannot tell from the true one, found by trying all."""
    unseen = [rogue for place, rogue in enumerate(bag) if place not in trace.own_draws]
    partial = {Partial((), (STARTING_ROGUES,) * SEATS, tuple(sorted(unseen)))}
    placed: dict[int, int] = {}
    """Where in the course each stay begins."""
    for step in trace.rogue_steps:
        if step.kind is RogueKind.PLACE:
            placed[step.key] = len(next(iter(partial)).course)
        partial = {after for one in partial for after in steps(one, step, trace, bag, placed)}
    return {one.course for one in partial}


def steps(
    one: Partial, step: RogueStep, trace: Trace, bag: Faces, placed: Mapping[int, int]
) -> Iterator[Partial]:
    """Every way in which a course may go on by one step."""
    kind, seat, key = step
    if kind is RogueKind.PLACE:
        return placings(one, seat, trace.faces[key] if key in trace.shown else None)
    if kind is RogueKind.DRAW:
        return draws(one, bag[key] if key in trace.own_draws else None)
    if kind is RogueKind.SINK:
        return sinkings(one, seat, trace.sunk[key], own=seat == trace.seat)
    back = one.course[placed[key]] if kind is RogueKind.RETURN else Rogue.RIGHT_HAND
    return iter((with_hand(one, seat, [back]),))


def with_hand(
    one: Partial, seat: int, more: Iterable[Rogue], less: Iterable[Rogue] = ()
) -> Partial:
    """The same with other rogues at a seat's hand."""
    hand = Counter(one.hands[seat]) + Counter(more) - Counter(less)
    hands = [*one.hands]
    hands[seat] = tuple(sorted(hand.elements()))
    return one._replace(hands=tuple(hands))


def placings(one: Partial, seat: int, known: Rogue | None) -> Iterator[Partial]:
    """Place every rogue at hand, or the one that the seat has seen."""
    for face in set(one.hands[seat]):
        if known in (None, face):
            yield with_hand(one, seat, (), [face])._replace(course=(*one.course, face))


def draws(one: Partial, known: Rogue | None) -> Iterator[Partial]:
    """Draw every rogue that is left, or the one that the seat drew itself."""
    for face in {known} if known else set(one.left):
        left = Counter(one.left) - Counter(() if known else [face])
        yield one._replace(course=(*one.course, face), left=tuple(sorted(left.elements())))


def sinkings(one: Partial, seat: int, true: Rogue | None, *, own: bool) -> Iterator[Partial]:
    """Sink what was drawn or any rogue at hand, or the one that the seat sank itself."""
    drawn = one.course[-1]
    for face in {true or drawn} if own else {drawn, *one.hands[seat]}:
        yield with_hand(one, seat, [drawn], [face])._replace(course=(*one.course, face))


def _much_is_hidden(state: MiraclesState, seat: int) -> bool:
    now = state.position
    hidden = [fact for fact in now.board if seat not in fact.seers]
    others = [sunk for sunk in now.seine if sunk.seat != seat]
    own = [sunk for sunk in now.seine if sunk.seat == seat]
    cards = [hand for other, hand in enumerate(now.plots) if other != seat and hand]
    return bool(own and others and len(hidden) > 2 and cards)


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """A request with rogues sunk by the seat and others, who hold Plot cards; 200 worlds for it."""
    return draw(_much_is_hidden, 200)


@pytest.mark.costly
def test_every_world_is_possible(drawn: Drawn) -> None:
    """In each all that was done is legal, and no piece is more or less than there are."""
    pieces = {tuple(sorted(state.pieces().items())) for state in drawn.states}
    assert pieces == {tuple(sorted(drawn.state.pieces().items()))}


@pytest.mark.costly
def test_hidden_rogues_take_every_course_and_no_other(drawn: Drawn) -> None:
    """The worlds' courses are among those of an exhaustive search, and leave no rogue out.

    At every placement, draw and sinking each rogue occurs that can be there.
    """
    trace, bag = (
        drawn.trace_in(Course(drawn.state.deal, [one.action for one in drawn.decided])),
        drawn.state.deal.bag,
    )
    possible = all_courses(trace, bag)
    found = {course_of(drawn.trace_in(world), world.deal.bag) for world in drawn.worlds}
    each_step = [set(step) for step in zip(*possible, strict=True)]

    assert found <= possible
    assert [set(step) for step in zip(*found, strict=True)] == each_step
    assert sum(len(step) > 1 for step in each_step) > 4


@pytest.mark.costly
def test_others_may_hold_every_plot_card_left(drawn: Drawn) -> None:
    """Every Plot card that the seat has not seen is in another hand in some world, no other is."""
    seat, now = drawn.told.seat, drawn.state.position
    seen = Counter((*now.plots[seat], *now.discards))
    left = Counter(drawn.state.config.data.all_plot_cards()) - seen
    held = {
        card
        for state in drawn.states
        for other, hand in enumerate(state.position.plots)
        for card in hand
        if other != seat
    }
    assert held == set(left)


@pytest.mark.costly
def test_a_reshuffle_may_have_come_out_otherwise() -> None:
    """After a reshuffle most worlds still have another seed, and another pile by it."""
    drawn = draw(lambda state, _: state.position.reshuffles == 1, 40)
    piles = {state.position.pile for state in drawn.states}
    assert (
        sum(world.deal.reshuffle_seed != drawn.state.deal.reshuffle_seed for world in drawn.worlds)
        > 20
    )
    assert len(piles) > 20
