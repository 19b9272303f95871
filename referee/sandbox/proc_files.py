"""What a program sees of /proc beside its own processes: nothing that tells of the machine's state.

What bots do shows there, for all to read: how many threads and files there are, how much memory is
free, who holds locks. So /proc/sys and all that is not known to be harmless is out of reach, and
what runtimes read has a content that never changes.
"""

import functools
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

PROC = Path("/proc")
CONSTANT = ("cpuinfo", "loadavg", "meminfo", "stat", "uptime")
"""What runtimes and libraries read: they count cores and look how much memory there is."""
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
"""What may be seen as it is."""


def out_of_reach() -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options that cover what tells of the machine's state."""
    for path in _to_cover():
        if path.is_dir():
            yield from empty_folder(str(path))
        else:  # bound without devices: it cannot be opened
            yield "--ro-bind", os.devnull, str(path)


def empty_folder(path: str) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options that put an empty folder over this one."""
    yield "--perms", "0555", "--tmpfs", path
    yield "--remount-ro", path


def constant(descriptors: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for the files of `CONSTANT`, read from these descriptors."""
    for name, descriptor in zip(CONSTANT, descriptors, strict=True):
        yield "--perms", "0444", "--ro-bind-data", str(descriptor), str(PROC / name)


@functools.cache
def contents() -> tuple[bytes, ...]:
    """Return what the files of `CONSTANT` hold: of an idle machine with these cores and memory."""
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
def _to_cover() -> tuple[Path, ...]:
    paths = (path for path in PROC.iterdir() if not path.name.isdigit())
    return tuple(
        sorted(path for path in paths if path.name not in HARMLESS | {*CONSTANT} if _is_open(path))
    )


def _is_open(path: Path) -> bool:
    """Tell whether a file may be read by whoever is not root."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False
