"""Leaks of La Cour des Miracles, as somebody could write them into the rules by mistake.

Each plants itself in the code under test; `LEAKS` names them. Numbers beside the known fields stand
for a field that somebody adds.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from referee.games.base import IllegalAction, Seat
from referee.games.miracles import engine, facts, legality, plots, standoff, turn
from referee.games.miracles import event as ev
from referee.games.miracles import state as state_module
from referee.games.miracles.action import Action, PlayHangedMan, RevealLone, SinkRogue
from referee.games.miracles.agenda import Step
from referee.games.miracles.facts import Board, Fact, rogue_of, within
from referee.games.miracles.observation import Legal, Observation, RogueInPlay
from referee.games.miracles.pieces import SEATS, Rogue, Spot, rogue_name
from referee.games.miracles.play import Play
from referee.games.miracles.plots import PLAIN_CARDS
from referee.games.miracles.position import Position
from referee.games.miracles.state import MiraclesState
from referee.match.match import Match, Request
from referee.wire.encoding import field, uint

Patch = pytest.MonkeyPatch
Planter = Callable[[Patch], None]

_NEW_FIELD = 31


def _next(state: MiraclesState, seat: Seat) -> Seat:
    return (seat + 1) % len(state.deal.hands)


def _others(state: MiraclesState, seat: Seat) -> list[Seat]:
    return [other for other in range(len(state.deal.hands)) if other != seat]


def _observing(change: Callable[[Position, Observation, Seat], Observation]) -> Planter:
    """Change what every seat observes by what is true of the seat after it."""

    def plant(patch: Patch) -> None:
        sound = MiraclesState.observation

        def observation(self: MiraclesState, seat: Seat) -> Observation:
            return change(self.position, sound(self, seat), _next(self, seat))

        patch.setattr(MiraclesState, "observation", observation)

    return plant


def _beside_requests(extra: Callable[[MiraclesState, Seat], bytes]) -> Planter:
    """Send more bytes with every request."""

    def plant(patch: Patch) -> None:
        sound = Match._request

        def request(self: Match, seat: Seat) -> Request:
            assert isinstance(self.state, MiraclesState)
            due = sound(self, seat)
            return due._replace(payload=due.payload + extra(self.state, seat))

        patch.setattr(Match, "_request", request)

    return plant


def _number(value: Callable[[MiraclesState, Seat], int]) -> Planter:
    return _beside_requests(lambda state, seat: uint(_NEW_FIELD, value(state, seat)))


def _public(kind: type[Any], form: Callable[[Any], Any]) -> Planter:
    """Tell everybody this form of an event."""
    return lambda patch: patch.setattr(kind, "public", form)


def _whole(happened: Any) -> Any:
    return happened


def _legally(change: Callable[[MiraclesState, Legal], Legal]) -> Planter:
    """Change what is legal by what is true."""

    def plant(patch: Patch) -> None:
        sound = MiraclesState.legal
        patch.setattr(MiraclesState, "legal", lambda self: change(self, sound(self)))

    return plant


# --- rogues on the board


def _faces_in_observations(patch: Patch) -> None:
    patch.setattr(state_module, "seen_by", lambda _, board: tuple(fact.whole for fact in board))


def _faces_to_the_neighbour(patch: Patch) -> None:
    sound = MiraclesState.event_for

    def event_for(self: MiraclesState, happened: Any, seat: Seat) -> Any:
        near = isinstance(happened, ev.RoguePlaced) and seat == _next(self, happened.seat)
        return happened if near else sound(self, happened, seat)

    patch.setattr(MiraclesState, "event_for", event_for)


def _board_by_faces(patch: Patch) -> None:
    sound = facts.seen_by

    def seen_by(seat: Seat, board: Board) -> tuple[RogueInPlay, ...]:
        return sound(seat, tuple(sorted(board, key=rogue_of)))

    patch.setattr(state_module, "seen_by", seen_by)


def _strength_in_play(state: MiraclesState, seat: Seat) -> int:
    return sum(state.config.data.rogue(rogue_of(fact)).strength for fact in state.position.board)


def _face_at(state: MiraclesState, spot: Spot) -> Rogue:
    return next(rogue_of(fact) for fact in state.position.board if fact.public.spot == spot)


def _movable_without_henchmen(state: MiraclesState, legal: Legal) -> Legal:
    weak = [spot for spot in legal.origins if _face_at(state, spot) is not Rogue.HENCHMAN]
    return legal._replace(origins=tuple(weak))


def _hermit_by_faces(state: MiraclesState, legal: Legal) -> Legal:
    by_face = sorted(legal.hermit_spots, key=lambda spot: _face_at(state, spot))
    return legal._replace(hermit_spots=tuple(by_face))


def _beggars_cannot_hang(state: MiraclesState, legal: Legal) -> Legal:
    hanged = [s for s in legal.hanged_man_spots if _face_at(state, s) is not Rogue.BEGGAR]
    return legal._replace(hanged_man_spots=tuple(hanged))


def _refusal_names_who_lies_there(patch: Patch) -> None:
    sound = legality._check_free

    def check(position: Position, spot: Spot, what: str) -> None:
        try:
            sound(position, spot, what)
        except IllegalAction as error:
            names = [rogue_name(rogue_of(f)) for f in position.board if f.public.spot == spot]
            raise IllegalAction(f"{error}: {', '.join(names)}") from None

    patch.setattr(legality, "_check_free", check)


# --- looks and standoffs


def _look_shared(patch: Patch) -> None:
    def shared(fact: Fact, seat: Seat) -> Fact:
        return fact._replace(seers=(*fact.seers, *range(SEATS[-1])))

    patch.setattr(plots, "looked_at", shared)


def _lone_shown(patch: Patch) -> None:
    """Tell everybody of a lone rogue though its owner keeps it face down."""
    sound = engine._ACTIONS[RevealLone]

    def answer(play: Play, action: RevealLone) -> None:
        sound(play, action)
        if not action.reveals:
            [fact] = within(play.now.board, standoff.current(play).neighbourhood)
            play.record(ev.RoguesRevealed((fact.whole,)))

    patch.setitem(engine._ACTIONS, RevealLone, answer)


def _hanged_man_looks(patch: Patch) -> None:
    """Show who plays The Hanged Man the face of the rogue that goes back."""
    sound = plots._CHOSEN[PlayHangedMan]

    def hang(play: Play, action: PlayHangedMan) -> None:
        public, whole, _ = play.at(action.spot)
        sound(play, action)
        play.record(ev.RogueSeen(play.now.active, action.spot, public.owner, whole.rogue))

    patch.setitem(plots._CHOSEN, PlayHangedMan, hang)


def _lone_counted(patch: Patch) -> None:
    """Tell the total of a lone rogue that was kept face down."""
    sound = standoff._totals

    def totals(play: Play, shown: list[Fact]) -> tuple[ev.Total, ...]:
        place = standoff.current(play).neighbourhood
        return sound(play, shown or [*within(play.now.board, place)])

    patch.setattr(standoff, "_totals", totals)


# --- rogues at hand, the bag, the Seine


def _length_by_hands(state: MiraclesState, seat: Seat) -> bytes:
    hands = [state.position.hands[other] for other in _others(state, seat)]
    return field(_NEW_FIELD, bytes(sum(hand.count(Rogue.BEGGAR) for hand in hands)))


def _hand_order(state: MiraclesState, seat: Seat) -> int:
    """A handle for each rogue at hand, numbered through all seats in the order of faces."""
    now = state.position
    every = sorted((rogue, s) for s, hand in enumerate(now.hands) for rogue in hand)
    return sum(i for i, (_, owner) in enumerate(every, 1) if owner != seat)


def _draw_taken_at_once(patch: Patch) -> None:
    """Do not ask who draws a Brute: no seat would sink him."""
    sound = engine._asks

    def asks(play: Play, step: Step) -> bool:
        return sound(play, step) and not (_sinks(step) and play.now.drawn is Rogue.BRUTE)

    sound_run = engine._run

    def run(play: Play, step: Step) -> None:
        if _sinks(step):
            play.then(step)
            turn.sink(play, SinkRogue(play.now.hands[step.seat][0]))
        else:
            sound_run(play, step)

    patch.setattr(engine, "_asks", asks)
    patch.setattr(engine, "_run", run)


def _sinks(step: Step) -> bool:
    return type(step).__name__ == "SinkStep"


# --- Plot cards


def _idle_without_playable_card(patch: Patch) -> None:
    """Do not ask a seat whose Plot cards could not be played now anyway."""
    sound = turn.is_idle

    def is_idle(play: Play) -> bool:
        now = play.now
        held = now.plots[now.active]
        plain = any(card in PLAIN_CARDS for card in held)
        return sound(play) or (now.acted and not plain)

    patch.setattr(turn, "is_idle", is_idle)


def _no_wait_without_playable_card(patch: Patch) -> None:
    """Ask who wanted the spot to wait only if a card of the hand can be played."""
    sound = engine._asks

    def asks(play: Play, step: Step) -> bool:
        plain = any(card in PLAIN_CARDS for card in play.now.plots[step.seat])
        return sound(play, step) and (plain or type(step).__name__ != "EffectStep")

    patch.setattr(engine, "_asks", asks)


def _refusal_lists_plot_cards(patch: Patch) -> None:
    sound = MiraclesState.check

    def check(self: MiraclesState, action: Action) -> None:
        try:
            sound(self, action)
        except IllegalAction as error:
            held = self.position.plots[_next(self, self.to_act or 0)]
            raise IllegalAction(f"{error}; the next hand has {held}") from None

    patch.setattr(MiraclesState, "check", check)


LEAKS: Mapping[str, Planter] = {
    "a rogue's face, in observations": _faces_in_observations,
    "a rogue's face, in the event of its placement": _public(ev.RoguePlaced, _whole),
    "a rogue's face, to the player's neighbour": _faces_to_the_neighbour,
    "rogues in play in the order of their faces": _board_by_faces,
    "the strength of all rogues in play": _number(_strength_in_play),
    "rogues to be moved, without one kind": _legally(_movable_without_henchmen),
    "rogues to look at, in the order of their faces": _legally(_hermit_by_faces),
    "rogues to return, without one kind": _legally(_beggars_cannot_hang),
    "a refusal that names a rogue": _refusal_names_who_lies_there,
    "what the Hermit saw, in its event": _public(ev.RogueSeen, _whole),
    "what the Hermit saw, in everybody's observations": _look_shared,
    "a returned rogue, to who returns it": _hanged_man_looks,
    "a lone rogue kept face down, in an event": _lone_shown,
    "a lone rogue kept face down, in the totals": _lone_counted,
    "another seat's rogues at hand": _observing(
        lambda now, o, other: o._replace(rogues=o.rogues + now.hands[other])
    ),
    "others' rogues at hand, in the length of a field": _beside_requests(_length_by_hands),
    "others' rogues at hand, by the places in an order of all": _number(_hand_order),
    "what others draw from the bag": _public(ev.RogueDrawn, _whole),
    "what others draw, by whether they are asked": _draw_taken_at_once,
    "what others sink": _public(ev.RogueSunk, lambda e: e._replace(drawn=None)),
    "whether others sink what they drew": _public(ev.RogueSunk, lambda e: e._replace(rogue=None)),
    "the Seine": _observing(
        lambda now, o, _: o._replace(sunk=tuple(sorted(sunk.rogue for sunk in now.seine)))
    ),
    "the Seine in the order of its rogues, by who sank them": _number(
        lambda state, _: sum(
            i * sunk.seat
            for i, sunk in enumerate(sorted(state.position.seine, key=lambda s: s.rogue), 1)
        )
    ),
    "the next rogue of the bag, in its size": _observing(
        lambda now, o, _: o._replace(bag_size=o.bag_size + sum(now.bag[:1]))
    ),
    "another seat's Plot cards": _observing(
        lambda now, o, other: o._replace(plots=o.plots + now.plots[other])
    ),
    "the Plot cards that others draw": _public(ev.PlotsDrawn, _whole),
    "the next Plot card of the pile, in its size": _observing(
        lambda now, o, _: o._replace(pile_size=o.pile_size + sum(now.pile[:1]))
    ),
    "others' Plot cards, by whether they are asked": _idle_without_playable_card,
    "others' Plot cards, by whether a spot waits for one": _no_wait_without_playable_card,
    "a refusal that lists another seat's Plot cards": _refusal_lists_plot_cards,
    "the seed of the reshuffles": _beside_requests(
        lambda state, _: field(_NEW_FIELD, state.deal.reshuffle_seed.encode())
    ),
}
