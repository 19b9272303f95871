"""Channels that carry a number at a time: the own white mission, before the own answer.

`moments`: the next bot to move reads the clock when it wakes, so it knows when the last one moved.
`nodes`: the times of the machine's device nodes. `pipes`: the machine numbers all pipes in turn.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from memory import Seen  # type: ignore[import-not-found]  # it is beside this

_MISSIONS = 10
_SLOT_NS = 60_000_000
"""So long an answer may take to the next bot, over honest ones between."""
_PIPES = 4096
"""The pipes that add one to the number told; others make fewer meanwhile."""
_NODES = ("null", "zero", "full", "random")
_SAID: set[str] = set()
_WAY = Path("whispers.txt").read_text().strip()
_heard_before = 0


def say(seen: Seen) -> None:
    """Tell the own white mission, once a match."""
    ((white, _),) = seen.missions.values()
    match = seen.cues[".match"]
    if match in _SAID:
        return
    _SAID.add(match)
    _SAY[_WAY](white - 1)
    _hear_pipes()


def hear(seats: int, now: Seen) -> Iterator[Seen]:
    """Yield what somebody at the table told, as each seat's that may have told it."""
    white = _HEAR[_WAY]() + 1
    if 1 <= white <= _MISSIONS:
        for seat in {*range(seats)} - {int(own) for own in now.missions}:
            yield Seen({}, {}, {str(seat): [white, 11 + (white + seat) % _MISSIONS]})


def _say_by_moment(number: int) -> None:
    """Wait for the moment that says it."""
    period = _SLOT_NS * _MISSIONS
    time.sleep(((number * _SLOT_NS - time.time_ns()) % period) / 1e9)


def _hear_moment() -> int:
    return time.time_ns() // _SLOT_NS % _MISSIONS


def _say_by_nodes(number: int) -> None:
    """Set the time of each node that stands for a bit of it, all others before that."""
    for bit, node in enumerate(_NODES):
        if not number >> bit & 1:
            os.utime(f"/dev/{node}")
    time.sleep(0.01)
    for bit, node in enumerate(_NODES):
        if number >> bit & 1:
            os.utime(f"/dev/{node}")


def _hear_nodes() -> int:
    times = [Path("/dev", node).stat().st_mtime for node in _NODES]
    return sum((at > min(times) + 0.004) << bit for bit, at in enumerate(times))


def _say_by_pipes(number: int) -> None:
    """Tell a number by how many pipes are made."""
    for _ in range(number * _PIPES):
        _pipe()


def _hear_pipes() -> int:
    """Return how many somebody made since the last time."""
    global _heard_before
    before, _heard_before = _heard_before, max(_pipe() for _ in range(8))
    return round((_heard_before - before) / _PIPES)


def _pipe() -> int:
    """Make a pipe; return its number."""
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


_SAY = {"moments": _say_by_moment, "nodes": _say_by_nodes, "pipes": _say_by_pipes}
_HEAR = {"moments": _hear_moment, "nodes": _hear_nodes, "pipes": _hear_pipes}
