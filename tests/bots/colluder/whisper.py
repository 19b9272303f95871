"""A channel that is open between bots that run at once: who has a file mapped.

One who has a page of a file mapped reads in `/proc/self/smaps` whether others have, too; it stays
mapped while its owner is stopped.
"""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from memory import Seen  # type: ignore[import-not-found]  # it is beside this

_SEAT_BITS = 34
"""One says that the others are there; 8 of the match, 5 of each mission, 5 of each card."""
_FILES = sorted(path for path in Path("/usr/share/doc").glob("*/copyright") if path.is_file())
"""Each is good for a bit, as nobody else maps these."""
_MAPPED: list[mmap.mmap] = []


def say(seen: Seen) -> None:
    """Tell what the own seat was dealt, if the own first hand is known."""
    ((seat, missions),) = seen.missions.items()
    if len(seen.hands.get(seat, [])) < 3 or _MAPPED:
        return
    cards = [family * 5 + role - 6 for family, role in seen.hands[seat]]
    bits = f"1{_match(seen):08b}" + "".join(f"{number:05b}" for number in (*missions, *cards))
    files = _of_seat(int(seat))
    _MAPPED.extend(_page(file) for file, bit in zip(files, bits, strict=False) if bit == "1")


def be_silent() -> None:
    """Take back what was said."""
    _MAPPED.clear()


def hear(seats: int, now: Seen) -> Iterator[Seen]:
    """Yield what others at the table tell of their seats."""
    pages = [_page(file) for seat in range(seats) for file in _of_seat(seat)]
    told = Path("/proc/self/smaps").read_text()
    del pages  # they were mapped until they were told of
    entries = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", told, flags=re.MULTILINE)
    shared = {
        entry.split("\n", 1)[0].split()[-1]
        for entry in entries
        if re.search(r"Shared_(?:Clean|Dirty): +[1-9]", entry)
    }
    for seat in range(seats):
        bits = "".join(str(int(str(file.resolve()) in shared)) for file in _of_seat(seat))
        if len(bits) == _SEAT_BITS and bits[0] == "1" and int(bits[1:9], 2) == _match(now):
            white, blue, *cards = (int(bits[i : i + 5], 2) for i in range(9, _SEAT_BITS, 5))
            hand = [[card // 5 + 1, card % 5 + 1] for card in cards]
            yield Seen({}, {str(seat): hand}, {str(seat): [white, blue]})


def _of_seat(seat: int) -> list[Path]:
    return _FILES[seat * _SEAT_BITS : (seat + 1) * _SEAT_BITS]


def _match(seen: Seen) -> int:
    return int(seen.cues[".match"][:2], 16)


def _page(file: Path) -> mmap.mmap:
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
    _ = mapped[0]
    return mapped
