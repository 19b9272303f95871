"""Redrawn courses of La Cour des Miracles have their right probability.

They are compared with courses found in the plainest way: chance and the other seats' hidden choices
go forwards, and what contradicts what the seat saw is thrown away. Small positions take every
course that they can; with a reshuffle there are too many, so as many are drawn at random.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from referee.games.miracles import paths, redraw
from referee.games.miracles.deal import Deal, reshuffled
from referee.games.miracles.pieces import STARTING_ROGUES, PlotCard, Rogue
from referee.games.miracles.redraw import RogueCourse, redrawn_plots, redrawn_rogues
from referee.games.miracles.trace import PlotKind, PlotStep, RogueKind, RogueStep, Trace
from referee.games.randomness import Stream
from tests.support.exhaustive import chances, check_chances
from tests.support.sampling import SAMPLE

SEAT = 0
DRAWN = 4_000 // min(SAMPLE, 4)
RARE = 10
"""Courses that are found less often count as one."""

Found = tuple[Any, ...]


def rogues_forward(trace: Trace, bag: Sequence[Rogue], stream: Stream) -> Found | None:
    """Draw what others placed, drew and sank; None if the seat saw something else."""
    unseen = iter(stream.shuffled([bag[at] for at in range(len(bag)) if at not in trace.own_draws]))
    hands: dict[int, list[Rogue]] = defaultdict(lambda: [*STARTING_ROGUES])
    faces: dict[int, Rogue] = {}
    found: list[Rogue | None] = []
    for kind, seat, key in trace.rogue_steps:
        if seat == SEAT:
            continue
        hand = hands[seat]
        if kind is RogueKind.PLACE:
            faces[key] = hand.pop(stream.below(len(hand)))
            if key in trace.shown and faces[key] is not trace.faces[key]:
                return None
            found.append(faces[key])
        elif kind is RogueKind.DRAW:
            drawn = next(unseen)
            found.append(drawn)
        elif kind is RogueKind.SINK:
            at = stream.below(len(hand) + 1)
            found.append(hand[at] if at < len(hand) else None)
            if at < len(hand):
                hand[at] = drawn
        else:
            hand.append(faces[key] if kind is RogueKind.RETURN else Rogue.RIGHT_HAND)
    return tuple(found)


def rogues_in(trace: Trace, drawn: RogueCourse) -> Found:
    """What others placed, drew and sank in a course."""
    found: list[Rogue | None] = []
    for kind, seat, key in trace.rogue_steps:
        if seat != SEAT and kind is RogueKind.PLACE:
            found.append(drawn.faces[key])
        elif seat != SEAT and kind is RogueKind.DRAW:
            found.append(drawn.bag[key])
        elif seat != SEAT and kind is RogueKind.SINK:
            found.append(drawn.sunk[key])
    return tuple(found)


def plots_forward(trace: Trace, deal: Deal, stream: Stream) -> Found | None:
    """Draw the others' cards, and which they showed; None if the seat saw something else."""
    seeded = deal._replace(reshuffle_seed=stream.bytes(16).hex())
    seats, true = len(deal.hands), [*deal.hands, *deal.pile]
    line = with_unseen_shuffled(trace, true, seats, stream)
    hands, pile, discards = [[card] for card in line[:seats]], line[seats:], list[PlotCard]()
    for kind, seat, cards in trace.plot_steps:
        if kind is PlotKind.DISCARD:
            discards += filter(None, cards)
        elif kind is PlotKind.DRAW:
            for card in cards:
                pile = pile or [*reshuffled(seeded, 1, tuple(discards))]
                hands[seat].append(pile.pop(0))
                if seat == trace.seat and hands[seat][-1] is not card:
                    return None
        elif seat == trace.seat and cards[0]:
            hands[seat].remove(cards[0])
        elif hands[seat].pop(stream.below(len(hands[seat]))) is not cards[0]:
            return None
    return (*[tuple(sorted(hand)) for hand in hands], tuple(pile))


