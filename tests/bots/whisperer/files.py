"""Channels through a file that both ends see, here `shared` in their folder."""

import _thread
import ctypes
import fcntl
import math
import mmap
import os
import re
import select
import signal
import struct
import threading
import time
from pathlib import Path

from calls import call  # type: ignore[import-not-found]  # it is beside this

SHARED, COLD = "shared", "cold"
FOLDER = "/usr/lib"
"""A folder that every bot sees."""
_PAGE = mmap.PAGESIZE
_RWF_NOWAIT = 8
_PAGEOUT = 21
_KEPT: list[object] = []
"""What the kernel reads when a thread is gone."""


class _Opened:
    """The file, opened to be read."""

    def __init__(self) -> None:
        self.opened = Path(SHARED).open("rb", 0)  # noqa: SIM115 -- closed with the channel
        self.file = self.opened.fileno()

    def send(self, bit: int) -> None:
        """Send by reading the file or not."""
        if bit:
            os.close(os.open(SHARED, os.O_RDONLY))


def _lock(kind: int) -> bytes:
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0)


class RecordLock(_Opened):
    """Who asks whether it could lock a byte learns of another's lock."""

    set, get = fcntl.F_SETLK, fcntl.F_GETLK

    def send(self, bit: int) -> None:
        """Lock a byte, or let it go."""
        self.control(self.set, _lock(fcntl.F_RDLCK if bit else fcntl.F_UNLCK))

    def read(self) -> int:
        """Ask whether it could be locked."""
        kind: int = struct.unpack_from("h", self.control(self.get, _lock(fcntl.F_WRLCK)))[0]
        return int(kind != fcntl.F_UNLCK)

    def control(self, command: int, lock: bytes) -> bytes:
        """Call fcntl."""
        return fcntl.fcntl(self.file, command, lock)


class OpenFileLock(RecordLock):
    """The same with locks that belong to an open file."""

    set, get = 37, 36


class WideLock(RecordLock):
    """The same with a command that has bits which the kernel drops."""

    def control(self, command: int, lock: bytes) -> bytes:
        """Call fcntl with more than 32 bits of a command."""
        buffer = ctypes.create_string_buffer(lock)
        call("fcntl", self.file, ctypes.c_long(command | 1 << 32), buffer)
        return buffer.raw


