"""Which remote bots are there."""

import time
from collections.abc import Callable, Iterable

from ladder.model.bots import Version


class Presence:
    """Who is at the gateway, as far as it has told. Without a gateway nobody is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nobody; the clock, in seconds, stands still while nobody can come."""
        self.clock = clock
        self._began = clock()
        self._most: dict[str, int] = {}
        """How many matches each can play at once that is there."""
        self._left: dict[str, float] = {}
        """When each left that was there."""

    def notice(self, name: str, most: int) -> bool:
        """Take notice that a bot can play so many matches at once; none: it has left.

        Return whether it was away before and is here now, or the other way round.
        """
        before = self._most.pop(name, 0)
        if most:
            self._most[name] = most
        elif before:
            self._left[name] = self.clock()
        return bool(before) != bool(most)

    def all_left(self) -> None:
        """Take notice that the gateway is gone, and whoever was there."""
        for name in list(self._most):
            self.notice(name, 0)

    def most(self, version: Version) -> int:
        """Return how many matches a remote bot can play at once; none if it is not there."""
        return self._most.get(version.at_gate, 0)

    def seconds_gone(self, version: Version) -> float:
        """Return for how long a remote bot has not been there though it could; 0 if it is."""
        if self.most(version):
            return 0.0
        return self.clock() - self._left.get(version.at_gate, self._began)

    def those_here(self, versions: Iterable[Version]) -> list[Version]:
        """Return those that can play: the bots of this machine, and who has joined."""
        return [version for version in versions if not version.is_remote or self.most(version)]
