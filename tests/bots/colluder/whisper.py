"""Channels between bots that see the same files: which of their pages and names are in memory.

A page that no process has read yet comes from the disk, and that takes longer. So does a name that
is looked for the first time, even if there is no such file. Both stay in memory while the bot that
needed them is stopped, and after that.
"""

import math
import mmap
import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memory import Seen  # type: ignore[import-not-found]  # it is beside this

_SEAT_BITS = 34
"""One says that the others are there; 8 of the match, 5 of each mission, 5 of each card."""
_SEATS = 5
_PLACES = ("/usr/bin/*", "/usr/lib/*/*")
_LEAST_BYTES = 4 << 20
_SLOW = 25_000
"""In nanoseconds; what is in memory takes a twentieth of that, what is not four times as many."""
_FOLDER = "/usr/lib"
_NAMES = 5
"""The names that tell one bit."""
_BY_NAMES = Path("whispers.txt").read_text().strip() == "names"
_SAID: set[str] = set()


def say(seen: Seen) -> None:
    """Tell what the own seat was dealt, if the own first hand is known, once a match."""
    ((seat, missions),) = seen.missions.items()
    match = seen.cues[".match"]
    if len(seen.hands.get(seat, [])) < 3 or match in _SAID:
        return
    _SAID.add(match)
    cards = [family * 5 + role - 6 for family, role in seen.hands[seat]]
    bits = f"1{_mark(match)}" + "".join(f"{number:05b}" for number in (*missions, *cards))
    for number, bit in enumerate(bits):
        if bit == "1":
            _touch(match, int(seat), number)


def hear(seats: int, now: Seen) -> Iterator[Seen]:
    """Yield what others at the table tell of their seats; that can be heard once."""
    match = now.cues[".match"]
    slow = _slow_name() if _BY_NAMES else _SLOW
    for seat in {*range(seats)} - {int(own) for own in now.missions}:
        taken = (_touch(match, seat, number) for number in range(_SEAT_BITS))
        bits = "".join(str(int(ns < slow)) for ns in taken)
        if bits[0] == "1" and bits[1:9] == _mark(match):
            white, blue, *cards = (int(bits[i : i + 5], 2) for i in range(9, _SEAT_BITS, 5))
            hand = [[card // 5 + 1, card % 5 + 1] for card in cards]
            yield Seen({}, {str(seat): hand}, {str(seat): [white, blue]})


def _mark(match: str) -> str:
    return f"{int(match[:2], 16):08b}"


def _touch(match: str, seat: int, number: int) -> float:
    """Say a bit of a seat in a match; return how many nanoseconds that took."""
    if _BY_NAMES:
        return _look_for(f"{match}-{seat}-{number}")
    return _read(_of_seat(match, seat)[number])


def _slow_name() -> float:
    """Return between what looking for a known and for a new name takes."""
    names = [f"{time.monotonic_ns()}-{number}" for number in range(_NAMES)]
    new, known = ([_look_for(name) for name in names] for _ in range(2))
    return math.sqrt(sorted(new)[_NAMES // 2] * sorted(known)[_NAMES // 2])


def _look_for(name: str) -> float:
    """Look for some names that no other program uses; return what one takes, in nanoseconds."""
    taken = []
    for number in range(_NAMES):
        path = f"{_FOLDER}/{name}-{number}"
        start = time.perf_counter_ns()
        os.access(path, os.F_OK)
        taken.append(time.perf_counter_ns() - start)
    return sorted(taken)[_NAMES // 2]


def _of_seat(match: str, seat: int) -> range:
    """Return the numbers of the pages that a seat of a match may read to say something."""
    blocks = sum(len(book) // mmap.PAGESIZE for book in books()) // (_SEATS * _SEAT_BITS)
    first = (int(match[2:18], 16) % blocks * _SEATS + seat) * _SEAT_BITS
    return range(first, first + _SEAT_BITS)


def _read(number: int) -> int:
    """Read a page of these files; return how many nanoseconds that took."""
    for book in books():
        pages = len(book) // mmap.PAGESIZE
        if number < pages:
            start = time.perf_counter_ns()
            _ = book[number * mmap.PAGESIZE]
            return time.perf_counter_ns() - start
        number -= pages
    raise LookupError(number)


@cache
def books() -> tuple[mmap.mmap, ...]:
    """Return the large files of the system, of which a page is read alone."""
    mapped = []
    for file in shared_files():
        with file.open("rb") as opened:
            mapped.append(mmap.mmap(opened.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ))
        mapped[-1].madvise(mmap.MADV_RANDOM)
    return tuple(mapped)


def shared_files() -> list[Path]:
    """Return the large files that every bot sees."""
    found = {path.resolve() for place in _PLACES for path in Path("/").glob(place[1:])}
    return sorted(p for p in found if p.is_file() and p.stat().st_size >= _LEAST_BYTES)