def with_unseen_shuffled(
    trace: Trace, line: Sequence[PlotCard], seats: int, stream: Stream
) -> list[PlotCard]:
    """The line of cards with all but the seat's own shuffled."""
    seen, place = {trace.seat}, seats
    for kind, seat, cards in trace.plot_steps:
        if kind is PlotKind.DRAW:
            seen |= {*range(place, place + len(cards))} if seat == trace.seat else set()
            place += len(cards)
    rest = iter(stream.shuffled([card for at, card in enumerate(line) if at not in seen]))
    return [card if at in seen else next(rest) for at, card in enumerate(line)]


def plots_again(trace: Trace, deal: Deal) -> Found:
    """The hands and the pile in the end, whatever card a seat showed."""
    pile, discards = [*deal.pile], list[PlotCard]()
    hands = [[card] for card in deal.hands]
    for kind, seat, cards in trace.plot_steps:
        if kind is PlotKind.DISCARD:
            discards += filter(None, cards)
        elif kind is PlotKind.DRAW:
            for _ in cards:
                pile = pile or [*reshuffled(deal, 1, tuple(discards))]
                hands[seat].append(pile.pop(0))
        elif cards[0]:
            hands[seat].remove(cards[0])
    return (*[tuple(sorted(hand)) for hand in hands], tuple(pile))


def check_same(one: Counter[Found], other: Counter[Found]) -> None:
    """The chi-square of two samples of one size is within four standard deviations of its mean."""
    often = {key for key in one | other if one[key] + other[key] >= RARE}
    rare = [sum(found[key] for key in found if key not in often) for found in (one, other)]
    pairs = [(one[key], other[key]) for key in often] + ([tuple(rare)] if sum(rare) else [])
    squares = sum((a - b) ** 2 / (a + b) for a, b in pairs)
    freedom = len(pairs) - 1
    assert freedom > 0
    assert squares < freedom + 4 * (2 * freedom) ** 0.5


def accepted(draw: Callable[[], Found | None]) -> Counter[Found]:
    """As many courses as are redrawn."""
    found: Counter[Found] = Counter()
    for _ in range(1000 * DRAWN):
        one = draw()
        if one is not None:
            found[one] += 1
        if found.total() == DRAWN:
            break
    return found


BRUTE, COURTESAN, HENCHMAN = Rogue.BRUTE, Rogue.COURTESAN, Rogue.HENCHMAN
BAG = (BRUTE, COURTESAN, BRUTE, COURTESAN)


def recruits(seat: int, place: int, decision: int) -> list[RogueStep]:
    """A seat draws a rogue and sinks one."""
    return [
        RogueStep(RogueKind.DRAW, seat, place),
        RogueStep(RogueKind.SINK, seat, decision),
    ]


STAYED = [RogueStep(RogueKind.PLACE, 1, stay) for stay in (0, 1)]
"""Two rogues of seat 1 lie face down; the second one was shown, a Henchman."""
RECRUITED = [
    *recruits(1, 0, 10),
    *recruits(2, 1, 11),
    RogueStep(RogueKind.PLACE, 1, 0),
    RogueStep(RogueKind.PLACE, 1, 1),
    RogueStep(RogueKind.PLACE, 2, 2),
    RogueStep(RogueKind.RETURN, 1, 1),
]
"""Seats 1 and 2 draw from the bag; then seat 1 shows a Brute."""
CAME_BACK = [*STAYED, RogueStep(RogueKind.RETURN, 1, 0), RogueStep(RogueKind.PLACE, 1, 2)]
"""The first one goes back to the hand unseen, and one is placed again."""
STORIES = {
    "a rogue come and gone": (CAME_BACK, {1: HENCHMAN}),
    "a rogue shown": (STAYED, {1: HENCHMAN}),
    "a rogue drawn and shown": (RECRUITED, {1: BRUTE}),
}


