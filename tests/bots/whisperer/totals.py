"""Channels that set a level: how much of something the machine holds at the moment."""

import ctypes
import mmap
import os
import re
import signal
import struct
import threading
from pathlib import Path

from calls import call, on_first_core  # type: ignore[import-not-found]  # it is beside this

_MANY = 200
_CHILDREN = 60
_MIB = 1 << 20


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
            call("io_destroy", ctypes.c_ulong(self.context))
            self.context = 0
        if bit:
            context = ctypes.c_ulong(0)
            call("io_setup", 1000, ctypes.byref(context))
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
        call("sysinfo", told)
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


CHANNELS = {
    "open files of the machine": OpenFiles,
    "terminals of the machine": Terminals,
    "asynchronous requests of the machine": Requests,
    "threads of the machine (sysinfo)": ThreadsByCall,
    "threads of the machine (/proc)": ThreadsByFile,
    "processes of the machine (links of /proc)": Processes,
    "taken memory of the machine": Memory,
    "the numbers of eventfds (fdinfo)": EventNumbers,
}
