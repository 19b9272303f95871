"""The seam between a bot's process and the two ways in which one is started and contained."""

from pathlib import Path
from subprocess import Popen
from typing import Protocol

from referee.sandbox.cgroup import Group
from referee.sandbox.program import Level, Limits, Program
from referee.sandbox.streams import Streams


class Launched(Protocol):
    """A program that was started, with all that it starts."""

    process: Popen[bytes]
    """What the referee itself has started: it ends with the program."""
    ended: int
    """A file descriptor that becomes readable when that process is gone."""
    inner: int | None
    """Another that does when the last process of the program is, if that may be later."""
    report: int
    """A file descriptor: here comes a line when the program is there, or nothing at all."""
    streams: Streams
    limits: Limits
    group: Group | None
    """The control group that holds its limits, if there is one."""
    root: int
    """The process below which the program is; 0 until it is found."""

    def program(self) -> int:
        """Return the number of the program's first process; 0 if there is none yet."""

    def find(self, line: bytes) -> None:
        """Learn from the line that was reported where the program is.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """

    def go(self) -> None:
        """Let it go on to where the program begins; raise `RefereeError` if that fails."""

    def begins(self) -> bool:
        """Let the program begin if it would end with the referee; ask again if it does not."""

    def excess(self) -> str:
        """Return what it has too much of that no process holds; empty if of nothing."""

    def end(self) -> None:
        """Kill all of it, at once or soon; may be called at any time, from any thread, again."""

    def force(self) -> None:
        """Kill all of it by other means, when it is still there long after `end`."""

    def status(self, printed: str) -> int:
        """Return how the program ended, when it is gone: its status, or minus a signal.

        Raise `RefereeError` if it was the sandbox that failed; `printed` is what was said of it.
        """

    def clear(self) -> None:
        """Put away all that belonged to it, when all of it is gone; once."""


class Launcher(Protocol):
    """One way of starting programs."""

    level: Level

    def seen(self, place: Path) -> str:
        """Return how a program sees its place."""

    def launch(self, program: Program) -> Launched:
        """Start a program; call it in the spawner's thread.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """
