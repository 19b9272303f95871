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
        self._left_at: dict[str, float] = {}
        """When each bot disconnected."""

    def update(self, name: str, capacity: int) -> bool:
        """Note how many matches a bot can play at once; 0 means that it has left.

        Return whether the bot has connected or disconnected by that.
        """
        before = self._capacities.pop(name, 0)
        if capacity:
            self._capacities[name] = capacity
        elif before:
            self._left_at[name] = self.clock()
        return bool(before) != bool(capacity)

    def mark_all_away(self) -> None:
        """Note that the gateway is gone, and with it every remote bot."""
        for name in list(self._capacities):
            self.update(name, 0)

    def capacity(self, version: Version) -> int:
        """Return how many matches a remote bot can play at once; 0 if it is not connected."""
        return self._capacities.get(version.gateway_name, 0)

    def seconds_away(self, version: Version) -> float:
        """Return for how long a remote bot could have been connected and was not; 0 if it is."""
        if self.capacity(version):
            return 0.0
        return self.clock() - self._left_at.get(version.gateway_name, self._began)

    def available(self, versions: Iterable[Version]) -> list[Version]:
        """Return the versions that can play: local bots, and remote bots that are connected."""
        return [version for version in versions if not version.is_remote or self.capacity(version)]
