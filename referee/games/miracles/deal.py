"""Chance before the first decision.

A deal comes from a stream or from a record. Records are untrusted, so `check_deal` checks a deal
before a game starts.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from referee.games.base import ConfigError, Seat
from referee.games.miracles.data import BoardData
from referee.games.miracles.pieces import SEATS, PlotCard, Rogue, plot_name, rogue_name
from referee.games.randomness import Stream

_SEED_BYTES = 16
_SEED = re.compile(rf"[0-9a-f]{{{2 * _SEED_BYTES}}}(/[1-9a-c]*)*")


class Deal(NamedTuple):
    """Everything that chance decides in a game; no seat sees all of it."""

    data: str
    """The label of the deal's data set, such as "standard-reconstruction-1"."""
    starting_seat: Seat
    hands: tuple[PlotCard, ...]
    """The one Plot card dealt to each seat."""
    pile: tuple[PlotCard, ...]
    """The other Plot cards in draw order."""
    bag: tuple[Rogue, ...]
    """The rogues of the bag in draw order."""
    reshuffle_seed: str
    """32 hexadecimal digits that seed every reshuffle of the discarded Plot cards.

    No seed gives just the orders that a redrawn course needs, so it names them after the digits:
    see `seed_with_orders`.
    """


def check_seats(seats: int) -> None:
    """Raise `ConfigError` unless the game supports this number of seats."""
    if seats not in SEATS:
        raise ConfigError(f"miracles is played with 2 to 5 seats, not {seats}")


def draw_deal(data: BoardData, seats: int, stream: Stream) -> Deal:
    """Draw a deal; each of its four parts has its own stream."""
    check_seats(seats)
    cards = stream.sub("plot cards").shuffled(data.all_plot_cards())
    return Deal(
        data=data.label,
        starting_seat=stream.sub("starting seat").below(seats),
        hands=tuple(cards[:seats]),
        pile=tuple(cards[seats:]),
        bag=tuple(stream.sub("bag").shuffled(data.bag())),
        reshuffle_seed=stream.sub("reshuffle seed").bytes(_SEED_BYTES).hex(),
    )


def reshuffled(deal: Deal, number: int, discards: tuple[PlotCard, ...]) -> tuple[PlotCard, ...]:
    """Return the new pile, in draw order, after the reshuffle of this number, from 1."""
    seed, *orders = deal.reshuffle_seed.split("/")
    if number <= len(orders):
        order = tuple(PlotCard(int(card, 16)) for card in orders[number - 1])
        if sorted(order) == sorted(discards):
            return order
    return tuple(Stream(seed, "reshuffle", str(number)).shuffled(sorted(discards)))


def seed_with_orders(stream: Stream, orders: Iterable[Iterable[PlotCard]]) -> str:
    """Draw a seed of reshuffles, and set the orders of the first ones.

    Each order stands after a slash, with a hexadecimal digit a card.
    """
    named = ["".join(f"{card:x}" for card in order) for order in orders]
    return "/".join([stream.bytes(_SEED_BYTES).hex(), *named])


def check_deal(deal: Deal, data: BoardData, seats: int) -> None:
    """Raise `ConfigError` with the reason if no shuffle for this many seats yields the deal."""
    check_seats(seats)
    if deal.data != data.label:
        raise ConfigError(f"the deal is for the data set {deal.data!r}, this is {data.label!r}")
    if len(deal.hands) != seats:
        raise ConfigError(f"a deal for {seats} seats has {seats} hands, not {len(deal.hands)}")
    if not 0 <= deal.starting_seat < seats:
        raise ConfigError(f"the deal lets seat {deal.starting_seat} start a game of {seats} seats")
    if not _SEED.fullmatch(deal.reshuffle_seed):
        raise ConfigError("the deal's reshuffle seed is not 32 hexadecimal digits")
    cards, due = Counter((*deal.hands, *deal.pile)), Counter(data.all_plot_cards())
    for card in PlotCard:
        if cards[card] != due[card]:
            raise ConfigError(_count(plot_name(card), cards[card], due[card]))
    rogues, exist = Counter(deal.bag), Counter(data.bag())
    for rogue in Rogue:
        if rogues[rogue] != exist[rogue]:
            raise ConfigError(
                _count(f"{rogue_name(rogue)} in the bag", rogues[rogue], exist[rogue])
            )


def _count(what: str, count: int, due: int) -> str:
    return f"the deal has {count} times {what}, the data set has {due}"
