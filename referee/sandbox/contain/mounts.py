"""Mounts for one thread: what Linux offers of file systems that others do not see."""

import ctypes
import mmap
import os
from pathlib import Path

_MS_RDONLY, _MS_NOSUID, _MS_NODEV = 1, 2, 4
_MS_BIND, _MS_REC, _MS_SLAVE = 1 << 12, 1 << 14, 1 << 19
_MNT_DETACH = 2
_CLONE_NEWNS = 0x00020000


def leave_namespace() -> None:
    """Let this thread, and what it starts, mount things unseen by others; theirs still arrive."""
    _call("unshare", _CLONE_NEWNS)
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None)


def mount_image(image: Path, place: Path) -> None:
    """Mount a file system image read-only."""
    flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    _mount(bytes(image), place, b"erofs", flags)


def mount_memory(place: Path) -> None:
    """Mount an empty file system whose files stay in memory."""
    _mount(b"none", place, b"ramfs", _MS_NOSUID | _MS_NODEV)


def bind(source: Path, place: Path) -> None:
    """Show a file or folder, which has no links in its path, at another place, too."""
    _mount(bytes(source), place, None, _MS_BIND)


def unmount(place: Path) -> None:
    """Unmount what is mounted there and below, as soon as it is unused."""
    _call("umount2", bytes(place), _MNT_DETACH)


def hold(mapped: mmap.mmap) -> None:
    """Keep a mapped file in memory as long as it is mapped."""
    view = (ctypes.c_void_p * 16)()  # a `Py_buffer`; its address comes first
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(mapped), view, 0)
    try:
        _call("mlock", ctypes.c_void_p(view[0]), ctypes.c_size_t(len(mapped)))
    finally:
        ctypes.pythonapi.PyBuffer_Release(view)


def _mount(source: bytes, place: Path, kind: bytes | None, flags: int) -> None:
    _call("mount", source, bytes(place), kind, ctypes.c_ulong(flags), None)


def _call(name: str, *arguments: object) -> None:
    """Call the C library; raise `OSError` if that fails."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
