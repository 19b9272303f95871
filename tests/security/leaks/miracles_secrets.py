"""What is hidden from whom in La Cour des Miracles."""

from collections.abc import Mapping, Sequence
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.miracles.state import MiraclesState
from referee.games.randomness import Stream
from tests.security.leaks.harness import Told
from tests.security.leaks.miracles_illegal import KINDS, illegal_actions


class MiraclesSecrets:
    """The secrets of La Cour des Miracles."""

    game = "miracles"
    configs: Sequence[Mapping[str, Any]] = (
        {},
        {
            "max_rounds": 25,
            "king_ends_at_once": False,
            "move_may_stay": True,
            "income_without_action": True,
            "wrath_on_empty": True,
            "controller_places_again": True,
            "nearest_swordsman_first": True,
            "courtesan_frees_contested": True,
        },
    )
    worlds = 6
    hidden_kinds = frozenset(
        {
            "others' rogues",
            "others' rogues in the Seine",
            "the bag",
            "others' Plot cards",
            "the pile",
            "the reshuffle seed",
        }
    )
    illegal_kinds = frozenset(KINDS)

    def hidden(self, told: Told) -> Mapping[str, Any]:
        """Return what is hidden from the seat, by kind."""
        assert isinstance(told.state, MiraclesState)
        now, seat = told.state.position, told.seat
        lying = [
            (fact.public.spot, fact.whole.rogue)
            for fact in now.board
            if seat not in fact.seers and not fact.public.revealed
        ]
        # Where no other seat has a rogue face down, the faces at hand are often known to all.
        hands = [hand for other, hand in enumerate(now.hands) if other != seat]
        return {
            "others' rogues": (lying, hands) if lying else None,
            "others' rogues in the Seine": [sunk.rogue for sunk in now.seine if sunk.seat != seat],
            "the bag": now.bag,
            "others' Plot cards": [hand for s, hand in enumerate(now.plots) if s != seat and hand],
            "the pile": now.pile,
            "the reshuffle seed": told.state.deal.reshuffle_seed,
        }

    def illegal(self, state: Any, stream: Stream) -> Mapping[str, game_pb2.GameAction]:
        """Return illegal actions of the seat to act, by kind."""
        return illegal_actions(state, stream)
