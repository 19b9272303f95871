"""Seats, rogues, cards, spots and coins as styled text."""

from collections.abc import Iterable, Mapping, Sequence

from referee.games.base import Seat
from referee.games.markup import Span, Spans, joined
from referee.games.miracles.pieces import (
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
    place_name,
    plot_name,
    rogue_name,
    spot_name,
)

Names = Sequence[str]
"""The seats' names, indexed by seat."""

STYLES: Mapping[str, str] = {
    "seat": "bold",
    "title": "bold",
    "dim": "#8a8a94",
    "place": "#4a8fd4",
    "rogue": "#d08a1e",
    "hidden": "italic #8a8a94",
    "plot": "#d060b8",
    "coin": "#8b962b",
    "renown": "bold #3f9f5f",
    "king": "#2f9c9c",
    "wrath": "bold #d0504a",
}
"""Every style of the lines, as Rich style strings; readable on dark and light backgrounds."""


def seat_span(seat: Seat, names: Names) -> Span:
    """Return a seat's name."""
    return Span(names[seat], "seat")


def rogue_span(rogue: Rogue | None) -> Span:
    """Return a rogue's name; None: a hidden rogue."""
    return Span("rogue", "hidden") if rogue is None else Span(rogue_name(rogue), "rogue")


def rogue_spans(rogues: Iterable[Rogue]) -> Spans:
    """Return rogues' names, comma-separated."""
    return joined([[rogue_span(rogue)] for rogue in rogues]) or [Span("none", "dim")]


def plot_span(card: PlotCard) -> Span:
    """Return a Plot card's name."""
    return Span(plot_name(card), "plot")


def plot_spans(cards: Iterable[PlotCard]) -> Spans:
    """Return Plot cards' names, comma-separated."""
    return joined([[plot_span(card)] for card in cards]) or [Span("none", "dim")]


def spot_span(spot: Spot) -> Span:
    """Return a spot's name."""
    return Span(spot_name(spot), "place")


def place_span(place: Neighbourhood) -> Span:
    """Return a neighbourhood's name."""
    return Span(place_name(place), "place")


def renown_place_span(place: RenownPlace) -> Span:
    """Return a Renown token's place."""
    if place.neighbourhood is None:
        return Span(f"line {place.line}", "renown")
    return place_span(place.neighbourhood)


def counted(number: int, what: str) -> str:
    """Return a number of things, such as "1 coin" or "2 coins"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def coins_span(amount: int) -> Span:
    """Return an amount of coins."""
    return Span(counted(amount, "coin"), "coin")
