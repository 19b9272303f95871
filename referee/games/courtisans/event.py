"""Events, whole and as other seats may see them."""

from functools import lru_cache
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Card
from referee.games.courtisans.observation import CardInPlay, public_form


class Placed(NamedTuple):
    """A card as placed."""

    card: CardInPlay
    eliminated: int
    """The eliminated card of the same area, by the turn of its placing; 0: none."""


class TurnPlayed(NamedTuple):
    """A seat played its turn. That seat may see the whole."""

    turn: int
    """From 1, over the whole game."""
    seat: Seat
    table: Placed
    own_domain: Placed
    opponent_domain: Placed
    opponent: Seat
    drawn: tuple[Card, ...]
    """In the order drawn; empty for other seats, and on a seat's last turn."""


def _public_placed(placed: Placed) -> Placed:
    card = public_form(placed.card)
    return placed if card is placed.card else Placed(card, placed.eliminated)


@lru_cache(maxsize=256)  # every other seat asks for the same one
def public_event(event: TurnPlayed) -> TurnPlayed:
    """Return a turn's public form: its cards in public form, without the drawn ones."""
    turn, seat, table, own_domain, opponent_domain, opponent, _ = event
    return TurnPlayed(
        turn=turn,
        seat=seat,
        table=_public_placed(table),
        own_domain=_public_placed(own_domain),
        opponent_domain=_public_placed(opponent_domain),
        opponent=opponent,
        drawn=(),
    )
