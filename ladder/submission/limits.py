"""What a submission may use: seconds on the clock, and CPU time of the process that deals with it.

What builds and bots use is limited by their sandboxes. The CPU time is measured by a timer of the
system, which ends the process even in the middle of a computation that listens to nothing, and
which the programs that it starts do not inherit.
"""

import signal
from pathlib import Path

from ladder.model.heartbeat import Heartbeat

CPU_SECONDS = 120
"""To read a bot's files, find out what counts of them, store them, and run its match."""


def begin_cpu_time(seconds: float = CPU_SECONDS) -> None:
    """End this process when it has used so much more CPU time; call again to begin again."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def heartbeat_in(scratch: Path) -> Heartbeat:
    """Return that of the process that has this folder for itself: a pause is not on its time."""
    return Heartbeat.at(scratch / "heartbeat")


def cut_short(status: int | None) -> str:
    """Return why a process ended before it had an answer, from its status: below 0 a signal."""
    if status == -signal.SIGPROF:
        return (
            f"it was stopped: to read, store and try its files took more than {CPU_SECONDS} s of "
            "CPU time; submit fewer or smaller files, and a shorter .gitignore"
        )
    return f"its process ended with status {status}"


def took_too_long(seconds: float, last: str) -> str:
    """Return why a submission was stopped that took longer than so many seconds."""
    at = f"; the last it said: {last}" if last else ""
    return f"it was stopped: a submission may take {seconds:.0f} s in all{at}"
