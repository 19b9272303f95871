"""Other courses of a game that one seat cannot tell from the true one, by their probability.

Rogues and Plot cards are hidden independently of each other.

A pool is what lay in one pile of Plot cards: the first one with the cards dealt from it, or a
reshuffle. In a pool, each card that the seat has not seen can be in each place that it has not
seen. A card that another seat shows came from any place in its hand, each equally likely.

Each rogue at a seat's hand is equally likely to be placed or sunk. One seat's rogues depend on
another's only through the bag: given which rogues each drew from it, each seat's are independent.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from referee.games.base import Course, Seat
from referee.games.miracles.action import Action, PlaceRogue, SinkRogue
from referee.games.miracles.config import Config
from referee.games.miracles.deal import Deal, reshuffled, seed_with_orders
from referee.games.miracles.paths import Move, Paths, pick
from referee.games.miracles.pieces import STARTING_ROGUES, PlotCard, Rogue
from referee.games.miracles.play import with_at
from referee.games.miracles.position import Sunk
from referee.games.miracles.state import MiraclesState
from referee.games.miracles.trace import PlotKind, RogueKind, RogueStep, Trace, trace_of
from referee.games.randomness import Stream

_Cards = tuple[PlotCard, ...]


class RogueCourse(NamedTuple):
    """The hidden part of a course that concerns rogues."""

    faces: Mapping[int, Rogue]
    """Of each stay on the board."""
    sunk: Mapping[int, Rogue | None]
    """In order; None: the drawn one."""
    bag: tuple[Rogue, ...]


class Redraw:
    """Draws courses that a seat cannot tell from the true one."""

    def __init__(self, config: Config, course: Course, seat: Seat) -> None:
        self._trace, self._state = trace_of(config, course, seat)
        self._redraws = Redraws(self._trace, course.deal)
        self._actions = course.actions

    def course(self, stream: Stream) -> Course:
        """Draw one."""
        deal, rogues = self._redraws.draw(stream)
        return Course(deal, in_course(self._actions, rogues))

    def state(self, stream: Stream) -> MiraclesState:
        """Draw one, and return the state after it: the true one with other hidden pieces."""
        deal, rogues = self._redraws.draw(stream)
        plots, pile = self._plots(deal)
        position = self._state.position._replace(plots=plots, pile=pile, **self._rogues(rogues))
        return MiraclesState(self._state.config, deal, position)

    def _rogues(self, rogues: RogueCourse) -> dict[str, Any]:
        """Return the fields of the position that concern rogues."""
        bag, faces, stays = rogues.bag, rogues.faces, self._trace.at
        hands = [[*STARTING_ROGUES] for _ in self._state.deal.hands]
        seine, drawn, left = list[Sunk](), None, 0
        for kind, seat, key in self._trace.rogue_steps:
            if kind is RogueKind.PLACE:
                hands[seat].remove(faces[key])
            elif kind is RogueKind.RETURN:
                hands[seat].append(faces[key])
            elif kind is RogueKind.RIGHT_HAND:
                hands[seat].append(Rogue.RIGHT_HAND)
            elif kind is RogueKind.DRAW:
                drawn, left = bag[key], key + 1
            elif drawn:
                hands[seat].append(drawn)
                seine.append(Sunk(seat, rogues.sunk[key] or drawn))
                hands[seat].remove(seine[-1].rogue)
                drawn = None
        board = [
            fact._replace(whole=fact.whole._replace(rogue=faces[stays[fact.whole.spot][1]]))
            if fact.public.rogue is None
            else fact
            for fact in self._state.position.board
        ]
        return {
            "hands": tuple([tuple(sorted(hand)) for hand in hands]),
            "board": tuple(board),
            "bag": bag[left:],
            "drawn": drawn,
            "seine": tuple(seine),
        }

    def _plots(self, deal: Deal) -> tuple[tuple[_Cards, ...], _Cards]:
        """Return each seat's Plot cards, and the pile."""
        hands, pile = [[card] for card in deal.hands], [*reversed(deal.pile)]
        discards, reshuffles = list[PlotCard](), 0
        for kind, seat, cards in self._trace.plot_steps:
            if kind is PlotKind.DISCARD:
                discards += filter(None, cards)
                continue
            for card in cards:
                if kind is PlotKind.OUT and card:
                    hands[seat].remove(card)
                    continue
                if not pile:
                    reshuffles += 1
                    pile = [*reversed(reshuffled(deal, reshuffles, tuple(discards)))]
                    discards.clear()
                hands[seat].append(pile.pop())
        return tuple([tuple(sorted(hand)) for hand in hands]), (*reversed(pile),)


