"""Find, stop and kill the processes below a root process, through /proc.

A process that loses its parent is adopted by the nearest reaper above it, here always the root of
the tree: the first process of a namespace, or the supervisor of the level `trusted`. So nothing
leaves the tree. One pass misses processes that fork faster than this code looks: where that
matters, passes repeat until one finds nothing new.

The supervisor of `trusted` uses this, too, and starts often: imports must be quick.
"""

import os
import signal
import time
from collections.abc import Iterable

_MOST_PASSES = 20
"""How many passes may find new processes: others' time passes meanwhile."""
_SECONDS_BETWEEN_PASSES = 0.0001
_SECONDS_TO_STOP = 0.005
_EXPENDABLE = 500
"""Counts like half of the memory that there is, where a process may ask for -1000 to 1000."""
_AT_REST = frozenset("TtZX")


def descendants(root: int) -> list[int]:
    """Return all living processes below a process, parents before their children."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def threads(process: int) -> list[str]:
    """Return the ids of a process's threads; none if it is gone."""
    try:
        return os.listdir(f"/proc/{process}/task")  # noqa: PTH208 -- called very often
    except OSError:
        return []


def _children(process: int) -> list[int]:
    return [
        int(child)
        for thread in threads(process)
        for child in read(f"/proc/{process}/task/{thread}/children").split()
    ]


def eldest(root: int) -> int:
    """Return the first child of a process; 0 if it has none."""
    first = read(f"/proc/{root}/task/{root}/children").split()[:1]
    return int(first[0]) if first else 0


def user_ticks(process: int) -> int:
    """Return the CPU time of a process outside the kernel, in ticks; 0 if it is gone."""
    fields = _after_the_name(f"/proc/{process}/stat").split()
    return int(fields[11]) if fields else 0


def children_ticks(process: int) -> int:
    """Return the CPU time of a process's reaped children, in ticks; 0 if it is gone."""
    fields = _after_the_name(f"/proc/{process}/stat").split()
    return int(fields[13]) + int(fields[14]) if fields else 0


def cpu_ns(process: int) -> int:
    """Return the CPU time of a process with all its threads; 0 if it is gone."""
    try:
        return time.clock_gettime_ns((~process << 3) | 2)  # the kernel's name for this clock
    except OSError:
        return 0


def is_gone(process: int) -> bool:
    """Return whether a process has ended, though it may still be listed."""
    return _state(f"/proc/{process}/stat") in "ZX"


def is_zombie(process: int) -> bool:
    """Return whether a process has ended and its parent has not yet reaped it.

    False if it hides its state, or runs on in other threads than its first.
    """
    if _after_the_name(f"/proc/{process}/stat").split()[:1] != ["Z"]:
        return False
    return all(_state(f"/proc/{process}/task/{it}/stat") in "ZX" for it in threads(process))


def stop(root: int) -> list[int] | None:
    """Stop all processes below this one; return them, or None if they fork too fast for that.

    Takes about 0.2 ms: a signalled process stops as soon as it gets a core, before any instruction
    of its own. Waits at most 5 ms for processes that get no core.
    """
    signalled: set[int] = set()
    passes = 0
    until = time.monotonic() + _SECONDS_TO_STOP
    while passes < _MOST_PASSES:
        found = descendants(root)
        if not signalled.issuperset(found):
            passes += 1
        elif all(_has_stopped(process) for process in found) or time.monotonic() > until:
            return found
        send_signal((process for process in found if process not in signalled), signal.SIGSTOP)
        signalled.update(found)
        time.sleep(_SECONDS_BETWEEN_PASSES)
    return None


def send_signal(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each of these that still exists."""
    for process in processes:
        try:  # noqa: SIM105 -- contextlib takes long to import
            os.kill(process, number)
        except (PermissionError, ProcessLookupError):
            pass


def kill(root: int) -> None:
    """Kill all current processes below this one."""
    send_signal(descendants(root), signal.SIGKILL)


def is_at_rest(process: int) -> bool:
    """Return whether a process is gone or stopped, with all its threads."""
    return all(_state(f"/proc/{process}/task/{it}/stat") in _AT_REST for it in threads(process))


def _has_stopped(process: int) -> bool:
    """Return whether a process's first thread is at rest: the other threads follow."""
    state = _state(f"/proc/{process}/stat")
    # The first thread has ended: others may live on.
    return state in _AT_REST if state != "Z" else is_at_rest(process)


def _state(file: str) -> str:
    return _after_the_name(file).lstrip()[:1] or "X"


def _after_the_name(file: str) -> str:
    # The name may hold anything, brackets included.
    return read(file).rpartition(")")[2]


def make_expendable(process: int) -> None:
    """Let the kernel kill a process, and what it will start, before others if memory runs out.

    Not before one that fills half of the memory: that one is to blame.
    """
    file = f"/proc/{process}/oom_score_adj"
    if int(read(file) or _EXPENDABLE) < _EXPENDABLE:
        try:
            with open(file, "wb", buffering=0) as opened:  # noqa: PTH123 -- as `read`
                opened.write(b"%d" % _EXPENDABLE)
        except OSError:  # it is gone, or not ours
            return


def read(file: str) -> str:
    """Return the content of a file in /proc; empty if the process is gone or hides it."""
    try:
        with open(file, "rb", buffering=0) as opened:  # noqa: PTH123 -- called very often
            return opened.read().decode(errors="replace")
    except OSError:
        return ""
