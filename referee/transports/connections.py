"""How many connections a server keeps, and whose: strangers never take the last slot.

Of those who connect, a server knows few before they have said something. Those it does not know
have slots of their own; where all are taken, whoever has most of them loses the oldest. So many
people behind one address may have as many slots as there are, until others need them. One who is
known has a few; more connections of the same one are treated as strangers'.
"""

import ipaddress
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

Log = Callable[[int, str], object]
"""Is told in a line what a server's owner may want to know, with its level as in `logging`."""
Clock = Callable[[], float]
"""Tells seconds, as `time.monotonic` does."""

MOST_UNKNOWN = 128
MOST_OF_ONE = 16
"""Connections that one who is known may have, where a server says whose they are."""
_RESERVED_FILES = 256
"""For the database, the bots and all else that is no connection."""
_MOST_FILES = 65_536
_SECONDS_BETWEEN_LINES = 60.0
_NETWORK_BITS = 64
"""Of an IPv6 address: whoever has one address in a network has all of it."""


def raise_file_limit() -> None:
    """Let this process open as many files as the system lets it, up to 65,536."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def room(most: int, files: int, share: float) -> int:
    """Return how many connections of so many files each fit into a share of the file limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    return max(8, min(most, int((soft - _RESERVED_FILES) * share / files)))


@dataclass(eq=False, slots=True)
class Slot:
    """What one connection takes."""

    address: str
    close: Callable[[str], object]
    """Ends the connection; its owner is told the reason, unless that is empty."""
    since: float
    known: bool = False
    owner: str = ""


class Connections:
    """The slots of one server. Lives in one thread."""

    def __init__(
        self, most: int, most_unknown: int, log: Log, clock: Clock = time.monotonic
    ) -> None:
        """Keep so many slots, and at most so many of them for those who are not known."""
        self._most = most
        self._most_unknown = min(most_unknown, most)
        self._clock = clock
        self._unknown: dict[Slot, None] = {}
        """The oldest first."""
        self._known: set[Slot] = set()
        self._owners = Counter[str]()
        """How many known connections each owner has."""
        self._ended = Counter[str]()
        self._log = log
        self._told = -_SECONDS_BETWEEN_LINES

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._unknown) + len(self._known)

    def take(self, host: str, close: Callable[[str], object]) -> Slot | None:
        """Return a slot for a connection from a host; None: it is to be closed at once."""
        full = len(self) >= self._most or len(self._unknown) >= self._most_unknown
        if full and not self._make_room():
            self.ended("found all places taken")
            return None
        slot = Slot(network(host), close, self._clock())
        self._unknown[slot] = None
        return slot

    def know(self, slot: Slot, owner: str = "") -> None:
        """Let a connection stay, as it is known now whose it is; unless the owner has enough.

        Without an owner there is no such limit.
        """
        if owner and self._owners[owner] >= MOST_OF_ONE:
            return
        if self._unknown.pop(slot, slot) is None:
            slot.known, slot.owner = True, owner
            self._known.add(slot)
            self._owners[owner] += 1

    def leave(self, slot: Slot) -> None:
        """Give a slot back."""
        self._unknown.pop(slot, None)
        if slot in self._known:
            self._known.remove(slot)
            self._owners -= Counter([slot.owner])  # which drops those at 0

    def unknown(self, older_than_s: float) -> list[Slot]:
        """Return the slots of those who are not known after so many seconds."""
        limit = self._clock() - older_than_s
        return [slot for slot in self._unknown if slot.since < limit]

    def ended(self, why: str) -> None:
        """Count a connection that was ended, unless for no reason; tell once a minute at most."""
        if not why:
            return
        self._ended[why] += 1
        if self._clock() - self._told < _SECONDS_BETWEEN_LINES:
            return
        self._told = self._clock()
        counts = ", ".join(f"{number} {reason}" for reason, number in self._ended.items())
        self._ended.clear()
        self._log(logging.WARNING, f"connections were ended: {counts}")

    def _make_room(self) -> bool:
        """End the oldest connection of the address that has most of the unknown ones."""
        if not self._unknown:
            return False
        heaviest, _ = Counter(slot.address for slot in self._unknown).most_common(1)[0]
        oldest = next(slot for slot in self._unknown if slot.address == heaviest)
        self.leave(oldest)
        oldest.close("had to make room for others")
        return True


def network(host: str) -> str:
    """Return what counts as one address: of IPv6 the network, of IPv4 the host."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
    return str(address)
