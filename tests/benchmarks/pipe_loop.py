"""A bare loop over pipes: a parent that passes messages to each of its children in turn.

Started as `python pipe_loop.py CORE SEATS REQUEST_BYTES REPLY_BYTES CHILD...`; CHILD is a command
to which both sizes are added. What the messages hold does not matter. Reads a number of seconds a
line, answers each with the round trips done and the seconds they took.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any


def main(core: int, seats: int, request_bytes: int, reply_bytes: int, child: Sequence[str]) -> None:
    """Pass messages for as many seconds as each line says."""
    os.sched_setaffinity(0, [core])
    command = [*child, str(request_bytes), str(reply_bytes)]
    children = [_started(command) for _ in range(seats)]
    pipes = [(child.stdin.fileno(), child.stdout.fileno()) for child in children]
    request = b"x" * request_bytes
    for line in sys.stdin:
        trips, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < float(line):
            for to_child, from_child in pipes:
                os.write(to_child, request)
                left = reply_bytes
                while left:
                    left -= len(os.read(from_child, left))
            trips += seats
        print(trips, taken, flush=True)


def _started(command: list[str]) -> Any:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


if __name__ == "__main__":
    core, seats, request_bytes, reply_bytes = map(int, sys.argv[1:5])
    main(core, seats, request_bytes, reply_bytes, sys.argv[5:])
