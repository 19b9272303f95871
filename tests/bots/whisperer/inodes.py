"""Channels through inodes that both ends see, and through what all of the machine share."""

import contextlib
import fcntl
import mmap
import os
import struct
import subprocess
import time
from pathlib import Path

NODES = ("null", "zero", "full", "random", "urandom", "tty")
MANY = "many"
FILES = 1000
"""The small files in a folder, each of which serves once."""
PROGRAM = "./program"
"""A program that sleeps for a time."""
_KNOWN_OF_A_FILE = 0xC020662A
"""A request of ext4 (EXT4_IOC_GET_ES_CACHE)."""
_TICK = 0.005
"""The kernel sets no times that are nearer to each other."""
_MAP_HUGETLB = 0x40000
_HUGE_PAGE = 2 << 20
_MOST_HUGE_PAGES = 64


class NodeTimes:
    """Who may write to a device may say that it did so now, and everybody reads when."""

    def __init__(self) -> None:
        self.before = self._times()

    def send(self, bit: int) -> None:
        """Set the time of each node, or not."""
        if bit:
            time.sleep(_TICK)
            for node in NODES:
                os.utime(f"/dev/{node}")

    def read(self) -> int:
        """Return how many times are others than before."""
        before, self.before = self.before, self._times()
        return sum(now != then for now, then in zip(self.before, before, strict=True))

    def _times(self) -> list[int]:
        return [Path("/dev", node).stat().st_mtime_ns for node in NODES]


class FileState:
    """A file system remembers where it looked for a file, and tells each reader."""

    number = 0

    def _next(self) -> int:
        """Open the next file."""
        FileState.number += 1
        return os.open(f"{MANY}/{FileState.number % FILES}", os.O_RDONLY)

    def send(self, bit: int) -> None:
        """Read the file, or not."""
        opened = self._next()
        if bit:
            os.read(opened, 1)
        os.close(opened)

    def read(self) -> int:
        """Ask how much is known of where it lies."""
        opened, asked = self._next(), bytearray(32 + 56)
        struct.pack_into("QQIIII", asked, 0, 0, 1 << 40, 0, 0, 1, 0)
        try:
            fcntl.ioctl(opened, _KNOWN_OF_A_FILE, asked)
        finally:
            os.close(opened)
        count: int = struct.unpack_from("I", asked, 20)[0]
        return count


class RunningProgram:
    """The kernel refuses writes to a running program, unless it refuses the writer already."""

    running: "subprocess.Popen[bytes] | None" = None

    def send(self, bit: int) -> None:
        """Run it, or end it."""
        if self.running is not None:
            self.running.kill()
            self.running.wait()
            self.running = None
        if bit:
            self.running = subprocess.Popen([PROGRAM, "600"], stdin=subprocess.DEVNULL)

    def read(self) -> int:
        """Try to write to it."""
        try:
            os.close(os.open(PROGRAM, os.O_WRONLY))
        except OSError as error:
            return error.errno or 0
        return 0


class HugePages:
    """The machine has a pool of huge pages for all, and who takes them leaves none."""

    def __init__(self) -> None:
        self.held: list[mmap.mmap] = []

    def send(self, bit: int) -> None:
        """Take all that are left, or give them back."""
        while self.held:
            self.held.pop().close()
        if bit:
            while len(self.held) < _MOST_HUGE_PAGES and (page := self._page()):
                self.held.append(page)

    def read(self) -> int:
        """Try to take one."""
        page = self._page()
        if page is not None:
            page.close()
        return int(page is None)

    def _page(self) -> mmap.mmap | None:
        try:
            return mmap.mmap(-1, _HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_HUGETLB)
        except OSError:
            return None


class Room:
    """How much room is left on the file systems that both see."""

    own = (".", "/tmp", "/dev/shm")  # noqa: S108 -- where it may write
    seen = ("/usr", "/dev", "/run", *own)

    def send(self, bit: int) -> None:
        """Fill some of it, or free it again."""
        for folder in self.own:
            filling = Path(folder, "filling-of-a-whisperer")
            with contextlib.suppress(OSError):
                if bit:
                    filling.write_bytes(bytes(12 << 20))
                else:
                    filling.unlink()

    def read(self) -> int:
        """Return how many blocks are free."""
        return sum(os.statvfs(folder).f_bfree for folder in self.seen)


CHANNELS = {
    "the times of device nodes": NodeTimes,
    "what ext4 knows of a file": FileState,
    "a user's program that runs (ETXTBSY)": RunningProgram,
    "huge pages of the machine": HugePages,
    "room of a file system": Room,
}
