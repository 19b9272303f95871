"""Leaks of Courtisans, as somebody could write them into the rules or the referee by mistake.

Each plants itself in the code under test; `LEAKS` names them. Bytes beside the known fields stand
for a field that somebody adds.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from referee.games.base import IllegalAction, Seat
from referee.games.courtisans import event, facts
from referee.games.courtisans import state as state_module
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import Card, Family, Role, card_name
from referee.games.courtisans.facts import Fact, seen_by, targets, truth
from referee.games.courtisans.observation import CardInPlay, Eliminated, Observation
from referee.games.courtisans.redraw import line_of
from referee.games.courtisans.scoring import Result, family_results
from referee.games.courtisans.state import CourtisansState
from referee.match.match import Forfeited, Match, MatchSetup, Request
from referee.wire.encoding import field, uint

Patch = pytest.MonkeyPatch
Planter = Callable[[Patch], None]

_NEW_FIELD = 31
_uncached_public_event = event.public_event.__wrapped__
"""What a leak changes must not outlast it in a cache."""


def _whole(form: Any) -> Any:
    return form


def _next(state: CourtisansState, seat: Seat) -> Seat:
    return (seat + 1) % len(state.hands)


def _observing(change: Callable[[CourtisansState, Observation], Observation]) -> Planter:
    """Change what every seat observes by what is true."""

    def plant(patch: Patch) -> None:
        sound = CourtisansState.observation
        patch.setattr(
            CourtisansState, "observation", lambda self, seat: change(self, sound(self, seat))
        )

    return plant


def _beside_requests(extra: Callable[[Match, CourtisansState], bytes]) -> Planter:
    """Send more bytes with every request."""

    def plant(patch: Patch) -> None:
        sound = Match._request

        def request(self: Match, seat: Seat) -> Request:
            assert isinstance(self.state, CourtisansState)
            due = sound(self, seat)
            return due._replace(payload=due.payload + extra(self, self.state))

        patch.setattr(Match, "_request", request)

    return plant


def _number(value: Callable[[Match, CourtisansState], int]) -> Planter:
    return _beside_requests(lambda match, state: uint(_NEW_FIELD, value(match, state)))


# --- spies


def _spies_in_events(patch: Patch) -> None:
    patch.setattr(event, "public_form", _whole)
    patch.setattr(state_module, "public_event", _uncached_public_event)


def _spies_in_observations(patch: Patch) -> None:
    patch.setattr(facts, "public_form", _whole)


def _spies_in_every_form(patch: Patch) -> None:
    _spies_in_events(patch)
    _spies_in_observations(patch)


def _events_whole_for_the_neighbour(patch: Patch) -> None:
    sound = CourtisansState.event_for
    patch.setattr(
        CourtisansState,
        "event_for",
        lambda self, e, seat: e if seat == _next(self, e.seat) else sound(self, e, seat),
    )


def _surplus_of_butterflies(match: Match, state: CourtisansState) -> int:
    return family_results(truth(state.table))[0].above


def _hidden_family(fact: Fact[Any]) -> tuple[Family | None, int]:
    card: CardInPlay = fact.whole.card if isinstance(fact.whole, Eliminated) else fact.whole
    return card.family, card.turn


def _sorted_by_hidden_family(kind: type) -> Planter:
    """Tell the cards that lie, or those that are gone, in the order of their true families."""

    def tell(seat: Seat, known: Iterable[Fact[Any]]) -> tuple[Any, ...]:
        known = [*known]
        if known and isinstance(known[0].whole, kind):
            known.sort(key=_hidden_family)
        return seen_by(seat, known)

    return lambda patch: patch.setattr(state_module, "seen_by", tell)


# --- what is legal, and why something is not


def _targets_without_carp_spies(patch: Patch) -> None:
    def without(area: facts.Area) -> tuple[int, ...]:
        carp_spy = (Family.CARP, Role.SPY)
        return targets(tuple(f for f in area if (f.whole.family, f.whole.role) != carp_spy))

    patch.setattr(state_module, "targets", without)


def _targets_sorted_by_hidden_family(patch: Patch) -> None:
    patch.setattr(
        state_module, "targets", lambda area: targets(tuple(sorted(area, key=_hidden_family)))
    )


def _refusal_names_what_lies_there(patch: Patch) -> None:
    sound = state_module._check_target

    def check(placement: Any, turn: int, area: facts.Area, where: str) -> None:
        try:
            sound(placement, turn, area, where)
        except IllegalAction as error:
            lying = [card_name(card.family, card.role) for card in truth(area)]
            raise IllegalAction(f"{error}; there lie {', '.join(lying)}") from None

    patch.setattr(state_module, "_check_target", check)


def _refusal_lists_a_hand(patch: Patch) -> None:
    sound = CourtisansState.check

    def check(self: CourtisansState, action: Action) -> None:
        try:
            sound(self, action)
        except IllegalAction as error:
            held = self.hands[_next(self, self.to_act or 0)]
            names = ", ".join(card_name(*card) for card in held)
            raise IllegalAction(f"{error}; the next hand is {names}") from None

    patch.setattr(CourtisansState, "check", check)


# --- the deal


def _drawn_by_others(patch: Patch) -> None:
    sound = _uncached_public_event
    patch.setattr(state_module, "public_event", lambda e: sound(e)._replace(drawn=e.drawn))


def _spies_among(cards: Iterable[Card]) -> int:
    return sum(card.role is Role.SPY for card in cards)


def _length_by_hands(match: Match, state: CourtisansState) -> bytes:
    held = _spies_among(card for hand in state.hands for card in hand)
    return field(_NEW_FIELD, bytes(held))


def _longer_varint(match: Match, state: CourtisansState) -> int:
    return 127 + sum(state.deck[0].role is Role.NOBLE for _ in state.deck[:1])


def _copies(match: Match, state: CourtisansState) -> bytes:
    """The place in the shuffled deck of each face-up card at the table."""
    line = line_of(state.deal)
    up = [fact.public for fact in state.table if fact.public.role is not Role.SPY]
    places = [line[c.turn - 1].index(Card(c.family, c.role)) for c in up]
    return field(_NEW_FIELD, bytes(places))


def _seed_at_start(patch: Patch) -> None:
    sound = Match._start
    patch.setattr(
        Match,
        "_start",
        lambda self, seat: sound(self, seat) + field(_NEW_FIELD, self.setup.master_seed.encode()),
    )


def _nonce_from_deal(patch: Patch) -> None:
    sound = Match._start

    def start(self: Match, seat: Seat) -> bytes:
        nonce = hashlib.sha256(self.codec.encode_deal(self.deal)).digest()
        return sound(self, seat) + field(_NEW_FIELD, nonce)

    patch.setattr(Match, "_start", start)


def _match_id_from_deal(patch: Patch) -> None:
    sound = Match.__init__

    def init(self: Match, setup: MatchSetup, *, deal: Any, **keywords: Any) -> None:
        match_id = hashlib.sha256(repr(deal).encode()).hexdigest()[:32]
        sound(self, replace(setup, match_id=match_id), deal=deal, **keywords)

    patch.setattr(Match, "__init__", init)


# --- time, forfeits, the end


def _time_by_hands(patch: Patch) -> None:
    sound = Match._request

    def request(self: Match, seat: Seat) -> Request:
        assert isinstance(self.state, CourtisansState)
        held = self.state.hands[_next(self.state, seat)]
        self._clocks[seat].bank_us -= 1000 * _spies_among(held)
        return sound(self, seat)

    patch.setattr(Match, "_request", request)


def _time_of_others(match: Match, state: CourtisansState) -> int:
    return sum(decided.elapsed_us for decided in match.decisions)


def _in_forfeits(told: Callable[[Match, Seat], bytes]) -> Planter:
    """Tell of a forfeit with more than its kind."""

    def plant(patch: Patch) -> None:
        sound = Match.encoded_event

        def encoded(self: Match, happened: Any) -> bytes:
            more = told(self, happened.seat) if isinstance(happened, Forfeited) else b""
            return sound(self, happened) + more

        patch.setattr(Match, "encoded_event", encoded)

    return plant


def _what_the_stand_in_did(match: Match, seat: Seat) -> bytes:
    [decided] = [one for one in match.decisions if one.seat == seat and one.fault]
    return field(_NEW_FIELD, match.codec.encode_action(decided.action))


def _why_it_forfeited(match: Match, seat: Seat) -> bytes:
    [fault] = [one.fault for one in match.decisions if one.seat == seat and one.fault]
    return field(_NEW_FIELD, fault.reason.encode())


def _eliminated_spies_at_the_end(patch: Patch) -> None:
    sound = state_module.final_result

    def result(state: CourtisansState) -> Result:
        config = replace(state.config, reveal_eliminated_spies=True)
        return sound(state._replace(config=config))

    patch.setattr(state_module, "final_result", result)


def _removed_cards_at_the_end(patch: Patch) -> None:
    sound = Match.endings

    def endings(self: Match) -> list[bytes]:
        removed = bytes(sorted(family for family, role in self.deal.removed if role is Role.SPY))
        return [ending + field(_NEW_FIELD, removed) for ending in sound(self)]

    patch.setattr(Match, "endings", endings)


LEAKS: Mapping[str, Planter] = {
    "a spy's family, in every form": _spies_in_every_form,
    "a spy's family, in events only": _spies_in_events,
    "a spy's family, in observations only": _spies_in_observations,
    "the whole event, to the player's neighbour": _events_whole_for_the_neighbour,
    "spies counted for their families before the end": _number(_surplus_of_butterflies),
    "cards in play in the order of their hidden families": _sorted_by_hidden_family(CardInPlay),
    "eliminated cards in the order of their hidden families": _sorted_by_hidden_family(Eliminated),
    "targets without the spies of one family": _targets_without_carp_spies,
    "targets in the order of their hidden families": _targets_sorted_by_hidden_family,
    "a refusal that names the spies of an area": _refusal_names_what_lies_there,
    "a refusal that lists another hand": _refusal_lists_a_hand,
    "another seat's hand": _observing(
        lambda state, o: o._replace(hand=o.hand + state.hands[_next(state, o.seat)])
    ),
    "another seat's mission": _observing(
        lambda state, o: o._replace(white=state.deal.missions[_next(state, o.seat)][0])
    ),
    "cards that others draw": _drawn_by_others,
    "the next card of the deck, in the size of the deck": _observing(
        lambda state, o: o._replace(deck_size=o.deck_size + _spies_among(state.deck[:1]))
    ),
    "the removed cards, in the size of the deck": _observing(
        lambda state, o: o._replace(deck_size=o.deck_size + _spies_among(state.deal.removed))
    ),
    "others' hands, in the length of a field": _beside_requests(_length_by_hands),
    "the next card of the deck, in the length of a number": _number(_longer_varint),
    "card ids that tell copies apart": _beside_requests(_copies),
    "the master seed": _seed_at_start,
    "a nonce made from the deal": _nonce_from_deal,
    "a match id made from the deal": _match_id_from_deal,
    "another seat's hand, in the time left": _time_by_hands,
    "how long others thought": _number(_time_of_others),
    "what the stand-in did, in the event of a forfeit": _in_forfeits(_what_the_stand_in_did),
    "why another seat forfeited": _in_forfeits(_why_it_forfeited),
    "eliminated spies, at the end": _eliminated_spies_at_the_end,
    "the removed cards, at the end": _removed_cards_at_the_end,
}
