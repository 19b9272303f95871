"""A ladder that is run as people do it: from a shell at a terminal, with Ctrl-Z and `fg`."""

import os
import pty
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from tests.support.processes import children, is_stopped

_LOOK_EVERY_S = 0.02
_CTRL_C, _CTRL_Z = b"\x03", b"\x1a"
_SHELL = ("setsid", "--ctty", "bash", "--norc", "--noprofile", "-i")


@dataclass(frozen=True, slots=True)
class AtTerminal:
    """A command that a shell runs in the foreground of a terminal."""

    pid: int
    keys: int
    """What is typed is written here."""

    def poll(self) -> int | None:
        """Return 1 if the command is gone, else None."""
        return None if Path(f"/proc/{self.pid}").exists() else 1

    def suspend(self, seconds: float) -> None:
        """Press Ctrl-Z, and tell the shell to go on with it after so long."""
        os.write(self.keys, _CTRL_Z)
        self._wait(stopped=True)
        time.sleep(seconds)
        os.write(self.keys, b"fg\n")
        self._wait(stopped=False)

    def end(self) -> None:
        """Press Ctrl-C, and wait until the command has ended."""
        os.write(self.keys, _CTRL_C)
        while self.poll() is None:
            time.sleep(_LOOK_EVERY_S)

    def _wait(self, *, stopped: bool) -> None:
        while is_stopped(self.pid) != stopped and self.poll() is None:
            time.sleep(_LOOK_EVERY_S)


@contextmanager
def at_terminal(command: Sequence[str], log: Path) -> Iterator[AtTerminal]:
    """Have a shell run a command at a terminal, whose screen is written to a log."""
    keys, terminal = pty.openpty()
    shell = subprocess.Popen(
        _SHELL, stdin=terminal, stdout=terminal, stderr=terminal, env={**os.environ, "TERM": "dumb"}
    )
    os.close(terminal)
    reading = Thread(target=_copy, args=(keys, log))
    reading.start()
    try:
        os.write(keys, f"{shlex.join(command)}\n".encode())
        while not (found := children(shell.pid)):
            time.sleep(_LOOK_EVERY_S)
        run = AtTerminal(found[0], keys)
        yield run
        run.end()
    finally:
        for pid in (*children(shell.pid), shell.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shell.wait()
        reading.join()
        os.close(keys)


def _copy(screen: int, log: Path) -> None:
    """Copy what appears on a terminal, until the last program has left it."""
    with log.open("ab") as file, suppress(OSError):
        while shown := os.read(screen, 4096):
            file.write(shown)
