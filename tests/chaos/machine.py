"""What a ladder under the monkey stands on: a disk, control groups and a clock that can be harmed.

All of them are this ladder's own: nothing here touches the rest of the machine. Where one cannot be
had, the error says why, with the command that brings it.
"""

import contextlib
import mmap
import os
import shutil
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox.cgroups.cgroup_files import Unavailable, own_group, write

_DISK_MIB = 256
_LARGEST_PIECE, _SMALLEST_PIECE = 1 << 26, 1 << 10
_CONTROLLERS = ("memory", "pids", "cpu", "cpuacct", "freezer", "")
"""In whose trees bots are put into groups; without a name it is the tree of version 2."""
_TAKE_BACK_EVERY_S = 0.02


class Lacking(Exception):  # noqa: N818 -- a state, not an error
    """Something cannot be had on this machine; the message says why."""


class Disk:
    """A file system of its own in a file, mounted in this process's own mount namespace."""

    def __init__(self, folder: Path) -> None:
        """Make and mount it there; raise `Lacking` if that cannot be done."""
        self.folder = folder
        self._filling = folder / "filling"
        self._is_frozen = False
        if os.geteuid() != 0:
            raise Lacking("only root can mount a disk of the ladder's own: sudo make chaos")
        image = folder.with_name("disk.img")
        with image.open("wb") as file:
            file.truncate(_DISK_MIB << 20)
        folder.mkdir()
        try:
            subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True, capture_output=True)
            # The loop device goes with the mount, and the mount with this process's namespace.
            subprocess.run(["mount", "-o", "loop", image, folder], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Lacking(f"no disk of the ladder's own can be mounted: {error}") from error

    def unmount(self) -> None:
        """Give it back."""
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Let nothing be written meanwhile: a writer waits where no signal reaches it."""
        if self._is_frozen:
            yield
            return
        subprocess.run(["fsfreeze", "--freeze", self.folder], check=True)
        self._is_frozen = True
        try:
            yield
        finally:
            subprocess.run(["fsfreeze", "--unfreeze", self.folder], check=True)
            self._is_frozen = False

    @contextlib.contextmanager
    def full(self) -> Iterator[None]:
        """Leave no room on it meanwhile; leave a frozen one alone: this process could not write."""
        if self._is_frozen:
            yield
            return
        try:
            with self._filling.open("wb") as file:
                _fill(file.fileno())
            yield
        finally:
            self._filling.unlink(missing_ok=True)


def _fill(file: int) -> None:
    end, piece = 0, _LARGEST_PIECE
    while piece >= _SMALLEST_PIECE:
        try:
            os.posix_fallocate(file, end, piece)
        except OSError:
            piece //= 2
        else:
            end += piece


class Groups:
    """A control group of version 1 in each tree; all groups of bots are made below these."""

    def __init__(self, name: str) -> None:
        """Make them; raise `Lacking` if they cannot be made."""
        self.folders: dict[str, Path] = {}
        for controller in _CONTROLLERS:
            with contextlib.suppress(Unavailable, OSError):
                folder = own_group(controller) / name
                folder.mkdir(exist_ok=True)
                self.folders[controller] = folder
        if not {"memory", "freezer"} <= self.folders.keys():
            self.remove()
            raise Lacking("no control groups of version 1 for memory and freezing can be made here")

    def entering(self, command: list[str]) -> list[str]:
        """Return the command line that runs a command in them."""
        enter = "".join(f"echo $$ > '{folder}/cgroup.procs'; " for folder in self.folders.values())
        return ["sh", "-c", f'{enter}exec "$@"', "sh", *command]

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop all that is in them meanwhile, as a container that is paused."""
        state = self.folders["freezer"] / "freezer.state"
        write(state, "FROZEN")
        try:
            yield
        finally:
            write(state, "THAWED")

    @contextlib.contextmanager
    def thrashing(self) -> Iterator[None]:
        """Take back meanwhile, again and again, all memory that holds what is in files.

        Programs and libraries are among that: every process has to read them anew.
        """
        over = threading.Event()
        taking = threading.Thread(target=self._take_back, args=(over,))
        taking.start()
        try:
            yield
        finally:
            over.set()
            taking.join()

    def _take_back(self, over: threading.Event) -> None:
        while not over.wait(_TAKE_BACK_EVERY_S):
            with contextlib.suppress(OSError):  # not all could be taken back
                write(self.folders["memory"] / "memory.force_empty", 0)

    def left(self) -> list[Path]:
        """Return the groups that were made below them and not removed."""
        return [
            each for folder in self.folders.values() for each in folder.rglob("*") if each.is_dir()
        ]

    def remove(self) -> None:
        """Remove them, with whatever is left below."""
        for folder in self.folders.values():
            for each in sorted((folder, *filter(Path.is_dir, folder.rglob("*"))), reverse=True):
                with contextlib.suppress(OSError):
                    each.rmdir()


_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile long *ahead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CHAOS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *at = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) ahead = at;
}

static long seconds(void) { return ahead ? *ahead : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, now);
    if (!status && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += seconds();
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    int status = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return status;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
"""


class WallClock:
    """A clock that can be set, for programs that are started with `environment`.

    The kernel has one clock for all, which stays as it is: a library that is loaded before the
    others tells these programs another time of day, and leaves the monotonic clock alone.
    """

    def __init__(self, folder: Path) -> None:
        """Build the library there; raise `Lacking` without a compiler."""
        compiler = shutil.which("cc")
        if compiler is None:
            raise Lacking("there is no C compiler: apt-get install gcc")
        library, file = folder / "clock.so", folder / "clock"
        made = [compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library), "-ldl"]
        subprocess.run(made, input=_CLOCK.encode(), check=True)
        file.write_bytes(struct.pack("q", 0))
        with file.open("r+b") as opened:
            self._ahead = mmap.mmap(opened.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(file)}

    def set_ahead(self, seconds: int) -> None:
        """Let the time of day be so much later than it is, or earlier."""
        self._ahead[:] = struct.pack("q", seconds)
