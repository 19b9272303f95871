"""How often a bot is excused for what it may have brought about itself.

That is a stream that was lost while it was stopped, and being late in a last attempt because the
machine was busy. The match is void then and played again, with the same deal. A hostile bot can end
its stream as soon as it goes on after a long stop, and nobody can tell that from a library that
counted the time; nor can anybody tell who keeps all cores busy. So a bot that thinks that it is
losing could have another try. It gets so few that they are worth less than any rating shows; no
machine that is in order uses up even these.
"""

from collections.abc import Iterable

MATCHES_PER_VOID = 100
"""A bot is excused once, and again after it has come to the end of so many matches."""


class VoidAllowance:
    """Who was excused, in one match_runner."""

    def __init__(self) -> None:
        """Have excused nobody yet."""
        self._matches_since: dict[str, int] = {}

    def grant(self, bot: str) -> bool:
        """Excuse the bot of this name, all its versions counting as one; return whether it is."""
        if self._matches_since.get(bot, MATCHES_PER_VOID) < MATCHES_PER_VOID:
            return False
        self._matches_since[bot] = 0
        return True

    def count(self, bots: Iterable[str]) -> None:
        """Count a match that came to its end, with these bots."""
        for bot in self._matches_since.keys() & set(bots):
            self._matches_since[bot] += 1
