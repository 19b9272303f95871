"""Actions in words, legal or not."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.base import Seat
from referee.games.markup import Span, Spans
from referee.games.miracles import action as actions
from referee.games.miracles.pieces import PlotCard
from referee.games.miracles.words import (
    Names,
    counted,
    place_span,
    plot_span,
    renown_place_span,
    rogue_span,
    seat_span,
    spot_span,
)


def action_spans(action: actions.Action, names: Names) -> Spans:
    """Return an action in words; a seat not at the table appears by number."""
    return _WORDS[type(action)](action, names)


def _words(*parts: Span | str) -> Spans:
    return [Span(part) if isinstance(part, str) else part for part in parts]


def _plays(card: PlotCard, *parts: Span | str) -> Spans:
    return _words("play ", plot_span(card), *parts)


def _moves(action: actions.MoveRogue | actions.MoveOther) -> Spans:
    whose = "your" if isinstance(action, actions.MoveRogue) else "another"
    origin, target = spot_span(action.origin), spot_span(action.target)
    return _words(f"move {whose} rogue from ", origin, " to ", target, _before_effect(action))


def _before_effect(action: actions.PlaceRogue | actions.MoveRogue | actions.MoveOther) -> str:
    waits = not isinstance(action, actions.MoveOther) and action.plot_first
    return ", and wait for a Plot card before the spot takes effect" if waits else ""


def _seat(seat: Seat, names: Names) -> Span:
    return seat_span(seat, names) if seat < len(names) else Span(f"seat {seat}")


def _sunk(action: actions.SinkRogue) -> Spans:
    if action.rogue is None:
        return _words("throw the drawn rogue into the Seine")
    return _words("throw a ", rogue_span(action.rogue), " from your hand into the Seine")


_WORDS: Mapping[type[Any], Callable[[Any, Names], Spans]] = {
    actions.PlaceRogue: lambda a, _: _words(
        "put a ", rogue_span(a.rogue), " face down on ", spot_span(a.spot), _before_effect(a)
    ),
    actions.MoveRogue: lambda a, _: _moves(a),
    actions.MoveOther: lambda a, _: _moves(a),
    actions.TakeEffect: lambda _, __: _words("let the spot take effect"),
    actions.PerformAction: lambda _, __: _words("perform the action of the neighbourhood"),
    actions.BuyRenown: lambda a, _: _words("buy Renown on ", Span(f"line {a.line}", "renown")),
    actions.EndTurn: lambda _, __: _words("end the turn"),
    actions.PlayCard: lambda a, _: _plays(a.card),
    actions.PlayEmpress: lambda a, _: _plays(
        PlotCard.THE_EMPRESS,
        ": the token on ",
        renown_place_span(a.token),
        " goes to ",
        place_span(a.target),
    ),
    actions.PlayDevil: lambda a, n: _plays(PlotCard.THE_DEVIL, " against ", _seat(a.opponent, n)),
    actions.PlayHangedMan: lambda a, _: _plays(
        PlotCard.THE_HANGED_MAN, " on the rogue on ", spot_span(a.spot)
    ),
    actions.PlayChariot: lambda a, _: _plays(
        PlotCard.THE_CHARIOT, " from ", spot_span(a.origin), " to ", spot_span(a.target)
    ),
    actions.PlayTower: lambda a, _: _plays(
        PlotCard.THE_TOWER, " on ", spot_span(a.first), " and ", spot_span(a.second)
    ),
    actions.PlayHermit: lambda a, _: _plays(PlotCard.THE_HERMIT, " to look at ", spot_span(a.spot)),
    actions.PlayFool: lambda a, _: _plays(PlotCard.THE_FOOL, f": {counted(a.spaces, 'space')}"),
    actions.SinkRogue: lambda a, _: _sunk(a),
    actions.DiscardPlot: lambda a, _: _words("discard ", plot_span(a.card)),
    actions.ChooseWrath: lambda a, _: _words("let the Wrath hit ", place_span(a.neighbourhood)),
    actions.SettleNext: lambda a, _: _words("settle ", place_span(a.neighbourhood), " next"),
    actions.PaySwordsman: lambda a, _: _words(f"{'pay' if a.pays else 'do not pay'} the Swordsman"),
    actions.RevealLone: lambda a, _: _words(
        "reveal the lone rogue" if a.reveals else "keep the lone rogue face down"
    ),
    actions.UseCourtesan: lambda a, _: _words(
        "let the Courtesan's token go to ", place_span(a.neighbourhood)
    ),
}
