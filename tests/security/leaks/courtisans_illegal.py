"""Illegal turns of Courtisans, by kind: each a change that makes a legal turn illegal."""

from collections.abc import Callable, Iterable, Mapping

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2

from referee.games.courtisans.cards import CARDS, Role
from referee.games.courtisans.facts import Area
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream
from referee.wire import codec_named

Change = Callable[[CourtisansState, pb.CourtisansAction], bool]
"""Changes a turn in place; false if that kind cannot be made of this one."""


def illegal_turns(state: CourtisansState, stream: Stream) -> dict[str, game_pb2.GameAction]:
    """Illegal turns of the seat to act, by kind; not every kind fits every state."""
    codec = codec_named("courtisans")
    turns = {}
    for kind, change in CHANGES.items():
        encoded = codec.encode_action(state.random_action(stream))
        message = game_pb2.GameAction.FromString(encoded)
        if change(state, message.courtisans):
            turns[kind] = message
    return turns


def _with(**numbers: int) -> Change:
    """Set fields of the turn."""

    def change(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
        for name, number in numbers.items():
            setattr(turn, name, number)
        return True

    return change


def _with_card(**numbers: int) -> Change:
    """Set fields of the card for the table."""

    def change(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
        for name, number in numbers.items():
            setattr(turn.table.card, name, number)
        return True

    return change


def _without(area: str) -> Change:
    """Play no card to one area."""

    def change(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
        turn.ClearField(area)
        return True

    return change


def _own_opponent(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
    turn.opponent = state.to_act or 0
    return True


def _strange_card(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
    hand = state.hands[state.to_act or 0]
    family, role = next(card for card in CARDS if card not in hand)
    card = turn.own_domain.card
    card.family, card.role = family, role  # type: ignore[assignment]
    return True


def _same_card_twice(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
    different = turn.own_domain.card != turn.table.card
    turn.own_domain.card.CopyFrom(turn.table.card)
    return different


def _target_for_another_role(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
    for placement in (turn.table, turn.own_domain, turn.opponent_domain):
        if placement.card.role != pb.ROLE_ASSASSIN:
            placement.eliminates = 1
            return True
    return False


def _target(turns: Callable[[CourtisansState, Area], Iterable[int]]) -> Change:
    """Let an assassin eliminate one of these turns' cards in the area that it goes to."""

    def change(state: CourtisansState, turn: pb.CourtisansAction) -> bool:
        for placement, area in (
            (turn.table, state.table),
            (turn.own_domain, state.domains[state.to_act or 0]),
            (turn.opponent_domain, state.domains[turn.opponent]),
        ):
            for target in turns(state, area) if placement.card.role == pb.ROLE_ASSASSIN else ():
                placement.eliminates = target
                return True
        return False

    return change


def _turns(area: Area) -> set[int]:
    return {fact.public.turn for fact in area}


def _this_turn(state: CourtisansState, area: Area) -> Iterable[int]:
    return (state.turn,)


def _next_turn(state: CourtisansState, area: Area) -> Iterable[int]:
    return (state.turn + 1,)


def _guards(state: CourtisansState, area: Area) -> Iterable[int]:
    return (fact.public.turn for fact in area if fact.public.role is Role.GUARD)


def _elsewhere(state: CourtisansState, area: Area) -> Iterable[int]:
    """The latest first: cards of the other areas."""
    everywhere = set().union(*map(_turns, (state.table, *state.domains)))
    return sorted(everywhere - _turns(area), reverse=True)


def _gone(state: CourtisansState, area: Area) -> Iterable[int]:
    return {fact.public.card.turn for fact in state.eliminated} - _turns(area)


CHANGES: Mapping[str, Change] = {
    "a card that is not in the hand": _strange_card,
    "one card twice": _same_card_twice,
    "a card of no family": _with_card(family=0),
    "a card of a family that does not exist": _with_card(family=7),
    "a card of no role": _with_card(role=0),
    "a card of a role that does not exist": _with_card(role=6),
    "no card for the table": _without("table"),
    "no card for the own domain": _without("own_domain"),
    "no card for an opponent's domain": _without("opponent_domain"),
    "no side of the table": _with(side=0),
    "a side that does not exist": _with(side=3),
    "the own seat as the opponent": _own_opponent,
    "an opponent that is not there": _with(opponent=5),
    "a target for another role than an assassin": _target_for_another_role,
    "a guard as the target": _target(_guards),
    "the assassin itself as the target": _target(_this_turn),
    "a target in another area": _target(_elsewhere),
    "a target that was eliminated": _target(_gone),
    "a target that is to come": _target(_next_turn),
}
"""What can be wrong with a turn."""
