"""The limits of a submission: wall time, and CPU time of the process that handles it.

Sandboxes limit builds and bots. A system timer measures the CPU time; it ends the process even
during an uninterruptible computation, and child programs do not inherit it.
"""

import signal
from pathlib import Path

from ladder.model.heartbeat import Heartbeat

CPU_SECONDS = 120
"""The CPU time to read, filter and store a bot's files, and to run its match."""


def begin_cpu_time(seconds: float = CPU_SECONDS) -> None:
    """End this process after so much more CPU time; another call restarts the timer."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def heartbeat_in(scratch: Path) -> Heartbeat:
    """Return the heartbeat of the process with this scratch folder: pauses do not use its time."""
    return Heartbeat.at(scratch / "heartbeat")


def cut_short(status: int | None) -> str:
    """Return why a process ended without an answer, given its status; negative for a signal."""
    if status == -signal.SIGPROF:
        return (
            f"it was stopped: reading, storing and validating its files took more than "
            f"{CPU_SECONDS} s of CPU time; submit fewer or smaller files, and a shorter .gitignore"
        )
    return f"its process ended with status {status}"


def took_too_long(seconds: float, last: str) -> str:
    """Return why a submission was stopped that exceeded this number of seconds."""
    at = f"; its last message: {last}" if last else ""
    return f"it was stopped: a submission may take at most {seconds:.0f} s in all{at}"
