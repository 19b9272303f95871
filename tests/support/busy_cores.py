"""Cores that other programs keep busy, and matches that a busy machine may void."""

import fcntl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from courtyard.v1 import record_pb2

from referee.core.errors import PausedError, RefereeError
from tests.support.lacking import need_linux

BURN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
parent = os.getppid()
print(flush=True)
while os.getppid() == parent:  # it ends with tests that are killed
    pass
"""


@contextmanager
def burners(cores: list[int]) -> Iterator[None]:
    """Keep these cores busy, each as often as named; one test at a time."""
    need_linux()
    command = [sys.executable, "-I", "-S", "-c", BURN]
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # In own sessions: the kernel may share a core among sessions.
        busy = [
            subprocess.Popen([*command, str(core)], stdout=subprocess.PIPE, start_new_session=True)
            for core in cores
        ]
        try:
            for process in busy:
                assert process.stdout is not None
                process.stdout.readline()
            yield
        finally:
            for process in busy:
                process.kill()
            for process in busy:
                process.communicate()


def unless_void(play: Callable[[], record_pb2.Record]) -> record_pb2.Record | None:
    """Play a match; None if it is void because its bot got no core, or all stood still.

    The latter happens on a virtual machine whose host is busy.
    """
    try:
        return play()
    except PausedError:
        return None
    except RefereeError as error:
        if "had to wait for a core" not in str(error):
            raise
        return None