class Redraws:
    """All courses that a seat cannot tell apart."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        """Use what the seat has seen; of the deal, what it knows: the kinds, and its own card."""
        self._deal = deal
        self._rogues, self._plots = _Rogues(trace, deal), _Plots(trace, deal)

    def draw(self, stream: Stream) -> tuple[Deal, RogueCourse]:
        """Draw the deal of one, and its rogues."""
        rogues = self._rogues.draw(stream)
        deal = _with_plots(self._deal, self._plots.draw(stream), stream)
        return deal._replace(bag=rogues.bag), rogues


def in_course(actions: Sequence[Action], rogues: RogueCourse) -> Sequence[Action]:
    """Return the same actions with the rogues that they concern in another course."""
    stays, sunk = count(), count()
    return [
        action._replace(rogue=rogues.faces[next(stays)])
        if isinstance(action, PlaceRogue)
        else SinkRogue(rogues.sunk[next(sunk)])
        if isinstance(action, SinkRogue)
        else action
        for action in actions
    ]


def redrawn_plots(trace: Trace, deal: Deal, stream: Stream) -> Deal:
    """Draw the cards dealt to each seat, the pile and all reshuffles."""
    return _with_plots(deal, _Plots(trace, deal).draw(stream), stream)


def _with_plots(deal: Deal, pools: Sequence[Sequence[PlotCard]], stream: Stream) -> Deal:
    first, *later = pools
    seats = len(deal.hands)
    return deal._replace(
        hands=tuple(first[:seats]),
        pile=tuple(first[seats:]),
        reshuffle_seed=seed_with_orders(stream, later),
    )


class _Got(NamedTuple):
    """Another seat got a card."""

    seat: Seat
    pool: int
    place: int


class _Out(NamedTuple):
    """Another seat showed a card of its hand."""

    seat: Seat
    card: PlotCard


class _HeldPlots(NamedTuple):
    """The hidden cards at one moment."""

    hands: tuple[tuple[int, ...], ...]
    """The number of each seat's cards that come from each pool."""
    shown: tuple[_Cards, ...]
    """Of each pool, the cards that others have shown, sorted."""


