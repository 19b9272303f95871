"""Chance before the first turn.

A deal comes from a stream or from a record. Records are untrusted, so `check_deal` checks a deal
before a game starts.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from referee.games.base import ConfigError, Seat
from referee.games.courtisans.cards import CARDS, HAND_SIZE, Card, card_name
from referee.games.courtisans.missions import BLUE, WHITE, Mission
from referee.games.randomness import Stream

REMOVED: Mapping[int, int] = {2: 30, 3: 18, 4: 6, 5: 0}
"""Courtiers left out of the game, by number of seats."""

TURNS: Mapping[int, int] = {2: 10, 3: 8, 4: 7, 5: 6}
"""Turns per seat, by number of seats."""


class Deal(NamedTuple):
    """Everything that chance decided; no seat sees all of it."""

    removed: tuple[Card, ...]
    """The cards left out, in shuffled order."""
    deck: tuple[Card, ...]
    """In draw order, after the first hands were dealt."""
    hands: tuple[tuple[Card, ...], ...]
    """Three cards per seat, in dealt order."""
    missions: tuple[tuple[Mission, Mission], ...]
    """White and blue, by seat."""
    starting_seat: Seat


def check_seats(seats: int) -> None:
    """Raise `ConfigError` unless the game supports this number of seats."""
    if seats not in REMOVED:
        raise ConfigError(f"courtisans is played with 2 to 5 seats, not {seats}")


def draw_deal(seats: int, stream: Stream) -> Deal:
    """Draw a deal; cards, missions and starting seat each have their own stream."""
    check_seats(seats)
    cards = stream.sub("courtiers").shuffled(CARDS)
    out = REMOVED[seats]
    hands_end = out + HAND_SIZE * seats
    missions = stream.sub("missions")
    white, blue = missions.shuffled(WHITE), missions.shuffled(BLUE)
    return Deal(
        removed=tuple(cards[:out]),
        deck=tuple(cards[hands_end:]),
        hands=tuple(tuple(cards[i : i + HAND_SIZE]) for i in range(out, hands_end, HAND_SIZE)),
        missions=tuple(zip(white[:seats], blue[:seats], strict=True)),
        starting_seat=stream.sub("starting seat").below(seats),
    )


def check_deal(deal: Deal, seats: int) -> None:
    """Raise `ConfigError` with the reason if no shuffle for this many seats yields the deal."""
    check_seats(seats)
    _check_counts(deal, seats)
    _check_copies(deal)
    _check_missions(deal)
    if not 0 <= deal.starting_seat < seats:
        raise ConfigError(f"the deal lets seat {deal.starting_seat} start a game of {seats} seats")


def _check_counts(deal: Deal, seats: int) -> None:
    in_deck = len(CARDS) - REMOVED[seats] - HAND_SIZE * seats
    for what, count, due in (
        ("removed cards", len(deal.removed), REMOVED[seats]),
        ("cards in the deck", len(deal.deck), in_deck),
        ("hands", len(deal.hands), seats),
        ("pairs of missions", len(deal.missions), seats),
    ):
        if count != due:
            raise ConfigError(f"a deal for {seats} seats has {due} {what}, this one has {count}")
    for seat, hand in enumerate(deal.hands):
        if len(hand) != HAND_SIZE:
            raise ConfigError(f"the deal gives seat {seat} {len(hand)} cards, not {HAND_SIZE}")


def _check_copies(deal: Deal) -> None:
    exist = Counter(CARDS)
    dealt = Counter(card for cards in (deal.removed, deal.deck, *deal.hands) for card in cards)
    for card, count in dealt.items():
        if card.family is None:
            raise ConfigError(f"the deal has a {card_name(*card)} of no family")
        if count > exist[card]:
            raise ConfigError(
                f"the deal has {count} times {card_name(*card)}, of which {exist[card]} exist"
            )


def _check_missions(deal: Deal) -> None:
    for seat, (white, blue) in enumerate(deal.missions):
        if white not in WHITE or blue not in BLUE:
            raise ConfigError(
                f"seat {seat} must be dealt a white and a blue mission, "
                f"not {white.name} and {blue.name}"
            )
    for mission, count in Counter(m for pair in deal.missions for m in pair).items():
        if count > 1:
            raise ConfigError(f"the deal gives the mission {mission.name} to {count} seats")
