"""The child processes of a ladder: how one is started, talked to, watched, started again and ended.

Messages travel both ways through one pipe. A child's errors of Courtyard travel, too, so that
its parent reports why it ended.
"""

import atexit
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NoReturn, Self

from ladder.model.errors import LadderError
from ladder.model.heartbeat import SECONDS_BETWEEN_LOOKS, Heartbeat
from ladder.runner.interrupts import ENDING, SIGNALS
from ladder.runner.log_limit import limit_log
from referee.core.errors import CourtyardError
from referee.core.spawning import spawning
from referee.games.plain import guard
from referee.sandbox.cgroups.memory_groups import kernel_kills

_SECONDS_TO_LEAVE = 10.0
_CALLS = "calls"
"""The file in which a child names the call of rules that goes on."""


class Child:
    """A child process, as its parent sees it; `start` starts it, and another one after its end."""

    link: "connection.Connection[Any, Any]"
    """The pipe; it is readable when there is something to `receive`."""

    def __init__(self, name: str, target: Callable[..., None], *arguments: object) -> None:
        """Prepare a process that calls `target` with its `Parent` and `arguments`."""
        self._name = name
        self._target = target
        self._arguments = arguments
        self.heartbeat = Heartbeat()
        self.process = SpawnProcess()
        """The process; it is not alive before the first start."""

    def start(self) -> Self:
        """Start a process."""
        self.link, theirs = connection.Pipe()
        self.folder = Path(tempfile.gettempdir(), f"courtyard-{secrets.token_hex(4)}")
        """Its temporary files."""
        parent = Parent(theirs, self.folder, self.heartbeat)
        handed = parent, self._target, *self._arguments
        process = spawning().Process(target=_begin, args=handed)
        self._kills = kernel_kills()
        _start_blocking_signals(process)
        self.process = process
        self._call = ""
        atexit.register(self.process.kill)  # else multiprocessing's exit handler would wait for it
        theirs.close()
        return self

    def send(self, message: object) -> None:
        """Send it something; what `receive` raises shows if it has ended."""
        with suppress(OSError):
            self.link.send(message)

    def receive(self) -> Any:
        """Return its next message; if it has ended, reap it, and raise why as `LadderError`.

        An error of Courtyard's that ended it is raised itself.
        """
        try:
            message = self.link.recv()
        except (EOFError, OSError):
            self.reap()
            raise LadderError(self.ending()) from None
        if isinstance(message, _LastWords):
            self.reap()
            raise message.error
        return message

    def has_news_before(self, deadline: float) -> bool:
        """Wait until there is something to receive, or its heartbeat's clock shows the deadline."""
        while (left := deadline - self.heartbeat.clock()) > 0:
            if self.link.poll(max(left, SECONDS_BETWEEN_LOOKS)):
                return True
        return False

    def reap(self) -> None:
        """Wait for its end, kill it if it is late, and remove its files."""
        self.process.join(_SECONDS_TO_LEAVE)
        self.process.kill()
        self.process.join()
        atexit.unregister(self.process.kill)
        self.link.close()
        self._call = guard.reported(self.folder / _CALLS)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ending(self) -> str:
        """Return how the reaped process ended, in words."""
        status = self.process.exitcode or 0
        how = f"exited with status {status}"
        before, now = self._kills, kernel_kills()
        if status == -signal.SIGKILL and before is not None and (now or 0) > before:
            how = "was ended by the kernel (SIGKILL) for lack of memory"
        elif status == guard.STATUS:
            how = "was ended"
        elif status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        return f"{self._name} {how}{self._call}"


@dataclass(frozen=True, slots=True)
class Parent:
    """The parent of this process, as the process sees it."""

    link: "connection.Connection[Any, Any]"
    folder: Path
    """The place of this process's temporary files, which the parent removes."""
    heartbeat: Heartbeat

    def prepare(self) -> None:
        """Prepare this process for a life that the parent ends.

        Make its folder; raise `LadderError` if that fails, as on a full disk. From now on the
        process ends at once when its parent is gone. It ignores Ctrl-C, SIGTERM and SIGHUP: the
        parent decides whether a match is still played to its end.
        """
        try:
            self.folder.mkdir(mode=0o700)
        except OSError as error:
            raise LadderError(f"{self.folder}: {error.strerror}") from error
        tempfile.tempdir = str(self.folder)
        guard.report_in(self.folder / _CALLS)
        limit_log()
        for number in ENDING:  # a handler does that; bots would inherit an ignored signal
            signal.signal(number, lambda *_: None)
        ignore_interrupts()
        when_alone(self.leave)
        self.heartbeat.begin()

    def send(self, message: object) -> None:
        """Send it something; end at once if it is gone."""
        try:
            self.link.send(message)
        except OSError:
            self.leave()

    def receive(self) -> Any:
        """Return its next message; end at once if it is gone."""
        try:
            return self.link.recv()
        except (EOFError, OSError):
            self.leave()

    def leave(self) -> NoReturn:
        """End this process at once, even during a match, and remove its folder."""
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, sys.stdout.fileno())
        os.dup2(silence, sys.stderr.fileno())  # a match that loses its folder prints a lot
        shutil.rmtree(self.folder, ignore_errors=True)
        os._exit(1)


@dataclass(frozen=True, slots=True)
class _LastWords:
    """Why a child ended itself."""

    error: CourtyardError


def _begin(parent: Parent, target: Callable[..., None], *arguments: object) -> None:
    """Call `target` in a child; report an error of Courtyard's to the parent."""
    try:
        target(parent, *arguments)
    except CourtyardError as error:
        parent.send(_LastWords(error))
        sys.exit(1)


def _start_blocking_signals(process: SpawnProcess) -> None:
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


def when_alone(end: Callable[[], object]) -> None:
    """Call this in a thread as soon as this process's parent is gone."""

    def watch(sentinel: int) -> None:
        connection.wait([sentinel])
        end()

    if parent := parent_process():
        threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