class _Plots:
    """All courses of the Plot cards."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        self._seat = trace.seat
        self._pools: list[_Cards] = [(*deal.hands, *deal.pile)]
        """Of each pool, its cards in no order."""
        self._own = {(0, self._seat): deal.hands[self._seat]}
        """The cards that the seat was dealt or drew, by pool and place."""
        seats = range(len(deal.hands))
        steps = [*(_Got(seat, 0, seat) for seat in seats), *self._later(trace, deal)]
        self._steps = [step for step in steps if not self._is_own(step)]
        self._unseen = [self._unseen_in(pool) for pool in range(len(self._pools))]
        nothing = (0,) * len(self._pools)
        start = _HeldPlots((nothing,) * len(seats), ((),) * len(self._pools))
        self._paths = Paths(start, [partial(self._moves, step) for step in self._steps])

    def _later(self, trace: Trace, deal: Deal) -> Iterator[_Got | _Out]:
        """Yield what each seat drew and showed, and fill the pools."""
        discards: list[PlotCard | None] = []
        pool, place = 0, len(deal.hands)
        for kind, seat, cards in trace.plot_steps:
            if kind is PlotKind.DISCARD:
                discards += cards
                continue
            for card in cards:
                if kind is PlotKind.OUT and card:
                    yield _Out(seat, card)
                    continue
                if place == len(self._pools[pool]):
                    pool, place = pool + 1, 0
                    self._pools.append(tuple([card for card in discards if card]))
                    discards.clear()
                if card and seat == self._seat:
                    self._own[pool, place] = card
                yield _Got(seat, pool, place)
                place += 1

    def _is_own(self, step: _Got | _Out) -> bool:
        return step.seat == self._seat

    def _unseen_in(self, pool: int) -> Counter[PlotCard]:
        own = [card for (of, _), card in self._own.items() if of == pool]
        return Counter(self._pools[pool]) - Counter(own)

    def _moves(self, step: _Got | _Out, held: _HeldPlots) -> Iterator[Move[_HeldPlots]]:
        """Yield how a step can go; the choice is the pool that a card comes from."""
        hand = held.hands[step.seat]
        if isinstance(step, _Got):
            yield Move(step.pool, _with_count(held, step, step.pool, 1), 1)
            return
        for pool, number in enumerate(hand):
            shown, unseen = held.shown[pool], self._unseen[pool]
            left = unseen[step.card] - shown.count(step.card)
            if number and left:
                after = _with_count(held, step, pool, -1)
                now_shown = tuple(sorted((*shown, step.card)))
                after = after._replace(shown=with_at(held.shown, pool, now_shown))
                chance = left / (unseen.total() - len(shown))
                yield Move(pool, after, number / sum(hand) * chance)

    def draw(self, stream: Stream) -> list[list[PlotCard]]:
        """Draw the cards of each pool, by place."""
        there: dict[tuple[int, int], PlotCard] = {}
        hands: dict[tuple[Seat, int], list[int]] = defaultdict(list)
        choices = self._paths.draw(pick(self._paths.ends, stream), stream)
        for step, pool in zip(self._steps, choices, strict=True):
            hand = hands[step.seat, pool]
            if isinstance(step, _Got):
                hand.append(step.place)
            else:
                there[pool, hand.pop(stream.below(len(hand)))] = step.card
        return [self._filled(pool, there, stream) for pool in range(len(self._pools))]

    def _filled(
        self, pool: int, there: Mapping[tuple[int, int], PlotCard], stream: Stream
    ) -> list[PlotCard]:
        """Return a pool, given the cards that others have shown of it."""
        shown = Counter(card for (at, _), card in there.items() if at == pool)
        rest = iter(stream.shuffled(sorted((self._unseen[pool] - shown).elements())))
        return [
            self._own.get((pool, place)) or there.get((pool, place)) or next(rest)
            for place in range(len(self._pools[pool]))
        ]


def _with_count(held: _HeldPlots, step: _Got | _Out, pool: int, more: int) -> _HeldPlots:
    hand = held.hands[step.seat]
    hand = with_at(hand, pool, hand[pool] + more)
    return held._replace(hands=with_at(held.hands, step.seat, hand))


_Kinds = tuple[Rogue, ...]
"""Rogues, sorted."""


class _HeldRogues(NamedTuple):
    """One seat's hidden rogues at one moment."""

    hand: _Kinds
    lying: tuple[tuple[int, Rogue], ...]
    """Unseen stays on the board with their faces."""
    drawn: Rogue | None
    """Until one is sunk."""
    taken: _Kinds
    """All that the seat has drawn from the bag."""


_Ends = dict[_HeldRogues, float]
"""Last states with their weights."""


def _with_rogue(rogues: _Kinds, rogue: Rogue) -> _Kinds:
    return tuple(sorted((*rogues, rogue)))


def _without_rogue(rogues: _Kinds, rogue: Rogue) -> _Kinds:
    at = rogues.index(rogue)
    return (*rogues[:at], *rogues[at + 1 :])


def redrawn_rogues(trace: Trace, deal: Deal, stream: Stream) -> RogueCourse:
    """Draw the rogues that the other seats placed, drew and sank."""
    return _Rogues(trace, deal).draw(stream)


