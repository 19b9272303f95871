"""Events in words, one line per event."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.markup import Span, Spans, joined
from referee.games.miracles.event import (
    ActionPerformed,
    CoinsMoved,
    Event,
    GameEnded,
    KingMoved,
    LoneKept,
    PileReshuffled,
    PlotDiscarded,
    PlotPlayed,
    PlotsDrawn,
    Reason,
    RenownMoved,
    RenownPlaced,
    RenownReturned,
    RightHandTaken,
    RogueDrawn,
    RogueMoved,
    RoguePlaced,
    RogueReturned,
    RogueSeen,
    RoguesRevealed,
    RoguesSwapped,
    RogueSunk,
    StandoffEnded,
    StandoffStarted,
    StandoffWon,
    SwordsmanAnswered,
    TurnStarted,
    WrathChosen,
)
from referee.games.miracles.words import (
    Names,
    coins_span,
    counted,
    place_span,
    plot_span,
    plot_spans,
    renown_place_span,
    rogue_span,
    seat_span,
    spot_span,
)

_WHY: Mapping[Reason, str] = {
    Reason.SPOT: "from the spot",
    Reason.INCOME: "as income",
    Reason.GRANDE_COUR: "from the Grande Cour",
    Reason.RENOWN: "for Renown",
    Reason.RENOWN_BONUS: "as a bonus",
    Reason.BEGGAR: "to the Beggar",
    Reason.PICKPOCKET: "with the Pickpocket",
    Reason.SOOTHSAYER: "with the Soothsayer",
    Reason.SWORDSMAN: "to the Swordsman",
    Reason.JUDGMENT: "for Judgment",
    Reason.THE_SUN: "from The Sun",
    Reason.THE_DEVIL: "to The Devil",
}


def event_spans(event: Event, names: Names) -> Spans:
    """Return the event in words, whole or in one seat's form."""
    return _WORDS[type(event)](event, names)


def _words(*parts: Span | str) -> Spans:
    return [Span(part) if isinstance(part, str) else part for part in parts]


def _coins(event: CoinsMoved, names: Names) -> Spans:
    payer, receiver, amount, reason = event
    why = Span(f" {_WHY[reason]}", "dim")
    if payer is None and receiver is not None:
        return [*_words(seat_span(receiver, names), " takes ", coins_span(amount)), why]
    if payer is not None and receiver is None:
        return [*_words(seat_span(payer, names), " pays ", coins_span(amount)), why]
    both = joined([[seat_span(seat, names)] for seat in (payer, receiver) if seat is not None])
    return [both[0], *_words(" gives ", both[-1], " ", coins_span(amount)), why]


def _king(event: KingMoved, _: Names) -> Spans:
    origin, target, stopped = event
    wrath = [Span(", stopped by the Wrath", "wrath")] if stopped else []
    if origin == target:
        return [*_words(Span("The King", "king"), f" stays on space {target}"), *wrath]
    return [*_words(Span("The King", "king"), f" moves from {origin} to {target}"), *wrath]


def _drawn(event: PlotsDrawn, names: Names) -> Spans:
    seat = seat_span(event.seat, names)
    if not event.cards:
        return _words(seat, f" draws {counted(event.number, 'Plot card')}")
    return [*_words(seat, " draws "), *plot_spans(event.cards)]


def _sunk(event: RogueSunk, names: Names) -> Spans:
    origin = {None: "", True: ", which was drawn", False: ", from hand"}[event.drawn]
    seat, rogue = seat_span(event.seat, names), rogue_span(event.rogue)
    return _words(seat, " throws a ", rogue, " into the Seine", origin)


def _revealed(event: RoguesRevealed, names: Names) -> Spans:
    rogues = [
        _words(f"{one.spot.rank} ", seat_span(one.owner, names), "'s ", rogue_span(one.rogue))
        for one in event.rogues
    ]
    return [*_words("Face up: "), *joined(rogues)]


def _won(event: StandoffWon, names: Names) -> Spans:
    totals = [_words(seat_span(seat, names), f" {total}") for seat, total in event.totals]
    tail = [Span(" with ", "dim"), *joined(totals)] if totals else []
    return [
        *_words(seat_span(event.winner, names), Span(" wins ", "renown")),
        place_span(event.neighbourhood),
        *tail,
    ]