@pytest.mark.sweep
@pytest.mark.parametrize("story", [*STORIES][::-1])
def test_rogues_have_their_right_probability(story: str) -> None:
    """What lies face down or in the Seine, after a seat showed one of its rogues."""
    steps, shown = STORIES[story]
    faces = [shown.get(stay) for stay in range(3)]
    trace = Trace(SEAT, steps, faces=faces, shown={*shown}, sunk={10: None, 11: None})
    stream, deal = Stream("rogues"), DEAL._replace(bag=BAG)
    drawn = Counter(rogues_in(trace, redrawn_rogues(trace, deal, stream)) for _ in range(DRAWN))
    check_chances(drawn, chances(lambda every: rogues_forward(trace, BAG, every)))


SUN, FOOL, DEVIL, TOWER = (
    PlotCard.THE_SUN,
    PlotCard.THE_FOOL,
    PlotCard.THE_DEVIL,
    PlotCard.THE_TOWER,
)
DEAL = Deal("", 0, (SUN, DEVIL, DEVIL), (FOOL, FOOL, SUN, TOWER, TOWER), (), "")


def played(seat: int, card: PlotCard) -> list[PlotStep]:
    """A seat plays a card."""
    return [PlotStep(PlotKind.OUT, seat, (card,)), PlotStep(PlotKind.DISCARD, seat, (card,))]


SHOWN = [
    PlotStep(PlotKind.DRAW, 1, (FOOL, FOOL)),
    PlotStep(PlotKind.DRAW, 2, (SUN,)),
    *played(1, FOOL),
]
"""Seat 1 shows one of three cards."""
RESHUFFLED = [
    *SHOWN,
    PlotStep(PlotKind.DRAW, 0, (TOWER, TOWER)),
    *played(0, TOWER),
    *played(0, SUN),
    PlotStep(PlotKind.DRAW, 1, (FOOL,)),
    *played(1, FOOL),
]
"""Seat 1 shows a card that it may have had before a reshuffle, or have drawn after it."""


def drawn_plots(trace: Trace, stream: Stream) -> Counter[Found]:
    """How often each course of the Plot cards is drawn."""
    return Counter(plots_again(trace, redrawn_plots(trace, DEAL, stream)) for _ in range(DRAWN))


@pytest.mark.costly
def test_plot_cards_have_their_right_probability() -> None:
    """The others' hands, and the pile's first card, after a seat showed one."""
    trace, drawn = Trace(0, plot_steps=SHOWN), Counter[Found]()
    for (*hands, pile), number in drawn_plots(trace, Stream("cards")).items():
        drawn[(*hands, pile[0])] += number

    def forward(every: Stream) -> Found | None:
        found = plots_forward(trace, DEAL, every)
        return found and (*found[:-1], found[-1][0])

    check_chances(drawn, chances(forward))


@pytest.mark.sweep
def test_plot_cards_of_a_reshuffle_have_their_right_probability() -> None:
    """The others' hands and the pile, after they showed cards from before and after it."""
    trace, stream = Trace(0, plot_steps=RESHUFFLED), Stream("cards")
    drawn = drawn_plots(trace, stream)
    check_same(accepted(lambda: plots_forward(trace, DEAL, stream)), drawn)


def always_first(weights: Mapping[Any, float], stream: Stream) -> Any:
    """The heaviest, instead of each by its weight."""
    return max(weights, key=lambda key: weights[key])


def evenly(weights: Mapping[Any, float], stream: Stream) -> Any:
    """Any that is possible, whatever its weight."""
    return stream.choice([key for key, weight in weights.items() if weight > 0])


@pytest.mark.sweep
@pytest.mark.parametrize("error", [always_first, evenly])
def test_a_planted_error_in_the_chances_of_rogues_is_caught(
    error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are not drawn by their weights."""
    monkeypatch.setattr(redraw, "pick", error)
    monkeypatch.setattr(paths, "pick", error)
    with pytest.raises(AssertionError):
        test_rogues_have_their_right_probability("a rogue drawn and shown")


@pytest.mark.costly
def test_a_planted_error_in_the_chances_of_plot_cards_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the cards left, the first ones come more often."""
    fair = Stream.below
    monkeypatch.setattr(Stream, "below", lambda stream, n: min(fair(stream, n), fair(stream, n)))
    with pytest.raises(AssertionError):
        test_plot_cards_have_their_right_probability()
