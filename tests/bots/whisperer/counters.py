"""Channels through what the kernel counts for the whole machine."""

import contextlib
import ctypes
import mmap
import os
import re
import signal
import socket
import struct
import threading
import time
from pathlib import Path

from calls import call, on_first_core  # type: ignore[import-not-found]  # it is beside this

_SYSINFO, _IO_SETUP, _IO_DESTROY, _PIDFD_OPEN = 99, 206, 207, 434
_MANY = 200
_CHILDREN = 60
_MIB = 1 << 20
_SO_COOKIE = 57
_HELPERS, _PIPES = 10, 110
"""Together these have as many pages as a user may have before the next pipes get fewer."""
_ON_THEIR_WAY, _A_SOCKET = 200, 8
"""Descriptors that are sent; a socket takes ten messages before it is full."""


class _Files:
    """Sends by how many files are open."""

    def __init__(self) -> None:
        on_first_core()
        self.held: list[int] = []

    def send(self, bit: int) -> None:
        """Open many, or close all."""
        while self.held:
            os.close(self.held.pop())
        self.held = [self.open() for _ in range(_MANY * bit)]

    def open(self) -> int:
        """Open one."""
        return os.open("/dev/null", os.O_RDONLY)


class OpenFiles(_Files):
    """How many files are open on the machine."""

    def read(self) -> int:
        """Read it."""
        return int(Path("/proc/sys/fs/file-nr").read_text().split()[0])


class Terminals(_Files):
    """How many pseudo-terminals there are on the machine."""

    def open(self) -> int:
        """Open one."""
        return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)

    def read(self) -> int:
        """Read it."""
        return int(Path("/proc/sys/kernel/pty/nr").read_text())


class EventNumbers(_Files):
    """The number of an eventfd is the least that is free on the machine."""

    def open(self) -> int:
        """Make one."""
        return os.eventfd(0)

    def read(self) -> int:
        """Make one; return its number."""
        made = os.eventfd(0)
        told = Path(f"/proc/self/fdinfo/{made}").read_text()
        os.close(made)
        found = re.search(r"eventfd-id:\s+(\d+)", told)
        return int(found[1]) if found else 0


class Requests:
    """How many requests of asynchronous I/O the machine has room for."""

    context = 0

    def send(self, bit: int) -> None:
        """Ask for room for many, or give it back."""
        if self.context:
            call(_IO_DESTROY, ctypes.c_ulong(self.context))
            self.context = 0
        if bit:
            context = ctypes.c_ulong(0)
            call(_IO_SETUP, 1000, ctypes.byref(context))
            self.context = context.value

    def read(self) -> int:
        """Read it."""
        return int(Path("/proc/sys/fs/aio-nr").read_text())


class _Threads:
    """Sends by how many threads there are."""

    def __init__(self) -> None:
        self.end = threading.Event()
        self.threads: list[threading.Thread] = []

    def send(self, bit: int) -> None:
        """Start many, or end them."""
        self.end.set()
        for thread in self.threads:
            thread.join()
        self.end = threading.Event()
        self.threads = [
            threading.Thread(target=self.end.wait, daemon=True) for _ in range(100 * bit)
        ]
        for thread in self.threads:
            thread.start()


class ThreadsByCall(_Threads):
    """How many threads the machine has, by system call."""

    def read(self) -> int:
        """Read it."""
        told = ctypes.create_string_buffer(128)
        call(_SYSINFO, told)
        count: int = struct.unpack_from("H", told.raw, 80)[0]
        return count


class ThreadsByFile(_Threads):
    """How many threads the machine has, by file."""

    def read(self) -> int:
        """Read it."""
        return int(Path("/proc/loadavg").read_text().split()[3].split("/")[1])


class Processes:
    """How many processes the machine has."""

    def __init__(self) -> None:
        self.children: list[int] = []

    def send(self, bit: int) -> None:
        """Start many that stay, or end them."""
        while self.children:
            os.kill(self.children[-1], signal.SIGKILL)
            os.waitpid(self.children.pop(), 0)
        for _ in range(_CHILDREN * bit):
            if (child := os.fork()) == 0:
                signal.pause()
            self.children.append(child)

    def read(self) -> int:
        """Count the links of the folder of all processes."""
        return Path("/proc").stat().st_nlink


