"""What a raider takes too much of. All of it has an end, and is gone after some seconds."""

import contextlib
import ctypes
import errno
import math
import mmap
import os
import signal
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from courtyard_kit import pipes

Targets = dict[str, Any]
_MIB = 1 << 20
_SECONDS = 20
_MOST_PROCESSES, _MOST_MIB = 128, 1024
"""What a bot may have."""
_OWNER, _USER, _GROUP, _MASK, _OTHER, _NO_ID = 1, 2, 4, 16, 32, 0xFFFFFFFF
"""The kinds of entries in a list of who may do what with a file."""
_LIBC = ctypes.CDLL(None, use_errno=True)
_kept: list[Any] = []


def forks(_: Targets) -> str:
    """Start 400 processes."""
    count = 0
    try:
        while count < 400:
            _child(lambda: time.sleep(_SECONDS))
            count += 1
    except OSError as error:
        print(error.strerror)
    _stay_with(count, _MOST_PROCESSES)
    return f"{count} processes"


def _stay_with(taken: int, most: float) -> None:
    """Stay until somebody kills this for having taken more than it may have.

    A watchdog looks ten times a second, but on a busy machine not before the end of a short match.
    """
    if taken > most:
        time.sleep(_SECONDS)


def one_hog(_: Targets) -> str:
    """Fill 1400 MiB."""
    held = _filled(1400)
    _stay_with(len(held), _MOST_MIB * _MIB)
    return f"{len(held) // _MIB} MiB"


def many_hogs(_: Targets) -> str:
    """Fill 1500 MiB in six processes; count what those hold that live."""
    return f"{_held_by(6, lambda: len(_filled(250)), _MOST_MIB * _MIB) // _MIB} MiB"


def _held_by(count: int, fill: Callable[[], int], most: float = math.inf) -> int:
    """Have `count` children fill something and hold it; return what they all hold at the end.

    If that is more than what they may hold at most, they hold it until they are killed for it.
    """
    told, telling = os.pipe()
    until, holding = os.pipe()

    def task() -> None:
        os.close(holding)
        os.write(telling, b"%d %d\n" % (os.getpid(), fill()))
        os.close(telling)
        os.read(until, 1)

    children = [_child(task) for _ in range(count)]
    os.close(telling)
    said = b""
    while more := os.read(told, 4096):
        said += more
    held = {int(child): int(total) for child, _, total in map(_parted, said.splitlines())}
    _stay_with(sum(held.values()), most)
    lost = {child for child in children if os.waitpid(child, os.WNOHANG)[0]}
    os.close(holding)
    return sum(total for child, total in held.items() if child not in lost)


def _parted(line: bytes) -> tuple[bytes, bytes, bytes]:
    return line.partition(b" ")


def _filled(mib: int) -> mmap.mmap:
    """Take memory, and keep it for as long as the process lives."""
    held = mmap.mmap(-1, mib * _MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for offset in range(0, len(held), mmap.PAGESIZE):
        held[offset] = 1
    _kept.append(held)
    return held


def hidden_memory(_: Targets) -> str:
    """Fill 300 MiB that belong to no process: files that have no name."""
    total = 0
    for _number in range(20):
        file = _LIBC.memfd_create(b"hidden", 0)
        if file < 0:
            print(errno.errorcode[ctypes.get_errno()])
            break
        total += os.write(file, bytes(15 * _MIB))
    return f"{total // _MIB} MiB"


def attributes(_: Targets) -> str:
    """Fill 120 MiB with lists of who may do what with 2000 files, which the kernel keeps."""
    entries = (
        (_OWNER, 7, _NO_ID),
        *((_USER, 7, os.getuid()),) * 8000,
        *((_GROUP, 7, _NO_ID), (_MASK, 7, _NO_ID), (_OTHER, 7, _NO_ID)),
    )
    text = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    total = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for number in range(2000):
            file = Path(folder, str(number))
            file.touch()
            try:
                os.setxattr(file, "system.posix_acl_access", text)
            except OSError as error:
                print(error.strerror)
                break
            total += len(text)
    return f"{total // _MIB} MiB"


def sockets(_: Targets) -> str:
    """Leave 1200 MiB on their way between sockets of its own, in 30 processes that live."""
    return f"{_held_by(30, _filled_sockets) // _MIB} MiB"


def _filled_sockets() -> int:
    total = 0
    try:
        while total < 40 * _MIB:
            _kept.append(socket.socketpair())
            for end in _kept[-1]:
                end.settimeout(0)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        total += end.send(bytes(65536))
    except OSError as error:
        print(error.strerror)
    return total


def disk(_: Targets) -> str:
    """Write 200 MiB wherever it may."""
    total = 0
    shared = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/")  # noqa: S108 -- the point
    folders = (Path.home(), Path.cwd(), *map(Path, shared))
    written = []
    for folder in folders:
        for number in range(20):
            file = folder / f"raider-{os.getpid()}-{number}"
            try:
                with file.open("xb", 0) as opened:
                    written.append(file)
                    while total < 200 * _MIB and opened.tell() < 10 * _MIB:
                        total += opened.write(bytes(_MIB))
            except OSError as error:
                print(error.strerror)
                break
    for file in written:
        file.unlink()
    return f"{total // _MIB} MiB"


def spin(_: Targets) -> str:
    """Compute without an end instead of answering."""
    while True:
        pass


_pondering: list[Callable[[], float]] = []
_pondered: list[float] = []
_used_before = 0.0


def ponder(_: Targets) -> str:
    """Compute in a thread and in a child while others think; `before_answer` says how much."""
    threading.Thread(target=spin, args=({},), daemon=True).start()
    child = _child(lambda: spin({}))
    clock = (~child << 3) | 2  # the child's CPU time
    _pondering.append(lambda: time.process_time() + time.clock_gettime(clock))
    return ""


def before_answer() -> None:
    """Say how much CPU time went by since the last answer, if this raider ponders."""
    global _used_before  # noqa: PLW0603 -- the strategy is a function
    for used in _pondering:
        now = used()
        if _used_before:
            _pondered.append(now - _used_before)
            print(f"pondered {round(1000 * min(_pondered))} ms at least", flush=True)
        _used_before = used()


def flood(_: Targets) -> str:
    """Send messages without an end, up to 64 MiB."""
    message = b"\x02\x12\x00"
    for _number in range(64):
        pipes.write(message * (_MIB // len(message)))
    return "64 MiB sent"


def endless(_: Targets) -> str:
    """Begin a message of 2 GiB, and send the first 64 MiB of it."""
    pipes.write(bytes((0x80, 0x80, 0x80, 0x80, 0x08)))
    for _number in range(64):
        pipes.write(bytes(_MIB))
    return "64 MiB sent"


def scribble(_: Targets) -> str:
    """Print on stderr without an end, up to 256 MiB."""
    for _number in range(256):
        os.write(2, b"x" * _MIB)
    return ""


def close_stdin(_: Targets) -> str:
    """Close what the messages come by."""
    pipes.INPUT.close()
    return ""


def stop_listening(_: Targets) -> str:
    """Ignore every signal that can be ignored, and stay when there are no more matches."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    _child(lambda: time.sleep(_SECONDS))
    return ""


def _child(task: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            task()
        finally:
            os._exit(0)
    return child


ATTACKS: dict[str, Callable[[Targets], str]] = {
    attack.__name__: attack
    for attack in (
        *(
            forks,
            one_hog,
            many_hogs,
            hidden_memory,
            attributes,
            sockets,
            disk,
            spin,
            ponder,
            flood,
            endless,
            scribble,
        ),
        *(close_stdin, stop_listening),
    )
}
