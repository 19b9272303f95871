"""How often a bot may void a match by a failure that it may have caused itself.

Two failures count: a stream lost while the bot was stopped, and a late answer on a busy machine in
the last attempt at a match. Such a match is void and replayed with the same deal. But a hostile bot
can end its stream right after a long stop, just as a library does that kept counting time, and it
can keep all cores busy. So a bot that expects to lose could get another try. It gets so few that
they are worth less than any rating shows, and a healthy machine never uses them up.
"""

from collections.abc import Iterable

MATCHES_PER_VOID = 100
"""A bot may void one match, and another after it has finished this many."""


class VoidAllowance:
    """The void matches of each bot, in one match runner."""

    def __init__(self) -> None:
        """Start without void matches."""
        self._matches_since: dict[str, int] = {}

    def grant(self, bot: str) -> bool:
        """Return whether this bot may void a match now; if so, count it for all its versions."""
        if self._matches_since.get(bot, MATCHES_PER_VOID) < MATCHES_PER_VOID:
            return False
        self._matches_since[bot] = 0
        return True

    def count(self, bots: Iterable[str]) -> None:
        """Count a finished match of these bots."""
        for bot in self._matches_since.keys() & set(bots):
            self._matches_since[bot] += 1
