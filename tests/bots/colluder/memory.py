"""What colluders know of deals, where they leave it, and which deal is most like this one."""

import contextlib
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/run/courtyard", "/bot", ".", "~")  # noqa: S108
_SAME_HAND, _OTHER_HAND = 20.0, -5.0
_MOST_ENTRIES = 400


@dataclass
class Seen:
    """What was seen of one deal; cards are [family, role], 0 what is hidden; seats are texts."""

    cues: dict[str, str]
    """Every value in the messages, by its place there."""
    hands: dict[str, list[list[int]]]
    missions: dict[str, list[int]]


def cues(told: Any, path: str = "") -> dict[str, str]:
    """Return every value of messages by its place in them."""
    if isinstance(told, dict):
        parts = [(f"{path}.{name}", value) for name, value in told.items()]
    elif isinstance(told, list):
        parts = [(f"{path}.{number}", value) for number, value in enumerate(told)]
    else:
        return {path: str(told)}
    return {place: value for name, part in parts for place, value in cues(part, name).items()}


def boards(mark: str) -> list[Path]:
    """Return a file in every folder in which this process may write."""
    folders = {Path(place).expanduser().resolve() for place in (*_PLACES, *_mounted())}
    return [folder / f"seen-{mark}" for folder in sorted(folders) if _may_write(folder)]


def _mounted() -> list[str]:
    """Return where file systems are mounted, if that is told."""
    with contextlib.suppress(OSError):
        return [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return []


def _may_write(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_relative_to("/proc") and os.access(folder, os.W_OK)


def leave(files: Iterable[Path], seen: Seen) -> None:
    """Add what was seen to each of these files."""
    for file in files:
        with contextlib.suppress(OSError), file.open("a") as opened:
            opened.write(json.dumps(asdict(seen)) + "\n")


def read(files: Iterable[Path]) -> list[Seen]:
    """Return what was left in these files, the newest last."""
    return [Seen(**entry) for file in files for entry in _entries(file)]


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines()[-_MOST_ENTRIES:]:
            with contextlib.suppress(ValueError):
                yield json.loads(line)


def likeness(now: Seen) -> Callable[[Seen], float]:
    """Return what says how likely it is that something was seen of the deal that is played now."""
    often: Counter[tuple[str, str]] = Counter()

    def rate(seen: Seen) -> float:
        shared = now.cues.items() & seen.cues.items()
        often.update(shared)
        rare = sum(1 / math.sqrt(often[cue]) for cue in shared)
        return rare + sum(
            _SAME_HAND if _agree(hand, seen.hands[seat]) else _OTHER_HAND
            for seat, hand in now.hands.items()
            if seat in seen.hands
        )

    return rate


def _agree(one: list[list[int]], other: list[list[int]]) -> bool:
    """Tell whether these can be one hand: spies' families may be hidden."""
    hidden = [0, 3]
    if sorted(role for _, role in one) != sorted(role for _, role in other):
        return False
    left = [card for card in one if card != hidden]
    right = [card for card in other if card != hidden]
    small, large = sorted(
        (Counter(map(tuple, left)), Counter(map(tuple, right))), key=Counter.total
    )
    return small <= large
