"""What is hidden from whom in Courtisans."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.base import Seat
from referee.games.courtisans.cards import Family, Role
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream
from tests.security.leaks.courtisans_illegal import CHANGES, illegal_turns
from tests.security.leaks.harness import Told


class CourtisansSecrets:
    """The secrets of Courtisans."""

    game = "courtisans"
    configs: Sequence[Mapping[str, Any]] = (
        {},
        {"reveal_eliminated_spies": True, "noble_weight_in_missions": 1},
    )
    worlds = 100
    hidden_kinds = frozenset(
        {
            "others' hands",
            "the deck",
            "the removed cards",
            "others' missions",
            "the unused missions",
            "others' spies in play",
            "others' eliminated spies",
        }
    )
    illegal_kinds = frozenset(CHANGES)

    def hidden(self, told: Told) -> Mapping[str, Any]:
        """Return what is hidden from the seat, by kind."""
        assert isinstance(told.state, CourtisansState)
        state, seat, deal = told.state, told.seat, told.state.deal
        gone = [fact.whole.card for fact in state.eliminated]
        hidden: dict[str, Any] = {
            "the removed cards": sorted(deal.removed),
            "others' eliminated spies": _spies(gone, seat),
        }
        if told.body == "end":
            return hidden
        lying = [fact.whole for area in (state.table, *state.domains) for fact in area]
        return hidden | {
            "others' hands": _but(seat, state.hands),
            "the deck": state.deck,
            "others' missions": _but(seat, deal.missions),
            "the unused missions": {*Mission}.difference(*deal.missions),
            "others' spies in play": _spies(lying, seat),
        }

    def illegal(self, state: Any, stream: Stream) -> Mapping[str, game_pb2.GameAction]:
        """Return illegal turns of the seat to act, by kind."""
        return illegal_turns(state, stream)


def _but(seat: Seat, of_each: Sequence[Any]) -> list[Any]:
    return [one for other, one in enumerate(of_each) if other != seat]


def _spies(cards: Iterable[CardInPlay], seat: Seat) -> list[tuple[int, Family | None]]:
    """The spies among these cards that other seats played."""
    return [(c.turn, c.family) for c in cards if c.role is Role.SPY and c.played_by != seat]
