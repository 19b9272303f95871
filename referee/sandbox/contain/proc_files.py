"""The /proc that a program sees: it reveals nothing of the machine's state.

The real /proc shows all readers what bots do: the number of threads and files, the free memory,
which processes map a page. A bot has no such file system at all, as even its link count tells how
many processes the machine has. Instead the bot gets a folder with the few files that runtimes read,
of constant content, the path of its program, and its standard streams by name.

A build, which knows no hands, sees its own processes there. /proc/sys and all files not known to be
harmless are out of its reach.
"""

import functools
import os
import re
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.core.errors import RefereeError

PROC = Path("/proc")
CONSTANT = ("cpuinfo", "loadavg", "meminfo", "stat", "uptime")
"""Files that runtimes and libraries read, to count cores and to size the memory."""
_OF_ITSELF = ("self/maps", "self/stat")
"""Files that .NET and Node read."""
UNVARIED = ("setarch", os.uname().machine, "--addr-no-randomize")
"""Fixes a program's stack where `self/maps` has it; the loader's answers come from there."""
HARMLESS = frozenset(
    (
        # Of the process itself and its namespaces
        *("self", "thread-self", "mounts", "net", "sysvipc"),
        # Settled when the machine started
        *("acpi", "bootconfig", "bus", "cmdline", "config.gz", "consoles", "devices", "dma"),
        *("execdomains", "filesystems", "iomem", "ioports", "kallsyms", "misc", "mtrr"),
        *("partitions", "tty", "version", "version_signature"),
    )
)
"""Files that a build may see."""
_FIRST_PROCESS = PROC / "1"
_PROGRAM = PROC / "2"
_SELF = PROC / "self"
_STREAMS = _SELF / "fd"
"""/dev/stdin, /dev/stdout and /dev/stderr lead here."""


def of_a_bot(
    descriptors: Sequence[int], streams: Sequence[Path], itself: Path | None
) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for a folder of constant files, read from these descriptors.

    The folder also names these streams, to be opened, and the program itself.
    """
    # A program that lists descriptors, as to close others, would take these three for all.
    for folder, mode in ((PROC, "0555"), (_SELF, "0555"), (_STREAMS, "0111")):
        yield "--perms", mode, "--dir", str(folder)
    for name, descriptor in zip((*CONSTANT, *_OF_ITSELF), descriptors, strict=True):
        yield "--perms", "0444", "--file", str(descriptor), str(PROC / name)
    yield "--symlink", _SELF.name, str(_PROGRAM)
    if itself is not None:
        yield "--symlink", str(itself), str(_SELF / "exe")
    for number, stream in enumerate(streams):
        if stream.is_fifo():
            yield "--ro-bind", str(stream), str(_STREAMS / str(number))
        else:
            yield "--symlink", str(stream), str(_STREAMS / str(number))


def of_a_build(descriptors: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for a /proc of the build's processes, with constant files."""
    yield "--proc", str(PROC)
    # The first process of the namespace is bubblewrap's. An ordinary user's program has the same
    # user, and nothing would limit, count or stop it in that process's memory.
    yield from empty_folder(str(_FIRST_PROCESS))
    yield from out_of_reach()
    for name, descriptor in zip(CONSTANT, descriptors, strict=True):
        yield "--perms", "0444", "--ro-bind-data", str(descriptor), str(PROC / name)


def out_of_reach() -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options that cover files on the machine's state."""
    for path in _to_cover():
        if path.is_dir():
            yield from empty_folder(str(path))
        else:  # bound without devices: it cannot be opened
            yield "--ro-bind", os.devnull, str(path)


def empty_folder(path: str) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options that put an empty folder over this one."""
    yield "--perms", "0555", "--tmpfs", path
    yield "--remount-ro", path


def contents(*, building: bool) -> tuple[bytes, ...]:
    """Return the constant files' contents, of a bot or a build."""
    return _of_the_machine() if building else (*_of_the_machine(), *_of_itself())


@functools.cache
def _of_the_machine() -> tuple[bytes, ...]:
    """Return the contents of `CONSTANT`, for an idle machine of this size."""
    cores = os.cpu_count() or 1
    never = " 0" * 10
    total = re.search(r"^MemTotal:\s+(\d+) kB", (PROC / "meminfo").read_text(), re.MULTILINE)
    memory = int(total[1]) if total else 0
    free = {"MemTotal": memory, "MemFree": memory, "MemAvailable": memory}
    none = dict.fromkeys(("Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"), 0)
    lines = (f"{name + ':':<15} {kib:>8} kB\n" for name, kib in {**free, **none}.items())
    times = (f"cpu{number}{never}\n" for number in ("", *range(cores)))
    return (
        (PROC / "cpuinfo").read_bytes(),
        b"0.00 0.00 0.00 1/1 1\n",
        "".join(lines).encode(),
        "".join((*times, "intr 0\nctxt 0\nbtime 0\nprocesses 0\n")).encode(),
        b"0.00 0.00\n",
    )


@functools.cache
def _of_itself() -> tuple[bytes, ...]:
    """Return the contents of `_OF_ITSELF`: the stack's address, for libraries, and no numbers.

    Any program started like this has the same stack address. Raise
    `RefereeError` if nothing can be started so.
    """
    command = [*UNVARIED, "cat", "/proc/self/maps"]
    found = subprocess.run(command, capture_output=True, check=False, text=True)
    if found.returncode:
        raise RefereeError(f"no sandbox can be made: {found.stderr.strip()}")
    stack = (line for line in found.stdout.splitlines() if line.endswith("[stack]"))
    return "".join(f"{line}\n" for line in stack).encode(), f"2 (bot) R{' 0' * 49}\n".encode()


@functools.cache
def _to_cover() -> tuple[Path, ...]:
    paths = (path for path in PROC.iterdir() if not path.name.isdigit())
    return tuple(
        sorted(path for path in paths if path.name not in HARMLESS | {*CONSTANT} if _is_open(path))
    )


def _is_open(path: Path) -> bool:
    """Return whether users other than root may read a file."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False
