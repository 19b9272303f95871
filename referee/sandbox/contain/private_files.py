"""Give each bot files of its own: images that are mounted anew for every bot.

Bots that see the same files can tell each other things by what the kernel keeps of a file: which of
its pages and names are in memory, and who waits on a page of it. Each mount of an image has all of
that for itself. The images stay in memory, so reading takes as long after another bot's reading.

Only root can mount images, on Linux from 6.12 on. The owner makes that of the system
(`system_image`); those of bots' folders are made here.
"""

import contextlib
import errno
import functools
import mmap
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee.core.errors import UsageError
from referee.sandbox.contain import erofs, mounts, system_image
from referee.sandbox.program import Program
from referee.sandbox.spawner import in_spawner

_MIB = 1024 * 1024
MOST_OF_A_BOT = 64 * _MIB
"""A larger folder of a bot is shared by all processes of that bot."""
MOST_OF_ALL_BOTS = 512 * _MIB
MOST_OF_MEMORY = 0.5
_ROOT = Path("/")


def lacking() -> str:
    """Return why bots share the system's files; empty if each has its own."""
    if reason := unfit():
        return reason
    return "" if system_image.path().is_file() else "no image of the system has been made"


def unfit() -> str:
    """Return why images cannot be mounted here; empty if they can."""
    if os.geteuid() != 0:
        return "only root can mount images"
    if "erofs" not in Path("/proc/filesystems").read_text().split():
        return "this kernel has no EROFS (modprobe erofs)"
    if shutil.which(erofs.PROGRAM) is None:
        return f"{erofs.PROGRAM} is not installed (apt-get install erofs-utils)"
    return ""


def _try_out(image: Path) -> None:
    """Mount an image as bots would; raise `OSError` if that fails."""
    size, memory = image.stat().st_size, os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
    if size > MOST_OF_MEMORY * memory:
        reason = (
            f"the image of {size // _MIB} MiB would not fit into {memory // _MIB} MiB of memory"
        )
        raise OSError(errno.ENOMEM, reason)
    private = _Private(image)
    with contextlib.ExitStack() as kept:
        kept.callback(private.close)
        private.mounted(image, kept)


def make_image() -> Path:
    """Make the image of the system and try it; return its path.

    Raise `UsageError` where bots could not mount it, or where it would take most of the memory.
    """
    if reason := unfit():
        raise UsageError(f"bots cannot have files of their own here: {reason}")
    try:
        image = system_image.make()
    except OSError as error:
        raise UsageError(f"no image can be made: {error}") from error
    try:
        in_spawner(_try_out, image).result()
    except OSError as error:
        image.unlink()
        why = error.strerror
        if error.errno == errno.ENOTBLK:
            why = (
                f"images cannot be mounted from the file system of {image.parent}, which is in "
                f"memory or an overlay; set {system_image.FOLDER} to a folder on a disk"
            )
        raise UsageError(f"bots cannot have files of their own here: {why}") from error
    return image


def give(program: Program, kept: contextlib.ExitStack) -> tuple[Path, Program]:
    """Mount a bot's files; return where the system is and the program with its folder there.

    That is / and the same program if bots share files, or if this is a build. Call it in the
    spawner's thread: that thread alone sees the mounts, with the programs that it starts.
    """
    if program.writable or lacking():
        return _ROOT, program
    private = _private(os.getpid())
    system = private.mounted(system_image.path(), kept)
    image = private.image_of(program.directory)
    if image is None:
        return system, program
    return system, replace(program, directory=private.mounted(image, kept))


class _Private:
    """The mounts and images of one process."""

    def __init__(self, system: Path) -> None:
        mounts.leave_namespace()
        self._folder = system.parent / "mounts"  # each process sees what it mounts there itself
        self._folder.mkdir(exist_ok=True)
        mounts.mount_memory(self._folder)
        with system.open("rb") as opened:
            self._system = mmap.mmap(opened.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
        mounts.hold(self._system)
        self._images = OrderedDict[tuple[object, ...], Path]()

    def close(self) -> None:
        """Unmount everything."""
        mounts.unmount(self._folder)

    def mounted(self, image: Path, kept: contextlib.ExitStack) -> Path:
        """Mount an image until the stack closes; return where."""
        place = Path(tempfile.mkdtemp(dir=self._folder))
        mounts.mount_image(image, place)
        kept.callback(in_spawner, _unmount, place)
        return place

    def image_of(self, folder: Path) -> Path | None:
        """Return an image of a bot's folder; None if it would be too large."""
        entries = tuple(_entries(folder))
        if sum(size for *_, size in entries) > MOST_OF_A_BOT:
            return None
        if entries not in self._images:
            self._images[entries] = self._made(folder)
        self._images.move_to_end(entries)
        image = self._images[entries]
        while len(self._images) > 1 and self._size() > MOST_OF_ALL_BOTS:
            _, oldest = self._images.popitem(last=False)
            oldest.unlink()
        return image

    def _size(self) -> int:
        return sum(image.stat().st_size for image in self._images.values())

    def _made(self, folder: Path) -> Path:
        number, name = tempfile.mkstemp(dir=self._folder)
        os.close(number)
        erofs.make(Path(name), folder)
        return Path(name)


@functools.cache
def _private(_process: int) -> _Private:
    """Return this process's mounts: a forked process has none of its parent's threads."""
    return _Private(system_image.path())


def _entries(folder: Path) -> Iterator[tuple[object, int]]:
    """Yield the identity and size of each entry below a folder; they change with its content."""
    found = folder.stat()
    yield (str(folder), found.st_mtime_ns, found.st_ino), 0
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(Path(entry))
            else:
                found = entry.stat(follow_symlinks=False)
                identity = (entry.path, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
                yield identity, found.st_size


def _unmount(place: Path) -> None:
    with contextlib.suppress(OSError):
        mounts.unmount(place)
        place.rmdir()