class Memory:
    """How much memory of the machine is taken."""

    held: mmap.mmap | None = None

    def send(self, bit: int) -> None:
        """Fill some, or give it back."""
        self.held = None
        if bit:
            self.held = mmap.mmap(-1, 128 * _MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            for offset in range(0, len(self.held), mmap.PAGESIZE):
                self.held[offset] = 1

    def read(self) -> int:
        """Read it."""
        found = re.search(r"AnonPages:\s+(\d+)", Path("/proc/meminfo").read_text())
        return int(found[1]) if found else 0


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
            opened = call(_PIDFD_OPEN, child, 0)
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


class PipeBuffers(_Files):
    """Once all pipes of a user have many pages, the next ones get few."""

    def __init__(self) -> None:
        super().__init__()
        self.helpers: list[tuple[int, int]] = []

    def send(self, bit: int) -> None:
        """Let children make many pipes, or end them."""
        while self.helpers:
            child, ending = self.helpers.pop()
            os.close(ending)
            os.waitpid(child, 0)
        for _ in range(_HELPERS * bit):
            self.helpers.append(self._helper())

    def _helper(self) -> tuple[int, int]:
        """Start a child that has many pipes until its own one ends."""
        waiting, ending = os.pipe()
        ready, made = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ending)
            with contextlib.suppress(OSError):
                for _ in range(_PIPES):
                    os.pipe()
            os.close(made)
            os.read(waiting, 1)
            os._exit(0)
        os.close(waiting)
        os.close(made)
        os.read(ready, 1)
        os.close(ready)
        return child, ending

    def read(self) -> int:
        """Return how much a new pipe holds."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        held = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                held += os.write(writing, bytes(mmap.PAGESIZE))
        os.close(reading)
        os.close(writing)
        return held


class FilesOnTheirWay:
    """A user may have so many descriptors on their way through sockets as one process has files."""

    def __init__(self) -> None:
        self.ends: list[socket.socket] = []

    def send(self, bit: int) -> None:
        """Send many that nobody takes, or take them back."""
        self._clear()
        if bit:
            self._send(_ON_THEIR_WAY)

    def read(self) -> int:
        """Return how many can be sent."""
        sent = self._send(2 * _ON_THEIR_WAY)
        self._clear()
        return sent

    def _send(self, most: int) -> int:
        for sent in range(most):
            if sent % _A_SOCKET == 0:
                self.ends += socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                socket.send_fds(self.ends[-1], [b"x"], [0])
            except OSError:
                return sent
        return most

    def _clear(self) -> None:
        while self.ends:
            self.ends.pop().close()


class Core:
    """Whoever computes slows others on the same core."""

    def __init__(self) -> None:
        on_first_core()
        self.on = False
        self.spinning = False

    def send(self, bit: int) -> None:
        """Compute until told otherwise, or rest."""
        self.on = bool(bit)
        if self.on and not self.spinning:
            self.spinning = True
            threading.Thread(target=self._spin, daemon=True).start()

    def _spin(self) -> None:
        while self.on:
            pass
        self.spinning = False

    def read(self) -> float:
        """Return how much of 40 ms it got itself."""
        start, used = time.perf_counter(), time.process_time()
        while time.perf_counter() < start + 0.04:
            pass
        return (time.process_time() - used) / (time.perf_counter() - start)


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


CHANNELS = {
    "open files of the machine": OpenFiles,
    "terminals of the machine": Terminals,
    "asynchronous requests of the machine": Requests,
    "threads of the machine (sysinfo)": ThreadsByCall,
    "threads of the machine (/proc)": ThreadsByFile,
    "processes of the machine (links of /proc)": Processes,
    "taken memory of the machine": Memory,
    "processes that the machine started": Forks,
    "page faults of the machine": Faults,
    "the numbers of processes' files": ProcessNumbers,
    "the numbers of sockets (SO_COOKIE)": Cookies,
    "the numbers of pipes (st_ino)": FileNumbers,
    "the numbers of eventfds (fdinfo)": EventNumbers,
    "time on a core": Core,
    "room in a user's pipes": PipeBuffers,
    "descriptors on a user's way": FilesOnTheirWay,
}
