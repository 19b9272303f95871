"""Limit the connections of a server so that strangers never take the last slot.

A server does not know most clients before their first message. Unknown clients share slots of
their own; when all are taken, the address with most of them loses one. Many people behind one
address may use all free slots until others need them.
"""

import contextlib
import ipaddress
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

Log = Callable[[int, str], object]
"""Takes a level as in `logging` and one line for the server's owner."""
Clock = Callable[[], float]
"""Returns seconds, like `time.monotonic`."""

_SECONDS_TO_STAY = 10.0
"""How long the older half of an address's unknown connections, and those whose request is being
answered, need not make room for others."""
_RESERVED_FILES = 256
"""File descriptors for the database, the bots and everything else but connections."""
_MOST_FILES = 65_536
_MOST_ON_MACOS = 10_240
"""Its OPEN_MAX: it may refuse more, though the hard limit is infinite."""
_SECONDS_BETWEEN_LINES = 60.0
_NETWORK_BITS = 64
"""Prefix length of an IPv6 network: the holder of one address in it can use them all."""


def raise_file_limit() -> None:
    """Raise this process's file limit as far as the system allows, up to 65,536."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    for wanted in (most, min(most, _MOST_ON_MACOS)):
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            return
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return


def room(most: int, files: int, share: float) -> int:
    """Return how many connections of `files` descriptors each fit a share of the file limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    return max(8, min(most, int((soft - _RESERVED_FILES) * share / files)))


class Claim(IntEnum):
    """What a connection loses if it has to make room."""

    NOTHING = 0
    """It has sent nothing, or not all of a request."""
    UNREAD = 1
    """What it has sent is not read yet."""
    SERVED = 2
    """Its request is being answered."""


@dataclass(eq=False, slots=True)
class Slot:
    """The slot of one connection."""

    address: str
    close: Callable[[str], object]
    """Ends the connection; the log gets the reason unless it is empty."""
    since: float
    claim: Callable[[], Claim]
    """What it has to lose."""
    known: bool = False


class Connections:
    """The connection slots of one server. Not thread-safe."""

    def __init__(
        self, most: int, most_unknown: int, log: Log, clock: Clock = time.monotonic
    ) -> None:
        """Keep at most `most` connections, at most `most_unknown` of them unknown."""
        self._most = most
        self._most_unknown = min(most_unknown, most)
        self._clock = clock
        self._unknown: dict[Slot, None] = {}
        """Unknown connections, the oldest first."""
        self._known: set[Slot] = set()
        self._ended = Counter[str]()
        self._log = log
        self._reported = -_SECONDS_BETWEEN_LINES

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._unknown) + len(self._known)

    def take(
        self,
        host: str,
        close: Callable[[str], object],
        claim: Callable[[], Claim] = lambda: Claim.NOTHING,
    ) -> Slot | None:
        """Return a slot for a connection from a host; None: close it at once."""
        full = len(self) >= self._most or len(self._unknown) >= self._most_unknown
        if full and not self._make_room():
            self.ended("found all places taken")
            return None
        slot = Slot(network(host), close, self._clock(), claim)
        self._unknown[slot] = None
        return slot

    def know(self, slot: Slot) -> None:
        """Mark a connection as known."""
        if self._unknown.pop(slot, slot) is None:
            slot.known = True
            self._known.add(slot)

    def leave(self, slot: Slot) -> None:
        """Free a slot."""
        self._unknown.pop(slot, None)
        self._known.discard(slot)

    def unknown(self, older_than_s: float) -> list[Slot]:
        """Return the slots of connections still unknown after this many seconds."""
        limit = self._clock() - older_than_s
        return [slot for slot in self._unknown if slot.since < limit]

    def ended(self, why: str) -> None:
        """Count an ended connection unless the reason is empty; log at most once a minute."""
        if not why:
            return
        self._ended[why] += 1
        if self._clock() - self._reported < _SECONDS_BETWEEN_LINES:
            return
        self._reported = self._clock()
        counts = ", ".join(f"{number} {reason}" for reason, number in self._ended.items())
        self._ended.clear()
        self._log(logging.WARNING, f"connections were ended: {counts}")

    def _make_room(self) -> bool:
        """End an unknown connection of the address with most of them; False if there is none.

        The older half of them, and those with the better claim, stay for some seconds, and no
        longer, as some never read their answer. If the oldest went at once, a crowd on a slow
        machine would never be known: each would make room for the next one first.
        """
        if not self._unknown:
            return False
        heaviest, _ = Counter(slot.address for slot in self._unknown).most_common(1)[0]
        theirs = [slot for slot in self._unknown if slot.address == heaviest]
        limit = self._clock() - _SECONDS_TO_STAY
        first = 0 if theirs[0].since < limit else len(theirs) // 2
        order = theirs[first:] + theirs[:first]
        ended, least = order[0], None
        for slot in order:
            claim = Claim.NOTHING if slot.since < limit else slot.claim()
            if least is None or claim < least:
                ended, least = slot, claim
            if claim is Claim.NOTHING:
                break
        self.leave(ended)
        ended.close("had to make room for others")
        return True


def network(host: str) -> str:
    """Return what counts as one address: an IPv4 host, or the network of an IPv6 host."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
    return str(address)
