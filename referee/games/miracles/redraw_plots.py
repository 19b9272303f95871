"""Other courses of the Plot cards that one seat cannot tell from the true one.

Until the pile is used up, every card that the seat has not seen can be in every hidden place; a
card that another seat shows came from any place in its hand, and each is equally likely. Later
cards come from a reshuffle by a seed. Of many seeds one that gives the seat what it drew is taken,
by how likely it makes what the others showed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.deal import Deal, reshuffled
from referee.games.miracles.paths import Move, Paths, pick
from referee.games.miracles.pieces import PlotCard
from referee.games.miracles.play import with_at, without
from referee.games.miracles.trace import PlotKind, Trace
from referee.games.randomness import Stream

_SEEDS_TRIED = 300
"""Seeds of a reshuffle; one in ten to a thousand fits. If none does, the true one stays."""
_SEEDS_WEIGHED = 12
"""Fitting seeds among which one is drawn by weight."""
_SEED_BYTES = 16

_Cards = tuple[PlotCard, ...]


class _Got(NamedTuple):
    """Another seat got a card."""

    seat: Seat
    place: int
    """In the line; past its end after a reshuffle."""
    card: PlotCard | None
    """None: unknown."""


class _Out(NamedTuple):
    """Another seat showed a card of its hand."""

    seat: Seat
    card: PlotCard


class _Hand(NamedTuple):
    """A seat's cards."""

    unknown: int
    known: _Cards
    """Sorted."""


class _Held(NamedTuple):
    """The hidden cards at one moment."""

    hands: tuple[_Hand, ...]
    """By seat; the looking seat's stays empty."""
    settled: _Cards
    """Unknown cards that were shown since, sorted."""


def redrawn_plots(trace: Trace, deal: Deal, stream: Stream) -> tuple[list[PlotCard], str]:
    """Draw the cards dealt to each seat, then the pile; and the seed of the reshuffles."""
    found = islice(_fitting(trace, deal, stream), _SEEDS_WEIGHED if trace.reshuffled else 1)
    weights = {one: one.paths.weight for one in found}
    plots = pick(weights, stream) if weights else _Plots(trace, deal)
    return plots.draw(stream), plots.seed


def _fitting(trace: Trace, deal: Deal, stream: Stream) -> Iterator["_Plots"]:
    """Yield the courses with random seeds that fit what the seat knows."""
    for _ in range(_SEEDS_TRIED):
        plots = _Plots(trace, deal._replace(reshuffle_seed=stream.bytes(_SEED_BYTES).hex()))
        if plots.fits and plots.paths.weight:
            yield plots


class _Plots:
    """All courses of the Plot cards with one seed of the reshuffles."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        self.seed = deal.reshuffle_seed
        self._seat = trace.seat
        self._seats = len(deal.hands)
        self._line = [*deal.hands, *deal.pile]
        self._seen = {trace.seat}
        """The places in the line whose cards the seat was dealt or drew."""
        self._pile = _Pile(deal)
        self.fits = True
        """Whether the seat draws what it drew."""
        self._steps = [*self._dealt(), *self._later(trace)]
        self._unseen = Counter(
            card for place, card in enumerate(self._line) if place not in self._seen
        )

    @cached_property
    def paths(self) -> Paths[_Held]:
        """All ways in which the others can have what they showed."""
        start = _Held((_Hand(0, ()),) * self._seats, ())
        return Paths(start, [partial(self._moves, step) for step in self._steps])

    def _dealt(self) -> Iterator[_Got]:
        return (_Got(seat, seat, None) for seat in range(self._seats) if seat != self._seat)

    def _later(self, trace: Trace) -> Iterator[_Got | _Out]:
        """Yield what another seat got or showed, and note what the looking seat drew."""
        for kind, seat, cards in trace.plot_steps:
            if kind is PlotKind.DISCARD:
                self._pile.discards += cards
            elif kind is PlotKind.DRAW:
                for card in cards:
                    yield from self._drawn(seat, card)
            elif seat != self._seat:
                yield _Out(seat, *cards)

    def _drawn(self, seat: Seat, true: PlotCard) -> Iterator[_Got]:
        place, card = self._pile.draw()
        first_pile = place < len(self._line)
        if seat != self._seat:
            yield _Got(seat, place, None if first_pile else card)
        elif first_pile:
            self._seen.add(place)
        else:
            self.fits = self.fits and card is true

    def _moves(self, step: _Got | _Out, held: _Held) -> Iterator[Move[_Held]]:
        """Yield how a step can go; of a shown card, the choice is whether it was unknown."""
        unknown, known = held.hands[step.seat]
        if isinstance(step, _Got):
            if step.card is None:
                hand = _Hand(unknown + 1, known)
            else:
                hand = _Hand(unknown, tuple(sorted((*known, step.card))))
            yield Move(None, _with_hand(held, step.seat, hand), 1)
            return
        size, card = unknown + len(known), step.card
        left = self._unseen[card] - held.settled.count(card)
        if unknown and left:
            chance = left / (self._unseen.total() - len(held.settled))
            after = _with_hand(held, step.seat, _Hand(unknown - 1, known))
            settled = tuple(sorted((*held.settled, card)))
            after = after._replace(settled=settled)
            yield Move(choice=True, state=after, weight=unknown / size * chance)
        if card in known:
            after = _with_hand(held, step.seat, _Hand(unknown, without(known, card)))
            yield Move(choice=False, state=after, weight=known.count(card) / size)

    def draw(self, stream: Stream) -> list[PlotCard]:
        """Draw the cards dealt to each seat, then the first pile."""
        line: dict[int, PlotCard] = {place: self._line[place] for place in self._seen}
        places: dict[Seat, list[int]] = defaultdict(list)
        shown = self.paths.draw(pick(self.paths.ends, stream), stream)
        for step, was_unknown in zip(self._steps, shown, strict=True):
            held = places[step.seat]
            if isinstance(step, _Out):
                if was_unknown:
                    line[held.pop(stream.below(len(held)))] = step.card
            elif step.card is None:
                held.append(step.place)
        left = self._unseen - Counter(
            card for place, card in line.items() if place not in self._seen
        )
        rest = iter(stream.shuffled(sorted(left.elements())))
        return [line[at] if at in line else next(rest) for at in range(len(self._line))]


def _with_hand(held: _Held, seat: Seat, hand: _Hand) -> _Held:
    return held._replace(hands=with_at(held.hands, seat, hand))


class _Pile:
    """The pile that Plot cards are drawn from, as it was in the true course until a reshuffle."""

    def __init__(self, deal: Deal) -> None:
        self.discards: list[PlotCard] = []
        self._deal = deal
        self._cards = [*deal.pile]
        self._place = len(deal.hands)
        self._reshuffles = 0

    def draw(self) -> tuple[int, PlotCard]:
        """Draw the next card; return its place in the line, counted on after a reshuffle."""
        if not self._cards:
            self._reshuffles += 1
            self._cards = [*reshuffled(self._deal, self._reshuffles, tuple(self.discards))]
            self.discards = []
        self._place += 1
        return self._place - 1, self._cards.pop(0)