def _started(event: TurnStarted, names: Names) -> Spans:
    head = Span(f"Turn {event.turn}", "title")
    return [
        head,
        *_words(" of ", seat_span(event.seat, names)),
        Span(f" · round {event.round}", "dim"),
    ]


def _swordsman(event: SwordsmanAnswered, names: Names) -> Spans:
    answer = " pays the Swordsman on " if event.pays else " does not pay the Swordsman on "
    return _words(seat_span(event.seat, names), answer, spot_span(event.spot))


_WORDS: Mapping[type[Any], Callable[[Any, Names], Spans]] = {
    TurnStarted: _started,
    RoguePlaced: lambda e, n: _words(
        seat_span(e.seat, n), " puts a ", rogue_span(e.rogue), " face down on ", spot_span(e.spot)
    ),
    RogueMoved: lambda e, n: _words(
        seat_span(e.seat, n),
        " moves ",
        *_whose(e.owner, e.seat, n),
        " rogue from ",
        spot_span(e.origin),
        " to ",
        spot_span(e.target),
    ),
    RoguesSwapped: lambda e, n: _words(
        seat_span(e.seat, n),
        " swaps the rogues on ",
        spot_span(e.first),
        " and ",
        spot_span(e.second),
    ),
    RogueReturned: lambda e, n: _words(
        seat_span(e.seat, n),
        " sends ",
        *_whose(e.owner, e.seat, n),
        " rogue on ",
        spot_span(e.spot),
        " back to hand",
    ),
    RogueSeen: lambda e, n: _words(
        seat_span(e.seat, n),
        " looks at ",
        *_whose(e.owner, e.seat, n),
        " ",
        rogue_span(e.rogue),
        " on ",
        spot_span(e.spot),
    ),
    RogueDrawn: lambda e, n: _words(
        seat_span(e.seat, n), " draws a ", rogue_span(e.rogue), " from the bag"
    ),
    RogueSunk: _sunk,
    ActionPerformed: lambda e, n: _words(
        seat_span(e.seat, n), " performs the action of ", place_span(e.neighbourhood)
    ),
    CoinsMoved: _coins,
    KingMoved: _king,
    PlotsDrawn: _drawn,
    PlotDiscarded: lambda e, n: _words(
        seat_span(e.seat, n), " discards ", plot_span(e.card), " to the hand limit"
    ),
    PlotPlayed: lambda e, n: _words(seat_span(e.seat, n), " plays ", plot_span(e.card)),
    PileReshuffled: lambda e, _: _words(f"The {e.size} discarded Plot cards become a new pile"),
    RenownPlaced: lambda e, n: _words(
        seat_span(e.seat, n),
        " puts a ",
        Span("Renown token", "renown"),
        " on ",
        renown_place_span(e.place),
        Span(f", {e.renown} in play", "dim"),
    ),
    RenownMoved: lambda e, n: _words(
        seat_span(e.seat, n),
        " moves a ",
        Span("Renown token", "renown"),
        " from ",
        renown_place_span(e.origin),
        " to ",
        place_span(e.target),
    ),
    RenownReturned: lambda e, n: _words(
        seat_span(e.seat, n),
        " takes back ",
        Span(counted(e.tokens, "Renown token"), "renown"),
        " from ",
        place_span(e.neighbourhood),
    ),
    RightHandTaken: lambda e, n: _words(
        seat_span(e.seat, n), " takes the ", Span("Right-Hand", "rogue"), " to hand"
    ),
    WrathChosen: lambda e, n: _words(
        seat_span(e.seat, n),
        " lets the ",
        Span("Wrath", "wrath"),
        " hit ",
        place_span(e.neighbourhood),
    ),
    StandoffStarted: lambda e, _: _words(
        Span("Standoff", "title"), " in ", place_span(e.neighbourhood)
    ),
    RoguesRevealed: _revealed,
    LoneKept: lambda e, n: _words(
        seat_span(e.seat, n), " keeps the lone rogue on ", spot_span(e.spot), " face down"
    ),
    SwordsmanAnswered: _swordsman,
    StandoffWon: _won,
    StandoffEnded: lambda e, _: _words(
        "The rogues of ", place_span(e.neighbourhood), " go back to hand"
    ),
    GameEnded: lambda e, _: _words(Span(f"The game ends in turn {e.turn}", "title")),
}


def _whose(owner: int, seat: int, names: Names) -> Spans:
    if owner == seat:
        return [Span("an own")]
    return _words(seat_span(owner, names), "'s")
