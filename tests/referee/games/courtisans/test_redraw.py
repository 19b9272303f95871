"""Redrawn courses and states of Courtisans have their right probability.

In a small position all worlds are counted: every order of the cards that a seat cannot know, of
which those count that agree with what it saw.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any

import pytest

from referee.games import game_named
from referee.games.base import Course
from referee.games.courtisans import redraw
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import CARDS, Card, Family, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.observation import Observation
from referee.games.courtisans.redraw import Redraw, redrawn_state
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream
from referee.wire import codec_named
from tests.support.exhaustive import chances, check_chances
from tests.support.sampling import SAMPLE

Tell = Callable[..., CourtisansState]
Turn = Callable[[str], Action]
Draw = Callable[[Stream], CourtisansState]

GAME = game_named("courtisans")
DRAWN = 1_000 // min(SAMPLE, 2)
STORY = (
    "toad spy above | plain hare | stag spy to 1",
    "carp spy below | plain hare | toad guard to 0",
)
"""Seat 0 has seen one spy of the toads and one of the stags; one of seat 1's lies face down."""


def states_after(course: Course) -> CourtisansState:
    """The state at the end of a course."""
    state = initial_state(Config(), len(course.deal.hands), course.deal)
    for action in course.actions:
        state.check(action)
        state, _ = state.apply(action)
    return state


def draws(course: Course, seat: int) -> dict[str, Draw]:
    """Both ways to redraw: by the truth, and by what the seat is shown."""
    seen = states_after(course).observation(seat)
    return {
        "a course": lambda stream: states_after(Redraw(Config(), course, seat).course(stream)),
        "a state": lambda stream: redrawn_state(Config(), seen, stream),
    }


@pytest.fixture(scope="module", params=["a course", "a state"])
def worlds(request: pytest.FixtureRequest, tell: Tell, turn: Turn) -> list[CourtisansState]:
    """Many states that seat 0 cannot tell from the story's."""
    state = tell(2, *STORY, hand="plain stag, stag noble, carp noble")
    draw = draws(Course(state.deal, [turn(one) for one in STORY]), 0)[request.param]
    stream = Stream("distribution")
    return [draw(stream) for _ in range(DRAWN)]


def hidden_spy(state: CourtisansState) -> Card:
    """Seat 1's spy at the Queen's table."""
    card = state.table[1].whole
    return Card(card.family, card.role)


def test_a_hidden_spy_has_the_chances_of_those_left(worlds: list[CourtisansState]) -> None:
    """Of ten spies left, one each is of the families that the seat has one of."""
    left = {family: 1 if family in (Family.TOAD, Family.STAG) else 2 for family in Family}
    expected = {family: number / 10 for family, number in left.items()}
    check_chances(Counter(hidden_spy(state).family for state in worlds), expected)


def test_a_hand_has_the_chances_of_a_draw_without_replacement(
    worlds: list[CourtisansState],
) -> None:
    """The number of nobles among the three cards that seat 1 drew."""
    hands = [state.hands[1] for state in worlds]
    found = Counter(sum(card.role is Role.NOBLE for card in hand) for hand in hands)
    unseen, nobles = 90 - 9, 24 - 2
    ways = {n: comb(nobles, n) * comb(unseen - nobles, 3 - n) for n in range(4)}
    check_chances(found, {n: way / comb(unseen, 3) for n, way in ways.items()})


def test_a_hidden_spy_is_not_elsewhere(worlds: list[CourtisansState]) -> None:
    """Every card of the game is somewhere, as often as there are copies."""
    for state in worlds[:100]:
        assert state.pieces() == Counter(CARDS)


def test_missions_have_equal_chances(worlds: list[CourtisansState]) -> None:
    """Any of the other nine white ones."""
    found = Counter(state.deal.missions[1][0] for state in worlds)
    check_chances(found, dict.fromkeys(found, 1 / 9))
    assert len(found) == 9


def late_course() -> Course:
    """A game of five that lacks two turns, of which few spies lie face down."""
    for number in range(1000):
        stream = Stream(f"late {number}")
        state = initial_state(Config(), 5, GAME.deal(Config(), 5, stream))
        deal, actions = state.deal, []
        while state.turn < 29:
            actions.append(state.random_action(stream))
            state, _ = state.apply(actions[-1])
        assert state.to_act is not None
        if len(hidden_of(state.observation(state.to_act))) <= 4:
            return Course(deal, actions)
    raise AssertionError("no such game")


def hidden_of(seen: Observation) -> list[tuple[int | None, int]]:
    """The places of the spies that lie face down, or are gone."""
    areas = [(None, seen.table), *enumerate(seen.domains)]
    lying = [(at, card.turn) for at, area in areas for card in area if card.family is None]
    return [*lying, *[(at, card.turn) for card, at in seen.eliminated if card.family is None]]


