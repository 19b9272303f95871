"""Why an action is illegal.

Every reason names the rule and the received value, and reveals only what the acting seat already
knows: its own hands, and public facts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

from referee.games.base import IllegalAction
from referee.games.miracles import action as actions
from referee.games.miracles.observation import Decision, Legal
from referee.games.miracles.pieces import (
    LINES,
    RANKS,
    SPOTS,
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
from referee.games.miracles.plots import PLAIN_CARDS, card_of
from referee.games.miracles.position import Position, may_interrupt

_PLAYS: tuple[type[Any], ...] = get_args(actions.PlotPlay)

_KINDS: Mapping[Decision, tuple[type[Any], ...]] = {
    Decision.PLACE: (actions.PlaceRogue, actions.MoveRogue, *_PLAYS),
    Decision.ACT: (
        actions.PerformAction,
        actions.BuyRenown,
        actions.MoveOther,
        actions.EndTurn,
        *_PLAYS,
    ),
    Decision.EFFECT: (*_PLAYS, actions.TakeEffect),
    Decision.SINK: (actions.SinkRogue,),
    Decision.DISCARD: (actions.DiscardPlot,),
    Decision.WRATH: (actions.ChooseWrath,),
    Decision.ORDER: (actions.SettleNext,),
    Decision.SWORDSMAN: (actions.PaySwordsman,),
    Decision.LONE: (actions.RevealLone,),
    Decision.COURTESAN: (actions.UseCourtesan,),
}

_INTERRUPTED = (Decision.SINK, Decision.DISCARD)
"""Where a Plot card may come first only in the asked seat's turn, before the standoffs."""

_ASKED: Mapping[Decision, str] = {
    Decision.PLACE: "a turn begins with a rogue placed or moved, or a Plot card",
    Decision.EFFECT: "before the spot takes effect comes a Plot card, or else nothing",
    Decision.ACT: "after placing come the neighbourhood's action, a Plot card or the turn's end",
    Decision.SINK: "after a draw from the bag one rogue goes into the Seine",
    Decision.DISCARD: "at the hand limit a Plot card is discarded before drawing",
    Decision.WRATH: "the neighbourhood that the Wrath hits must be chosen",
    Decision.ORDER: "the next standoff must be chosen",
    Decision.SWORDSMAN: "a Swordsman is paid or not",
    Decision.LONE: "a lone rogue is revealed or not",
    Decision.COURTESAN: "the owner of a Courtesan says where the Renown token goes",
}


def check(legal: Legal, position: Position, action: actions.Action) -> None:
    """Raise `IllegalAction` unless the short form allows the action."""
    decision = legal.decision
    if decision is None:
        raise IllegalAction(f"the game is over: received {type(action).__name__}")
    kinds = _KINDS[decision]
    if decision in _INTERRUPTED and may_interrupt(position):
        kinds = (*kinds, *_PLAYS)
    if type(action) not in kinds:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise IllegalAction(
            f"{_ASKED[decision]}: received {type(action).__name__}, expected {names}"
        )
    if type(action) in _PLAYS:
        _check_plot(legal, position, action)  # type: ignore[arg-type]
    if special := _CHECKS.get(type(action)):
        special(legal, position, action)


def _among(value: Any, allowed: Sequence[Any], rule: str, name: Callable[[Any], str]) -> None:
    """Raise `IllegalAction` unless the value is allowed; `name` puts a value in words."""
    if value not in allowed:
        raise IllegalAction(f"{rule}: received {name(value)}, possible {_list(map(name, allowed))}")


