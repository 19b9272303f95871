"""Write a read-only file system image (EROFS, uncompressed) of some paths of this machine.

Linux mounts such an image from a plain file, without a block device, in a tenth of a millisecond;
each mount has inodes, names and cached pages of its own. The format is the kernel's, see
Documentation/filesystems/erofs.rst: a superblock; the inodes, with what is short beside them;
blocks of data. An inode is addressed by its place among the inodes, in units of 32 bytes.
"""

import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

_BLOCK = 4096
_MAGIC = 0xE0F5E1E2
_SUPERBLOCK_AT = 1024
_SUPERBLOCK = struct.Struct("<IIIBBHQQIIII16s16sI")
_INODE = struct.Struct("<HHHHQIIIIQII16x")
_SLOT = 32
_FIRST_INODES = 1
"""The block where the inodes begin."""
_EXTENDED = 1
_PLAIN, _INLINE = 0, 2
_ENTRY = struct.Struct("<QHBx")
_KINDS = {stat.S_IFREG: 1, stat.S_IFDIR: 2, stat.S_IFLNK: 7}
_FOLDER = stat.S_IFDIR | 0o755

Wanted = Callable[[Path], bool]


@dataclass(slots=True)
class _Node:
    """A file, folder or link of the image."""

    mode: int
    source: Path | None = None
    """Where a file's content is."""
    size: int = 0
    link: bytes = b""
    children: dict[bytes, "_Node"] = field(default_factory=dict)
    user: int = 0
    group: int = 0
    seconds: int = 0
    number: int = 0
    """Its place among the inodes."""
    block: int = 0
    """Where its content begins."""
    same: tuple[int, int] = (0, 0)
    """Which file of this machine it is."""

    @property
    def kind(self) -> int:
        """Return what it is, as the kernel has it in the mode."""
        return stat.S_IFMT(self.mode)

    def beside(self) -> int:
        """Return how many bytes of its content lie beside the inode, where a block has room."""
        tail = 0 if self.kind == stat.S_IFREG else self.size % _BLOCK
        return tail if _INODE.size + tail <= _BLOCK else 0


def write(image: BinaryIO, paths: Iterable[Path], wanted: Wanted = lambda _: True) -> None:
    """Write an image in which each of these paths is where it is on this machine.

    A path that is a link is followed, links below it are kept. What is not `wanted` is left out,
    and whatever is no file, folder or link.
    """
    root = _Node(_FOLDER)
    for path in paths:
        _add(root, path, path, wanted)
    _write(image, root)


def write_folder(image: BinaryIO, folder: Path, name: str) -> None:
    """Write an image that holds one folder by this name."""
    root = _Node(_FOLDER)
    _add(root, Path("/", name), folder, lambda _: True)
    _write(image, root)


def _write(image: BinaryIO, root: _Node) -> None:
    nodes = list(_numbered(root))
    blocks = _placed(nodes, _FIRST_INODES + _blocks(_end(nodes[-1])))
    image.truncate(blocks * _BLOCK)
    _write_superblock(image, len(nodes), blocks, root.number)
    for parent, node in _with_parents(root, root):
        _write_inode(image, node, _content(node, parent))
    image.flush()
    done = set[int]()
    for node in nodes:
        if node.source is not None and node.size and node.block not in done:
            done.add(node.block)
            _copy(image, node.source, node.size, node.block * _BLOCK)


def _add(root: _Node, path: Path, source: Path, wanted: Wanted) -> None:
    """Add what a path of this machine leads to, at a path of the image."""
    node = root
    for name in path.parts[1:-1]:
        node = node.children.setdefault(os.fsencode(name), _Node(_FOLDER))
    found = _read(source.resolve(), wanted)
    if found is not None:
        node.children[os.fsencode(path.name)] = found


def _read(path: Path, wanted: Wanted) -> _Node | None:
    """Return what is at a path and below; None if it is not wanted or no such thing."""
    try:
        found = path.lstat()
    except OSError:  # it was removed meanwhile
        return None
    if stat.S_IFMT(found.st_mode) not in _KINDS or not wanted(path):
        return None
    node = _Node(
        found.st_mode,
        user=found.st_uid,
        group=found.st_gid,
        seconds=int(found.st_mtime),
        same=(found.st_dev, found.st_ino),
    )
    if node.kind == stat.S_IFLNK:
        node.link = os.readlink(os.fsencode(path))  # noqa: PTH115 -- to the letter
        node.size = len(node.link)
    elif node.kind == stat.S_IFREG:
        node.source, node.size = path, found.st_size
    else:
        below = ((each.name, _read(each, wanted)) for each in sorted(path.iterdir()))
        node.children = {os.fsencode(name): child for name, child in below if child is not None}
    return node


