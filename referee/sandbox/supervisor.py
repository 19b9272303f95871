"""Run one program at the level `trusted`, and leave none of its processes behind.

A Python that sees no packages but this one runs this script as the parent of a program. The script
starts with every bot, so it imports little. It adopts processes that lose their parent, so all that
the program starts stays below it, however it forks. It kills all of that when the program ends, and
when the referee ends it or is gone: both close the socket between them. Then it ends as the program
did.

Where there is no Linux, orphans go to the system's first process instead, so `portable_kernel`
finds what bears the program's mark. If this process is killed there, the referee ends the program.

The referee sends one message, after its length: what to run. The answer is one line: `pid` and the
program's process id, or `errno` and the number of the error that kept it from running.

The arguments are the number of the socket, and that of a pipe that closes when this process ends.
Where there is no Linux, the folder of the packages and the mark follow.
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
    from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SECONDS_BETWEEN_PASSES = 0.001
_SECONDS_BETWEEN_LISTINGS = 0.005
_LISTINGS_WITHOUT = 2
"""After this number of listings that find nothing, nothing is left."""
_LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Run the program that the referee names, to its end."""
    referee, life = map(int, sys.argv[1:3])
    marked = sys.argv[3:]
    for descriptor in (referee, life):
        os.set_inheritable(descriptor, False)  # noqa: FBT003
    if not marked:
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    woken = _wake_on_children()
    message = _bytes(referee, int.from_bytes(_bytes(referee, 4)))
    if not message:
        return
    scratch, *task = marshal.loads(message)  # noqa: S302 -- from the referee itself
    program = _start(task, referee, dies_with_parent=not marked)
    status = _watch(program, referee, woken)
    if marked:
        _end_marked(program, *marked)
    else:
        _end_all()
    _remove(scratch)
    _end_as(status)


def _bytes(referee: int, number: int) -> bytes:
    """Return this number of bytes from the referee; none if it is gone."""
    received = b""
    while len(received) < number:
        chunk = os.read(referee, number - len(received))
        if not chunk:
            return b""
        received += chunk
    return received


def _wake_on_children() -> int:
    """Return a file descriptor that becomes readable when a child ends."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken


def _start(task: "list[Any]", referee: int, *, dies_with_parent: bool) -> int:
    """Start the program, tell the referee, and return its id."""
    reading, writing = os.pipe()  # the program's exec closes it
    program = os.fork()
    if program == 0:
        try:
            os.setsid()
            if dies_with_parent:
                _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
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
        for process, status in _reaped():
            if process == program:
                return status
        if referee in {descriptor for descriptor, _ in waiting.poll()}:
            return signal.SIGKILL
        os.read(woken, 4096)


def _reaped() -> list[tuple[int, int]]:
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


def _end_all() -> None:
    """Kill every process below this one until none is left."""
    while True:
        process_tree.kill(os.getpid())
        _reaped()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        time.sleep(_SECONDS_BETWEEN_PASSES)


def _end_marked(program: int, packages: str, mark: str) -> None:
    """Kill every process of a marked program until none is left."""
    _kill_group(program)
    sys.path.append(packages)
    # Imported only here, at the end: it takes longer than all else.
    from referee.sandbox import portable_kernel  # noqa: PLC0415

    portable_kernel.begin(os.getpid(), program, (packages, mark))
    without = 0
    while without < _LISTINGS_WITHOUT:
        _reaped()
        portable_kernel.kill(os.getpid())
        _kill_group(program)
        without = 0 if portable_kernel.descendants(os.getpid()) else without + 1
        time.sleep(_SECONDS_BETWEEN_LISTINGS)


def _kill_group(program: int) -> None:
    # Where only ended processes are left, some systems refuse the permission.
    try:  # noqa: SIM105 -- contextlib takes long to import
        os.killpg(program, signal.SIGKILL)
    except (PermissionError, ProcessLookupError):
        pass


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
