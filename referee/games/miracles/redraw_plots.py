"""Other courses of the Plot cards that one seat cannot tell from the true one.

A pool is what lay in one pile: the first one with the cards dealt from it, or a reshuffle. In a
pool, each card that the seat has not seen can be in each place that it has not seen. A card that
another seat shows came from any place in its hand, each equally likely.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.deal import Deal, reshuffled, seed_with_orders
from referee.games.miracles.paths import Move, Paths, pick
from referee.games.miracles.pieces import PlotCard
from referee.games.miracles.play import with_at
from referee.games.miracles.trace import PlotKind, Trace
from referee.games.randomness import Stream

_Cards = tuple[PlotCard, ...]


def redrawn_plots(trace: Trace, deal: Deal, stream: Stream) -> Deal:
    """Draw the cards dealt to each seat, the pile and all reshuffles."""
    first, *later = _Plots(trace, deal).draw(stream)
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


class _Held(NamedTuple):
    """The hidden cards at one moment."""

    hands: tuple[tuple[int, ...], ...]
    """The number of each seat's cards that come from each pool."""
    shown: tuple[_Cards, ...]
    """Of each pool, the cards that others have shown, sorted."""


class _Plots:
    """All courses of the Plot cards."""

    def __init__(self, trace: Trace, deal: Deal) -> None:
        self._seat = trace.seat
        self._pools = [[*deal.hands, *deal.pile]]
        """Of each pool, the true cards by place."""
        seats = range(len(deal.hands))
        steps = [*(_Got(seat, 0, seat) for seat in seats), *self._later(trace, deal)]
        self._seen = {step[1:] for step in steps if isinstance(step, _Got) and self._is_own(step)}
        """The pools and places of the cards that the seat was dealt or drew."""
        self._steps = [step for step in steps if not self._is_own(step)]
        self._unseen = [Counter(self._unseen_in(pool)) for pool in range(len(self._pools))]
        nothing = (0,) * len(self._pools)
        start = _Held((nothing,) * len(seats), ((),) * len(self._pools))
        self._paths = Paths(start, [partial(self._moves, step) for step in self._steps])

    def _later(self, trace: Trace, deal: Deal) -> Iterator[_Got | _Out]:
        """Yield what each seat drew and showed, and fill the pools."""
        discards: list[PlotCard] = []
        pool, place = 0, len(deal.hands)
        for kind, seat, cards in trace.plot_steps:
            if kind is PlotKind.DISCARD:
                discards += cards
                continue
            for card in cards:
                if kind is PlotKind.OUT:
                    yield _Out(seat, card)
                    continue
                if place == len(self._pools[pool]):
                    pool, place = pool + 1, 0
                    self._pools.append([*reshuffled(deal, pool, tuple(discards))])
                    discards.clear()
                yield _Got(seat, pool, place)
                place += 1

    def _is_own(self, step: _Got | _Out) -> bool:
        return step.seat == self._seat

    def _unseen_in(self, pool: int) -> list[PlotCard]:
        cards = enumerate(self._pools[pool])
        return [card for place, card in cards if (pool, place) not in self._seen]

    def _moves(self, step: _Got | _Out, held: _Held) -> Iterator[Move[_Held]]:
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
            true if (pool, place) in self._seen else there.get((pool, place)) or next(rest)
            for place, true in enumerate(self._pools[pool])
        ]


def _with_count(held: _Held, step: _Got | _Out, pool: int, more: int) -> _Held:
    hand = held.hands[step.seat]
    hand = with_at(hand, pool, hand[pool] + more)
    return held._replace(hands=with_at(held.hands, step.seat, hand))