class Flock(_Opened):
    """A lock on the whole file."""

    def send(self, bit: int) -> None:
        """Lock the file, or let it go."""
        fcntl.flock(self.file, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)

    def read(self) -> int:
        """Try to lock it."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(self.file, fcntl.LOCK_UN)
        return 0


class Lease(_Opened):
    """A lease makes a process that opens the file wait."""

    def send(self, bit: int) -> None:
        """Take a lease, or give it back."""
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(self.file, fcntl.F_SETLEASE, fcntl.F_WRLCK if bit else fcntl.F_UNLCK)

    def read(self) -> int:
        """Open the file without waiting."""
        self.opened.close()  # no other descriptor may be open when a lease is taken
        try:
            os.close(os.open(SHARED, os.O_RDONLY | os.O_NONBLOCK))
        except BlockingIOError:
            return 1
        return 0


class Watch(_Opened):
    """Who watches the file sees that another opens it."""

    watching = -1

    def read(self) -> int:
        """Look what was seen since the last time."""
        if self.watching < 0:
            self.watching = call("inotify_init1", 0o4000)
            call("inotify_add_watch", self.watching, SHARED.encode(), 0x20)
        seen = bool(select.select([self.watching], [], [], 0)[0])
        if seen:
            os.read(self.watching, 65536)
        return int(seen)


class Notice(_Opened):
    """Who asks for notices of the folder gets a signal when a file in it is read."""

    seen = 0
    asked = False

    def send(self, bit: int) -> None:
        """Read the file or not."""
        if bit:
            os.pread(self.file, 1, 0)

    def read(self) -> int:
        """Count the signals."""
        if not self.asked:
            signal.signal(signal.SIGIO, self._see)
            self.folder = os.open(".", os.O_RDONLY)
            self.asked = True
            fcntl.fcntl(self.folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
        seen, self.seen = self.seen, 0
        return int(seen > 0)

    def _see(self, *_: object) -> None:
        self.seen += 1


class _Cached(_Opened):
    """Sends by what is in memory of the file: its last page, or not."""

    offset = 15 * _PAGE

    def send(self, bit: int) -> None:
        """Read the page, or drop it."""
        if bit:
            os.pread(self.file, 1, self.offset)
        else:
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)


class CachedRead(_Cached):
    """Read without waiting: that fails if the page is not in memory."""

    def read(self) -> int:
        """Read it."""
        try:
            return os.preadv(self.file, [bytearray(1)], self.offset, os.RWF_NOWAIT)
        except BlockingIOError:
            return 0


class PagedOut(CachedRead):
    """The same, dropped by advice on a mapping."""

    def send(self, bit: int) -> None:
        """Read the page, or page it out."""
        if bit:
            super().send(bit)
            return
        mapped = mmap.mmap(self.file, 16 * _PAGE, mmap.MAP_SHARED, mmap.PROT_READ)
        _ = mapped[self.offset]
        address = _address(mapped)
        call("madvise", ctypes.c_void_p(address), ctypes.c_long(16 * _PAGE), _PAGEOUT)


class Mincore(_Cached):
    """Ask which pages of a mapping are in memory."""

    def read(self) -> int:
        """Ask it of one page."""
        mapped = mmap.mmap(self.file, 16 * _PAGE, mmap.MAP_SHARED, mmap.PROT_READ)
        vector = ctypes.create_string_buffer(1)
        call("mincore", ctypes.c_void_p(_address(mapped) + self.offset), ctypes.c_long(1), vector)
        return vector.raw[0] & 1


class CacheStat(_Cached):
    """Ask how many pages of the file are in memory."""

    def read(self) -> int:
        """Ask it of one page."""
        wanted = ctypes.create_string_buffer(struct.pack("QQ", self.offset, _PAGE))
        found = ctypes.create_string_buffer(40)
        call("cachestat", self.file, wanted, found, 0)
        count: int = struct.unpack_from("Q", found.raw)[0]
        return count


class Timed:
    """A page that somebody has read comes sooner; each page of a file serves once."""

    stride = 4 * _PAGE

    def __init__(self) -> None:
        with Path(COLD).open("rb") as opened:
            self.mapped = mmap.mmap(opened.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
        self.mapped.madvise(mmap.MADV_RANDOM)
        self.offset = 0

    def _next(self) -> int:
        self.offset = (self.offset + self.stride) % len(self.mapped)
        return self.mapped[self.offset]

    def send(self, bit: int) -> None:
        """Read the next page, or pass it by."""
        if bit:
            self._next()
        else:
            self.offset += self.stride

    def read(self) -> float:
        """Return how many microseconds the next page takes, as a power of 2."""
        start = time.perf_counter_ns()
        self._next()
        return math.log2(time.perf_counter_ns() - start)


class TimedName:
    """A name that somebody has looked for comes sooner, even if there is no such file."""

    names = 5

    def __init__(self) -> None:
        self.mark = f"{Path(SHARED).stat().st_mtime:.0f}"
        self.number = 0

    def _next(self) -> list[str]:
        """Return new names, which both ends know."""
        self.number += 1
        return [f"{FOLDER}/{self.mark}-{self.number}-{name}" for name in range(self.names)]

    def send(self, bit: int) -> None:
        """Look for the next names, or pass them by."""
        for name in self._next():
            if bit:
                os.access(name, os.F_OK)

    def read(self) -> float:
        """Return how many microseconds a name takes, as a power of 2."""
        taken = []
        for name in self._next():
            start = time.perf_counter_ns()
            os.access(name, os.F_OK)
            taken.append(time.perf_counter_ns() - start)
        return math.log2(sorted(taken)[self.names // 2])


class _Mapped(_Opened):
    """Sends by mapping a page of the file, or not; the page stays in memory."""

    page = 0

    def __init__(self) -> None:
        super().__init__()
        os.pread(self.file, 16 * _PAGE, 0)
        self.mapped: mmap.mmap | None = None

    def send(self, bit: int) -> None:
        """Map the page, or unmap it."""
        self.mapped = None
        if bit:
            self.mapped = self.map()

    def map(self) -> mmap.mmap:
        """Return the page, touched."""
        start = self.page * _PAGE
        mapped = mmap.mmap(self.file, _PAGE, mmap.MAP_SHARED, mmap.PROT_READ, offset=start)
        _ = mapped[0]
        return mapped


class MapCount(_Mapped):
    """The kernel says of each mapping how much of it others have mapped, too."""

    def read(self) -> int:
        """Return how many KiB of the page are shared."""
        mapped = self.map()
        start = f"{_address(mapped):x}-"
        _, _, after = Path("/proc/self/smaps").read_text().partition(start)
        # A page is clean once the disk has it, and always dirty where files lie in memory.
        found = re.search(r"Shared_Clean:\s+(\d+) kB\nShared_Dirty:\s+(\d+)", after)
        return int(found[1]) + int(found[2]) if found else 0


class Futex(_Mapped):
    """A process that waits on a page of a file is woken by another that maps the same page."""

    woken = 0
    waits = False

    def send(self, bit: int) -> None:
        """Wake who waits."""
        if bit:
            self.mapped = self.mapped or self.map()
            call("futex", ctypes.c_void_p(_address(self.mapped)), 1, 1, None, None, 0)

    def read(self) -> int:
        """Say whether it was woken since the last time, and wait again."""
        if not self.waits:
            threading.Thread(target=self._wait, daemon=True).start()
            self.waits = True
            time.sleep(0.01)
        time.sleep(0.002)
        woken, self.woken = self.woken, 0
        return int(woken > 0)

    def _wait(self) -> None:
        mapped = self.map()
        value = struct.unpack_from("I", mapped)[0]
        while True:
            call("futex", ctypes.c_void_p(_address(mapped)), 0, value, None, None, 0)
            self.woken += 1


class ThreadEnd(Futex):
    """The kernel wakes who waits where a thread says that it ends, on a page of a file, too."""

    page = 1

    def send(self, bit: int) -> None:
        """End a thread, or not."""
        if bit:
            self.mapped = self.mapped or self.map()
            ending, address = threading.Event(), _address(self.mapped)
            # Python 3.13 and newer wait for the end of a `Thread` where the kernel no longer tells.
            _thread.start_new_thread(self._run, (address, ending))
            ending.wait()
            time.sleep(0.002)  # Python is done with it a little before the kernel is

    def _run(self, address: int, ending: threading.Event) -> None:
        try:
            self._end(address)
        finally:
            ending.set()

    def _end(self, address: int) -> None:
        """Let the kernel wake who waits there when this thread ends."""
        call("set_tid_address", ctypes.c_void_p(address))


class RobustList(ThreadEnd):
    """The same by a list of locks which a thread holds when it ends; a lock of 0 has no holder."""

    page = 2

    def _end(self, address: int) -> None:
        """Say that this thread was about to take or free a lock."""
        head = ctypes.create_string_buffer(24)
        struct.pack_into("QqQ", head, 0, ctypes.addressof(head), 0, address)
        _KEPT.append(head)
        call("set_robust_list", head, ctypes.c_long(len(head)))


def _address(mapped: mmap.mmap) -> int:
    """Return where the mapping begins, which is read-only."""
    libc = ctypes.pythonapi
    view = memoryview(mapped)
    buffer = (ctypes.c_void_p * 16)()
    libc.PyObject_GetBuffer(ctypes.py_object(view), buffer, 0)
    address = int(buffer[0] or 0)
    libc.PyBuffer_Release(buffer)
    return address


CHANNELS = {
    "a record lock": RecordLock,
    "a lock of an open file": OpenFileLock,
    "a lock asked for with wide arguments": WideLock,
    "a lock on the whole file": Flock,
    "a lease": Lease,
    "a watch": Watch,
    "a notice": Notice,
    "a page in memory (RWF_NOWAIT)": CachedRead,
    "a page paged out (MADV_PAGEOUT)": PagedOut,
    "a page in memory (mincore)": Mincore,
    "a page in memory (cachestat)": CacheStat,
    "a page in memory, by the time": Timed,
    "a name in memory, by the time": TimedName,
    "a page mapped by both (smaps)": MapCount,
    "a futex on a page of a file": Futex,
    "a futex that a thread's end wakes": ThreadEnd,
    "a futex that a robust list wakes": RobustList,
}