class _Rogues:
    """The hidden rogues of all seats but one."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        self._trace = trace
        self._bag = deal.bag
        self._unseen = Counter(sorted(deal.bag)) - Counter(trace.own_draws.values())
        """The bag's rogues that the seat has not drawn."""
        seats = [seat for seat in range(len(deal.hands)) if seat != trace.seat]
        self._steps = {seat: [s for s in trace.rogue_steps if s.seat == seat] for seat in seats}
        start = _HeldRogues(tuple(sorted(STARTING_ROGUES)), (), None, ())
        self._paths = {
            seat: Paths(start, [partial(self._moves, step) for step in steps])
            for seat, steps in self._steps.items()
        }
        self._ends = {seat: defaultdict[_Kinds, _Ends](dict) for seat in seats}
        """Each seat's last states, by what it took from the bag."""
        for seat, paths in self._paths.items():
            for held, weight in paths.ends.items():
                self._ends[seat][held.taken][held] = weight
        self._together = Paths[_Kinds]((), [partial(self._takings, seat) for seat in seats])
        """What the seats took, one after the other."""
        ends = self._together.ends.items()
        self._taken = {taken: weight * self._ways(taken) for taken, weight in ends}
        """What they took together, sorted."""

    def draw(self, stream: Stream) -> RogueCourse:
        """Draw one of the courses."""
        trace = self._trace
        faces = {stay: rogue for stay, rogue in enumerate(trace.faces) if rogue}
        sunk, bag = {**trace.sunk}, dict[int, Rogue]()
        each = self._together.draw(pick(self._taken, stream), stream)
        for (seat, steps), taken in zip(self._steps.items(), each, strict=True):
            end = pick(self._ends[seat][taken], stream)
            choices = self._paths[seat].draw(end, stream)
            for (kind, _, key), choice in zip(steps, choices, strict=True):
                if kind is RogueKind.PLACE:
                    faces[key] = choice
                elif kind is RogueKind.SINK:
                    sunk[key] = choice
                elif kind is RogueKind.DRAW:
                    bag[key] = choice
        return RogueCourse(faces, sunk, self._filled(bag, stream))

    def _takings(self, seat: Seat, before: _Kinds) -> Iterator[Move[_Kinds]]:
        """Yield what a seat can have taken from the bag, after what those before it took."""
        for taken, ends in self._ends[seat].items():
            yield Move(taken, tuple(sorted((*before, *taken))), sum(ends.values()))

    def _filled(self, bag: Mapping[int, Rogue], stream: Stream) -> tuple[Rogue, ...]:
        """Return the whole bag, given what the others drew by place."""
        rest = iter(stream.shuffled(sorted((self._unseen - Counter(bag.values())).elements())))
        return tuple(
            self._trace.own_draws.get(place) or bag.get(place) or next(rest)
            for place in range(len(self._bag))
        )

    def _ways(self, taken: _Kinds) -> int:
        """Return in how many ways tokens of these kinds can come from the bag, in given places."""
        ways = 1
        for rogue, number in Counter(taken).items():
            for one in range(number):
                ways *= max(0, self._unseen[rogue] - one)
        return ways

    def _moves(self, step: RogueStep, held: _HeldRogues) -> Iterator[Move[_HeldRogues]]:
        """Yield how a step of another seat can go: each token at hand is equally likely."""
        kind, _, key = step
        if kind is RogueKind.PLACE:
            yield from self._placings(key, held)
        elif kind is RogueKind.RETURN:
            yield self._returning(key, held)
        elif kind is RogueKind.RIGHT_HAND:
            yield Move(None, held._replace(hand=_with_rogue(held.hand, Rogue.RIGHT_HAND)), 1)
        elif kind is RogueKind.DRAW:
            for rogue, number in self._unseen.items():
                if held.taken.count(rogue) < number:
                    taken = _with_rogue(held.taken, rogue)
                    yield Move(rogue, held._replace(drawn=rogue, taken=taken), 1)
        else:
            yield from _sinkings(held)

    def _placings(self, stay: int, held: _HeldRogues) -> Iterator[Move[_HeldRogues]]:
        seen = stay in self._trace.shown
        for rogue, number in Counter(held.hand).items():
            if seen and rogue is not self._trace.faces[stay]:
                continue
            lying = held.lying if seen else (*held.lying, (stay, rogue))
            after = held._replace(hand=_without_rogue(held.hand, rogue), lying=lying)
            yield Move(rogue, after, number / len(held.hand))

    def _returning(self, stay: int, held: _HeldRogues) -> Move[_HeldRogues]:
        rogue = dict(held.lying).get(stay) or self._trace.faces[stay]
        if rogue is None:
            raise TypeError("a rogue that was not seen lies on the board")
        lying = tuple(one for one in held.lying if one[0] != stay)
        return Move(None, held._replace(hand=_with_rogue(held.hand, rogue), lying=lying), 1)


def _sinkings(held: _HeldRogues) -> Iterator[Move[_HeldRogues]]:
    if held.drawn is None:
        raise TypeError("a rogue was drawn before")
    each = 1 / (len(held.hand) + 1)
    yield Move(None, held._replace(drawn=None), each)
    for rogue, number in Counter(held.hand).items():
        hand = _with_rogue(_without_rogue(held.hand, rogue), held.drawn)
        yield Move(rogue, held._replace(hand=hand, drawn=None), number * each)
