"""Stops the process of the referee, and meanwhile does what its argument says.

Only at `trusted` a bot can do so; the tests use it for whatever else stops a referee.
"""

import os
import signal
import sys
import time
from pathlib import Path

from courtyard_kit.courtisans import Action, Position, run


def parent(pid: int) -> int:
    """Return who has started a process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def stop_the_referee() -> int:
    """Return its process id as soon as it is stopped; the test that started it lets it go on."""
    referee = parent(os.getppid())
    os.kill(referee, signal.SIGSTOP)
    while "\nState:\tT" not in Path(f"/proc/{referee}/status").read_text():
        time.sleep(0.001)
    return referee


def hoard() -> None:
    """Hold memory in each of many processes: together more than half of what they may hold."""
    held = b"x" * 0x4000000
    for _ in range(9):
        if not os.fork():
            while held:
                signal.pause()


def is_to_pause() -> bool:
    """Tell whether it is to stop the referee; "once" only if no bot did so before."""
    mark = Path("paused")
    if WHAT == "once":
        if mark.exists():
            return False
        mark.touch()
    return True


def choose(position: Position) -> Action:
    """Stop the referee at the second decision."""
    if position.seats < position.turn <= 2 * position.seats and WHAT != "start" and is_to_pause():
        if WHAT == "hoard":
            hoard()
        referee = stop_the_referee()
        if WHAT == "spin":
            while time.process_time() < 1.5:
                pass
            os.kill(referee, signal.SIGCONT)
            while True:
                pass
        if WHAT in ("sleep", "once", "hoard"):
            time.sleep(100_000)
        if WHAT == "exit":
            os._exit(3)
    return position.random_action()


WHAT = sys.argv[1]
if WHAT == "mute hoard":
    hoard()
if WHAT in ("start", "mute", "mute hoard"):
    stop_the_referee()
if WHAT in ("mute", "mute hoard"):
    signal.pause()
run(choose, name="pauser")
