"""Illegal actions of La Cour des Miracles, by kind."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.miracles import action as act
from referee.games.miracles.agenda import OrderStep
from referee.games.miracles.engine import DECISIONS
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import (
    LINES,
    SPOTS,
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
)
from referee.games.miracles.plots import PLAIN_CARDS
from referee.games.miracles.position import Position, free_spots, renown_places
from referee.games.miracles.state import MiraclesState
from referee.games.randomness import Stream
from referee.wire import codec_named

Kind = Callable[[Position, Stream], Any]
"""Makes an illegal action, or None if that kind does not fit."""

_NO_PLACE: Any = 6
_NO_SPOT = Spot(_NO_PLACE, 4)
_NO_ROGUE: Any = 10
_NO_CARD: Any = 13


def illegal_actions(state: MiraclesState, stream: Stream) -> dict[str, game_pb2.GameAction]:
    """Illegal actions of the seat to act, by kind; some kind fits every state."""
    decision = state.legal().decision
    made = {
        what: make(state.position, stream)
        for what, (decisions, make) in KINDS.items()
        if decision in decisions
    }
    codec = codec_named("miracles")
    return {
        what: game_pb2.GameAction.FromString(codec.encode_action(action))
        for what, action in made.items()
        if action is not None
    }


def _one(items: Iterable[Any], stream: Stream, make: Callable[[Any], Any]) -> Any:
    """Make an action of one of the items; None if there is none."""
    found = list(items)
    return make(stream.choice(found)) if found else None


def _taken(now: Position, *, own: bool | None = None) -> list[Spot]:
    """Where rogues lie: all, those of the active seat, or those of the others."""
    return [
        fact.public.spot
        for fact in now.board
        if own is None or (fact.public.owner == now.active) is own
    ]


def _of_hand(now: Position, spot: Spot) -> Any:
    hand = now.hands[now.active]
    return act.PlaceRogue(hand[0], spot) if hand else None


def _not_held(held: Iterable[Any], kinds: Iterable[Any]) -> list[Any]:
    held = set(held)
    return [kind for kind in kinds if kind not in held]


def _place_unheld(now: Position, stream: Stream) -> Any:
    spots = free_spots(now)
    unheld = _not_held(now.hands[now.active], Rogue)
    return _one(unheld, stream, lambda rogue: act.PlaceRogue(rogue, stream.choice(spots)))


def _place_on_another(now: Position, stream: Stream) -> Any:
    return _one(_taken(now), stream, lambda spot: _of_hand(now, spot))


def _wait(now: Position, stream: Stream) -> Any:
    hand = now.hands[now.active] if now.plot_played or not now.plots[now.active] else ()
    spot = free_spots(now)[0]
    return _one(hand, stream, lambda rogue: act.PlaceRogue(rogue, spot, plot_first=True))


def _move_with_hand(now: Position, stream: Stream) -> Any:
    if not now.hands[now.active]:
        return None
    target = free_spots(now)[0]
    return _one(_taken(now, own=True), stream, lambda spot: act.MoveRogue(spot, target))


def _move_of_another(now: Position, stream: Stream) -> Any:
    target = free_spots(now)[0]
    return _one(_taken(now, own=False), stream, lambda spot: act.MoveRogue(spot, target))


def _moved(now: Position, stream: Stream) -> Any:
    """Move the rogue that was just placed, or a rogue where that is not the action."""
    in_rue = now.visited is Neighbourhood.RUE_DE_L_EGYPTIENNE
    origins = [now.placed] if in_rue and now.placed else [] if in_rue else _taken(now)
    return _one(origins, stream, lambda spot: act.MoveOther(spot, free_spots(now)[0]))


def _onto_another(now: Position, stream: Stream) -> Any:
    return _one(_taken(now), stream, lambda spot: act.MoveOther(_taken(now)[0], spot))


def _perform(now: Position, stream: Stream) -> Any:
    choosing = now.visited is Neighbourhood.RUE_DE_L_EGYPTIENNE and len(now.board) > 1
    return act.PerformAction() if now.acted or choosing else None


def _buy(now: Position, stream: Stream) -> Any:
    held = now.lines[now.active]
    at_halles = now.visited is Neighbourhood.LES_HALLES and not now.acted
    return _one(held if at_halles else LINES, stream, act.BuyRenown)


def _play(now: Position, card: PlotCard) -> bool:
    """Whether the seat to act may play this card if the choice is right."""
    return card in now.plots[now.active] and not now.plot_played


def _with(card: PlotCard, make: Kind) -> Kind:
    """Only with the card in hand and not after another one."""
    return lambda now, stream: make(now, stream) if _play(now, card) else None


def _play_unheld(now: Position, stream: Stream) -> Any:
    return _one(_not_held(now.plots[now.active], PLAIN_CARDS), stream, act.PlayCard)


def _play_second(now: Position, stream: Stream) -> Any:
    out_of_turn = now.agenda[0].seat != now.active
    held = () if out_of_turn or not now.plot_played else now.plots[now.active]
    return _one(held, stream, act.PlayCard)


def _free_one(make: Callable[[Spot], Any]) -> Kind:
    """Choose a spot without a rogue."""
    return lambda now, stream: _one(free_spots(now), stream, make)


def _empress(now: Position, stream: Stream) -> Any:
    tokens = renown_places(now, now.active) or (RenownPlace(Neighbourhood.TAVERNE, 0),)
    controlled = [place for place in Neighbourhood if now.controls[place - 1]]
    return _one(controlled, stream, lambda place: act.PlayEmpress(stream.choice(tokens), place))


def _hang_own(now: Position, stream: Stream) -> Any:
    return _one(_taken(now, own=True), stream, act.PlayHangedMan)


def _chariot(now: Position, stream: Stream) -> Any:
    target = free_spots(now)[0]
    return _one(_taken(now, own=False), stream, lambda spot: act.PlayChariot(spot, target))


def _chariot_onto(now: Position, stream: Stream) -> Any:
    own = _taken(now, own=True)
    make = lambda spot: act.PlayChariot(own[0], spot)  # noqa: E731 short
    return _one(_taken(now, own=False) if own else (), stream, make)


def _tower_at_home(now: Position, stream: Stream) -> Any:
    return _one(_taken(now), stream, lambda spot: act.PlayTower(spot, spot))


def _sink_unheld(now: Position, stream: Stream) -> Any:
    seat = now.agenda[0].seat
    return _one(_not_held(now.hands[seat], Rogue), stream, act.SinkRogue)


def _discard_unheld(now: Position, stream: Stream) -> Any:
    seat = now.agenda[0].seat
    return _one(_not_held(now.plots[seat], PlotCard), stream, act.DiscardPlot)


def _unoffered(now: Position, stream: Stream) -> Any:
    """Choose a neighbourhood that may not be chosen, or one that does not exist."""
    step: Any = now.agenda[0]
    offered = step.due if isinstance(step, OrderStep) else step.choices
    make = _CHOOSING[DECISIONS[type(step)]]
    return _one(_not_held(offered, (*Neighbourhood, _NO_PLACE)), stream, make)


_CHOOSING: Mapping[Decision, Callable[[Neighbourhood], Any]] = {
    Decision.WRATH: act.ChooseWrath,
    Decision.ORDER: act.SettleNext,
    Decision.COURTESAN: act.UseCourtesan,
}


def _always(action: Any) -> Kind:
    return lambda now, stream: action  # noqa: ARG005 the same for all


_PLACE = (Decision.PLACE,)
_ACT = (Decision.ACT,)
_TURN = (Decision.PLACE, Decision.EFFECT, Decision.ACT, Decision.SINK, Decision.DISCARD)
"""Where a Plot card may come first."""
_OTHERWISE = tuple(one for one in Decision if one not in _TURN)

KINDS: Mapping[str, tuple[tuple[Decision, ...], Kind]] = {
    "the end of a turn before it began": (_PLACE, _always(act.EndTurn())),
    "a placement that is not due": (
        tuple(one for one in Decision if one not in _PLACE),
        _always(act.PlaceRogue(Rogue.HENCHMAN, SPOTS[0])),
    ),
    "a Plot card when none is due": (_OTHERWISE, _always(act.PlayCard(PlotCard.THE_SUN))),
    "a spot that waits though no Plot card may be played": (_PLACE, _wait),
    "a rogue that is not at hand": (_PLACE, _place_unheld),
    "a rogue that does not exist": (_PLACE, _always(act.PlaceRogue(_NO_ROGUE, SPOTS[0]))),
    "a spot where a rogue lies": (_PLACE, _place_on_another),
    "a spot that does not exist": (_PLACE, lambda now, _: _of_hand(now, _NO_SPOT)),
    "a move with rogues at hand": (_PLACE, _move_with_hand),
    "a move of another's rogue": (_PLACE, _move_of_another),
    "another rogue moved where that is not the action": (_ACT, _moved),
    "another rogue moved onto one": (_ACT, _onto_another),
    "an action twice, or without its choice": (_ACT, _perform),
    "Renown bought elsewhere, or a second time": (_ACT, _buy),
    "a line that does not exist": (_ACT, _always(act.BuyRenown(6))),
    "a Plot card that is not held": (_TURN, _play_unheld),
    "a Plot card that does not exist": (_TURN, _always(act.PlayCard(_NO_CARD))),
    "a second Plot card": (_TURN, _play_second),
    "The Empress to a controlled neighbourhood": (_TURN, _with(PlotCard.THE_EMPRESS, _empress)),
    "The Devil on oneself": (
        _TURN,
        _with(PlotCard.THE_DEVIL, lambda now, _: act.PlayDevil(now.active)),
    ),
    "The Devil on no seat": (_TURN, _always(act.PlayDevil(7))),
    "The Hanged Man on an own rogue": (_TURN, _with(PlotCard.THE_HANGED_MAN, _hang_own)),
    "The Hanged Man on a free spot": (
        _TURN,
        _with(PlotCard.THE_HANGED_MAN, _free_one(act.PlayHangedMan)),
    ),
    "The Chariot on another's rogue": (_TURN, _with(PlotCard.THE_CHARIOT, _chariot)),
    "The Chariot onto a rogue": (_TURN, _with(PlotCard.THE_CHARIOT, _chariot_onto)),
    "The Tower in one neighbourhood": (_TURN, _with(PlotCard.THE_TOWER, _tower_at_home)),
    "The Tower on a free spot": (
        _TURN,
        _with(PlotCard.THE_TOWER, _free_one(lambda spot: act.PlayTower(spot, spot))),
    ),
    "The Hermit on a free spot": (_TURN, _with(PlotCard.THE_HERMIT, _free_one(act.PlayHermit))),
    "The Fool for too many spaces": (
        _TURN,
        _with(PlotCard.THE_FOOL, _always(act.PlayFool(9))),
    ),
    "a sunk rogue that is not at hand": ((Decision.SINK,), _sink_unheld),
    "a discard that is not held": ((Decision.DISCARD,), _discard_unheld),
    "a neighbourhood that is not to be chosen": (tuple(_CHOOSING), _unoffered),
}
"""What can be wrong, with the decisions at which it is tried."""
