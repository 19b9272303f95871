"""A child process of a run, which plays matches and ends with the run."""

import atexit
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NoReturn

from ladder.model.errors import LadderError
from ladder.runner.interrupts import ENDING, SIGNALS
from ladder.runner.log_limit import limit_log
from referee.core.spawning import spawning
from referee.sandbox.cgroups.memory_groups import kernel_kills

_SECONDS_TO_LEAVE = 10.0

Link = connection.Connection
"""A connection between a child and its parent."""


@dataclass(frozen=True, slots=True, eq=False)
class Child:
    """A child process, as its parent sees it."""

    process: SpawnProcess
    link: "Link[Any, Any]"
    folder: Path
    """The child's temporary files."""
    kills: int | None
    """The count of kernel kills (`kernel_kills`) before the child started."""

    @classmethod
    def start(cls, target: Callable[..., None], *arguments: object) -> "Child":
        """Start a process that calls `target` with its link, its folder and `arguments`."""
        ours, theirs = connection.Pipe()
        folder = Path(tempfile.gettempdir(), f"courtyard-{secrets.token_hex(4)}")
        handed = target, theirs, folder, *arguments
        process = spawning().Process(target=_begin, args=handed, daemon=True)
        kills = kernel_kills()
        start_blocking_signals(process)
        atexit.register(
            process.kill
        )  # else multiprocessing's exit handler would send SIGTERM and wait
        theirs.close()
        return cls(process, ours, folder, kills)

    def reap(self) -> None:
        """Wait for the process, kill it if it is late, and remove its files."""
        self.process.join(_SECONDS_TO_LEAVE)
        self.process.kill()
        self.process.join()
        atexit.unregister(self.process.kill)
        self.link.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ending(self) -> str:
        """Return how the reaped process ended, in words."""
        return ending(self.process, self.kills)


def _begin(target: Callable[..., None], *arguments: object) -> None:
    """Call `target` in a child; print a `LadderError` in one line and exit."""
    try:
        target(*arguments)
    except LadderError as error:
        sys.exit(f"error: {error}")


def ending(process: SpawnProcess, kills: int | None) -> str:
    """Return how a finished process ended, in words.

    `kills` is the value of `kernel_kills` before its start.
    """
    status = process.exitcode or 0
    if status == -signal.SIGKILL and kills is not None and (kernel_kills() or 0) > kills:
        return "was ended by the kernel (SIGKILL) for lack of memory"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"exited with status {status}"


def start_blocking_signals(process: SpawnProcess) -> None:
    """Start a process with stop signals blocked until it calls `ignore_interrupts`."""
    resource_tracker.ensure_running()  # otherwise `start` does that, and unblocks Ctrl-C
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # which is inherited
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C, which the terminal sends to all processes, including a pending one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def ignore_termination() -> None:
    """Ignore SIGTERM and SIGHUP, which shells and service managers send to all processes.

    A handler does that; bots would inherit an ignored signal.
    """
    for number in ENDING:
        signal.signal(number, lambda *_: None)


def prepare_child(folder: Path) -> None:
    """Prepare a child process, whose temporary files go below the folder.

    Make the folder, which the parent removes; raise `LadderError` if that fails, as on a full disk.
    From now on the process ends at once when its parent is gone. It ignores Ctrl-C, SIGTERM and
    SIGHUP: the parent decides whether a match is still played to its end.
    """
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise LadderError(f"{folder}: {error.strerror}") from error
    tempfile.tempdir = str(folder)
    limit_log()
    ignore_termination()
    ignore_interrupts()
    threading.Thread(target=_end_with_the_ladder, args=(folder,), daemon=True).start()


def exit_at_once(folder: Path) -> NoReturn:
    """End this process at once, and remove its folder."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, sys.stdout.fileno())
    os.dup2(silence, sys.stderr.fileno())  # a match that loses its folder prints a lot
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _end_with_the_ladder(folder: Path) -> None:
    """Wait until the parent is gone, then end this process, even during a match."""
    ladder = parent_process()
    if ladder is not None:
        connection.wait([ladder.sentinel])
        exit_at_once(folder)
