"""Which of this machine's processes belong to programs, and what they use, through psutil.

`portable_kernel` defines what belongs to a program. A program's supervisor uses this, too.
"""

import contextlib
import os
import threading
import time
from dataclasses import dataclass
from typing import Any

from referee.sandbox.program import MARK

psutil: Any
try:
    import psutil

    psutil.pids()
except (ImportError, NotImplementedError, OSError, IndexError):
    psutil = None  # it is made for another system, or misses its files

AT_REST = frozenset({"stopped", "tracing-stop", "zombie", "dead", "gone"})
ENDED = frozenset({"zombie", "dead", "gone"})
_SECONDS_BETWEEN_FULL_LISTINGS = 10.0
"""A process's number may belong to another one by then."""
_FIRST_PROCESS = 1


@dataclass(slots=True)
class _Tree:
    """The processes of one program."""

    program: int
    mark: str
    members: dict[int, int]
    """Its processes, each with the number of its session."""


class ProcessList:
    """The programs of this process, and the processes that belong to them. Thread-safe."""

    def __init__(self) -> None:
        """Start without programs."""
        self._lock = threading.RLock()
        self._trees: dict[int, _Tree] = {}
        self._others: set[int] = set()
        """Listed processes that belong to no program."""
        self._full_at = 0.0
        self._handles: dict[int, Any] = {}

    def begin(self, root: int, program: int, mark: str) -> None:
        """Add a program; its first process leads a session."""
        with self._lock:
            self._trees[root] = _Tree(program, mark, {program: program})
            self._others.discard(program)

    def forget(self, root: int) -> None:
        """Remove a program."""
        with self._lock:
            tree = self._trees.pop(root, None)
            for process in (root, *(tree.members if tree is not None else ())):
                self._handles.pop(process, None)

    def leads(self, process: int) -> bool:
        """Return whether this is the first process of a program."""
        with self._lock:
            return any(tree.program == process for tree in self._trees.values())

    def members(self, root: int) -> list[int]:
        """Return the living processes of a program; without psutil only the first, if it runs."""
        with self._lock:
            tree = self._trees.get(root)
            if tree is None:
                return []
            if psutil is None:
                return [tree.program] if self.status(tree.program) not in ENDED else []
            self._refresh()
            return [it for it in tree.members if self.status(it) not in ENDED]

    def _refresh(self) -> None:
        """List all processes, and find out to which program the new ones belong."""
        listed = set(psutil.pids())
        if time.monotonic() - self._full_at > _SECONDS_BETWEEN_FULL_LISTINGS:
            self._full_at = time.monotonic()
            self._others.clear()
        self._others &= listed
        known = self._others | self._trees.keys()
        for tree in self._trees.values():
            for process in tree.members.keys() - listed:
                del tree.members[process]
                self._handles.pop(process, None)
            known |= tree.members.keys()
        new = listed - known
        while found := {process for process in new if self._belongs(process)}:
            new -= found  # their children may be new as well
        self._others |= new

    def _belongs(self, process: int) -> bool:
        """Return whether a process belongs to a program, and add it to that."""
        try:
            parent, session = psutil.Process(process).ppid(), os.getsid(process)
        except (psutil.Error, OSError):
            return False
        for root, tree in self._trees.items():
            orphan = parent == _FIRST_PROCESS and _mark(process) == tree.mark
            related = parent == root or parent in tree.members or session in tree.members.values()
            if related or orphan:
                tree.members[process] = session
                return True
        return False

    def _handle(self, process: int) -> Any:
        """Return psutil's handle of a process, which is kept for those of programs."""
        with self._lock:
            handle = self._handles.get(process)
            if handle is None:
                handle = psutil.Process(process)
                if any(
                    root == process or process in it.members for root, it in self._trees.items()
                ):
                    self._handles[process] = handle
            return handle

    def status(self, process: int) -> str:
        """Return the state of a process in psutil's words; `gone` if there is none."""
        if psutil is None:
            return "unknown" if _exists(process) else "gone"
        try:
            return str(self._handle(process).status())
        except psutil.NoSuchProcess:  # a zombie is a process, and has a state
            return "gone"
        except psutil.Error:
            return "unknown"

    def cpu_s(self, process: int) -> tuple[float, float, float]:
        """Return the CPU time of a process, in and outside the kernel, and of ended children.

        Each in seconds, 0 if unknown.
        """
        if psutil is None:
            return 0.0, 0.0, 0.0
        with contextlib.suppress(psutil.Error):
            times = self._handle(process).cpu_times()
            ended = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
            return times.user, times.system, ended
        return 0.0, 0.0, 0.0

    def held(self, process: int) -> tuple[int, int]:
        """Return the resident bytes and the threads of a process; 0 if unknown."""
        if psutil is None:
            return 0, 0
        with contextlib.suppress(psutil.Error):
            handle = self._handle(process)
            return handle.memory_info().rss, handle.num_threads()
        return 0, 0

    def own_bytes(self, process: int) -> int:
        """Return the bytes that only this process holds, or else those it shares as well."""
        if psutil is None:
            return 0
        with contextlib.suppress(psutil.Error):
            return int(self._handle(process).memory_full_info().uss)
        return self.held(process)[0]


def _mark(process: int) -> str:
    """Return the mark in the environment of a process; empty if it has none, or hides it."""
    try:
        return str(psutil.Process(process).environ().get(MARK, ""))
    except (psutil.Error, OSError):
        return ""


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
