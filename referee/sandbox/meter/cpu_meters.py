"""Measure a program's CPU time, and its delay: the time it waited for a core."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from referee.sandbox.meter.process_tree import cpu_ns

_MOST_THREADS = 32


class Usage(NamedTuple):
    """CPU time and delay since a program's start, in microseconds."""

    cpu_us: int
    delay_us: int


class Meter(Protocol):
    """Reads a program's usage; cheap, as it runs at every decision."""

    def read(self) -> Usage:
        """Return the usage so far."""

    def close(self) -> None:
        """Close its files."""


class DelayMeter(Protocol):
    """Reads a program's delay alone."""

    def delay_us(self) -> int:
        """Return the delay so far."""

    def close(self) -> None:
        """Close its files."""


class ProcessMeter:
    """Reads the clocks of a program's first process.

    CPU time covers all its threads, to the nanosecond. The delay is the sum over its first 32
    threads, so where several wait at once it exceeds the elapsed time. Both miss its children, in
    which a program can hide CPU time.
    """

    def __init__(self, program: Callable[[], int]) -> None:
        """Read the process whose id `program` returns; 0: none yet."""
        self._program = program
        self._process = 0
        self._cpu_us = self._delay_us = 0
        self._files: dict[str, int] = {}
        self._delays_ns: dict[str, int] = {}
        self._tasks = -1
        self._links = 0

    def read(self) -> Usage:
        """Return the sums so far; of a process that is gone, the last ones read."""
        if self._process or self._find():
            self._cpu_us = cpu_ns(self._process) // 1000 or self._cpu_us
        return Usage(self._cpu_us, self.delay_us())

    def delay_us(self) -> int:
        """Return the delay so far; of a process that is gone, the last one read."""
        if self._process or self._find():
            try:
                self._read_delays()
            except OSError:
                return self._delay_us
            self._delay_us = sum(self._delays_ns.values()) // 1000
        return self._delay_us

    def _find(self) -> bool:
        self._process = self._program()
        if not self._process:
            return False
        try:
            self._tasks = os.open(f"/proc/{self._process}/task", os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            self._process = 0
        return bool(self._process)

    def _read_delays(self) -> None:
        links = os.fstat(self._tasks).st_nlink  # one for each thread, and two more
        if links != self._links:
            self._find_threads()
            self._links = links
        for thread, file in list(self._files.items()):
            try:
                self._delays_ns[thread] = int(os.pread(file, 64, 0).split()[1])
            except (OSError, IndexError):  # the thread has ended: its wait still counts
                os.close(self._files.pop(thread))
                self._links = 0

    def _find_threads(self) -> None:
        here = sorted(os.listdir(self._tasks), key=int)[:_MOST_THREADS]  # noqa: PTH208 -- a descriptor
        for thread in self._files.keys() - set(here):
            os.close(self._files.pop(thread))
        for thread in here:
            if thread not in self._files:
                file = os.open(f"/proc/{self._process}/task/{thread}/schedstat", os.O_RDONLY)
                self._files[thread] = file

    def close(self) -> None:
        """Close its files."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()
        if self._tasks >= 0:
            os.close(self._tasks)
            self._tasks = -1


class CpuMeter:
    """Reads a control group's CPU time: exact, and nothing that the program starts escapes it.

    Another meter gives the delay.
    """

    def __init__(self, file: Path, delays: DelayMeter) -> None:
        """Read `cpu.stat` of version 2 or `cpuacct.usage` of version 1."""
        self._file = os.open(file, os.O_RDONLY)
        self._delays = delays

    def read(self) -> Usage:
        """Return the usage so far."""
        return Usage(_cpu_us(self._file), self._delays.delay_us())

    def close(self) -> None:
        """Close its files."""
        os.close(self._file)
        self._delays.close()


class PressureMeter:
    """Reads the delay of a control group of version 2 from its pressure.

    That is the time in which at least one of its threads waited for a core.
    """

    def __init__(self, file: Path) -> None:
        """Read `cpu.pressure`."""
        self._file = os.open(file, os.O_RDONLY)

    def delay_us(self) -> int:
        """Return the delay so far."""
        some = os.pread(self._file, 256, 0).split(b"\n", 1)[0]  # some avg10=0.00 ... total=123
        return int(some.rpartition(b"=")[2])

    def close(self) -> None:
        """Close its files."""
        os.close(self._file)


def delay_meter(group: Path, program: Callable[[], int]) -> DelayMeter:
    """Return a meter of a group's delay, from its pressure where the kernel accounts for that.

    Else it covers the first process only, and takes the longer the more threads that has.
    """
    pressure = group / "cpu.pressure"
    return PressureMeter(pressure) if pressure.exists() else ProcessMeter(program)


def _cpu_us(file: int) -> int:
    first = os.pread(file, 64, 0).split(b"\n", 1)[0].split()
    if first[0] == b"usage_usec":
        return int(first[1])
    return int(first[0]) // 1000
