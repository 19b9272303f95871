"""A process that a run of the ladder starts to play matches, and that ends with it."""

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
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NoReturn

from ladder.model.errors import LadderError
from ladder.runner.interrupts import ENDING, SIGNALS
from ladder.runner.kernel_kills import kernel_kills

_SECONDS_TO_LEAVE = 10.0

Link = connection.Connection
"""Carries messages between a child and the run that started it."""


@dataclass(frozen=True, slots=True, eq=False)
class Child:
    """A child, seen from the run that started it."""

    process: SpawnProcess
    link: "Link[Any, Any]"
    folder: Path
    """Where it puts what it needs for a while."""
    kills: int | None
    """How many processes the kernel had ended for lack of memory before."""

    @classmethod
    def start(cls, target: Callable[..., None], *arguments: object) -> "Child":
        """Start a process that calls `target` with its end of a link, its folder, and these."""
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        folder = Path(tempfile.gettempdir(), f"courtyard-{secrets.token_hex(4)}")
        told = target, theirs, folder, *arguments
        process = context.Process(target=_begin, args=told, daemon=True)
        kills = kernel_kills()
        start_unheard(process)
        atexit.register(process.kill)  # who leaves in a hurry would ask it by SIGTERM, and wait
        theirs.close()
        return cls(process, ours, folder, kills)

    def reap(self) -> None:
        """Wait until the process is gone, and put away what it has left."""
        self.process.join(_SECONDS_TO_LEAVE)
        self.process.kill()
        self.process.join()
        atexit.unregister(self.process.kill)
        self.link.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ending(self) -> str:
        """Return how a process ended that is reaped."""
        return ending(self.process, self.kills)


def _begin(target: Callable[..., None], *arguments: object) -> None:
    """Call `target` in a child; what the ladder or its machine lacks is one line, and the end."""
    try:
        target(*arguments)
    except LadderError as error:
        sys.exit(f"error: {error}")


def ending(process: SpawnProcess, kills: int | None) -> str:
    """Return how a process ended that was waited for, in words.

    `kills` is what `kernel_kills` said before it was started.
    """
    status = process.exitcode or 0
    if status == -signal.SIGKILL and kills is not None and (kernel_kills() or 0) > kills:
        return "was ended by the kernel (SIGKILL), as there was no memory left"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"exited with status {status}"


def start_unheard(process: SpawnProcess) -> None:
    """Start a process that no request to stop reaches before it calls `ignore_interrupts`."""
    resource_tracker.ensure_running()  # else the start does that, and unblocks Ctrl-C
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # which is inherited
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def ignore_interrupts() -> None:
    """Do not listen to Ctrl-C, which the terminal sends to all, nor to one of before."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def ignore_termination() -> None:
    """Do not listen to what shells, terminals and service managers send to all processes.

    By a handler, not by ignoring it: that would be inherited by the bots.
    """
    for number in ENDING:
        signal.signal(number, lambda *_: None)


def settle_in(folder: Path) -> None:
    """Begin a child's work: all that it puts on the disk for a while is below the folder.

    It makes the folder, and whoever ends it removes it; raise `LadderError` where none can be made,
    as on a full disk. It ends at once when the ladder's process is gone, however that went. A
    Ctrl-C, SIGTERM or SIGHUP is the ladder's business: it may want this match to be played to its
    end.
    """
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise LadderError(f"{folder}: {error.strerror}") from error
    tempfile.tempdir = str(folder)
    ignore_termination()
    ignore_interrupts()
    threading.Thread(target=_end_with_the_ladder, args=(folder,), daemon=True).start()


def vanish(folder: Path) -> NoReturn:
    """End this process in the middle of whatever it does, and leave nothing behind."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, sys.stdout.fileno())
    os.dup2(silence, sys.stderr.fileno())  # a match that loses its folder has much to say
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _end_with_the_ladder(folder: Path) -> None:
    """Wait until the ladder's process is gone, then end this one, in the middle of a match too."""
    ladder = parent_process()
    if ladder is not None:
        connection.wait([ladder.sentinel])
        vanish(folder)
