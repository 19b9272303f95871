"""A decision in at most two steps: what to do, then with which pieces and where.

The places of options are "place/0" and "spot/0/2", a neighbourhood and its spot of a rank,
"line/5" of the Renown Square, "path/7" of the King, "seat/1", "seine" and "discards".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.games.choice import Answers, Choice, Option, ask, first_choice
from referee.games.markup import plain
from referee.games.miracles import action as actions
from referee.games.miracles.action_words import action_spans
from referee.games.miracles.observation import Decision, Legal, Observation
from referee.games.miracles.options import actions_of
from referee.games.miracles.pieces import (
    Neighbourhood,
    PlotCard,
    Spot,
    place_name,
    plot_name,
    rogue_name,
    spot_name,
)
from referee.games.miracles.plots import CARD_OF
from referee.games.miracles.words import Names

_Kind = tuple[Any, ...]
"""An action apart from its second step: its type, and the first of its pieces."""

_KIND_ENDS: Mapping[type[Any], int] = {
    actions.PlaceRogue: 1,
    actions.MoveRogue: 1,
    actions.MoveOther: 0,
    **dict.fromkeys(CARD_OF, 0),
}
"""How many fields of an action its kind has, where not all."""

_WHICH: Mapping[type[Any], str] = {
    actions.PlaceRogue: "Where do you put the {piece}?",
    actions.MoveRogue: "Where does your rogue on {piece} go?",
    actions.MoveOther: "Which rogue do you move, and where to?",
    actions.PlayEmpress: "Which Renown token does The Empress move, and where to?",
    actions.PlayDevil: "Whose coins does The Devil take?",
    actions.PlayHangedMan: "Which rogue does The Hanged Man send back?",
    actions.PlayChariot: "Which of your rogues does The Chariot move, and where to?",
    actions.PlayTower: "Which two rogues does The Tower swap?",
    actions.PlayHermit: "Which rogue do you look at?",
    actions.PlayFool: "How far does the Penniless King move?",
}
"""The second step's prompt."""


def decision_choice(seen: Observation, legal: Legal, names: Names) -> Choice:
    """Return the first step of a decision, for the seat that sees this."""
    kinds: dict[_Kind, list[actions.Action]] = {}
    for action in actions_of(legal):
        kinds.setdefault(_kind(action), []).append(action)

    def second(kind: _Kind) -> Any:
        prompt = _WHICH.get(kind[0], "").format(piece=_piece_name(kind))
        answers: Answers = {
            one: Option(_label(one, names), _moved(one, seen), _place(one, seen))
            for one in kinds[kind]
        }
        return ask(prompt, answers, _itself, _itself)

    answers = {
        kind: Option(
            _label(alike[0], names) if len(alike) == 1 else _kind_label(kind),
            _piece(alike[0], seen),
            _place(alike[0], seen) if len(alike) == 1 else None,
        )
        for kind, alike in kinds.items()
    }
    return first_choice(_prompt(seen, legal), answers, _kind, second)


def _kind(action: actions.Action) -> _Kind:
    kind = type(action)
    return (kind, *action[: _KIND_ENDS.get(kind, len(action))])


def _itself(action: actions.Action) -> actions.Action:
    return action


def _label(action: actions.Action, names: Names) -> str:
    return plain(action_spans(action, names))


def _kind_label(kind: _Kind) -> str:
    if kind[0] is actions.PlaceRogue:
        return f"put a {_piece_name(kind)} face down"
    if kind[0] is actions.MoveRogue:
        return f"move your rogue from {_piece_name(kind)}"
    return (
        "move another rogue"
        if kind[0] is actions.MoveOther
        else f"play {plot_name(CARD_OF[kind[0]])}"
    )


def _piece_name(kind: _Kind) -> str:
    """Return the name of the rogue that goes on the board; empty for other kinds."""
    if kind[0] is actions.PlaceRogue:
        return rogue_name(kind[1])
    return spot_name(kind[1]) if kind[0] is actions.MoveRogue else ""


def _piece(action: actions.Action, seen: Observation) -> str | None:
    """Return the key of the piece at hand that an action uses, or the spot of the rogue."""
    seat = seen.seat
    if isinstance(action, actions.SinkRogue) and action.rogue is None:
        return f"drawn/{seat}"
    if isinstance(action, actions.PlaceRogue | actions.SinkRogue):
        return f"hand/{seat}[{seen.rogues.index(action.rogue)}]"
    if isinstance(action, actions.PlayCard | actions.DiscardPlot):
        return f"cards/{seat}[{seen.plots.index(action.card)}]"
    if isinstance(action, actions.MoveRogue):
        return _spot(action.origin)
    card = CARD_OF.get(type(action))
    return None if card is None else f"cards/{seat}[{seen.plots.index(card)}]"


