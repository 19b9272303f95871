"""Run one program at the level `trusted` where there is no Linux, and end what it started.

Like `supervisor`, but orphans go to the system's first process instead of this one, and nothing
ends the program if this process is killed: then the referee ends it. The socket carries the length
of the message before it, as not every system keeps the borders of messages.

The arguments are the number of the socket, and that of a pipe that closes when this process ends.
"""

import os
import signal
import sys
import time

from referee.sandbox.supervisor import reaped, supervise

_SECONDS_BETWEEN_PASSES = 0.005
_PASSES_WITHOUT = 2
"""After this number of passes that find nothing, nothing is left."""


def main() -> None:
    """Run the program that the referee names."""
    referee, life = map(int, sys.argv[1:3])
    os.set_inheritable(life, False)  # noqa: FBT003
    packages, mark = sys.argv[3:5]

    def end_all(program: int) -> None:
        _end_all(program, packages, mark)

    supervise(referee, lambda: _message(referee), lambda: None, end_all)


def _message(referee: int) -> bytes:
    """Return the referee's message; empty if the referee is gone."""
    length = int.from_bytes(_bytes(referee, 4))
    return _bytes(referee, length)


def _bytes(referee: int, number: int) -> bytes:
    received = b""
    while len(received) < number:
        chunk = os.read(referee, number - len(received))
        if not chunk:
            return b""
        received += chunk
    return received


def _end_all(program: int, packages: str, mark: str) -> None:
    """Kill every process of the program until none is left."""
    _kill_group(program)
    sys.path.append(packages)
    # Imported only here, at the end: it takes longer than all else.
    from referee.sandbox import portable_kernel  # noqa: PLC0415

    portable_kernel.begin(os.getpid(), program, mark)
    without = 0
    while without < _PASSES_WITHOUT:
        reaped()
        portable_kernel.kill(os.getpid())
        _kill_group(program)
        without = 0 if portable_kernel.descendants(os.getpid()) else without + 1
        time.sleep(_SECONDS_BETWEEN_PASSES)


def _kill_group(program: int) -> None:
    # Where only ended processes are left, some systems refuse the permission.
    try:  # noqa: SIM105 -- contextlib takes long to import
        os.killpg(program, signal.SIGKILL)
    except (PermissionError, ProcessLookupError):
        pass


if __name__ == "__main__":
    main()