def spies_and_hand(state: CourtisansState, seen: Observation) -> tuple[Any, ...]:
    """What a seat cannot know in a state: each spy's family, and the last hand."""
    areas = [(None, state.table), *enumerate(state.domains)]
    whole = {(at, fact.whole.turn): fact.whole for at, area in areas for fact in area}
    gone = {(one.whole.domain, one.whole.card.turn): one.whole.card for one in state.eliminated}
    spies = [(whole | gone)[place].family for place in hidden_of(seen)]
    return (*spies, state.hands[(seen.seat + 1) % 5])


def counted(seen: Observation) -> dict[tuple[Any, ...], float]:
    """The exact chances of the same: all unseen cards in every order."""
    areas = [card for area in (seen.table, *seen.domains) for card in area]
    placed = [*areas, *[card for card, _ in seen.eliminated]]
    shown = [Card(card.family, card.role) for card in placed if card.family]
    unseen = [*(Counter(CARDS) - Counter(seen.hand) - Counter(shown)).elements()]
    spies = len(hidden_of(seen))

    def draw(stream: Stream) -> tuple[Any, ...] | None:
        order = stream.shuffled(unseen)
        if any(card.role is not Role.SPY for card in order[:spies]):
            return None
        return (*[card.family for card in order[:spies]], tuple(sorted(order[spies:])))

    return chances(draw)


@pytest.fixture(scope="module")
def late() -> tuple[Course, Observation, dict[tuple[Any, ...], float]]:
    """A small position, what its seat sees, and the chance of each world."""
    course = late_course()
    state = states_after(course)
    assert state.to_act is not None
    seen = state.observation(state.to_act)
    return course, seen, counted(seen)


@pytest.mark.sweep
@pytest.mark.parametrize("way", ["a course", "a state"])
def test_all_worlds_of_a_small_position_are_drawn_as_often_as_counted(
    way: str, late: tuple[Course, Observation, dict[tuple[Any, ...], float]]
) -> None:
    """Which spy is which, together with the cards that another seat holds."""
    course, seen, expected = late
    check_chances(drawn_worlds(draws(course, seen.seat)[way], seen), expected)


def drawn_worlds(draw: Draw, seen: Observation) -> Counter[tuple[Any, ...]]:
    """How often each world is drawn."""
    stream = Stream("late")
    return Counter(spies_and_hand(draw(stream), seen) for _ in range(DRAWN))


_filled = redraw._filled


def _unshuffled(known: Any, stream: Stream) -> Any:
    return _filled(known, Stream("always the same"))


def _later_first(known: Any, stream: Stream) -> Any:
    """Of two worlds, the one whose first hidden spy is of the later family."""
    one, other = _filled(known, stream), _filled(known, stream)
    return max(one, other, key=lambda filled: first_hidden(known, filled))


def first_hidden(known: Sequence[Any], filled: Any) -> int:
    """The family of the first spy that lies face down."""
    pairs = zip(known, filled[0], strict=True)
    hands = [zip(before, after, strict=True) for before, after in pairs]
    return next(
        int(after.family)
        for hand in hands
        for before, after in hand
        if before and not before.family
    )


@pytest.mark.sweep
@pytest.mark.parametrize("error", [_unshuffled, _later_first])
def test_a_planted_error_in_the_chances_is_caught(
    error: Any,
    late: tuple[Course, Observation, dict[tuple[Any, ...], float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Although what the seat sees stays the same."""
    course, seen, expected = late
    monkeypatch.setattr(redraw, "_filled", error)
    draw = draws(course, seen.seat)["a state"]
    assert draw(Stream("seen")).observation(seen.seat) == seen
    with pytest.raises(AssertionError):
        check_chances(drawn_worlds(draw, seen), expected)


def positions(seats: int, seed: str) -> Iterator[CourtisansState]:
    """Every state of a random game in which a seat is to act."""
    stream = Stream(seed, str(seats))
    config = Config(reveal_eliminated_spies=bool(stream.below(2)))
    state = initial_state(config, seats, GAME.deal(config, seats, stream))
    while state.to_act is not None:
        yield state
        state, _ = state.apply(state.random_action(stream))


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(24))
def test_a_seat_cannot_tell_a_redrawn_state(part: int) -> None:
    """What it is sent is the same to the byte, and all that it may do is legal."""
    codec, tried = codec_named("courtisans"), 0
    for game in range(max(1, 17 // SAMPLE)):
        seed = f"{part} {game}"
        for state in positions(2 + (part + game) % 4, seed):
            assert state.to_act is not None
            seen = state.observation(state.to_act)
            other = redrawn_state(state.config, seen, Stream(seed))
            sent, legal = codec.encode_observation(seen), codec.encode_legal(state.legal())
            assert codec.encode_observation(other.observation(state.to_act)) == sent
            assert codec.encode_legal(other.legal()) == legal
            assert other.pieces() == Counter(CARDS)
            assert initial_state(state.config, len(seen.domains), other.deal)
            tried += 1
    assert tried >= 20


def test_only_the_seat_to_act_can_redraw(tell: Tell) -> None:
    """Nothing else says whose turn it is."""
    seen = tell(2, *STORY).observation(1)
    with pytest.raises(ValueError, match="seat to act"):
        redrawn_state(Config(), seen, Stream(""))