def _moved(action: actions.Action, seen: Observation) -> str | None:
    """Return the piece that an action moves, once its card or its rogue at hand is chosen."""
    match action:
        case actions.MoveOther(origin=spot) | actions.PlayChariot(origin=spot):
            return _spot(spot)
        case actions.PlayTower(first=spot):
            return _spot(spot)
        case actions.PlayEmpress(token=token):
            return _neighbourhood(token.neighbourhood) or f"line/{token.line}"
        case actions.PlayFool():
            return "king"
        case _:
            return _piece(action, seen)


def _place(action: actions.Action, seen: Observation) -> str | None:
    """Return the place that an action names, or to which its piece goes."""
    place = _PLACES.get(type(action))
    return place(action, seen) if place else None


def _spot(spot: Spot) -> str:
    return f"spot/{spot.neighbourhood - 1}/{spot.rank}"


def _neighbourhood(place: Neighbourhood | None) -> str | None:
    return f"place/{place - 1}" if place else None


def _prompt(seen: Observation, legal: Legal) -> str:
    """Return the first step's prompt."""
    return _PROMPTS[legal.decision](seen, legal) if legal.decision else ""


def _or_card(question: str, cards: Sequence[PlotCard]) -> str:
    """Return a question that Plot cards answer, too, if any can be played."""
    return f"{question}{', or which Plot card do you play first' if cards else ''}?"


def _placing(_: Observation, legal: Legal) -> str:
    question = "rogue do you put on the board" if legal.rogues else "of your rogues do you move"
    return _or_card(f"Which {question}", legal.cards)


def _discarding(_: Observation, legal: Legal) -> str:
    return _or_card("Which Plot card do you discard, to make room for more", legal.playable)


def _acting(seen: Observation, _: Legal) -> str:
    where = place_name(seen.visited) if seen.visited else "the board"
    return f"What do you do now that your rogue went to {where}?"


def _sinking(seen: Observation, legal: Legal) -> str:
    drawn = rogue_name(seen.drawn) if seen.drawn else "rogue"
    return _or_card(f"You drew a {drawn}: which rogue goes into the Seine", legal.cards)


def _asked_about(seen: Observation) -> str:
    """Return the name of the spot that a question in a standoff is about."""
    standoff = seen.standoff
    return spot_name(Spot(standoff.neighbourhood, standoff.asked_rank)) if standoff else "the board"


_PROMPTS: Mapping[Decision, Callable[[Observation, Legal], str]] = {
    Decision.PLACE: _placing,
    Decision.EFFECT: lambda *_: "Which Plot card do you play before the spot takes effect?",
    Decision.ACT: _acting,
    Decision.SINK: _sinking,
    Decision.DISCARD: _discarding,
    Decision.WRATH: lambda *_: "Which neighbourhood does the Wrath hit?",
    Decision.ORDER: lambda *_: "Which standoff comes next?",
    Decision.SWORDSMAN: lambda seen, _: f"Do you pay your Swordsman on {_asked_about(seen)}?",
    Decision.LONE: lambda seen, _: f"Do you reveal your lone rogue on {_asked_about(seen)}?",
    Decision.COURTESAN: lambda *_: "Where does the Renown token go that your Courtesan won?",
}


def _asked_spot(action: Any, seen: Observation) -> str | None:
    standoff = seen.standoff
    if not standoff or action == (False,):
        return None
    return _spot(Spot(standoff.neighbourhood, standoff.asked_rank))


_PLACES: Mapping[type[Any], Callable[[Any, Observation], str | None]] = {
    **dict.fromkeys(
        (actions.PlaceRogue, actions.PlayHangedMan, actions.PlayHermit),
        lambda action, _: _spot(action.spot),
    ),
    **dict.fromkeys(
        (actions.MoveRogue, actions.MoveOther, actions.PlayChariot),
        lambda action, _: _spot(action.target),
    ),
    **dict.fromkeys(
        (actions.ChooseWrath, actions.SettleNext, actions.UseCourtesan),
        lambda action, _: _neighbourhood(action.neighbourhood),
    ),
    actions.PlayTower: lambda action, _: _spot(action.second),
    actions.PlayEmpress: lambda action, _: _neighbourhood(action.target),
    actions.PlayDevil: lambda action, _: f"seat/{action.opponent}",
    actions.PlayFool: lambda action, seen: f"path/{seen.king + action.spaces}",
    actions.PerformAction: lambda _, seen: _neighbourhood(seen.visited),
    actions.BuyRenown: lambda action, _: f"line/{action.line}",
    actions.SinkRogue: lambda *_: "seine",
    actions.DiscardPlot: lambda *_: "discards",
    actions.PaySwordsman: _asked_spot,
    actions.RevealLone: _asked_spot,
}
"""The place that each action names, if it names one."""
