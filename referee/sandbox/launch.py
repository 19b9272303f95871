"""The interface between a bot's process and the two ways to start and contain one."""

from pathlib import Path
from subprocess import Popen
from typing import Protocol

from referee.sandbox.cgroup import ControlGroup
from referee.sandbox.program import Level, Limits, Program
from referee.sandbox.streams import Streams


class Launched(Protocol):
    """A started program and its whole process tree."""

    process: Popen[bytes]
    """The process that the referee itself started; it ends with the program."""
    ended: int
    """A file descriptor that becomes readable when that process has ended."""
    inner: int | None
    """Another that does so when the program's last process has ended, if that may be later."""
    report: int
    """A file descriptor that delivers a line once the program exists, or nothing."""
    streams: Streams
    limits: Limits
    group: ControlGroup | None
    """The control group with its limits, if any."""
    root: int
    """The root of the program's process tree; 0 until `find`."""

    def program(self) -> int:
        """Return the id of the program's first process; 0 if there is none yet."""

    def find(self, line: bytes) -> None:
        """Locate the program with the reported line.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """

    def go(self) -> None:
        """Continue to the start of the program; raise `RefereeError` if that fails."""

    def begins(self) -> bool:
        """Start the program if it would now die with the referee; if False, call again."""

    def excess(self) -> str:
        """Return which resource outside its processes exceeds its limit; empty if none."""

    def end(self) -> None:
        """Kill the whole tree, at once or soon; callable repeatedly, from any thread."""

    def force(self) -> None:
        """Kill the whole tree by other means, if it survives `end` for long."""

    def status(self, printed: str) -> int:
        """Return the exit status of the ended program, or minus the signal that killed it.

        Raise `RefereeError` if the sandbox failed; `printed` is the output.
        """

    def clear(self) -> None:
        """Clean up once the whole tree has ended; call once."""


class Launcher(Protocol):
    """One way to start programs."""

    level: Level

    def seen(self, place: Path) -> str:
        """Return the path at which a program sees its place."""

    def launch(self, program: Program) -> Launched:
        """Start a program; call this in the spawner's thread.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """
