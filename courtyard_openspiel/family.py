"""The entry point: OpenSpiel's games by name, each with the audit of its secrets."""

from collections.abc import Sequence

from courtyard_openspiel.audit import audit
from courtyard_openspiel.game import OpenSpielGame
from courtyard_openspiel.loading import find

_GAMES = 12
"""Random games of an audit; rare phases are sought out."""


class AuditedGame(OpenSpielGame):
    """A game of OpenSpiel that `referee check-game` can ask for its secrets."""

    def leaks(self, seats: int) -> Sequence[str]:
        """Return the audit's findings, a sentence for each kind."""
        if self.is_open or self.is_simultaneous:
            return ()
        findings = audit(self, seats, _GAMES).findings.values()
        return [f"to seat {one.seat}, {one.what} {one.shown}".strip() for one in findings]


def openspiel(name: str) -> OpenSpielGame:
    """Play a game of OpenSpiel, as in openspiel:leduc_poker(players=3).

    Raise `ConfigError` if it cannot be played.
    """
    return AuditedGame(name, find(name))
