"""A bot that thinks nothing: it always answers with the same action, on any carrier."""

from courtyard.v1 import referee_pb2
from courtyard_kit import connection


def decide(_turn: connection.Turn, decision: referee_pb2.Decision) -> None:
    """Fill in an action of usual size."""
    action = decision.action.courtisans
    for placement in (
        action.table,
        action.own_domain,
        action.opponent_domain,
    ):
        placement.card.family = placement.card.role = 1  # type: ignore[assignment] # whatever it is
    action.side = action.opponent = 1  # type: ignore[assignment]


connection.play(lambda: decide, "fixed")
