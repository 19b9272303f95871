"""Which remote bots are connected."""

import time
from collections.abc import Callable, Iterable

from ladder.model.bots import Version


class Presence:
    """The remote bots that the gateway has reported; none without a gateway."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no bots; the clock, in seconds, stops while no bot can connect."""
        self.clock = clock
        self._began = clock()
        self._capacities: dict[str, int] = {}
        """How many matches each connected bot can play at once."""
        self._changed_at: dict[str, float] = {}
        """When each bot last connected or disconnected."""
        self._away_s: dict[str, float] = {}
        """How long each bot was away until it last connected."""

    def update(self, name: str, capacity: int) -> bool:
        """Note how many matches a bot can play at once; 0 means that it has left.

        Return whether the bot has connected or disconnected by that.
        """
        away_s, before = self._seconds_away(name), self._capacities.pop(name, 0)
        if capacity:
            self._capacities[name] = capacity
        if bool(before) == bool(capacity):
            return False
        self._away_s[name] = away_s
        self._changed_at[name] = self.clock()
        return True

    def mark_all_away(self) -> None:
        """Note that the gateway is gone, and with it every remote bot."""
        for name in list(self._capacities):
            self.update(name, 0)

    def capacity(self, version: Version) -> int:
        """Return how many matches a remote bot can play at once; 0 if it is not connected."""
        return self._capacities.get(version.gateway_name, 0)

    def seconds_away(self, version: Version) -> float:
        """Return for how long in all a remote bot could have been connected and was not."""
        return self._seconds_away(version.gateway_name)

    def seconds_here(self, version: Version) -> float:
        """Return for how long a remote bot has been connected without a break; 0 if it is not."""
        name = version.gateway_name
        return self.clock() - self._changed_at[name] if name in self._capacities else 0.0

    def _seconds_away(self, name: str) -> float:
        before = self._away_s.get(name, 0.0)
        if name in self._capacities:
            return before
        return before + self.clock() - self._changed_at.get(name, self._began)

    def available(self, versions: Iterable[Version]) -> list[Version]:
        """Return the versions that can play: local bots, and remote bots that are connected."""
        return [version for version in versions if not version.is_remote or self.capacity(version)]
