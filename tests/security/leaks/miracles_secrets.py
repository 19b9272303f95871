"""What is hidden from whom in La Cour des Miracles, and how to draw it anew.

Written from the rules alone; it uses nothing of how observations and events are made for a seat.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.miracles.action import PlaceRogue, SinkRogue
from referee.games.miracles.deal import Deal
from referee.games.miracles.state import MiraclesState
from referee.games.randomness import Stream
from referee.match.match import Decided
from tests.security.leaks.harness import Told, World
from tests.security.leaks.miracles_history import History, history_of
from tests.security.leaks.miracles_illegal import KINDS, illegal_actions
from tests.security.leaks.miracles_redraw import Rogues, redrawn_plots, redrawn_rogues


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

    def redraw(self, deal: Deal, decided: Sequence[Decided], told: Told, stream: Stream) -> World:
        """Draw another world that the seat cannot tell apart; nothing is revealed at the end."""
        assert isinstance(told.state, MiraclesState)
        history = history_of(told.state, decided, told.seat)
        rogues = redrawn_rogues(history, deal, stream)
        plots = redrawn_plots(history, deal, stream)
        seats = len(deal.hands)
        world = deal._replace(
            hands=tuple(plots.line[:seats]),
            pile=tuple(plots.line[seats:]),
            bag=tuple(rogues.bag),
            reshuffle_seed=plots.seed,
        )
        actions = [
            _in_world(number, one.action, history, rogues) for number, one in enumerate(decided)
        ]
        return World(world, actions)

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


def _in_world(number: int, action: Any, history: History, rogues: Rogues) -> Any:
    """The same action with the rogue that it concerns in another world."""
    if isinstance(action, PlaceRogue):
        return action._replace(rogue=rogues.faces[history.placed_by[number]])
    return SinkRogue(rogues.sunk[number]) if isinstance(action, SinkRogue) else action
