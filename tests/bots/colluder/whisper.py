"""A channel that is open between bots that run at once: who has a page of a file mapped.

One who has a page of a file mapped reads in `/proc/self/smaps` whether others have, too; it stays
mapped while its owner is stopped.
"""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory import Seen  # type: ignore[import-not-found]  # it is beside this

_PAGE = mmap.PAGESIZE
_SEAT_BITS = 34
"""One says that the others are there; 8 of the match, 5 of each mission, 5 of each card."""
_MOST_SEATS = 5
_MAPPED: list[mmap.mmap] = []


def say(seen: Seen) -> None:
    """Tell what the own seat was dealt, if the own first hand is known."""
    ((seat, missions),) = seen.missions.items()
    if len(seen.hands.get(seat, [])) < 3 or _MAPPED:
        return
    cards = [family * 5 + role - 6 for family, role in seen.hands[seat] if family]
    bits = "1" + f"{_match(seen):08b}"
    bits += "".join(f"{number:05b}" for number in (*missions, *cards))
    first = int(seat) * _SEAT_BITS
    with _file().open("rb") as opened:
        _MAPPED.extend(_page(opened, first + place) for place, bit in enumerate(bits) if bit == "1")


def be_silent() -> None:
    """Take back what was said."""
    _MAPPED.clear()


def hear(seats: int, now: Seen) -> list[Seen]:
    """Return what others at the table tell of their seats."""
    return list(_heard(seats, now))


def _heard(seats: int, now: Seen) -> Iterator[Seen]:
    with _file().open("rb") as opened:
        pages = [_page(opened, place) for place in range(seats * _SEAT_BITS)]
    told = Path("/proc/self/smaps").read_text()
    shared = {
        int(offset, 16) // _PAGE: int(kib) > 0
        for offset, kib in re.findall(
            rf"^\S+ \S+ (\S+) \S+ \d+ +{re.escape(str(_file()))}\n(?:.*\n)*?Shared_Clean: +(\d+)",
            told,
            re.MULTILINE,
        )
    }
    del pages  # they were mapped until they were told of
    for seat in range(seats):
        first = seat * _SEAT_BITS
        bits = "".join(str(int(shared.get(first + place, 0))) for place in range(_SEAT_BITS))
        if bits[0] == "1" and int(bits[1:9], 2) == _match(now):
            white, blue, *cards = (int(bits[i : i + 5], 2) for i in range(9, _SEAT_BITS, 5))
            hand = [[card // 5 + 1, card % 5 + 1] for card in cards]
            yield Seen({}, {str(seat): hand}, {str(seat): [white, blue]})


def _match(seen: Seen) -> int:
    return int(seen.cues[".match"][:2], 16)


def _page(opened: Any, number: int) -> mmap.mmap:
    mapped = mmap.mmap(
        opened.fileno(), _PAGE, mmap.MAP_SHARED, mmap.PROT_READ, offset=number * _PAGE
    )
    _ = mapped[0]
    return mapped


def _file() -> Path:
    """Return a file of the system that both see, and that nobody maps."""
    large = _MOST_SEATS * _SEAT_BITS * _PAGE
    files = sorted(Path("/usr/bin").iterdir())
    return next(path for path in files if path.is_file() and path.stat().st_size > large)
