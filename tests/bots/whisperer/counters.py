"""Channels through counters of the whole machine that only grow: the receiver reads the growth."""

import mmap
import os
import re
import socket
import struct
from pathlib import Path

from calls import call, on_first_core  # type: ignore[import-not-found]  # it is beside this

_MANY = 200
_MIB = 1 << 20
_SO_COOKIE = 57


class _Since:
    """Reads by how much a number has grown since the last time."""

    def __init__(self) -> None:
        on_first_core()
        self.before = 0

    def read(self) -> int:
        """Return the difference, which is of no use at first."""
        now = self.count()
        before, self.before = self.before, now
        return now - before

    def count(self) -> int:
        """Return the number."""
        raise NotImplementedError


class Forks(_Since):
    """How many processes the machine has ever started."""

    def send(self, bit: int) -> None:
        """Start some."""
        for _ in range(30 * bit):
            _fork()

    def count(self) -> int:
        """Read it."""
        found = re.search(r"processes (\d+)", Path("/proc/stat").read_text())
        return int(found[1]) if found else 0


class ProcessNumbers(Forks):
    """The file of each process has a number of its own."""

    def count(self) -> int:
        """Start a process; return the number of its file."""
        child = os.fork()
        if child == 0:
            os._exit(0)
        try:
            opened = call("pidfd_open", child, 0)
        finally:
            os.waitpid(child, 0)
        number = os.fstat(opened).st_ino
        os.close(opened)
        return number


class Faults(_Since):
    """How often memory was looked for, in all of the machine."""

    def send(self, bit: int) -> None:
        """Touch much memory."""
        if bit:
            memory = mmap.mmap(-1, 64 * _MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            for offset in range(0, len(memory), mmap.PAGESIZE):
                memory[offset] = 1

    def count(self) -> int:
        """Read it."""
        found = re.search(r"pgfault (\d+)", Path("/proc/vmstat").read_text())
        return int(found[1]) if found else 0


class Cookies(_Since):
    """Each socket has a number of its own, if asked for it."""

    def send(self, bit: int) -> None:
        """Ask many."""
        for _ in range(_MANY * bit):
            self.count()

    def count(self) -> int:
        """Ask one."""
        with socket.socket(socket.AF_UNIX) as one:
            number: int = struct.unpack("Q", one.getsockopt(socket.SOL_SOCKET, _SO_COOKIE, 8))[0]
            return number


class FileNumbers(_Since):
    """Each pipe has a number of its own."""

    def send(self, bit: int) -> None:
        """Make many."""
        for _ in range(_MANY * bit):
            self.count()

    def count(self) -> int:
        """Make one."""
        ends = os.pipe()
        number = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return number


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


CHANNELS = {
    "processes that the machine started": Forks,
    "page faults of the machine": Faults,
    "the numbers of processes' files": ProcessNumbers,
    "the numbers of sockets (SO_COOKIE)": Cookies,
    "the numbers of pipes (st_ino)": FileNumbers,
}
