"""A bot that thinks nothing: it always answers with the same action, on any carrier."""

from courtyard.v1 import game_pb2
from courtyard_kit import connection


def decide(_turn: connection.Turn, action: game_pb2.GameAction) -> None:
    """Fill in an action of usual size."""
    for placement in (
        action.courtisans.table,
        action.courtisans.own_domain,
        action.courtisans.opponent_domain,
    ):
        placement.card.family = placement.card.role = 1  # type: ignore[assignment] # whatever it is
    action.courtisans.side = action.courtisans.opponent = 1  # type: ignore[assignment]


connection.play(lambda: decide, "fixed")
