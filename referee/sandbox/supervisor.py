"""Run one program at the level `trusted`, and leave none of its processes behind.

A Python that sees no packages but this one runs this script as the parent of a program. The script
starts with every bot, so it imports little. It adopts processes that lose their parent, so all that
the program starts stays below it, however it forks. It kills all of that when the program ends, and
when the referee says so or is gone: both close the socket between them. Then it ends as the program
did.

The referee sends one message: what to run. The answer is one line: `pid` and the program's process
id, or `errno` and the number of the error that kept it from running.
"""

import ctypes
import marshal
import os
import resource
import select
import signal
import sys
import time

from referee.sandbox.meter import process_tree

TYPE_CHECKING = False  # importing typing's takes long
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_MESSAGE = 1 << 20
_SECONDS_BETWEEN_PASSES = 0.001
_LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Run the program that the referee names on the socket whose number is the argument."""
    referee = int(sys.argv[1])
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    supervise(referee, lambda: os.read(referee, _LONGEST_MESSAGE), _die_with_parent, _end_all)


def supervise(
    referee: int,
    receive: "Callable[[], bytes]",
    begin: "Callable[[], object]",
    end_all: "Callable[[int], None]",
) -> None:
    """Run the program that the received message names, to its end.

    `begin` is called in the program's process before its limits hold, `end_all` with its id once it
    has ended or is to end.
    """
    os.set_inheritable(referee, False)  # noqa: FBT003
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    woken = _wake_on_children()
    message = receive()
    if not message:
        return
    scratch, *task = marshal.loads(message)  # noqa: S302 -- from the referee itself
    program = _start(task, referee, begin)
    status = _watch(program, referee, woken)
    end_all(program)
    _remove(scratch)
    _end_as(status)


def _wake_on_children() -> int:
    """Return a file descriptor that becomes readable when a child ends."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken


def _start(task: "list[Any]", referee: int, begin: "Callable[[], object]") -> int:
    """Start the program, tell the referee, and return its id."""
    reading, writing = os.pipe()  # the program's exec closes it
    program = os.fork()
    if program == 0:
        try:
            os.setsid()
            begin()
            _become(*task)
        except OSError as error:
            os.write(writing, b"errno %d\n" % (error.errno or 0))
        os._exit(127)
    os.close(writing)
    _let_go()
    failure = os.read(reading, 64)
    os.write(referee, failure or b"pid %d\n" % program)
    return program


def _become(
    command: list[str],
    directory: str,
    environment: dict[str, str],
    limits: list[tuple[int, int]],
) -> None:
    """Turn this process, a child, into the program."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    for limit, value in limits:
        resource.setrlimit(limit, (value, value))
    os.chdir(directory)
    os.execvpe(command[0], command, environment)  # noqa: S606


def _die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _let_go() -> None:
    """Close the program's stdin, stdout and stderr here: only it may hold them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _watch(program: int, referee: int, woken: int) -> int:
    """Wait until the program ends or the referee wants it to; return a `waitpid` status."""
    waiting = select.poll()
    waiting.register(referee, select.POLLIN)
    waiting.register(woken, select.POLLIN)
    while True:
        for process, status in reaped():
            if process == program:
                return status
        if referee in {descriptor for descriptor, _ in waiting.poll()}:
            return signal.SIGKILL
        os.read(woken, 4096)


def reaped() -> list[tuple[int, int]]:
    """Reap ended children; return ids and statuses."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not process:
            return ended
        ended.append((process, status))


def _end_all(_program: int) -> None:
    """Kill every process below this one until none is left."""
    while True:
        process_tree.kill(os.getpid())
        reaped()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        time.sleep(_SECONDS_BETWEEN_PASSES)


def _remove(folder: str) -> None:
    """Remove the program's scratch folder, even its inaccessible parts."""
    # Imported only here, at the end: it takes as long as all else.
    import shutil  # noqa: PLC0415

    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(path, name)  # noqa: PTH118
            if not os.path.islink(inner):  # noqa: PTH114
                os.chmod(inner, 0o700)  # noqa: PTH101
    shutil.rmtree(folder, ignore_errors=True)


def _end_as(status: int) -> None:
    """End as the program did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