def _list(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"are {listed}" if listed else "is none"


def _rogue(rogue: Rogue | None) -> str:
    return rogue_name(rogue) if rogue in tuple(Rogue) and rogue else "no rogue"


def _plot(card: PlotCard | None) -> str:
    return plot_name(card) if card in tuple(PlotCard) and card else "no Plot card"


def _place(place: Neighbourhood | None) -> str:
    return place_name(place) if place in tuple(Neighbourhood) and place else "no neighbourhood"


def _spot(spot: Spot) -> str:
    place, rank = spot
    return spot_name(spot) if spot in SPOTS else f"{_place(place)} rank {rank}"


def _token(token: RenownPlace) -> str:
    place, line = token
    if place is not None and line:
        return f"both {_place(place)} and line {line}"
    return f"line {line}" if place is None else _place(place)


def _seat(seat: int) -> str:
    return f"seat {seat}"


# The first step


def _check_place(legal: Legal, position: Position, action: actions.PlaceRogue) -> None:
    if not legal.rogues:
        raise IllegalAction(
            f"a rogue is placed from your hand: received {_rogue(action.rogue)}, "
            "your rogues are all in play, so one of them must be moved"
        )
    _among(action.rogue, legal.rogues, "a rogue is placed from your hand", _rogue)
    _check_free(position, action.spot, "a rogue is placed")
    _check_plot_first(legal, position, action)


def _check_move(legal: Legal, position: Position, action: actions.MoveRogue) -> None:
    if legal.rogues:
        raise IllegalAction(
            "a turn moves a rogue in play only if none is at hand: "
            f"received {_spot(action.origin)}, you have {len(position.hands[position.active])}"
        )
    _among(action.origin, legal.origins, "only your own rogues are moved", _spot)
    if not (legal.may_stay and action.target == action.origin):
        _check_free(position, action.target, "a rogue is moved")
    _check_plot_first(legal, position, action)


def _check_plot_first(
    legal: Legal, position: Position, action: actions.PlaceRogue | actions.MoveRogue
) -> None:
    if action.plot_first and not legal.plot_first:
        played = "after the one of this turn" if position.plot_played else "and none may be played"
        raise IllegalAction(
            f"a spot waits for a Plot card if you may play one: received plot_first {played}"
        )


def _check_free(position: Position, spot: Spot, what: str) -> None:
    if spot not in SPOTS:
        raise IllegalAction(
            f"{what} to a spot of rank 1 to {len(RANKS)} of a neighbourhood: received {_spot(spot)}"
        )
    if any(fact.public.spot == spot for fact in position.board):
        raise IllegalAction(f"{what} to a free spot: received {_spot(spot)}, where a rogue lies")


# The neighbourhood's action


def _check_visited(position: Position, place: Neighbourhood, what: str) -> None:
    """Raise unless this turn's action is this neighbourhood's and not yet performed."""
    visited = position.visited
    if visited is not place:
        raise IllegalAction(
            f"{what} is the action of {place_name(place)}: "
            f"received it in {_place(visited)}, where your rogue went"
        )
    _check_not_acted(position, what)


def _check_not_acted(position: Position, what: str) -> None:
    if position.acted:
        raise IllegalAction(
            f"a neighbourhood's action is performed once a turn: received {what} after it"
        )


def _check_perform(legal: Legal, position: Position, action: actions.PerformAction) -> None:  # noqa: ARG001 nothing in it
    if legal.perform:
        return
    _check_not_acted(position, "PerformAction")
    visited = position.visited
    if visited is Neighbourhood.TAVERNE:
        at_hand = len(position.hands[position.active])
        raise IllegalAction(
            "the Taverne's action needs a rogue at hand and one in the bag: received PerformAction "
            f"with {at_hand} at hand and {len(position.bag)} in the bag"
        )
    other = actions.BuyRenown if visited is Neighbourhood.LES_HALLES else actions.MoveOther
    raise IllegalAction(
        f"the action of {_place(visited)} has a choice, or cannot be performed now: "
        f"received PerformAction, not {other.__name__}"
    )


def _check_buy(legal: Legal, position: Position, action: actions.BuyRenown) -> None:
    _check_visited(position, Neighbourhood.LES_HALLES, "buying Renown")
    line, seat = action.line, position.active
    if line not in LINES:
        raise IllegalAction(f"the Renown Square has the lines 1 to 5: received line {line}")
    if line in position.lines[seat]:
        raise IllegalAction(f"each player has one token on a line: received line {line} again")
    if line not in legal.lines:
        raise IllegalAction(
            f"a line is paid in full: received line {line}, you have {position.coins[seat]} coins"
        )


def _check_move_other(legal: Legal, position: Position, action: actions.MoveOther) -> None:
    _check_visited(position, Neighbourhood.RUE_DE_L_EGYPTIENNE, "moving another rogue")
    _among(action.origin, legal.origins, "a rogue other than the one just placed is moved", _spot)
    _check_free(position, action.target, "a rogue is moved")


# Plot cards


def _check_plot(legal: Legal, position: Position, action: actions.PlotPlay) -> None:
    card, hand = card_of(action), position.plots[position.active]
    if position.plot_played:
        raise IllegalAction(
            f"one Plot card is played a turn: received {_plot(card)} as the second one"
        )
    _among(card, hand, "a Plot card is played from your hand", _plot)
    if card is PlotCard.STRENGTH and legal.decision is Decision.SINK:
        raise IllegalAction(
            "one draw from the bag is over before the next one: "
            "received Strength before a rogue went into the Seine"
        )


def _check_card(legal: Legal, position: Position, action: actions.PlayCard) -> None:  # noqa: ARG001 the same for all
    rule = "PlayCard plays a card without a choice, the others have kinds of their own"
    _among(action.card, PLAIN_CARDS, rule, _plot)
    cards = legal.playable if legal.decision is Decision.DISCARD else legal.cards
    _among(action.card, cards, "this match's settings fix when a Plot card is played", _plot)


def _check_empress(legal: Legal, position: Position, action: actions.PlayEmpress) -> None:  # noqa: ARG001 the same for all
    tokens, targets = legal.empress_tokens, legal.empress_targets
    _among(action.token, tokens, "The Empress moves one of your Renown tokens in play", _token)
    _among(action.target, targets, "The Empress moves to an uncontrolled neighbourhood", _place)


def _check_devil(legal: Legal, position: Position, action: actions.PlayDevil) -> None:  # noqa: ARG001 the same for all
    opponents = legal.devil_opponents
    _among(action.opponent, opponents, "The Devil takes from one opponent", _seat)


def _check_hanged_man(legal: Legal, position: Position, action: actions.PlayHangedMan) -> None:  # noqa: ARG001 the same for all
    rule = "The Hanged Man returns an opponent's rogue in play"
    _among(action.spot, legal.hanged_man_spots, rule, _spot)


def _check_chariot(legal: Legal, position: Position, action: actions.PlayChariot) -> None:
    rule = "The Chariot moves one of your rogues in play"
    _among(action.origin, legal.chariot_origins, rule, _spot)
    _check_free(position, action.target, "The Chariot moves a rogue")


def _check_tower(legal: Legal, position: Position, action: actions.PlayTower) -> None:  # noqa: ARG001 the same for all
    first, second = action
    for spot in action:
        _among(spot, legal.tower_spots, "The Tower swaps two rogues in play", _spot)
    if first.neighbourhood >= second.neighbourhood:
        raise IllegalAction(
            "The Tower swaps rogues of different neighbourhoods, that of the lower number first: "
            f"received {_spot(first)} and {_spot(second)}"
        )


def _check_hermit(legal: Legal, position: Position, action: actions.PlayHermit) -> None:  # noqa: ARG001 the same for all
    _among(action.spot, legal.hermit_spots, "The Hermit looks at a rogue in play", _spot)


def _check_fool(legal: Legal, position: Position, action: actions.PlayFool) -> None:  # noqa: ARG001 the same for all
    spaces = range(1, legal.fool_spaces + 1)
    _among(action.spaces, spaces, "The Fool moves the King by a number of spaces", str)


# Out of the ordinary


def _check_sink(legal: Legal, position: Position, action: actions.SinkRogue) -> None:  # noqa: ARG001 the same for all
    if action.rogue is not None:
        rule = "the drawn rogue (none named) or one at hand goes into the Seine"
        _among(action.rogue, legal.rogues, rule, _rogue)


def _check_discard(legal: Legal, position: Position, action: actions.DiscardPlot) -> None:  # noqa: ARG001 the same for all
    _among(action.card, legal.cards, "a Plot card is discarded from your hand", _plot)


def _check_choice(
    legal: Legal,
    position: Position,  # noqa: ARG001 the same for all
    action: actions.ChooseWrath | actions.SettleNext | actions.UseCourtesan,
) -> None:
    rule = _ASKED[legal.decision] if legal.decision else ""
    _among(action.neighbourhood, legal.neighbourhoods, rule, _place)


_CHECKS: Mapping[type[Any], Callable[[Legal, Position, Any], None]] = {
    actions.PlaceRogue: _check_place,
    actions.MoveRogue: _check_move,
    actions.PerformAction: _check_perform,
    actions.BuyRenown: _check_buy,
    actions.MoveOther: _check_move_other,
    actions.PlayCard: _check_card,
    actions.PlayEmpress: _check_empress,
    actions.PlayDevil: _check_devil,
    actions.PlayHangedMan: _check_hanged_man,
    actions.PlayChariot: _check_chariot,
    actions.PlayTower: _check_tower,
    actions.PlayHermit: _check_hermit,
    actions.PlayFool: _check_fool,
    actions.SinkRogue: _check_sink,
    actions.DiscardPlot: _check_discard,
    actions.ChooseWrath: _check_choice,
    actions.SettleNext: _check_choice,
    actions.UseCourtesan: _check_choice,
}
"""The check of each kind of action; the others need none."""
