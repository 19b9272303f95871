"""Encodes actions, and decodes untrusted messages to actions."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from courtyard.v1 import miracles_pb2 as pb

from referee.games.base import IllegalAction
from referee.games.miracles import action as actions
from referee.games.miracles.action import Action
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot
from referee.wire.encoding import field
from referee.wire.miracles.parts import Encode, Write, kinds, number, place, record, spot
from referee.wire.miracles.reading import E, member


class _Part(NamedTuple):
    """The writer and the reader of an action's field."""

    write: Write
    read: Callable[[Any, str], Any]
    """Returns a message's field by name; raises `ValueError` on a missing or unknown value."""


def _as_sent(message: Any, name: str) -> Any:
    return getattr(message, name)


def _member_of(kind: type[E]) -> Callable[[Any, str], E]:
    """Return a reader of fields that name a member of this enum."""

    def read(message: Any, name: str) -> E:
        value = getattr(message, name)
        if not value:
            raise ValueError(f"{name} is missing")
        return member(kind, value)

    return read


_neighbourhood = _member_of(Neighbourhood)
_rogue = _member_of(Rogue)
_card = _member_of(PlotCard)


def _rogue_or_none(message: Any, name: str) -> Rogue | None:
    return _rogue(message, name) if getattr(message, name) else None


def _spot(message: Any, name: str) -> Spot:
    if not message.HasField(name):
        raise ValueError(f"{name} is missing")
    sent = getattr(message, name)
    return Spot(_neighbourhood(sent, "neighbourhood"), sent.rank)


def _place(message: Any, name: str) -> RenownPlace:
    sent = getattr(message, name)
    kind = sent.WhichOneof("place")
    if kind is None:
        raise ValueError(f"{name} is missing")
    if kind == "line":
        return RenownPlace(None, sent.line)
    return RenownPlace(_neighbourhood(sent, "neighbourhood"), 0)


_NUMBER = _Part(number, _as_sent)
_NEIGHBOURHOOD = _Part(number, _neighbourhood)
_ROGUE = _Part(number, _rogue)
_CARD = _Part(number, _card)
_SPOT = _Part(spot, _spot)

_PARTS: Mapping[type[Action], tuple[_Part, ...]] = {
    actions.PlaceRogue: (_ROGUE, _SPOT, _NUMBER),
    actions.MoveRogue: (_SPOT, _SPOT, _NUMBER),
    actions.PerformAction: (),
    actions.BuyRenown: (_NUMBER,),
    actions.MoveOther: (_SPOT, _SPOT),
    actions.EndTurn: (),
    actions.PlayCard: (_CARD,),
    actions.PlayEmpress: (_Part(place, _place), _NEIGHBOURHOOD),
    actions.PlayDevil: (_NUMBER,),
    actions.PlayHangedMan: (_SPOT,),
    actions.PlayChariot: (_SPOT, _SPOT),
    actions.PlayTower: (_SPOT, _SPOT),
    actions.PlayHermit: (_SPOT,),
    actions.PlayFool: (_NUMBER,),
    actions.SinkRogue: (_Part(number, _rogue_or_none),),
    actions.DiscardPlot: (_CARD,),
    actions.ChooseWrath: (_NEIGHBOURHOOD,),
    actions.SettleNext: (_NEIGHBOURHOOD,),
    actions.PaySwordsman: (_NUMBER,),
    actions.RevealLone: (_NUMBER,),
    actions.UseCourtesan: (_NEIGHBOURHOOD,),
    actions.TakeEffect: (),
}


class _Kind(NamedTuple):
    """A kind of action on the wire."""

    action: type[Action]
    number: int
    """Its number in the oneof."""
    encode: Encode
    reads: tuple[tuple[str, Callable[[Any, str], Any]], ...]
    """Name and reader of each field."""


def _kind(action: type[Action], descriptor: Any) -> _Kind:
    parts = _PARTS[action]
    names = [one.name for one in descriptor.message_type.fields]
    reads = tuple(zip(names, [part.read for part in parts], strict=True))
    return _Kind(action, descriptor.number, record(*[part.write for part in parts]), reads)


_SENT = kinds(pb.MiraclesAction)
_KINDS = {action: _kind(action, _SENT[action.__name__]) for action in _PARTS}
_BY_NAME = {_SENT[action.__name__].name: kind for action, kind in _KINDS.items()}


def encode_action(action: Action) -> bytes:
    """Encode an action as a MiraclesAction."""
    kind = _KINDS[type(action)]
    return field(kind.number, kind.encode(action))


def decode_action(message: pb.MiraclesAction) -> Action:
    """Return the action; raise `IllegalAction` on an unknown value.

    Ranks, lines, seats and spaces pass unchecked: the rules know their ranges.
    """
    name = message.WhichOneof("action")
    if name is None:
        raise IllegalAction(f"an action is one of {', '.join(_BY_NAME)}: this one is none")
    kind, body = _BY_NAME[name], getattr(message, name)
    try:
        return kind.action(*[read(body, field_name) for field_name, read in kind.reads])
    except ValueError as error:
        raise IllegalAction(f"{name}: {error}") from None