def _numbered(root: _Node) -> Iterator[_Node]:
    """Yield all nodes, the root first; give each its place among the inodes."""
    waiting, free = [root], 0
    while waiting:
        node = waiting.pop()
        if node.kind == stat.S_IFDIR:
            node.size = sum(map(len, _folder(node, node)[:-1])) + len(_folder(node, node)[-1])
        if free % _BLOCK + _INODE.size + node.beside() > _BLOCK:
            free += -free % _BLOCK
        node.number = free // _SLOT
        free = _end(node)
        yield node
        waiting += node.children.values()


def _end(node: _Node) -> int:
    """Return where the next inode may begin."""
    end = node.number * _SLOT + _INODE.size + node.beside()
    return end + -end % _SLOT


def _placed(nodes: Iterable[_Node], free: int) -> int:
    """Give each content its blocks, from the first free one on; return the number of blocks."""
    known = dict[tuple[int, int], int]()
    for node in nodes:
        needed = _blocks(node.size - node.beside())
        if node.source is not None and node.same in known:
            node.block = known[node.same]
        elif needed:
            node.block = known[node.same] = free
            free += needed
    return free


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)


def _with_parents(node: _Node, parent: _Node) -> Iterator[tuple[_Node, _Node]]:
    """Yield each node after its parent."""
    yield parent, node
    for child in node.children.values():
        yield from _with_parents(child, node)


def _content(node: _Node, parent: _Node) -> bytes:
    """Return a folder's or link's content."""
    return b"".join(_folder(node, parent)) if node.kind == stat.S_IFDIR else node.link


def _folder(node: _Node, parent: _Node) -> list[bytes]:
    """Return the blocks of a folder; all but the last are full."""
    entries = sorted({b".": node, b"..": parent, **node.children}.items())
    cuts, used = [0], 0
    for index, (name, _) in enumerate(entries):
        needed = _ENTRY.size + len(name)
        if used + needed > _BLOCK:
            cuts.append(index)
            used = 0
        used += needed
    pieces = [_entries(entries[start:end]) for start, end in pairwise([*cuts, len(entries)])]
    return [*(piece.ljust(_BLOCK, b"\0") for piece in pieces[:-1]), pieces[-1]]


def _entries(entries: list[tuple[bytes, _Node]]) -> bytes:
    """Return a block of a folder: its entries, then their names."""
    at, written = len(entries) * _ENTRY.size, bytearray()
    for name, node in entries:
        written += _ENTRY.pack(node.number, at, _KINDS[node.kind])
        at += len(name)
    return bytes(written) + b"".join(name for name, _ in entries)


def _write_superblock(image: BinaryIO, nodes: int, blocks: int, root: int) -> None:
    image.seek(_SUPERBLOCK_AT)
    bits = _BLOCK.bit_length() - 1
    image.write(
        _SUPERBLOCK.pack(
            *(_MAGIC, 0, 0, bits, 0, root, nodes, 0, 0, blocks, _FIRST_INODES, 0),
            *(b"", b"", 0),
        )
    )


def _write_inode(image: BinaryIO, node: _Node, content: bytes) -> None:
    """Write an inode and what is short beside it; the other content of folders and links."""
    beside = node.beside()
    layout = _INLINE if beside else _PLAIN
    image.seek(_FIRST_INODES * _BLOCK + node.number * _SLOT)
    image.write(
        _INODE.pack(
            *(
                _EXTENDED | layout << 1,
                0,
                node.mode,
                0,
                node.size,
                node.block,
                node.number & 0xFFFFFFFF,
            ),
            *(node.user, node.group, node.seconds, 0, 1 + (node.kind == stat.S_IFDIR)),
        )
    )
    if node.source is None:
        image.write(content[len(content) - beside :])
        image.seek(node.block * _BLOCK)
        if len(content) > beside:
            image.write(content[: len(content) - beside])


def _copy(image: BinaryIO, source: Path, size: int, at: int) -> None:
    """Copy a file's content; what it has lost meanwhile is zeros."""
    os.lseek(image.fileno(), at, os.SEEK_SET)
    with source.open("rb") as opened:
        while size:
            copied = os.sendfile(image.fileno(), opened.fileno(), None, size)
            if not copied:
                return
            size -= copied
